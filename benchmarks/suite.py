"""Owns how contenders are measured side by side: in rounds, each round in an order of its own.

Every sample is taken in a fresh process. A machine that slows down for a while slows all contenders alike,
and a median leaves out the samples that something else disturbed.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.sdk.poller import poller_settings
from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.sample import Effort, Sample, Unavailable

__all__ = ["Measured", "measure_all", "take_sample"]

_ROOT = Path(__file__).parent.parent
_LONGEST_S = 300.0
UNAVAILABLE = 3
"""Status of a process that cannot measure what it was asked to."""


@dataclass(slots=True)
class Measured:
    """The samples of one contender; or why there are none."""

    contender: Contender
    samples: list[Sample]
    null_samples: list[Sample]
    trouble: str = ""

    @property
    def per_s(self) -> float:
        """Median decisions a second."""
        return statistics.median(sample.per_s for sample in self.samples)

    @property
    def lowest_per_s(self) -> float:
        """The slowest sample."""
        return min(sample.per_s for sample in self.samples)

    @property
    def highest_per_s(self) -> float:
        """The fastest sample."""
        return max(sample.per_s for sample in self.samples)

    @property
    def null_per_s(self) -> float | None:
        """Median decisions a second with null bots."""
        return statistics.median(s.per_s for s in self.null_samples) if self.null_samples else None

    @property
    def arena_us(self) -> float:
        """Median processor time of the arena's side, a decision."""
        return statistics.median(sample.arena_us for sample in self.samples)

    @property
    def bots_us(self) -> float:
        """Median processor time of the bots' side, a decision."""
        return statistics.median(sample.bots_us for sample in self.samples)

    @property
    def cpu_us(self) -> float:
        """Both together."""
        return statistics.median(sample.arena_us + sample.bots_us for sample in self.samples)


def measure_all(
    contenders: Sequence[Contender],
    *,
    rounds: int,
    effort: Effort,
    on_sample: Callable[[str], None] = lambda text: None,
) -> list[Measured]:
    """`rounds` samples of each contender and of its null bots, in the order of `contenders`."""
    measured = {contender.name: Measured(contender, [], []) for contender in contenders}
    for number in range(rounds):
        turns = [
            (name, is_null)
            for name, one in measured.items()
            for is_null in (False, True)
            if not is_null or one.contender.measure_null is not None
        ]
        random.shuffle(turns)
        for done, (name, is_null) in enumerate(turns, start=1):
            on_sample(f"round {number + 1} of {rounds}: {done} of {len(turns)}, {name}")
            _measure(measured[name], is_null=is_null, effort=effort)
    return list(measured.values())


def _measure(one: Measured, *, is_null: bool, effort: Effort) -> None:
    if one.trouble:
        return
    options = ["--seconds", str(effort.seconds), "--matches", str(effort.matches), *["--null"] * is_null]
    program = [sys.executable, "-m", "benchmarks", "sample", one.contender.name, *options]
    environment = os.environ | (poller_settings() if one.contender.polls else {})
    ran = subprocess.run(
        program, cwd=_ROOT, env=environment, capture_output=True, text=True, timeout=_LONGEST_S, check=False
    )
    if ran.returncode == UNAVAILABLE:
        one.trouble = ran.stdout.strip()
    elif ran.returncode:
        raise RuntimeError(f"{one.contender.name} could not be measured:\n{ran.stderr}")
    else:
        (one.null_samples if is_null else one.samples).append(Sample(**json.loads(ran.stdout)))


def take_sample(name: str, effort: Effort, *, is_null: bool) -> int:
    """Measures one contender in this process and prints the sample as JSON; the status to leave with."""
    contender = CONTENDERS[name]
    measure = contender.measure_null if is_null and contender.measure_null else contender.measure
    try:
        sample = measure(effort)
    except Unavailable as trouble:
        print(trouble)
        return UNAVAILABLE
    print(json.dumps(asdict(sample)))
    return 0
