"""Owns what ranking costs: the fit of many matches, the table's intervals, schedules for many bots.

    python -m benchmarks.rating --matches 1000000 --bots 100

Each part runs in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from typing import TypeAlias

import numpy as np

from arena.ratings.fit import fit
from arena.ratings.intervals import uncertainty
from arena.ratings.online import rate_online
from arena.ratings.results import Results
from arena.tournament.designs import choose_schedule, quality_of
from arena.tournament.schedule import build_schedule
from benchmarks.report import machine

BETA = 25 / 6
SKILL_SPREAD = 4.0

Told: TypeAlias = "SimpleQueue[tuple[float, float, float, float]]"


def results_of(matches: int, bots: int) -> Results:
    """Matches between random tables of bots whose true skills are spread normally."""
    rng = np.random.default_rng(7)
    skills = rng.normal(25, SKILL_SPREAD, bots)
    sets = -(-matches // 4)
    tables = (
        np.argsort(rng.random((sets, bots)), axis=1)[:, :4]
        if bots <= 200
        else rng.integers(0, bots, (sets, 4))
    )
    tables = tables[np.all(np.diff(np.sort(tables, axis=1), axis=1) > 0, axis=1)]
    seats = np.concatenate([np.roll(tables, turn, axis=1) for turn in range(4)], axis=1).reshape(-1, 4)[
        :matches
    ]
    performances = rng.normal(skills[seats], BETA)
    totals = np.round(performances * 10).astype(np.int32)
    places = (1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)).astype(np.int8)
    return Results(
        bots=tuple(f"bot-{number}" for number in range(bots)),
        seats=seats.astype(np.int32),
        places=places,
        total_tenths=totals,
        set_ids=np.repeat(np.arange(len(tables), dtype=np.int32), 4)[:matches],
        forfeited=np.zeros(seats.shape, dtype=np.bool_),
    )


def _fit(matches: int, bots: int) -> Callable[[], object]:
    results = results_of(matches, bots)
    return lambda: fit(results)


def _intervals(matches: int, bots: int) -> Callable[[], object]:
    results = results_of(matches, bots)
    return lambda: uncertainty(results)


def _online(matches: int, bots: int) -> Callable[[], object]:
    results = results_of(matches, bots)
    return lambda: rate_online(results)


def _schedule(matches_per_bot: int, bots: int) -> Callable[[], object]:
    options = choose_schedule(bots, format_name="balanced", matches_per_bot=matches_per_bot)
    return lambda: quality_of(build_schedule(options, bots), bots)


def _measure(make: Callable[[int, int], Callable[[], object]], amount: int, bots: int, told: Told) -> None:
    work = make(amount, bots)
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began_s, cpu_s = time.perf_counter(), time.process_time()
    work()
    took_s, used_s = time.perf_counter() - began_s, time.process_time() - cpu_s
    most_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told.put((took_s, used_s, most_kib / 2**20, before_kib / 2**20))


def main() -> None:
    """Prints a line for each part."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rating", description=main.__doc__)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--bots", type=int, default=100)
    given = parser.parse_args()
    print("\n".join([*machine(), ""]))
    print("| what | seconds | of processor time | GB at most | GB before |\n|---|---:|---:|---:|---:|")
    parts: list[tuple[str, Callable[[int, int], Callable[[], object]], int, int]] = [
        (f"order-free fit, {given.matches:,} matches of {given.bots} bots", _fit, given.matches, given.bots),
        (f"all intervals, {given.matches:,} matches", _intervals, given.matches, given.bots),
        (f"TrueSkill in order, {given.matches // 10:,} matches", _online, given.matches // 10, given.bots),
        ("balanced schedule for 500 bots, 200 matches each, and its quality figures", _schedule, 200, 500),
    ]
    context = multiprocessing.get_context("spawn")
    for text, make, amount, bots in parts:
        told: Told = context.SimpleQueue()
        process = context.Process(target=_measure, args=(make, amount, bots, told))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"{text}: the process ended with {process.exitcode}")
        print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |".format(text, *told.get()), flush=True)


if __name__ == "__main__":
    main()
