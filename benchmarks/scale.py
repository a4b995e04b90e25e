"""Owns the plan past this machine: a simulated tournament on N cores, from costs that are measured here.

    python -m benchmarks scale
    python -m benchmarks scale --bots 10000 --matches 100000000 --thinking-us 1000

Each core is a worker that takes a job, plays it and hands what came of it to one process, the centre, which
cuts the schedule, reads and stores, one job after the other. Durations of jobs vary as those of bots do.
Networks, disks and stragglers are left out: the figures are what the processors allow.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.costs import Costs

__all__ = ["DESIGNS", "IN_FLIGHT", "Design", "Simulated", "Tournament", "simulate", "table"]

MATCHES_A_SET = 4
STARTS_A_JOB = 16
BYTES_A_RESULT = 44
"""A match in the columns that ratings read: four bots, places, totals, forfeits, and its set."""
SPREAD = 0.3
"""Sigma of the logarithm of a job's duration."""
CORES = (2, 16, 128, 1024, 8192)
_JOBS_A_WORKER = 12
_FEWEST_JOBS = 2000
_WARM_UP_SHARE = 0.3
_BUSY = 0.95


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is to be played; bots think `thinking_us` of processor time a decision."""

    bots: int
    matches: int
    thinking_us: float


@dataclass(frozen=True, slots=True)
class Design:
    """How it is organised: jobs of `sets` sets, all matches of a pass in flight.

    With `stores_at_nodes` workers keep the records themselves and the centre takes only the results.
    """

    name: str
    sets: int
    stores_at_nodes: bool

    def job_s(self, costs: Costs, thinking_us: float) -> float:
        """Seconds of a worker's core that a job takes."""
        matches = self.sets * MATCHES_A_SET
        decision_us = costs.decision_us[self.sets] + thinking_us
        match_us = costs.decisions * decision_us + (costs.store_us if self.stores_at_nodes else 0)
        return STARTS_A_JOB * costs.start_s + matches * match_us / 1e6

    def centre_s(self, costs: Costs) -> float:
        """Seconds of the centre that a job takes."""
        taking_us = costs.merge_us if self.stores_at_nodes else costs.take_us + costs.store_us
        return self.sets * MATCHES_A_SET * (costs.schedule_us + taking_us) / 1e6


DESIGNS = (
    Design("jobs of 24 sets, one store", 24, stores_at_nodes=False),
    Design("jobs of 250 sets, one store", 250, stores_at_nodes=False),
    Design("jobs of 250 sets, stores at the nodes", 250, stores_at_nodes=True),
)


IN_FLIGHT = sorted({design.sets for design in DESIGNS})
"""Matches in flight of which a design needs the costs."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """What came out; `bound` is what more cores would not speed up."""

    matches_per_s: float
    centre_busy: float
    starting_share: float

    @property
    def bound(self) -> str:
        """Where the time goes."""
        if self.centre_busy > _BUSY:
            return "the centre"
        return "starts of bots" if self.starting_share > 0.5 else "play"


def simulate(design: Design, costs: Costs, *, cores: int, thinking_us: float) -> Simulated:
    """Plays jobs on `cores` workers until the rate is steady; the same for the same arguments."""
    chance = random.Random(cores)
    job_s, centre_s = design.job_s(costs, thinking_us), design.centre_s(costs)
    playing = [job_s * chance.random() for _ in range(cores)]
    heapq.heapify(playing)
    jobs = max(_FEWEST_JOBS, cores * _JOBS_A_WORKER)
    warm_up = int(jobs * _WARM_UP_SHARE)
    free_s = began_s = 0.0
    for done in range(jobs):
        taken_s = max(heapq.heappop(playing), free_s)
        if done == warm_up:
            began_s = taken_s
        free_s = taken_s + centre_s
        heapq.heappush(playing, free_s + job_s * chance.lognormvariate(-(SPREAD**2) / 2, SPREAD))
    jobs_per_s = (jobs - warm_up) / (free_s - began_s)
    return Simulated(
        matches_per_s=jobs_per_s * design.sets * MATCHES_A_SET,
        centre_busy=jobs_per_s * centre_s,
        starting_share=STARTS_A_JOB * costs.start_s / job_s,
    )


def table(tournament: Tournament, costs: Costs) -> Iterator[str]:
    """The costs, a row for each design and number of cores, and what comes after play; in Markdown."""
    yield from (f"- {line}" for line in costs.lines())
    yield ""
    yield "| design | cores | matches/s | whole tournament | centre busy | bound by |"
    yield "|---|---:|---:|---:|---:|---|"
    for design in DESIGNS:
        for cores in CORES:
            found = simulate(design, costs, cores=cores, thinking_us=tournament.thinking_us)
            took = _duration(tournament.matches / found.matches_per_s)
            yield (
                f"| {design.name} | {cores:,} | {found.matches_per_s:,.0f} | {took} | "
                f"{found.centre_busy:.0%} | {found.bound} |"
            )
    yield ""
    yield from (f"- {line}" for line in _afterwards(tournament, costs))


def _afterwards(tournament: Tournament, costs: Costs) -> Iterator[str]:
    matches = tournament.matches
    yield f"the schedule, cut into jobs once: {_duration(matches * costs.schedule_us / 1e6)} of one core"
    yield f"records: {_bytes(matches * costs.record_bytes)}; stored: {_bytes(matches * costs.stored_bytes)}"
    yield f"results in the memory of whoever rates: {_bytes(matches * BYTES_A_RESULT)}"
    yield f"ratings in schedule order, on one core: {_duration(matches * costs.online_us / 1e6)}"
    yield f"ratings fitted to all matches: {_duration(matches * costs.fit_us / 1e6)} of core time"


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.0f} s"


def _bytes(count: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,.0f} bytes"
