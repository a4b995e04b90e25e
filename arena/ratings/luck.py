"""Owns points adjusted for the luck of the deal.

The four bots of a set held the same hands, each hand once each. What the four made of them together tells
what the cards were worth; it says little of who played them better. A bot's adjusted points are its points
a match less what its sets were worth above the usual, so that it is neither praised for the rich deals that
it happened to get nor blamed for poor ones. As in duplicate bridge, the comparison is with others who held
the same cards.

What a table makes together depends on its bots, too, if less, since a good bot's tricks are mostly taken
from the others. So that the adjustment takes nothing from a bot that is its own, the level of each set is
first predicted from who sat there: from how they compare with each other (one slope for all), and from each
bot's own effect on its tables, by ridge regression. That effect is shrunk while the sets are too few to
tell it from luck, and taken in full when they are many; the adjusted points then tend to the plain mean,
being less noisy on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.influence import Pulls, corrected_gradient, inverse_curvature, products
from arena.ratings.results import SEATS, Results
from arena.ratings.sets import Sets, sets_of

__all__ = ["PointsModel", "adjusted_points", "points_model", "within_pulls"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIXED: Final = 2
"""Columns of the levels' design that are not shrunk: the usual level, and the slope."""
MOST_LEVERAGE: Final = 0.999
NOTHING_TOLD: Final = 1e12
"""Penalty while the sets cannot tell the bots' effects on the level from luck."""


@dataclass(frozen=True, slots=True, eq=False)
class PointsModel:
    """Points a match as scored and adjusted, each with the covariance [bots, bots] of its error.

    `leverage` [sets] is the largest share that a set has in settling a difference between its own bots.
    """

    raw: Floats
    adjusted: Floats
    raw_covariance: Floats
    adjusted_covariance: Floats
    leverage: Floats


def adjusted_points(results: Results) -> Floats:
    """Points a match of each bot, adjusted for the luck of the deal; nan for a bot without a match."""
    sets = sets_of(results)
    return _raw_means(sets) - _luck(sets, _Levels.of(sets, _effects(sets, sets.points)[1]))


def points_model(sets: Sets) -> PointsModel:
    """Both kinds of points, and how sure they are."""
    pulls, effects = _effects(sets, sets.points)
    levels = _Levels.of(sets, effects)
    raw = _raw_means(sets)
    inverse = inverse_curvature(pulls)
    within, leverage = corrected_gradient(pulls, inverse)
    shared = sets.matches * levels.residual / np.sqrt(1 - levels.leverage)
    played = np.maximum(sets.per_bot(sets.matches), 1)
    bots = len(sets.bots)
    whole = sets.tables, within + shared[:, None]
    own = sets.tables, within
    level = levels.places, levels.values * shared[:, None]
    directly = np.diag(1 / played) + levels.slope * _met(sets, played) @ inverse
    smoothing = levels.smoothing(sets, played)
    crossed = directly @ products(own, level, (bots, levels.width)) @ smoothing
    adjusted_covariance = (
        directly @ products(own, own, (bots, bots)) @ directly.T
        + crossed
        + crossed.T
        + smoothing.T @ products(level, level, (levels.width, levels.width)) @ smoothing
    )
    return PointsModel(
        raw=raw,
        adjusted=raw - _luck(sets, levels),
        raw_covariance=products(whole, whole, (bots, bots)) / np.outer(played, played),
        adjusted_covariance=adjusted_covariance,
        leverage=leverage,
    )


def within_pulls(sets: Sets, sums: Floats) -> Pulls:
    """Pulls of the differences between the bots of each set, at the least-squares fit of one effect a bot.

    `sums` [sets, 4] adds up, over a set's matches, the figure in question.
    """
    return _effects(sets, sums)[0]


def _effects(sets: Sets, sums: Floats) -> tuple[Pulls, Floats]:
    """As `within_pulls`, and the effects [bots], which have mean 0 among bots that meet."""
    centre = np.eye(SEATS) - 1 / SEATS
    pulls = Pulls(len(sets.bots), sets.tables, sums @ centre, sets.matches[:, None, None] * centre)
    effects = inverse_curvature(pulls) @ sets.per_bot(pulls.gradient)
    gradient = pulls.gradient - sets.matches[:, None] * (effects[sets.tables] @ centre)
    return Pulls(pulls.bots, sets.tables, gradient, pulls.information), effects


def _raw_means(sets: Sets) -> Floats:
    played = sets.per_bot(sets.matches)
    means: Floats = np.divide(
        sets.per_bot(sets.points), played, out=np.full(len(sets.bots), np.nan), where=played > 0
    )
    return means


