"""Owns the TrueSkill model that the online and the order-free ratings share: numbers, margin, comparisons.

Knows nothing of how a rating is computed from them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.results import SEATS, PlaceArray, Results

__all__ = ["MODEL", "Comparison", "Model", "Rating", "comparisons", "draw_margin", "draw_probability"]

MOST_DRAWS: Final = 0.95
"""Cap on the measured draw probability; at 1 the margin would be infinite."""
LEAST_MARGIN: Final = 0.002
"""In units of beta. A draw within less says so much that double precision loses what was known before."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of one bot's skill."""

    mu: float
    sigma: float

    @property
    def rating(self) -> float:
        """mu - 3 sigma: the skill that the bot very probably has at least."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class Model:
    """TrueSkill's numbers (Herbrich, Minka and Graepel, 2006). Bots do not learn between matches: no tau."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6

    @property
    def prior(self) -> Rating:
        """The rating of a bot of which nothing is known."""
        return Rating(self.mu, self.sigma)


MODEL: Final = Model()


class Comparison(NamedTuple):
    """`ahead` finished before `behind`, or, when `is_draw`, the two were level. Both are seats."""

    ahead: int
    behind: int
    is_draw: bool


def comparisons(places: Sequence[int], forfeited: Collection[int] = ()) -> tuple[Comparison, ...]:
    """What one ranking says, pair by pair: neighbours only, and level seats all alike.

    Seats of one place are level, each with each; every seat is ahead of every seat of the next place. Without
    ties these are the three neighbours of TrueSkill's chain. With ties the chain would depend on which of the
    level seats is listed first; this does not. Seats that were `forfeited` share a place by rule, not by
    play: nothing is said of two of them.
    """
    groups = [[seat for seat, place in enumerate(places) if place == rank] for rank in sorted(set(places))]
    steps = list(pairwise(groups))
    wins = [Comparison(a, b, False) for upper, lower in steps for a in upper for b in lower]
    level = [pair for group in groups for pair in combinations(group, 2)]
    draws = [Comparison(a, b, True) for a, b in level if not (a in forfeited and b in forfeited)]
    return tuple(wins + draws)


def draw_probability(results: Results) -> float:
    """Share of level pairs among the pairs (six a match) in which neither seat was forfeited; 0 without any.

    That is what TrueSkill means by the number: how often two equal players draw. (Neighbouring places alone
    would overstate it about twofold, as neighbours in a ranking of four are closer than two players are.)
    """
    level, pairs = tie_counts(results.places, results.forfeited)
    return min(level / pairs, MOST_DRAWS) if pairs else 0.0


def tie_counts(places: PlaceArray, forfeited: np.typing.NDArray[np.bool_]) -> tuple[int, int]:
    """(level pairs, pairs) among the seats that were not forfeited."""
    level = pairs = 0
    for a, b in combinations(range(SEATS), 2):
        played = ~(forfeited[:, a] | forfeited[:, b])
        pairs += int(played.sum())
        level += int((played & (places[:, a] == places[:, b])).sum())
    return level, pairs


def draw_margin(probability: float, model: Model = MODEL) -> float:
    """How far apart two performances may be and still draw: equal players then do so with `probability`.

    At least LEAST_MARGIN, which is a probability of 0.11 %; none at all where there are no draws.
    """
    if not 0 <= probability < 1:
        raise ValueError(f"draw probability {probability} is not in 0 <= p < 1")
    if not probability:
        return 0.0
    return max(NormalDist().inv_cdf((probability + 1) / 2) * math.sqrt(2), LEAST_MARGIN) * model.beta
