"""The rows that csv and parquet have, against the JSON document of the same match."""

from __future__ import annotations

from typing import Any

from arena.referee.faults import FaultKind
from arena.referee.record import rules_of_message
from arena.referee.refereed import RefereedMatch
from arena.rules import Card, Trick, card_list, card_set, legal_cards
from arena.store.columns import TABLES
from arena.store.export import match_document
from arena.v1 import record_pb2
from tests.store.played import all_played, plan_of


def eel_errs_twice(match: RefereedMatch) -> FaultKind | None:
    is_eel = match.setup.seats[match.seat].bot == "eel"
    return FaultKind.MALFORMED if is_eel and len(match.faults) < 2 and not match.is_calling else None


RECORD = next(record for record in all_played(plan_of(), eel_errs_twice) if record.faults)
DOCUMENT = match_document(RECORD)


def rows(name: str, record: record_pb2.MatchRecord = RECORD) -> list[dict[str, Any]]:
    table = TABLES[name]
    return [
        dict(zip([column.name for column in table.columns], row, strict=True))
        for row in table.rows_of(record)
    ]


def test_there_is_a_row_a_seat_with_what_came_of_it() -> None:
    seats = rows("seats")

    assert [row["bot"] for row in seats] == DOCUMENT["bots"]
    assert [row["points"] for row in seats] == [total / 10 for total in DOCUMENT["totals_tenths"]]
    assert [row["place"] for row in seats] == DOCUMENT["places"]
    assert [row["faults"] for row in seats] == [
        sum(fault["seat"] == seat for fault in DOCUMENT["faults"]) for seat in range(4)
    ]
    assert [list(row["calls"]) for row in seats] == [
        [played["calls"][seat] for played in DOCUMENT["rounds"]] for seat in range(4)
    ]


def test_there_is_a_row_a_decision_in_the_order_of_play() -> None:
    decisions = rows("decisions")

    assert [(row["round"], row["decision"]) for row in decisions] == [
        (number, decision) for number in (1, 2) for decision in range(56)
    ]
    cards = [row["card"] for row in decisions if row["card"]]
    assert cards == [
        card for played in DOCUMENT["rounds"] for trick in played["tricks"] for card in trick["cards"]
    ]
    assert all((row["call"] is None) == (row["trick"] > 0) for row in decisions)


def test_a_card_won_when_its_seat_won_the_trick() -> None:
    for row in rows("decisions"):
        if row["trick"]:
            trick = DOCUMENT["rounds"][row["round"] - 1]["tricks"][row["trick"] - 1]
            assert row["won"] == (trick["winner"] == row["seat"])


def test_hand_and_legal_cards_are_those_before_the_decision() -> None:
    rules = rules_of_message(RECORD.ruleset)
    on_table: list[Card] = []
    for row in rows("decisions"):
        if not row["trick"]:
            assert len(row["hand"]) == 13
            assert row["legal"] == ()
            continue
        on_table = on_table if row["turn"] else []
        trick = Trick(leader=(row["seat"] - row["turn"]) % 4, cards=tuple(on_table))
        hand = card_set([int(Card.parse(card)) for card in row["hand"]])
        assert len(row["hand"]) == 14 - row["trick"]
        assert list(row["legal"]) == [str(card) for card in card_list(legal_cards(hand, trick, rules))]
        assert row["card"] in row["legal"]
        on_table.append(Card.parse(row["card"]))


def test_refused_answer_stands_beside_what_was_played_instead() -> None:
    refused = [row for row in rows("decisions") if row["fault"]]

    assert [(row["fault"], row["answer"], row["bot"]) for row in refused] == [("MALFORMED", "ff", "eel")] * 2
    assert [row["card"] for row in refused] == [fault["replaced_by"] for fault in DOCUMENT["faults"]]


def test_time_and_note_go_with_the_decision() -> None:
    for row in rows("decisions"):
        if row["call"] is not None:
            assert (row["asked"], row["time_us"], row["note"]) == (True, 1500, "two")
        else:
            assert row["note"] is None
            assert row["time_us"] == (None if not row["asked"] else 2000 if row["fault"] else 800)


def test_record_without_times_has_rows_without_times() -> None:
    timeless = record_pb2.MatchRecord.FromString(RECORD.SerializeToString())
    timeless.ClearField("timing")

    assert {(row["asked"], row["time_us"]) for row in rows("decisions", timeless)} == {(None, None)}
