"""Owns TrueSkill as it is played: one match after the other, in schedule order, in a state that can be kept.

The numbers are those of the `trueskill` package with tau 0 (a test compares them); the update is written out
here because that package rates about two thousand matches a second. Level seats are treated alike (see
`model.comparisons`), where the package favours the one listed first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from arena.ratings.model import MODEL, Comparison, Model, Rating, comparisons, draw_margin, draw_probability
from arena.ratings.results import Results

__all__ = ["OnlineState", "advance", "rate_online", "start"]

TOLERANCE: Final = 1e-7
"""A match is settled when no precision or precision-mean of its messages moves by more than this."""
MOST_SWEEPS: Final = 50
ROOT_TWO: Final = math.sqrt(2)
DENSITY: Final = 1 / math.sqrt(2 * math.pi)
FAR: Final = 35.0
"""Beyond so many deviations the normal tail is replaced by the first terms of its expansion."""


@dataclass(frozen=True, slots=True)
class OnlineState:
    """Ratings after `matches` matches; `advance` makes the next one. Plain numbers, so it can be stored."""

    bots: tuple[str, ...]
    mu: tuple[float, ...]
    variance: tuple[float, ...]
    matches: int
    draw_probability: float
    model: Model = MODEL

    def rating_of(self, bot: str) -> Rating:
        """The rating of `bot`, which is the prior while it has not played."""
        if bot not in self.bots:
            return self.model.prior
        return self.ratings[self.bots.index(bot)]

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """One rating a bot, in the order of `bots`."""
        return tuple(Rating(mu, math.sqrt(v)) for mu, v in zip(self.mu, self.variance, strict=True))


def start(bots: Sequence[str] = (), *, draw_probability: float, model: Model = MODEL) -> OnlineState:
    """The state before the first match."""
    return OnlineState(
        bots=tuple(bots),
        mu=(model.mu,) * len(bots),
        variance=(model.sigma**2,) * len(bots),
        matches=0,
        draw_probability=draw_probability,
        model=model,
    )


def advance(state: OnlineState, results: Results) -> OnlineState:
    """`state` after `results` as well, rated in their order; new bots join with the prior.

    In pieces or at once, the numbers are the same. Raises ValueError for a tie if the draw probability is 0.
    """
    model = state.model
    margin = draw_margin(state.draw_probability, model)
    newcomers = tuple(bot for bot in results.bots if bot not in state.bots)
    bots = state.bots + newcomers
    position = [bots.index(bot) for bot in results.bots]
    mu = [*state.mu, *[model.mu] * len(newcomers)]
    variance = [*state.variance, *[model.sigma**2] * len(newcomers)]
    beta_squared = model.beta**2
    columns = (results.seats.tolist(), results.places.tolist(), results.forfeited.tolist())
    for seats, places, forfeited in zip(*columns, strict=True):
        players = [position[seat] for seat in seats]
        pairs = _comparisons(tuple(places), tuple(forfeited))
        _rate_match(mu, variance, players, pairs, margin, beta_squared)
    return OnlineState(
        bots=bots,
        mu=tuple(mu),
        variance=tuple(variance),
        matches=state.matches + len(results),
        draw_probability=state.draw_probability,
        model=model,
    )


def rate_online(results: Results, *, model: Model = MODEL) -> tuple[Rating, ...]:
    """The rating of each of `results.bots` after all matches, with the draw probability that they show."""
    begun = start(results.bots, draw_probability=draw_probability(results), model=model)
    return advance(begun, results).ratings


@lru_cache(maxsize=512)
def _comparisons(places: tuple[int, ...], forfeited: tuple[bool, ...]) -> tuple[Comparison, ...]:
    return comparisons(places, [seat for seat, was in enumerate(forfeited) if was])


def _rate_match(
    mu: list[float],
    variance: list[float],
    players: list[int],
    pairs: tuple[Comparison, ...],
    margin: float,
    beta_squared: float,
) -> None:
    """Update `mu` and `variance` of the four players in place."""
    prior_precision = [1 / (variance[player] + beta_squared) for player in players]
    prior_weighted = [mu[player] * own for player, own in zip(players, prior_precision, strict=True)]
    precision, weighted = prior_precision.copy(), prior_weighted.copy()
    settle = _settle_jointly if any(pair.is_draw for pair in pairs) else _settle_chain
    settle(precision, weighted, pairs, margin)
    for seat, player in enumerate(players):
        learnt_precision = precision[seat] - prior_precision[seat]
        learnt_weighted = weighted[seat] - prior_weighted[seat]
        share = 1 / (1 + learnt_precision * beta_squared)
        own = 1 / variance[player]
        after = own + learnt_precision * share
        mu[player] = (own * mu[player] + learnt_weighted * share) / after
        variance[player] = 1 / after


def _settle_chain(
    precision: list[float], weighted: list[float], pairs: tuple[Comparison, ...], margin: float
) -> None:
    """Turn the performances' prior `precision` and `weighted` (precision times mean) into those known after.

    Expectation propagation along TrueSkill's chain: a seat's numbers, less what a comparison told it, are
    that comparison's input.
    """
    told = [[0.0, 0.0, 0.0, 0.0] for _ in pairs]
    for sweep in range(MOST_SWEEPS):
        moved = 0.0
        order = range(len(pairs)) if sweep % 2 == 0 else range(len(pairs) - 1, -1, -1)
        for index in order:
            moved = max(moved, _compare(precision, weighted, told[index], pairs[index], margin))
        if moved < TOLERANCE:
            break


def _compare(
    precision: list[float], weighted: list[float], told: list[float], pair: Comparison, margin: float
) -> float:
    """Send one win's messages to its two seats; returns the largest change."""
    a, b, _ = pair
    a_precision, a_weighted = precision[a] - told[0], weighted[a] - told[1]
    b_precision, b_weighted = precision[b] - told[2], weighted[b] - told[3]
    a_mean, b_mean = a_weighted / a_precision, b_weighted / b_precision
    spread = 1 / a_precision + 1 / b_precision
    factor, factor_weighted = _factor(a_mean - b_mean, spread, margin, is_draw=False)
    to_a = b_precision / (factor + b_precision)
    to_b = a_precision / (factor + a_precision)
    fresh = (
        factor * to_a,
        (factor_weighted + factor * b_mean) * to_a,
        factor * to_b,
        (factor * a_mean - factor_weighted) * to_b,
    )
    moved = max(abs(new - old) for new, old in zip(fresh, told, strict=True))
    told[:] = fresh
    precision[a], weighted[a] = a_precision + fresh[0], a_weighted + fresh[1]
    precision[b], weighted[b] = b_precision + fresh[2], b_weighted + fresh[3]
    return moved


