"""Where two plays of one match part is told: the decision, the seat, the bot, then and now."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.reports.rerun import first_difference, rerun_document, rerun_lines
from arena.tournament.plan import schedule_of
from arena.v1 import record_pb2
from tests.store.played import nobody_errs, plan_of, played

PLAN = plan_of()
MATCH = schedule_of(PLAN).match_at(6)


def play(misbehave: Callable[[RefereedMatch], FaultKind | None] = nobody_errs) -> record_pb2.MatchRecord:
    return played(PLAN, MATCH, misbehave)


def errs_at(round_number: int, decision: int) -> Callable[[RefereedMatch], FaultKind | None]:
    def errs(match: RefereedMatch) -> FaultKind | None:
        is_there = (match.game.round_number, match.game.round.decision) == (round_number, decision)
        return FaultKind.MALFORMED if is_there else None

    return errs


def test_two_plays_that_differ_in_their_times_alone_are_identical() -> None:
    then, now = play(), play()
    now.timing.duration_us += 1

    assert first_difference(then, now) is None
    assert list(rerun_lines(then, now)) == [
        "t001-s00001-r2: identical: 2 rounds, every call, card, fault, score and place"
    ]


def test_first_other_call_is_named_with_its_round_and_seat() -> None:
    then, now = play(), play()
    caller = (now.rounds[1].dealer + 2) % 4
    now.rounds[1].calls[caller] = 5
    now.rounds[1].plays[9] = now.rounds[1].plays[10]

    differs, first, second = rerun_lines(then, now)

    assert differs == (f"t001-s00001-r2: differs at round 2, calls, seat {caller} ({then.seats[caller].bot})")
    assert (first.split(), second.split()) == (["then", "called", "2"], ["now", "called", "5"])


def test_first_other_card_is_named_with_its_trick_and_seat() -> None:
    then, now = play(), play()
    now.rounds[0].plays[22], now.rounds[0].plays[23] = then.rounds[0].plays[23], then.rounds[0].plays[22]

    found = first_difference(then, now)

    assert found is not None
    assert (found.round, found.trick, found.decision) == (1, 6, 26)
    assert found.seat == (then.rounds[0].leaders[5] + 2) % 4
    assert found.then.decided != found.now.decided


@pytest.mark.parametrize(("round_number", "decision"), [(1, 1), (2, 4)])
def test_fault_that_did_not_happen_again_is_told_with_its_words(round_number: int, decision: int) -> None:
    then, now = play(errs_at(round_number, decision)), play()

    found = first_difference(then, now)

    assert found is not None
    assert (found.round, found.decision) == (round_number, decision)
    assert (found.then.fault, found.now.fault) == ("MALFORMED", "")
    assert "MALFORMED: no \\x1b[31mred" in "\n".join(rerun_lines(then, now))


def test_seat_that_was_lost_before_the_first_round_is_a_difference() -> None:
    then, now = play(), play()
    now.faults.add(seat=3, kind=record_pb2.FaultRecord().kind, detail="no Hello within 30 s", forfeits=True)
    now.faults[0].kind = 6  # type: ignore[assignment]

    _, first, second = rerun_lines(then, now)

    assert first.split() == ["then", "no", "fault"]
    assert second.split()[:2] == ["now", "NEVER_READY:"]


def test_other_notes_are_told_and_are_no_difference() -> None:
    then, now = play(), play()
    now.rounds[0].notes[0].text = "I am not sure"

    assert first_difference(then, now) is None
    assert list(rerun_lines(then, now))[1] == "  notes of the bots differ on 1 decision"


def test_document_has_the_keys_that_never_change() -> None:
    document = rerun_document(play(errs_at(1, 2)), play())

    assert list(document) == [
        "match_id",
        "is_identical",
        "difference",
        "notes_that_differ",
        "then",
        "now",
    ]
    assert list(document["difference"]) == [
        "round",
        "trick",
        "decision",
        "seat",
        "bot",
        "then",
        "now",
    ]
    assert list(document["difference"]["then"]) == ["decided", "fault", "detail"]
    assert list(document["now"]) == ["totals_tenths", "places", "forfeited", "faults"]
