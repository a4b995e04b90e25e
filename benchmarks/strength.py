"""Owns how much better one bot plays than another: sets with rotated seats, differences with intervals.

    python -m benchmarks.strength --bots greedy counting --sets 200
    python -m benchmarks.strength --bots montecarlo counting greedy lowest --sets 50 --processes 2

Two bots are seated twice each. Bots play as objects in this process: it is their thinking that is measured.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path

from arena.rules import Ruleset, find_ruleset
from arena.sdk import Bot
from arena.sdk.local import DEFAULT_TIME, import_bot, play_set

SAMPLE_BOTS = Path(__file__).parent.parent / "sample_bots"
# The six ways in which four bots can sit round a table, as in a tournament: set n takes the n-th.
CIRCULAR_ORDERS = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (0, 1, 3, 2), (0, 3, 2, 1), (0, 2, 1, 3))


@dataclass(frozen=True, slots=True)
class Options:
    """What is played."""

    bots: tuple[str, ...]
    ruleset: Ruleset
    seed: int
    limit_s: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over sets and how far it may be off (95 %)."""

    mean: float
    within: float

    @classmethod
    def of(cls, by_set: Sequence[float]) -> Estimate:
        spread = statistics.stdev(by_set) if len(by_set) > 1 else math.inf
        return cls(statistics.fmean(by_set), 1.96 * spread / math.sqrt(len(by_set)))

    def __str__(self) -> str:
        return f"{self.mean:+7.2f} +- {self.within:.2f}"


def points_of_set(set_number: int, *, options: Options) -> dict[str, float]:
    """Points a match of each bot, over the four matches of a set and all seats that the bot holds."""
    bots = [_bot(name) for name in options.bots]
    order = CIRCULAR_ORDERS[set_number % len(CIRCULAR_ORDERS)]
    clock = replace(DEFAULT_TIME, limit_s=options.limit_s)
    seated = [bots[i] for i in order]
    totals = play_set(seated, options.ruleset, seed=options.seed, set_number=set_number, time=clock)
    points: dict[str, list[float]] = {}
    for i, total in zip(order, totals, strict=True):
        points.setdefault(options.bots[i], []).append(total / 40)
    return {name: statistics.fmean(shares) for name, shares in points.items()}


def report(by_set: Sequence[dict[str, float]]) -> str:
    """Points a match of each bot, then of each pair the difference."""
    names = sorted(by_set[0], key=lambda name: -statistics.fmean(points[name] for points in by_set))
    width = max(map(len, names))
    lines = [f"{name:{width}} {Estimate.of([points[name] for points in by_set])}" for name in names]
    for better, worse in combinations(names, 2):
        difference = Estimate.of([points[better] - points[worse] for points in by_set])
        lines.append(f"{better:{width}} - {worse:{width}} {difference}")
    return "\n".join(lines)


def _bot(name: str) -> Bot:
    return import_bot(SAMPLE_BOTS / name if (SAMPLE_BOTS / name).is_dir() else Path(name))


def _play(options: Options, sets: range, processes: int) -> Iterator[dict[str, float]]:
    play = partial(points_of_set, options=options)
    if processes == 1:
        yield from map(play, sets)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(play, sets)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How much better does one bot play than another?")
    parser.add_argument("--bots", nargs="+", required=True, help="two or four: sample bots, or paths")
    parser.add_argument("--sets", type=int, default=100, help="rotated sets to play, four matches each")
    parser.add_argument("--first-set", type=int, default=0, help="number of the first set")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--ruleset", default="callbreak")
    parser.add_argument("--limit", type=float, default=DEFAULT_TIME.limit_s, help="seconds a decision")
    arguments = parser.parse_args()
    if len(arguments.bots) not in (2, 4) or arguments.sets < 1:
        parser.error("--bots takes two or four, --sets at least 1")
    return arguments


def main() -> None:
    """Play, and print what came out."""
    arguments = _arguments()
    bots = tuple(arguments.bots * (4 // len(arguments.bots)))
    options = Options(bots, find_ruleset(arguments.ruleset), arguments.seed, arguments.limit)
    sets = range(arguments.first_set, arguments.first_set + arguments.sets)
    started = time.monotonic()
    by_set = []
    for points in _play(options, sets, arguments.processes):
        by_set.append(points)
        if sys.stderr.isatty():
            print(f"\r{len(by_set)} of {len(sets)} sets", end="", file=sys.stderr, flush=True)
    seconds = time.monotonic() - started
    played = f"{options.ruleset.name}, seed {options.seed}, {len(sets)} sets, {seconds:.0f} s"
    print(f"{played}; points a match:")
    print(report(by_set))


if __name__ == "__main__":
    main()
