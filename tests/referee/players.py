"""Owns scripted players and a clock that moves only when told to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from arena.referee import Answer, FaultKind, MatchSetup, SeatSetup, TimeControl
from arena.rules import CALLBREAK, Ruleset, Seed, View, with_rules
from arena.v1 import record_pb2

T = TypeVar("T")

SECOND_NS = 1_000_000_000
SEED = Seed.parse("5")
ONE_ROUND = with_rules(CALLBREAK, {"rounds": "1"})


class FakeClock:
    """A clock that stands still until `advance`."""

    def __init__(self) -> None:
        self._now_ns = 0

    def now_ns(self) -> int:
        """The time it was advanced to."""
        return self._now_ns

    def advance(self, seconds: float) -> None:
        """Lets time pass."""
        self._now_ns += round(seconds * SECOND_NS)

    async def within(self, decision: Awaitable[T], allowed_ns: int) -> T:
        """The decision; TimeoutError when it moved the clock beyond what is allowed."""
        asked_ns = self._now_ns
        result = await decision
        if self._now_ns - asked_ns > allowed_ns:
            self._now_ns = asked_ns + allowed_ns
            raise TimeoutError
        return result


class Lowest:
    """Calls and plays the first of what it may."""

    async def decide(self, view: View) -> Answer:
        """The lowest."""
        return proper(view)


class Scripted:
    """Decides what `script` says for the n-th time it is asked, from 0; None is the proper answer."""

    def __init__(self, script: Callable[[int, View], Answer | None]) -> None:
        self._script = script
        self.asked = 0

    async def decide(self, view: View) -> Answer:
        """What the script says."""
        answer = self._script(self.asked, view)
        self.asked += 1
        return proper(view) if answer is None else answer


class Sleeper:
    """Takes `seconds` for each decision, or for the n-th one what the list has."""

    def __init__(self, clock: FakeClock, *seconds: float) -> None:
        self._clock = clock
        self._seconds = list(seconds)
        self._every = seconds[-1]

    async def decide(self, view: View) -> Answer:
        """The lowest, late."""
        self._clock.advance(self._seconds.pop(0) if self._seconds else self._every)
        return proper(view)


def proper(view: View) -> Answer:
    """A legal answer."""
    return Answer(call=view.legal_calls[0]) if view.is_calling else Answer(card=view.legal_cards[0])


def setup(*, rules: Ruleset = ONE_ROUND, time_control: str = "1+3", strikes: int = 3) -> MatchSetup:
    """A match, of one round unless `rules` say more, between four bots called a, b, c, d."""
    return MatchSetup(
        match_id="t000-s00000-r0",
        seats=(SeatSetup("a"), SeatSetup("b"), SeatSetup("c"), SeatSetup("d")),
        rules=rules,
        time_control=TimeControl.parse(time_control),
        strikes_allowed=strikes,
        seed=SEED,
    )


def kinds(record: record_pb2.MatchRecord) -> list[FaultKind]:
    """The kinds of a record's faults, in order."""
    return [FaultKind(fault.kind) for fault in record.faults]
