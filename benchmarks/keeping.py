"""Owns what keeping results costs: storing them, the arena's memory, reading the table, verifying.

Matches are played by the referee without any bot: what is measured is what comes after play. Each part runs
in a process of its own, so that its memory and its processor time are its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arena.referee.setup import Isolation
from arena.rules import CALLBREAK, Seed, commitment
from arena.store.sqlite import RESULTS_FILE
from arena.store.standings import figures_of
from arena.store.verify import verify
from arena.store.writer import StoreWriter
from arena.tournament.designs import choose_schedule
from arena.tournament.plan import (
    PLAN_FORMAT,
    Job,
    Plan,
    PlannedEntrant,
    plan_digest,
    read_plan,
    schedule_of,
    write_plan,
)
from arena.tournament.runner import play
from arena.tournament.schedule import build_schedule
from arena.tournament.table import setup_of
from arena.v1 import record_pb2
from benchmarks.costs import played_alone

__all__ = ["QUICK_SIZES", "SIZES", "Sizes", "keeping_lines", "run_part"]

BOTS = tuple(f"bot-{number}" for number in range(8))
_SEED = "1"
_TABLES = 70
"""Tables of four among eight bots; a set of each is four matches."""
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured, in matches."""

    stored: int
    small_run: int
    large_run: int
    in_table: int
    verified: int


SIZES = Sizes(stored=2_000, small_run=1_000, large_run=100_000, in_table=1_000_000, verified=2_000)
QUICK_SIZES = Sizes(stored=200, small_run=200, large_run=1_000, in_table=20_000, verified=200)


def keeping_lines(sizes: Sizes, *, play_us: float) -> Iterator[str]:
    """Each figure with its target; a match takes `play_us` of processor time to play."""
    stored = _measured("storing", sizes.stored)
    share = stored["us"] / play_us
    yield (
        f"storing a match: {stored['us']:.0f} µs of processor time, {share:.1%} of the {play_us:,.0f} µs of "
        f"playing it in the largest batches: {_verdict(share < 0.05)} (below 5 %)"
    )
    memory = _measured("memory", sizes.small_run, sizes.large_run)
    small, large = memory["small_mb"], memory["large_mb"]
    yield (
        f"memory of the arena: {small:.0f} MB after {sizes.small_run:,} matches, {large:.0f} MB after "
        f"{sizes.large_run:,}: {_verdict(large < small * 1.1)} (flat: 10 % more at most)"
    )
    table = _measured("standings", sizes.in_table)
    yield (
        f"`arena standings` of {sizes.in_table:,} stored matches: {table['seconds']:.2f} s, "
        f"{table['cpu_s']:.2f} s of processor time: {_verdict(table['cpu_s'] < 2)} (below 2 s)"
    )
    verified = _measured("verify", sizes.verified)
    rate = verified["per_s"]
    yield f"`arena verify`: {rate:,.0f} matches a second and core: {_verdict(rate >= 2000)} (2,000)"


def _verdict(is_met: bool) -> str:
    return "met" if is_met else "missed"


def _measured(part: str, *sizes: int) -> dict[str, float]:
    program = [sys.executable, "-m", "benchmarks", "keeping-part", part, *map(str, sizes)]
    ran = subprocess.run(program, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def run_part(part: str, sizes: Sequence[int]) -> dict[str, float]:
    """One measurement in this process."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        return _PARTS[part](Path(name), *sizes)


def _storing(folder: Path, matches: int) -> dict[str, float]:
    plan = _planned(folder, matches)
    records = list(_records(plan, matches))
    with _new_store(folder, plan) as store:
        began_ns = time.process_time_ns()
        for first in range(0, matches, 200):
            store.add(records[first : first + 200])
        return {"us": (time.process_time_ns() - began_ns) / matches / 1000}


def _memory(folder: Path, small: int, large: int) -> dict[str, float]:
    """Of the process that runs a tournament, once so many matches are stored."""
    plan = _planned(folder, large)
    watcher = _MemoryWatcher(small, large)
    with _new_store(folder, plan) as store:
        play(
            schedule_of(plan),
            stored=(),
            executor=_RefereeAlone(plan),
            workers=2,
            results=store,
            watcher=watcher,
            is_enough=lambda: watcher.stored_matches >= large,
        )
    return {"small_mb": watcher.seen[0], "large_mb": watcher.seen[-1]}


class _RefereeAlone:
    """An executor without bots: plays its jobs in this process."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    async def play(self, jobs: Iterable[Job], *, on_record: Callable[[Any], None], on_lost: object) -> None:
        """Plays them all."""
        for job in jobs:
            for match in job.matches:
                on_record(played_alone(setup_of(match, self._plan, Isolation.NONE)))
                await asyncio.sleep(0)


class _MemoryWatcher:
    """Looks at the memory of this process once at least so many matches are stored."""

    def __init__(self, *moments: int) -> None:
        self._moments = list(moments)
        self.stored_matches = 0
        self.seen: list[float] = []

    def stored(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        """These matches are safe."""
        self.stored_matches += len(records)
        while self._moments and self.stored_matches >= self._moments[0]:
            self._moments.pop(0)
            self.seen.append(_resident_mb())

    def lost(self, job_id: str, *, exit_status: int, log: str) -> None:
        """There is no worker."""

    def stopping(self) -> None:
        """Nothing to tell."""

    def close(self) -> None:
        """Nothing to give back."""


def _resident_mb() -> float:
    statm = Path("/proc/self/statm")
    if statm.is_file():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _standings(folder: Path, matches: int) -> dict[str, float]:
    """The command, imports and all, on the rows of so many matches; of records, which it leaves, are few."""
    plan = _planned(folder, matches)
    real = min(matches, 400)
    with _new_store(folder, plan) as store:
        store.add(_records(plan, real))
        figures = figures_of(plan, store)
        store.keep_ratings(replace(figures, matches=schedule_of(plan).match_count))
        store.settle()
    _fill_rows(folder / RESULTS_FILE, plan, real)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began_s = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "arena", "standings", str(folder)], stdout=subprocess.DEVNULL, check=True
    )
    took_s = time.perf_counter() - began_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": took_s, "cpu_s": cpu_s}


