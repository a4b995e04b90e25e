"""Owns the plain way to play a match: four players that are awaited in turn, one decision at a time.

For tests, training and tools. Bots on streams are driven by `arena.bots.floor`, over the same refereed match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.referee.clocks import Clock
from arena.referee.faults import FaultKind
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import MatchSetup
from arena.rules import View
from arena.v1 import record_pb2

__all__ = ["Answer", "Player", "play_match"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision: a call or a card, and a note for the record."""

    call: int | None = None
    card: int | None = None
    note: str = ""


class Player(Protocol):
    """Whoever sits on a seat."""

    async def decide(self, view: View) -> Answer:
        """The call or the card for this view."""
        ...


async def play_match(setup: MatchSetup, players: Sequence[Player], *, clock: Clock) -> record_pb2.MatchRecord:
    """Plays a match to its end and returns its record; `players` sit by seat.

    A player that is late, answers illegally or raises is charged as RULES and the time control say; what it
    raises is a CRASHED fault, not an exception here.
    """
    match = RefereedMatch(setup)
    began_ns = clock.now_ns()
    match.begin()
    while match.seat != NOBODY:
        await _decide(match, players[match.seat], clock)
    return record_of(match, started_unix_us=0, duration_us=(clock.now_ns() - began_ns) // 1000)


async def _decide(match: RefereedMatch, player: Player, clock: Clock) -> None:
    seat = match.seat
    asked_ns = clock.now_ns()
    try:
        answer = await clock.within(player.decide(match.view()), match.allowed_ns(seat))
    except TimeoutError:
        match.time_out(took_ns=clock.now_ns() - asked_ns)
        return
    except Exception as trouble:  # noqa: BLE001 - a player is not ours: what it raises is its crash
        match.forfeit(seat, FaultKind.CRASHED, f"{type(trouble).__name__}: {trouble}")
        return
    took_ns = clock.now_ns() - asked_ns
    if answer.call is not None:
        match.call(answer.call, took_ns=took_ns, note=answer.note)
    elif answer.card is not None:
        match.play(answer.card, took_ns=took_ns, note=answer.note)
    else:
        detail = "the answer holds neither a call nor a card"
        match.fail(FaultKind.MALFORMED, answer="", detail=detail, took_ns=took_ns)
