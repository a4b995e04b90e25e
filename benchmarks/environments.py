"""Owns how many decisions a second the environments for training make, with random legal play in one process.

    python -m benchmarks.environments --size 16384

Each figure is the median of some runs, by the clock and by processor time: where others share the machine,
only the latter says what the code costs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.env import MatchBatch, VectorEnv, random_actions, random_calls, random_cards, random_deals
from arena.rules import CALLBREAK
from benchmarks.sample import Effort, Sample

SINGLE_DECISIONS: Final = 2000
SIZE: Final = 16_384
"""Matches in step."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Decisions a second."""

    by_clock: float
    by_processor: float

    @classmethod
    def of(cls, play: Callable[[], int]) -> Speed:
        wall, processor = time.perf_counter(), time.process_time()
        decisions = play()
        processor, wall = time.process_time() - processor, time.perf_counter() - wall
        return cls(decisions / wall, decisions / processor)


def matches_at_once(size: int) -> Callable[[], int]:
    """Whole matches of five rounds: deals, calls, plays and scores, on sets of cards."""
    numbers = np.random.Generator(np.random.SFC64(1))

    def play() -> int:
        matches = MatchBatch(CALLBREAK, random_deals(numbers), size=size)
        while not matches.is_over:
            now = matches.round
            while now.is_calling:
                now.call(random_calls(now, numbers))
            while not now.is_over:
                now.play(random_cards(now.legal, numbers))
            matches.next_round()
        return 56 * CALLBREAK.rounds * size

    return play


def measure_environment(effort: Effort) -> Sample:
    """Whole matches in step with random legal cards, as a contender of the suite."""
    play = matches_at_once(SIZE)
    began_ns, began_cpu_ns = time.perf_counter_ns(), time.process_time_ns()
    decisions = 0
    while time.perf_counter_ns() < began_ns + effort.seconds * 1e9:
        decisions += play()
    seconds = (time.perf_counter_ns() - began_ns) / 1e9
    return Sample(decisions, seconds, (time.process_time_ns() - began_cpu_ns) / 1e9, 0.0)


def vector_env(size: int, look: Callable[[VectorEnv], object]) -> Callable[[], int]:
    """A round of every match through `VectorEnv.step`, after a `look` at each decision."""
    numbers = np.random.Generator(np.random.SFC64(1))
    env = VectorEnv(size)
    env.reset(1)

    def play() -> int:
        for _ in range(56):
            look(env)
            env.step(random_actions(env.matches.round, numbers))
        return 56 * size

    return play


def pettingzoo_env() -> Callable[[], int]:
    """Decisions of one match after another through the PettingZoo interface."""
    from arena.env.aec import CallBreakEnv

    env = CallBreakEnv(ask_forced_plays=True)
    env.reset(1)

    def play() -> int:
        for _ in range(SINGLE_DECISIONS):
            if env.terminations[env.agent_selection]:
                env.reset()
            observation, *_ = env.last()
            env.step(int(random.choice(np.flatnonzero(observation["action_mask"]))))
        return SINGLE_DECISIONS

    return play


def main() -> None:
    """Measure, and print a row a way to play."""
    parser = argparse.ArgumentParser(description="How fast are the environments?")
    parser.add_argument("--size", type=int, default=SIZE, help="matches at once")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    size = options.size
    ways = {
        "matches in step, random cards": matches_at_once(size),
        "VectorEnv, random actions": vector_env(size, lambda env: None),
        "VectorEnv, with action masks": vector_env(size, VectorEnv.action_mask),
        "VectorEnv, with observations": vector_env(size, VectorEnv.observe),
        "PettingZoo, one match": pettingzoo_env(),
    }
    print(f"{size:,} matches at once; median of {options.runs}; millions of decisions a second")
    print(f"{'':32} {'by the clock':>14} {'by processor':>14}")
    for name, play in ways.items():
        play()
        speeds = [Speed.of(play) for _ in range(options.runs)]
        wall = statistics.median(speed.by_clock for speed in speeds) / 1e6
        processor = statistics.median(speed.by_processor for speed in speeds) / 1e6
        print(f"{name:32} {wall:14.3f} {processor:14.3f}")


if __name__ == "__main__":
    main()