def _settle_jointly(
    precision: list[float], weighted: list[float], pairs: tuple[Comparison, ...], margin: float
) -> None:
    """As `_settle_chain`, for level seats: their comparisons make loops, so the four are one joint normal.

    Each comparison changes the covariance by a matrix of rank one.
    """
    seats = range(len(precision))
    covariance = [[1 / precision[a] if a == b else 0.0 for b in seats] for a in seats]
    mean = [weighted[seat] / precision[seat] for seat in seats]
    told = [(0.0, 0.0) for _ in pairs]
    for _ in range(MOST_SWEEPS):
        moved = 0.0
        for index, (a, b, is_draw) in enumerate(pairs):
            along = [covariance[a][seat] - covariance[b][seat] for seat in seats]
            spread, gap = along[a] - along[b], mean[a] - mean[b]
            factor, factor_weighted = told[index]
            left = 1 - factor * spread
            told[index] = _factor((gap - factor_weighted * spread) / left, spread / left, margin, is_draw)
            more, more_weighted = told[index][0] - factor, told[index][1] - factor_weighted
            scale = 1 / (1 + more * spread)
            for row in seats:
                mean[row] += along[row] * (more_weighted - more * gap) * scale
                for column in seats:
                    covariance[row][column] -= along[row] * along[column] * more * scale
            moved = max(moved, abs(more), abs(more_weighted))
        if moved < TOLERANCE:
            break
    for seat in seats:
        precision[seat] = 1 / covariance[seat][seat]
        weighted[seat] = mean[seat] * precision[seat]


def _factor(gap: float, spread: float, margin: float, is_draw: bool) -> tuple[float, float]:
    """What a comparison itself says of a difference that was thought `gap`, variance `spread`.

    The truncated moments divided by what came in: precision, and precision times mean.
    """
    deviation = math.sqrt(spread)
    if is_draw:
        shift, shrink = _drawn(gap / deviation, margin / deviation)
    else:
        shift, shrink = _won((gap - margin) / deviation)
    left = spread * (1 - shrink)
    return shrink / left, (gap * shrink + deviation * shift) / left


def _won(t: float) -> tuple[float, float]:
    """TrueSkill's v and w for a win: how a standard normal moves and shrinks when cut off below at -t."""
    if t < -FAR:
        return -t - 1 / t, 1 - 1 / t**2
    v = DENSITY * math.exp(-t * t / 2) * 2 / math.erfc(-t / ROOT_TWO)
    return v, v * (v + t)


def _drawn(t: float, margin: float) -> tuple[float, float]:
    """TrueSkill's v and w for a draw: a normal about t, cut off outside -margin..margin."""
    if margin <= 0:
        raise ValueError("a match has a tie, but the draw probability is 0")
    near, far = abs(t) - margin, abs(t) + margin
    if near > FAR:
        v, w = -near - 1 / near, 1 - 1 / near**2
    else:
        mass = (math.erfc(near / ROOT_TWO) - math.erfc(far / ROOT_TWO)) / 2
        near_density, far_density = (DENSITY * math.exp(-x * x / 2) for x in (near, far))
        v = (far_density - near_density) / mass
        w = v * v + (far * far_density - near * near_density) / mass
    return math.copysign(v, -t) if t else 0.0, w
