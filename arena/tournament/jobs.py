"""Owns how a schedule is cut into jobs for workers; any cut plays the same matches.

A job is one table and some of its sets. It is played in four passes, and each pass starts four bots afresh,
so a job costs sixteen starts of a process (about half a second of processor time each for a Python bot)
whatever its length. Jobs are therefore as long as they can be while every worker gets several: at most
`MOST_SETS`, and at least `FEWEST_SETS` where a table has as many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arena.tournament.plan import Job
from arena.tournament.schedule import SETS_ADDED, PlannedMatch, Schedule

__all__ = ["jobs_of", "sets_per_job"]

MOST_SETS = 24
FEWEST_SETS = 6
JOBS_A_WORKER = 3


def sets_per_job(schedule: Schedule, workers: int) -> int:
    """Sets that one job holds when `workers` share the whole schedule."""
    fair = schedule.set_count // (workers * JOBS_A_WORKER)
    longest = max(FEWEST_SETS, min(MOST_SETS, fair))
    chunks = -(-schedule.sets_per_table // longest)
    return -(-schedule.sets_per_table // chunks)


def jobs_of(schedule: Schedule, *, workers: int, is_stored: Callable[[int], bool]) -> Iterator[Job]:
    """Jobs that hold every match whose position is not stored, each once; early sets of all tables first."""
    for table, turns in _cuts(schedule, workers):
        matches = [match for turn in turns for match in schedule.set_matches(table, turn)]
        missing = tuple(match for match in matches if not is_stored(match.position))
        if missing:
            yield Job(_job_id(missing), table, schedule.table_at(table), missing)


def _cuts(schedule: Schedule, workers: int) -> Iterator[tuple[int, range]]:
    """Each table with the turns of a job."""
    length = sets_per_job(schedule, workers)
    for first in range(0, schedule.sets_per_table, length):
        for table in range(len(schedule.tables)):
            yield table, range(first, min(first + length, schedule.sets_per_table))
    for added in range(len(schedule.added)):
        yield len(schedule.tables) + added, range(SETS_ADDED)


def _job_id(matches: tuple[PlannedMatch, ...]) -> str:
    first, last = matches[0], matches[-1]
    return f"t{first.table:03d}-s{first.set_number:05d}-{last.set_number:05d}"
