"""The JSON document of a match: its keys and what stands under them."""

from __future__ import annotations

import json

from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.store.export import match_document
from arena.store.export import ruleset_document as document_of_rules
from tests.store.played import SHORT, all_played, plan_of


def eel_errs(match: RefereedMatch) -> FaultKind | None:
    return FaultKind.MALFORMED if match.setup.seats[match.seat].bot == "eel" else None


RECORD = next(record for record in all_played(plan_of(), eel_errs) if record.faults)
DOCUMENT = match_document(RECORD)


def keys(document: dict[str, object]) -> str:
    return " ".join(document)


def test_match_has_exactly_the_promised_keys() -> None:
    assert keys(DOCUMENT) == (
        "match_id table set rotation ruleset bots rounds totals_tenths places forfeited faults"
    )
    assert keys(DOCUMENT["rounds"][0]) == "round dealer hands calls tricks tricks_won scores_tenths"
    assert keys(DOCUMENT["rounds"][0]["tricks"][0]) == "leader cards winner"
    assert keys(DOCUMENT["faults"][0]) == "seat bot kind round trick answer replaced_by detail"


def test_document_is_plain_json() -> None:
    assert json.loads(json.dumps(DOCUMENT)) == DOCUMENT


def test_every_card_dealt_is_played_and_every_winner_leads_next() -> None:
    for played in DOCUMENT["rounds"]:
        dealt = {card for hand in played["hands"] for card in hand}
        assert {card for trick in played["tricks"] for card in trick["cards"]} == dealt
        assert len(dealt) == 52
        winners = [trick["winner"] for trick in played["tricks"]]
        assert [trick["leader"] for trick in played["tricks"]][1:] == winners[:-1]
        assert [winners.count(seat) for seat in range(4)] == played["tricks_won"]


def test_ruleset_is_written_out() -> None:
    assert DOCUMENT["ruleset"] == document_of_rules(SHORT)
    assert DOCUMENT["ruleset"]["rounds"] == 2


def test_forfeited_seat_is_listed_with_its_bot() -> None:
    seat = DOCUMENT["bots"].index("eel")

    assert DOCUMENT["forfeited"] == [seat]
    assert {(fault["seat"], fault["bot"], fault["kind"]) for fault in DOCUMENT["faults"]} == {
        (seat, "eel", "MALFORMED")
    }