def _fill_rows(file: Path, plan: Plan, first: int) -> None:
    """Rows of the schedule's matches from position `first` on, as of results that nobody played."""
    points = np.random.default_rng(1).integers(-50, 150, 4 * schedule_of(plan).match_count).tolist()
    with sqlite3.connect(file) as database:
        database.executemany(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, 0)",
            (
                (one.position, one.match_id, one.table, one.set_number, one.rotation, bytes(32))
                for one in schedule_of(plan).matches()
                if one.position >= first
            ),
        )
        database.executemany(
            "INSERT INTO match_seats VALUES (?, ?, ?, ?, ?, 0, 5, 12, 13, 3, 50, 50000)",
            (
                (one.position, seat, bot, points[4 * one.position + seat], 1 + seat)
                for one in schedule_of(plan).matches()
                if one.position >= first
                for seat, bot in enumerate(one.seats)
            ),
        )
    database.close()


def _verify(folder: Path, matches: int) -> dict[str, float]:
    plan = _planned(folder, matches)
    with _new_store(folder, plan) as store:
        store.add(_records(plan, schedule_of(plan).match_count))
        store.keep_ratings(figures_of(plan, store))
        store.settle()
    began_ns = time.process_time_ns()
    found = verify(folder)
    return {"per_s": found.matches / (time.process_time_ns() - began_ns) * 1e9}


_PARTS: dict[str, Callable[..., dict[str, float]]] = {
    "storing": _storing,
    "memory": _memory,
    "standings": _standings,
    "verify": _verify,
}


def _planned(folder: Path, matches: int) -> Plan:
    """A round robin of eight bots that exist in name only, with so many matches at least."""
    schedule = choose_schedule(len(BOTS), sets=-(-matches // (4 * _TABLES)))
    seed = Seed.parse(_SEED)
    plan = Plan(
        format=PLAN_FORMAT,
        arena_version="0",
        name="measured",
        ruleset=CALLBREAK,
        time_control="0.5+10",
        strikes=3,
        startup_s=30.0,
        sandbox="none",
        freeze=False,
        seed_text=_SEED,
        seed_commitment=commitment(seed).hex(),
        is_practice=seed.is_practice,
        entrants=tuple(map(_entrant, BOTS)),
        schedule=schedule,
        schedule_digest=build_schedule(schedule, len(BOTS)).digest(),
    )
    write_plan(plan, folder)
    return read_plan(folder)


def _entrant(name: str) -> PlannedEntrant:
    return PlannedEntrant(
        name=name,
        version="1",
        content_hash=name.encode().hex(),
        path=name,
        language="python",
        protocol="grpc",
        is_house=False,
    )


def _new_store(folder: Path, plan: Plan) -> StoreWriter:
    bots = [(one.name, one.version) for one in plan.entrants]
    return StoreWriter.create(folder, plan_digest=plan_digest(folder), bots=bots)


def _records(plan: Plan, matches: int) -> Iterator[record_pb2.MatchRecord]:
    for number, match in enumerate(schedule_of(plan).matches()):
        if number == matches:
            return
        yield played_alone(setup_of(match, plan, Isolation.NONE))