def _luck(sets: Sets, levels: _Levels) -> Floats:
    """What each bot's sets were worth above the usual, a match."""
    return sets.per_bot(sets.matches * levels.residual) / np.maximum(sets.per_bot(sets.matches), 1)


def _met(sets: Sets, played: Floats) -> Floats:
    """[a, b]: the share of b in the tables of a, matches counting alike; rows add up to 1."""
    seats = sets.tables, sets.matches[:, None] * np.full(sets.tables.shape, 1 / SEATS)
    each = sets.tables, np.ones(sets.tables.shape)
    return products(each, seats, (len(sets.bots), len(sets.bots))) / played[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """The ridge fit of the sets' levels: the mean of their four bots' points a match, weighted by matches.

    `residual` [sets] is what the fit leaves, a set's luck; `leverage` [sets] its share in its own fit;
    `slope` how much the level rises with the mean of the four bots' effects. A row of the design has
    `values` at `places` [sets, 6]: one for the usual level, that mean, and a quarter for each of the four
    bots' own. `solver` [width, width] turns the design's weighted sums into coefficients.
    """

    residual: Floats
    leverage: Floats
    slope: float
    places: Ints
    values: Floats
    solver: Floats

    @property
    def width(self) -> int:
        return len(self.solver)

    @classmethod
    def of(cls, sets: Sets, effects: Floats) -> _Levels:
        level = sets.points.mean(axis=1) / sets.matches
        weight = sets.matches.astype(np.float64)
        first = np.broadcast_to(np.arange(FIXED), (len(sets), FIXED))
        places = np.hstack([first, sets.tables + FIXED])
        values = np.empty(places.shape)
        values[:, 0] = 1
        values[:, 1] = effects[sets.tables].mean(axis=1)
        values[:, FIXED:] = 1 / SEATS
        width = len(sets.bots) + FIXED
        gram = products((places, weight[:, None] * values), (places, values), (width, width))
        target = _sums(places, values, weight * level, width)
        penalty = np.full(width, _penalty(gram, weight, level, target))
        penalty[:FIXED] = 0
        solver = np.linalg.pinv(gram + np.diag(penalty), hermitian=True).astype(np.float64)
        coefficients = solver @ target
        residual = level - (values * coefficients[places]).sum(axis=1)
        own = solver[places[:, :, None], places[:, None, :]]
        leverage = np.clip(weight * np.einsum("si,sij,sj->s", values, own, values), 0, MOST_LEVERAGE)
        return cls(residual, leverage, float(coefficients[1]), places, values, solver)

    def smoothing(self, sets: Sets, played: Floats) -> Floats:
        """[width, bots]: how far the design's weighted sums move the level that a bot is credited with."""
        weighted = self.values * sets.matches[:, None]
        each = sets.tables, np.ones(sets.tables.shape)
        sums = products((self.places, weighted), each, (self.width, len(sets.bots)))
        smoothing: Floats = self.solver @ (sums / played)
        return smoothing


def _sums(places: Ints, values: Floats, weighted: Floats, width: int) -> Floats:
    sums = np.bincount(places.ravel(), (values * weighted[:, None]).ravel(), minlength=width)
    return sums.astype(np.float64)


def _penalty(gram: Floats, weight: Floats, level: Floats, target: Floats) -> float:
    """Noise of a level over the variance of the bots' own effects, by moments (Henderson's method 3)."""
    if not len(level):
        return NOTHING_TOLD
    fixed, fixed_sum = _explained(gram[:FIXED, :FIXED], target[:FIXED])
    rank, whole_sum = _explained(gram, target)
    left = len(level) - rank
    if left < 1 or rank == fixed:
        return NOTHING_TOLD
    noise = (float(weight @ level**2) - whole_sum) / left
    # How much the fit gains from effects of variance one: what the fixed part leaves of the presences.
    across = gram[:FIXED, FIXED:]
    taken = np.linalg.pinv(gram[:FIXED, :FIXED], hermitian=True) @ across
    trace = float(gram.diagonal()[FIXED:].sum() - (across * taken).sum())
    effects = (whole_sum - fixed_sum - (rank - fixed) * noise) / trace
    return noise / effects if effects * NOTHING_TOLD > noise else NOTHING_TOLD


def _explained(gram: Floats, target: Floats) -> tuple[int, float]:
    """Rank of a least-squares fit and the sum of squares that it explains."""
    fit = float(target @ np.linalg.pinv(gram, hermitian=True) @ target)
    return int(np.linalg.matrix_rank(gram, hermitian=True)), fit
