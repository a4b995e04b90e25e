"""The check finds every single thing that is changed in a record."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence

import pytest

from arena.referee import Player, RecordError, check_record, play_match
from arena.rules import CALLBREAK, Seed
from arena.v1 import record_pb2
from tests.referee.players import SEED, FakeClock, Lowest, Scripted, Sleeper, setup

Change = Callable[[record_pb2.MatchRecord], None]


@pytest.fixture
async def record() -> record_pb2.MatchRecord:
    clock = FakeClock()
    late = Sleeper(clock, 9.0, 0.0)
    players: list[Player] = [late, Lowest(), Scripted(lambda turn, view: None), Lowest()]
    return await play_match(setup(rules=CALLBREAK), players, clock=clock)


def _swap_plays(record: record_pb2.MatchRecord) -> None:
    plays = record.rounds[2].plays
    plays[0], plays[1] = plays[1], plays[0]


def _swap_hands(record: record_pb2.MatchRecord) -> None:
    hands = record.rounds[1].hands
    hands[0], hands[13] = hands[13], hands[0]


def _leave_out_a_round(record: record_pb2.MatchRecord) -> None:
    del record.rounds[4]


def _set(path: Callable[[record_pb2.MatchRecord], MutableSequence[int]], index: int) -> Change:
    def change(record: record_pb2.MatchRecord) -> None:
        path(record)[index] += 1

    return change


CHANGES: dict[str, tuple[Change, str]] = {
    "a play": (_swap_plays, r"round 3: seat \d played"),
    "a hand": (_swap_hands, "round 2: hands"),
    "a call": (_set(lambda r: r.rounds[0].calls, 1), "round 1: scores in tenths"),
    "a leader": (_set(lambda r: r.rounds[4].leaders, 12), "round 5: leaders"),
    "tricks won": (_set(lambda r: r.rounds[3].tricks_won, 0), "round 4: tricks won"),
    "a score": (_set(lambda r: r.rounds[3].score_tenths, 3), "round 4: scores"),
    "a total": (_set(lambda r: r.total_tenths, 2), "totals in tenths"),
    "a place": (_set(lambda r: r.places, 2), "places"),
    "the dealer": (lambda r: setattr(r.rounds[0], "dealer", 0), "round 1: dealer"),
    "a round left out": (_leave_out_a_round, "rounds: found 4, expected 5"),
    "a strike": (lambda r: setattr(r.seats[1], "strikes", 1), "strikes by seat"),
    "a forfeit": (lambda r: setattr(r.seats[1], "forfeited", True), "forfeited by seat"),
    "a fault's replacement": (lambda r: setattr(r.faults[0], "replaced_by", "AS"), "fault 1: replacement"),
    "a fault's kind": (lambda r: setattr(r.faults[0], "kind", 77), "kind 77 is not known"),
    "the set": (lambda r: setattr(r, "set", 9), "round 1: hands"),
    "the ruleset": (lambda r: setattr(r.ruleset, "follow", 9), "ruleset"),
    "the commitment": (lambda r: setattr(r, "seed_commitment", b"x"), "seed commitment"),
    "the format": (lambda r: setattr(r, "format", 2), "format: found 2, expected 1"),
}


def test_untouched_record_passes_with_and_without_the_seed(record: record_pb2.MatchRecord) -> None:
    check_record(record, SEED)
    check_record(record, None)


@pytest.mark.parametrize("what", CHANGES)
def test_changed_record_fails_and_the_message_names_the_place(
    record: record_pb2.MatchRecord, what: str
) -> None:
    change, expected = CHANGES[what]
    change(record)

    with pytest.raises(RecordError, match=expected) as caught:
        check_record(record, SEED)

    assert str(caught.value).startswith("match t000-s00000-r0")


def test_other_seed_does_not_fit(record: record_pb2.MatchRecord) -> None:
    with pytest.raises(RecordError, match="seed commitment"):
        check_record(record, Seed.parse("6"))
