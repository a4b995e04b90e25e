"""Owns a submission's first match: against house bots, on deals of its own, neither stored nor shown."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.errors import ArenaError
from arena.league.live import SeenRound
from arena.league.model import Season, TableKind
from arena.league.tables import SeatPlan, TablePlan
from arena.league.workers import WorkerLost, Workers
from arena.referee.faults import FaultKind
from arena.v1 import record_pb2

__all__ = ["Verdict", "qualify"]

TRIES = 3
"""Workers that may die over one submission; a bot in its sandbox kills none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a submission's first match went; passed when it was not forfeited. `detail` says it in words."""

    is_passed: bool
    detail: str


async def qualify(entrant: Entrant, *, season: Season, workers: Workers) -> Verdict:
    """Plays the match, with the rules and the clock of `season`; ArenaError when that cannot be done here."""
    plan = _plan(entrant, season)
    house = [replace(load_bot(HOUSE_BOTS[seat.bot]), name=seat.bot) for seat in plan.seats[1:]]
    entrants = dict(zip((seat.version_id for seat in plan.seats), (entrant, *house), strict=True))
    trouble = ""
    for _ in range(TRIES):
        judge = _Judge()
        try:
            await workers.play(plan, entrants, judge)
        except WorkerLost as lost:
            trouble = str(lost)
        else:
            return judge.verdict()
    raise ArenaError(f"the first match of {entrant.name} could not be played: {trouble}")


def _plan(entrant: Entrant, season: Season) -> TablePlan:
    """One match, the entrant on seat 0."""
    first, second, third = (SeatPlan(number, name, "", "") for number, name in enumerate(HOUSE_BOTS, start=2))
    return TablePlan(
        table_id=0,
        kind=TableKind.QUALIFYING.value,
        rotations=(0,),
        match_ids=("first",) * 4,
        first_position=0,
        set_numbers=(0, 0, 0, 0),
        seats=(SeatPlan(1, entrant.name, entrant.version, entrant.content_hash), first, second, third),
        ruleset=season.ruleset,
        time_control=season.time_control,
        strikes=season.strikes,
        seed_text=secrets.token_hex(32),
    )


class _Judge:
    """Hears of the match and judges seat 0."""

    def __init__(self) -> None:
        self._record: record_pb2.MatchRecord | None = None

    def seen(self, rotation: int, rounds: Sequence[SeenRound]) -> None:
        pass

    def finished(self, record: record_pb2.MatchRecord) -> None:
        self._record = record

    def printed(self, version_id: int, text: str) -> None:
        pass

    def lost(self, bot: str, kind: str, detail: str) -> None:
        pass

    def verdict(self) -> Verdict:
        record = self._record
        assert record is not None, "a table is done when its matches are over"
        own = [fault for fault in record.faults if fault.seat == 0]
        if record.seats[0].forfeited:
            last = next(fault for fault in own if fault.forfeits)
            where = f"in round {last.round}" if last.round else "before the first card"
            return Verdict(False, f"{FaultKind(last.kind).name} {where}: {last.detail}")
        result = f"{record.total_tenths[0] / 10:g} points, place {record.places[0]}"
        faults = f"; {len(own)} of its decisions were replaced, first: {_words(own[0])}" if own else ""
        return Verdict(True, f"played its first match to the end: {result}{faults}")


def _words(fault: record_pb2.FaultRecord) -> str:
    return f"{FaultKind(fault.kind).name}: {fault.detail}"
