"""Owns what one bot's page counts: points by seat and by opponent, best and worst matches, its course.

Pure functions of the results; a match is named by its row in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import draw_probability
from arena.ratings.online import advance, start
from arena.ratings.results import Results
from arena.ratings.student import student_quantile
from arena.reports.site.field import Interval

__all__ = ["Course", "Played", "course_of", "interval_of_mean", "played_by"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SEATS = 4
STEPS = 60
REACH_95 = 1.959964
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """One bot's matches in schedule order: `rows` of the results, `seats` it sat on, `points` it made."""

    rows: Ints
    seats: Ints
    points: Floats
    sets: NDArray[np.int32]
    others: NDArray[np.int32]  # [matches, 4]: who sat there; its own seat says itself

    def by_seat(self) -> list[Interval]:
        """Points a match on each seat. A set has one match on each, so those on one seat are independent."""
        return [interval_of_mean(self.points[self.seats == seat]) for seat in range(SEATS)]

    def against_all(self) -> dict[int, Interval]:
        """Points a match at tables with each opponent that was met; a set's matches count as one."""
        _, first, of_set = np.unique(self.sets, return_index=True, return_inverse=True)
        means = np.bincount(of_set, weights=self.points) / np.bincount(of_set)
        own_seat = self.seats[first]
        opponents = self.others[first][np.arange(SEATS) != own_seat[:, None]]
        order = np.argsort(opponents, kind="stable")
        met, begins = np.unique(opponents[order], return_index=True)
        by_opponent = np.split(np.repeat(means, SEATS - 1)[order], begins[1:])
        return {int(bot): interval_of_mean(one) for bot, one in zip(met, by_opponent, strict=True)}

    def extremes(self, count: int) -> tuple[list[int], list[int]]:
        """Its best matches, best first, and its worst, worst first: indices into `rows`, none in both."""
        order = np.argsort(-self.points, kind="stable").tolist()
        count = min(count, len(order) // 2)
        return order[:count], order[::-1][:count]


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """TrueSkill as the tournament went on: `matches` [steps] played by then, the rest [steps, bots]."""

    matches: Ints
    own_matches: Ints
    mu: Floats
    sigma: Floats

    @property
    def low(self) -> Floats:
        """Lower end of the 95 % interval that TrueSkill itself claims."""
        return self.mu - REACH_95 * self.sigma

    @property
    def high(self) -> Floats:
        """The upper end."""
        return self.mu + REACH_95 * self.sigma


def played_by(results: Results) -> Iterator[Played]:
    """Each bot's matches, in the order of `results.bots`."""
    flat = results.seats.ravel()
    order = np.argsort(flat, kind="stable")
    ends = np.searchsorted(flat[order], np.arange(len(results.bots) + 1))
    for bot in range(len(results.bots)):
        rows, seats = np.divmod(order[ends[bot] : ends[bot + 1]], SEATS)
        yield Played(
            rows=rows,
            seats=seats,
            points=results.total_tenths[rows, seats] / 10,
            sets=results.set_ids[rows],
            others=results.seats[rows],
        )


def interval_of_mean(values: Floats) -> Interval:
    """The mean with its 95 % interval by Student's t; values must be independent."""
    if not len(values):
        return Interval(None)
    mean = float(values.mean())
    if len(values) < 2:
        return Interval(mean)
    reach = _student(len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5
    return Interval(mean, mean - reach, mean + reach)


@lru_cache(maxsize=4096)
def _student(freedom: int) -> float:
    """How many standard errors the interval reaches."""
    return float(student_quantile((1 + CONFIDENCE) / 2, np.array([freedom]))[0])


def course_of(results: Results) -> Course:
    """The ratings after the first matches, after some more, and so on to the last."""
    stops = np.unique(np.linspace(0, len(results), STEPS + 1).astype(np.int64))
    state = start(results.bots, draw_probability=draw_probability(results))
    states = [state]
    for first, last in pairwise(stops.tolist()):
        state = advance(state, results.take(slice(first, last)))
        states.append(state)
    return Course(
        matches=stops,
        own_matches=_own_matches(results, stops),
        mu=np.array([[rating.mu for rating in one.ratings] for one in states]),
        sigma=np.array([[rating.sigma for rating in one.ratings] for one in states]),
    )


def _own_matches(results: Results, stops: Ints) -> Ints:
    counts = np.zeros((len(stops), len(results.bots)), dtype=np.int64)
    for step, (first, last) in enumerate(pairwise(stops.tolist()), start=1):
        seats = results.seats[first:last].ravel()
        counts[step] = counts[step - 1] + np.bincount(seats, minlength=len(results.bots))
    return counts
