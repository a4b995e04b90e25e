"""Owns what a report costs: a run of many matches is made without any bot, and `arena report` tells it.

    python -m benchmarks.site --matches 100000

It takes some minutes to play them; the report is a process of its own, with its helpers.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import arena
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import Isolation
from arena.rules import CALLBREAK, Seed, card_list, commitment
from arena.store.standings import rate
from arena.store.writer import StoreWriter
from arena.tournament.designs import choose_schedule
from arena.tournament.plan import PLAN_FORMAT, Plan, PlannedEntrant, plan_digest, schedule_of, write_plan
from arena.tournament.schedule import PlannedMatch, build_schedule
from arena.tournament.table import setup_of
from arena.v1 import record_pb2
from benchmarks.report import machine

BOTS = 8
MATCHES_A_SET = 280  # seventy tables
BATCH = 500


def plan_of(matches: int) -> Plan:
    """A round robin of at least so many matches."""
    names = [f"bot-{number}" for number in range(BOTS)]
    schedule = choose_schedule(BOTS, sets=-(-matches // MATCHES_A_SET))
    return Plan(
        format=PLAN_FORMAT,
        arena_version="0",
        name="many",
        ruleset=CALLBREAK,
        time_control="0.5+10",
        strikes=3,
        startup_s=30.0,
        sandbox="none",
        freeze=False,
        seed_text="7",
        seed_commitment=commitment(Seed.parse("7")).hex(),
        is_practice=True,
        entrants=tuple(PlannedEntrant(name, "1", "00", name, "python", "grpc", False) for name in names),
        schedule=schedule,
        schedule_digest=build_schedule(schedule, BOTS).digest(),
    )


def play(plan: Plan, first: int, last: int) -> list[bytes]:
    """Matches that bots play who call what the number of their spades says, and each in its own way."""
    schedule = schedule_of(plan)
    return [_played(plan, schedule.match_at(position)).SerializeToString() for position in range(first, last)]


def _played(plan: Plan, planned: PlannedMatch) -> record_pb2.MatchRecord:
    match = RefereedMatch(setup_of(planned, plan, Isolation.NONE))
    match.begin()
    while match.seat != NOBODY:
        way = match.random_seed()
        if match.is_calling:
            match.call(1 + way % 4, took_ns=1_000 * (way % 2_000))
        else:
            legal = card_list(match.game.round.legal)
            match.play(legal[way % len(legal)], took_ns=1_000 * (way % 3_000))
    return record_of(match, started_unix_us=1_700_000_000_000_000, duration_us=1_000_000)


def _batches(plan: Plan, jobs: int) -> Iterator[list[bytes]]:
    count = schedule_of(plan).match_count
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(
            play, *zip(*((plan, at, min(at + BATCH, count)) for at in range(0, count, BATCH)), strict=True)
        )


def make_run(folder: Path, matches: int) -> int:
    """Plays and stores a run; how many matches it has."""
    plan = plan_of(matches)
    write_plan(plan, folder)
    bots = [(entrant.name, entrant.version) for entrant in plan.entrants]
    with StoreWriter.create(folder, plan_digest=plan_digest(folder), bots=bots) as store:
        for batch in _batches(plan, os.cpu_count() or 1):
            store.add([record_pb2.MatchRecord.FromString(record) for record in batch])
        store.keep_ratings(rate(store.results()))
        store.settle()
        return store.count()


def main() -> None:
    """Prints what the report took, and how large its site is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site", description=main.__doc__)
    parser.add_argument("--matches", type=int, default=100_000)
    given = parser.parse_args()
    print("\n".join([*machine(), ""]))
    with tempfile.TemporaryDirectory(prefix="arena-site-") as place:
        run, site = Path(place, "run"), Path(place, "site")
        count = make_run(run, given.matches)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began_s = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "arena", "report", str(run), "--out", str(site)],
            env={**os.environ, "PYTHONPATH": str(Path(arena.__file__).parents[1])},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        took_s = time.perf_counter() - began_s
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    print(f"{count:,} matches: {took_s:.0f} s, {cpu_s:.0f} s of processor time, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
