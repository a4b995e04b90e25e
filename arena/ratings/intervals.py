"""Owns how sure the table is: intervals, ranks, who is better than whom, with a set as the unit of evidence.

Each figure's error is the sum of many sets' parts (see `influence`), so its covariance is the sum of the
parts' products: what a bootstrap over sets estimates by resampling, without its thousands of fits (a test
compares the two). Few sets make the covariance itself uncertain; Student's t allows for that. The schedule is
taken as given: that a bot met stronger tables than another is not counted as chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.fit import Fit, MatchScores, match_scores
from arena.ratings.influence import (
    MOST_LEVERAGE,
    Pulls,
    corrected_gradient,
    inverse_curvature,
    products,
)
from arena.ratings.luck import points_model, within_pulls
from arena.ratings.model import MODEL, Model
from arena.ratings.results import SEATS, Results
from arena.ratings.sets import Sets, sets_of
from arena.ratings.student import student_cdf, student_quantile

__all__ = ["Figure", "Uncertainty", "uncertainty"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEWEST_SETS: Final = 2
CONFIDENCE: Final = 0.95
LARGEST_LEAD: Final = 1e6
"""In standard errors; more is certainty."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """One figure of the table by bot: its `value`, the `covariance` of its error, and what follows from both.

    Whatever is not known is nan: a bot has intervals only when it `is_known`, that is with two sets or more
    and when no difference rests on a single set; two bots of different `groups`, which no chain of matches
    joins, are not compared. `sets` [bots, bots] counts the sets in which either of two bots sat. `sign` is
    1 where more is better and -1 where less is.
    """

    bots: tuple[str, ...]
    value: Floats
    covariance: Floats
    sets: Ints
    is_known: Flags
    groups: Ints
    sign: int = 1

    @property
    def standard_error(self) -> Floats:
        """The standard error of each value."""
        return np.where(self.is_known, np.sqrt(self.covariance.diagonal()), np.nan)

    def interval(self) -> tuple[Floats, Floats]:
        """Low and high ends [bots] that hold each bot's true value with 95 %."""
        freedom = np.maximum(self.sets.diagonal() - 1, 1)
        reach = student_quantile((1 + CONFIDENCE) / 2, freedom) * self.standard_error
        return self.value - reach, self.value + reach

    def better(self) -> Floats:
        """[a, b]: how likely a is truly better than b; a half on the diagonal."""
        t = self._lead_in_errors()
        unknown = np.isnan(t)
        likely = student_cdf(np.where(unknown, 0, t), np.maximum(self.sets - 1, 1))
        return np.where(unknown, np.nan, likely)

    def separated(self) -> Flags:
        """[a, b]: whether the 95 % interval of a's and b's difference leaves out 0; never where unknown."""
        apart: Flags = np.abs(np.nan_to_num(self.better(), nan=0.5) - 0.5) > CONFIDENCE / 2
        return apart

    def rank_interval(self) -> tuple[Floats, Floats]:
        """Best and worst rank [bots] that each bot may truly have.

        It is taken to be behind, or ahead of, those alone from which it is `separated`. In simulated fields
        the interval holds the true rank with 97 to 99 %.
        """
        ahead = self.separated() & (self._lead_in_errors() > 0)
        best = np.where(self.is_known, 1 + ahead.sum(axis=0), np.nan)
        worst = np.where(self.is_known, len(self.bots) - ahead.sum(axis=1), np.nan)
        return best, worst

    def difference_error(self) -> Floats:
        """[a, b]: the standard error of the difference of two values."""
        own = self.covariance.diagonal()
        variance = np.maximum(own[:, None] + own[None, :] - 2 * self.covariance, 0)
        both = self.is_known[:, None] & self.is_known[None, :]
        joined = self.groups[:, None] == self.groups[None, :]
        return np.where(both & joined, np.sqrt(variance), np.nan)

    def _lead_in_errors(self) -> Floats:
        lead = self.sign * (self.value[:, None] - self.value[None, :])
        return np.clip(lead / np.maximum(self.difference_error(), 1e-12), -LARGEST_LEAD, LARGEST_LEAD)


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """The table's figures: mean points as scored, points adjusted for luck, mean place, and mu of the fit."""

    fit: Fit
    points: Figure
    adjusted_points: Figure
    place: Figure
    rating: Figure


def uncertainty(results: Results, *, model: Model = MODEL) -> Uncertainty:
    """Every figure of the table with its uncertainty. The same input gives the same numbers."""
    sets = sets_of(results)
    points = points_model(sets)
    place_covariance, place_leverage = _mean_place_errors(sets)
    scores = match_scores(results, model=model)
    rating_covariance, rating_leverage = _rating_errors(sets, scores, model)
    either = _either(sets)

    def figure(value: Floats, covariance: Floats, leverage: Floats, sign: int = 1) -> Figure:
        is_known = (either.diagonal() >= FEWEST_SETS) & _rests_on_several(sets, scores.fit, leverage)
        return Figure(results.bots, value, covariance, either, is_known, scores.fit.groups, sign)

    return Uncertainty(
        fit=scores.fit,
        points=figure(points.raw, points.raw_covariance, points.leverage),
        adjusted_points=figure(points.adjusted, points.adjusted_covariance, points.leverage),
        place=figure(results.mean_places(), place_covariance, place_leverage, sign=-1),
        rating=figure(scores.fit.mu, rating_covariance, rating_leverage),
    )


def _mean_place_errors(sets: Sets) -> tuple[Floats, Floats]:
    pulls = within_pulls(sets, sets.places)
    gradient, leverage = corrected_gradient(pulls, inverse_curvature(pulls))
    played = np.maximum(sets.per_bot(sets.matches), 1)
    parts = sets.tables, gradient
    return products(parts, parts, (pulls.bots, pulls.bots)) / np.outer(played, played), leverage


def _rating_errors(sets: Sets, scores: MatchScores, model: Model) -> tuple[Floats, Floats]:
    information = np.empty((len(sets), SEATS, SEATS))
    for a in range(SEATS):
        information[:, a] = _add_up_rows(sets, scores.information, a)
    pulls = Pulls(
        bots=len(sets.bots),
        tables=sets.tables,
        gradient=sets.add_up(scores.gradient),
        information=information,
        prior=model.sigma**-2,
    )
    inverse = inverse_curvature(pulls)
    gradient, leverage = corrected_gradient(pulls, inverse)
    parts = sets.tables, gradient
    return inverse @ products(parts, parts, (pulls.bots, pulls.bots)) @ inverse, leverage


def _add_up_rows(sets: Sets, information: Floats, column: int) -> Floats:
    """Row `column` of each set's information: from seats to the set's columns, summed over its matches."""
    seat = sets.column.argsort(axis=1)[:, column]
    return sets.add_up(information[np.arange(len(seat)), seat])


def _either(sets: Sets) -> Ints:
    """[a, b]: in how many sets a, b or both sat."""
    ones = sets.tables, np.ones(sets.tables.shape)
    both = products(ones, ones, (len(sets.bots), len(sets.bots)))
    own = both.diagonal()
    return np.rint(own[:, None] + own[None, :] - both).astype(np.int64)


def _rests_on_several(sets: Sets, fit: Fit, leverage: Floats) -> Flags:
    """Which bots belong to a group in which no set settles a difference alone."""
    alone = fit.groups[sets.tables[leverage >= MOST_LEVERAGE].ravel()]
    return ~np.isin(fit.groups, alone)
