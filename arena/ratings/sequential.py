"""Owns the test that stops as soon as it is known whether one bot is better than another, fed set by set.

Wald's sequential probability ratio test in the generalised form (GSPRT) that chess-engine testing uses: the
observed differences are weighed as normal, their spread being whatever fits each hypothesis best. With n
differences of mean m and variance s^2 (divided by n), the log-likelihood ratio of `points1` to `points0` is
n / 2 * log((s^2 + (m - points0)^2) / (s^2 + (m - points1)^2)), and the test ends when it leaves log(b /
(1 - a)) to log((1 - b) / a). With the chances asked for as a and b that is exact for many normal differences.
For few sets it claims a little too much, so the n in front counts three sets less, and no verdict is given
before the sixteenth; and real bots' differences are a little lopsided, so a and b are two thirds of what is
asked. Then the error rates hold in simulation for normal and heavy-tailed differences and for those of real
rule bots (docs/ranking.md); differences as lopsided as an exponential's (skewness 2) would break them, but a
set adds up forty rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.ratings.results import Results

__all__ = ["FEWEST_SETS", "SequentialTest", "Verdict", "set_differences"]

FEWEST_SETS: Final = 16
"""No verdict before so many sets: a spread guessed from fewer may be far too small."""
UNCOUNTED_SETS: Final = 3
"""Sets that the ratio does not count, for the spread's being guessed."""
CAUTION: Final = 2 / 3
"""Share of the chances of error asked for that the bounds are set at."""


class Verdict(StrEnum):
    """What is known so far."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Is the candidate better than the baseline by `points1` points a match, or by no more than `points0`?

    If the true difference is `points0` or less, the verdict is BETTER with a chance of at most `alpha`; if
    it is `points1` or more, NOT_BETTER with at most `beta`. In between either may come, later. `after`
    gives the test as it stands after one more set; `sets`, `total` and `squares` are what was seen.
    """

    points0: float = 0.0
    points1: float = 0.5
    alpha: float = 0.05
    beta: float = 0.05
    sets: int = 0
    total: float = 0.0
    squares: float = 0.0

    def __post_init__(self) -> None:
        """Raise ArenaError for bounds that no test can have."""
        if not self.points0 < self.points1:
            raise ArenaError(
                f"sequential test: points0 ({self.points0}) must be less than points1 ({self.points1})"
            )
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise ArenaError(f"sequential test: {name} ({chance}) must be between 0 and 0.5")

    def after(self, difference: float) -> Self:
        """The test after one more set, in which the candidate made `difference` points a match more."""
        return type(self)(
            self.points0,
            self.points1,
            self.alpha,
            self.beta,
            self.sets + 1,
            self.total + difference,
            self.squares + difference**2,
        )

    @property
    def mean(self) -> float:
        """Mean difference so far, in points a match; 0 before the first set.

        A verdict comes when it happens to be large, so that it then overstates the truth.
        """
        return self.total / self.sets if self.sets else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation of a set's difference so far (divided by n)."""
        if not self.sets:
            return 0.0
        return math.sqrt(max(self.squares / self.sets - self.mean**2, 0.0))

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the verdict is NOT_BETTER and BETTER."""
        alpha, beta = CAUTION * self.alpha, CAUTION * self.beta
        return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)

    @property
    def log_ratio(self) -> float:
        """Log-likelihood ratio of `points1` to `points0`; inf or -inf when all sets agree on one exactly."""
        if not self.sets:
            return 0.0
        far0 = self.deviation**2 + (self.mean - self.points0) ** 2
        far1 = self.deviation**2 + (self.mean - self.points1) ** 2
        if far0 == 0 or far1 == 0:
            return -math.inf if far0 == 0 else math.inf
        return max(self.sets - UNCOUNTED_SETS, 0) / 2 * math.log(far0 / far1)

    @property
    def verdict(self) -> Verdict:
        """What is known after the sets so far."""
        low, high = self.bounds
        if self.sets < FEWEST_SETS or low < self.log_ratio < high:
            return Verdict.UNKNOWN
        return Verdict.BETTER if self.log_ratio >= high else Verdict.NOT_BETTER


def set_differences(results: Results, *, candidate: str, baseline: str) -> NDArray[np.float64]:
    """Points a match that `candidate` made more than `baseline`, for each set in which both held the cards.

    They may have sat at one table or at two that replayed the same set; sets come in order of their
    numbers. A set in which they played unequally many matches (it is not finished) is left out. Raises
    ArenaError for an unknown bot.
    """
    for bot in (candidate, baseline):
        if bot not in results.bots:
            raise ArenaError(f"bot {bot} has no results; there are: {', '.join(results.bots)}")
    numbers, where = np.unique(results.set_ids, return_inverse=True)
    points, matches = [], []
    for bot in (candidate, baseline):
        seated = results.seats == results.bots.index(bot)
        sums = np.where(seated, results.total_tenths, 0).sum(axis=1) / 10
        points.append(np.bincount(where, weights=sums, minlength=len(numbers)))
        matches.append(np.bincount(where, weights=seated.any(axis=1), minlength=len(numbers)))
    whole = (matches[0] == matches[1]) & (matches[0] > 0)
    differences: NDArray[np.float64] = (points[0] - points[1])[whole] / matches[0][whole]
    return differences
