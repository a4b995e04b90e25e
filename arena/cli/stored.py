"""Owns how a command finds one stored match by its id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.tournament.plan import Plan
    from arena.v1 import record_pb2

__all__ = ["stored_record"]


def stored_record(folder: Path, match_id: str) -> record_pb2.MatchRecord:
    """The record of a match of the run in `folder`; ArenaError that says why there is none."""
    from arena.store.reader import StoreReader
    from arena.tournament.plan import plan_digest, read_plan

    plan = read_plan(folder)
    with StoreReader.open(folder, plan_digest=plan_digest(folder)) as store:
        stored = store.match(match_id)
        if stored is not None:
            return stored.parse()
    raise ArenaError(f"{folder}: {_why_missing(plan, match_id)}")


def _why_missing(plan: Plan, match_id: str) -> str:
    from arena.tournament.plan import schedule_of

    schedule = schedule_of(plan)
    if any(match.match_id == match_id for match in schedule.matches()):
        return f"match {match_id} is not played yet"
    first, last = schedule.match_at(0), schedule.match_at(schedule.match_count - 1)
    return f"there is no match {match_id}; the first is {first.match_id}, the last {last.match_id}"
