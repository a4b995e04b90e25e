"""Owns the order-free rating: TrueSkill's model fitted to all matches together, whatever order they came in.

Each bot has one skill; in a match it performs about that skill with deviation beta; the match's ranking says
which performances were ahead of which, or within the draw margin. Expectation propagation sends the messages
of all matches at once (TrueSkill's own; Herbrich, Minka and Graepel, 2006), so that no order exists. Two
things make it settle in a few sweeps:

- The matches say nothing about the common level of bots that meet, only the prior does, and then the mean of
  their mu is exactly the prior's. The level is set so, rather than left to settle.
- All means move by a Newton step with the matches' joint curvature, which couples bots that meet; moving each
  bot as if the others stood still oscillates when few bots meet, and crawls between groups that seldom meet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import MODEL, Comparison, Model, Rating, comparisons, draw_margin, draw_probability
from arena.ratings.results import SEATS, Results

__all__ = ["Fit", "MatchScores", "fit", "match_scores"]

Floats = NDArray[np.float64]

TOLERANCE: Final = 1e-8
"""Settled when no mu moves by more than this, in units of the prior's sigma."""
MOST_SWEEPS: Final = 500
PLAIN_SWEEPS: Final = 2
"""Sweeps before the curvature is worth its price."""
SMALLEST_SHARE: Final = 0.05
STALE: Final = 0.2
"""The curvature is taken anew when a sweep leaves more than this share of the pull."""
CHUNK: Final = 1 << 13
"""Matches handled at a time, so that what is at hand fits a core's cache."""
JOINT_ROUNDS: Final = 2
"""Rounds of comparisons a sweep in a match with ties."""
LONGEST_STEP: Final = 1.0
"""No mu moves by more than this many beta in a sweep."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Skills of `bots` as all matches together show them.

    Within each group of bots that are joined by matches the mean of `mu` is the prior's; `groups` numbers the
    groups, and a mu says nothing about a bot of another group.
    """

    bots: tuple[str, ...]
    mu: Floats
    sigma: Floats
    groups: NDArray[np.int64]
    draw_probability: float
    sweeps: int

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """One rating a bot, in the order of `bots`."""
        return tuple(Rating(float(mu), float(sigma)) for mu, sigma in zip(self.mu, self.sigma, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class MatchScores:
    """How each match pulls at the fitted skills: what an interval is made of.

    `gradient` [n, 4] is by seat the slope of the match's log-likelihood in that seat's skill; `information`
    [n, 4, 4] its negative curvature.
    """

    fit: Fit
    gradient: Floats
    information: Floats


@dataclass(slots=True, eq=False)
class _Block:
    """Matches of one pattern of ties, each column a match, rows by finishing order.

    `curvature` [comparisons, n] is the precision of what each comparison says of the difference of its two
    performances. `messages` are, in a chain, [comparisons, 4, n]: precision and precision times mean to the
    one ahead, then to the one behind; else [comparisons, 1, n]: precision times mean of that difference.
    `skill` [2, 4, n] is precision, and precision times mean, of what the match says of each player's skill.
    """

    rows: NDArray[np.int64]
    order: NDArray[np.int64]
    players: NDArray[np.int32]
    pairs: tuple[Comparison, ...]
    is_chain: bool
    messages: Floats
    skill: Floats
    curvature: Floats
    weights: Floats | None

    def chunks(self) -> Iterator[slice]:
        for first in range(0, self.players.shape[1], CHUNK):
            yield slice(first, first + CHUNK)


def fit(
    results: Results,
    *,
    weights: Floats | None = None,
    probability: float | None = None,
    model: Model = MODEL,
) -> Fit:
    """The skills that explain all of `results` best, the same for any order of matches or bots.

    `weights` counts each match so many whole times (a bootstrap's resample); the `probability` of a draw is
    measured unless given. Raises ArithmeticError should it ever fail to settle.
    """
    if probability is None:
        probability = draw_probability(results)
    if weights is not None:
        results, weights = results.take(weights > 0), weights[weights > 0]
    return _solve(results, weights, probability, model)[0]


def match_scores(results: Results, *, probability: float | None = None, model: Model = MODEL) -> MatchScores:
    """The fit together with each match's gradient and information at it."""
    if probability is None:
        probability = draw_probability(results)
    fitted, blocks = _solve(results, None, probability, model)
    gradient = np.empty((len(results), SEATS))
    information = np.empty((len(results), SEATS, SEATS))
    for block in blocks:
        rows, order = block.rows[:, None], block.order
        gradient[rows, order] = (block.skill[1] - block.skill[0] * fitted.mu[block.players]).T
        for cut in block.chunks():
            columns = order[cut]
            where = (block.rows[cut, None, None], columns[:, :, None], columns[:, None, :])
            information[where] = _information(block, cut, model.beta).transpose(2, 0, 1)
    return MatchScores(fitted, gradient, information)


def _solve(
    results: Results, weights: Floats | None, probability: float, model: Model
) -> tuple[Fit, list[_Block]]:
    margin = draw_margin(probability, model)
    blocks = _blocks(results, weights)
    groups = _groups(results)
    own = np.full(len(results.bots), model.sigma**-2)
    mu = np.full(len(results.bots), model.mu)
    skills = np.stack([own, own * mu, 0 * mu])
    solver = _Newton(groups, own)
    sweeps, moved = 0, math.inf
    while moved > TOLERANCE * model.sigma:
        if sweeps == MOST_SWEEPS:
            raise ArithmeticError(f"the order-free fit has not settled in {MOST_SWEEPS} sweeps")
        sums = np.zeros((2, len(mu)))
        for block in blocks:
            _sweep(block, skills, sums, margin=margin, beta=model.beta)
        sums += own, own * _group_means(mu, groups)
        step = solver.step(sums[1] - sums[0] * mu, sums[0], blocks, model.beta)
        if not np.isfinite(step).all():
            raise ArithmeticError("the order-free fit lost its digits")
        moved = _largest(step, sums[0] ** -0.5 - skills[0] ** -0.5)
        mu = mu + step
        skills = np.stack([*sums, mu - sums[1] / sums[0]])
        sweeps += 1
    shift = model.mu - _group_means(mu, groups)
    for block in blocks:
        block.skill[1] += block.skill[0] * shift[block.players]
    fitted = Fit(results.bots, mu + shift, skills[0] ** -0.5, groups, probability, sweeps)
    return fitted, blocks


def _blocks(results: Results, weights: Floats | None) -> list[_Block]:
    """The matches sorted by pattern of ties, each with messages that say nothing yet."""
    order = results.places.argsort(axis=1, kind="stable")
    places = np.take_along_axis(results.places, order, axis=1)
    forfeited = np.take_along_axis(results.forfeited, order, axis=1)
    players = np.take_along_axis(results.seats, order, axis=1)
    level = places[:, 1:] == places[:, :-1]
    silent = level & forfeited[:, 1:] & forfeited[:, :-1]
    codes = np.concatenate([level, silent], axis=1) @ (1 << np.arange(2 * (SEATS - 1)))
    blocks = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        first = rows[0]
        pairs = comparisons(places[first].tolist(), np.flatnonzero(forfeited[first]).tolist())
        is_chain = code == 0
        blocks.append(
            _Block(
                rows=rows,
                order=order[rows],
                players=np.ascontiguousarray(players[rows].T),
                pairs=pairs,
                is_chain=is_chain,
                messages=np.zeros((len(pairs), 4 if is_chain else 1, len(rows))),
                skill=np.zeros((2, SEATS, len(rows))),
                curvature=np.zeros((len(pairs), len(rows))),
                weights=None if weights is None else weights[rows],
            )
        )
    return blocks


def _largest(*changes: Floats) -> float:
    return max(float(np.abs(change).max(initial=0)) for change in changes)


def _sweep(block: _Block, skills: Floats, sums: Floats, *, margin: float, beta: float) -> None:
    """Renew each match's messages from `skills`; add what they say of each bot to `sums` [2, bots].

    `skills` [3, bots] are precision, precision times mean, and by how much more the mean is to be moved.
    """
    variance = beta**2
    settle = _settle_chain if block.is_chain else _settle_jointly
    for cut in block.chunks():
        players = block.players[:, cut]
        skill = block.skill[:, :, cut]
        others = skills[:2, players]
        others -= skill
        others[1] += others[0] * skills[2, players]
        others /= 1 + variance * others[0]
        learnt = settle(block, cut, others, margin)
        np.divide(learnt, 1 + variance * learnt[0], out=skill)
        _add(sums, players, skill, None if block.weights is None else block.weights[cut])


def _add(sums: Floats, players: NDArray[np.int32], skill: Floats, weights: Floats | None) -> None:
    for seat in range(SEATS):
        for kind in range(2):
            said = skill[kind, seat] if weights is None else skill[kind, seat] * weights
            sums[kind] += np.bincount(players[seat], weights=said, minlength=sums.shape[1])


def _settle_chain(block: _Block, cut: slice, prior: Floats, margin: float) -> Floats:
    """What matches without ties say of their performances, given `prior`; both [2, 4, n].

    A chain has no loops, so messages between neighbours, once there and back, do what the joint normal would.
    """
    messages = block.messages[:, :, cut]
    seats = prior.copy()
    there = range(SEATS - 1)
    for index in there:
        seats[:, index] += messages[index, :2]
        seats[:, index + 1] += messages[index, 2:]
    for index in [*there, *there[-2::-1]]:
        curvature = block.curvature[index, cut]
        _compare(seats[:, index], seats[:, index + 1], messages[index], curvature, margin)
    seats -= prior
    return seats


def _compare(ahead: Floats, behind: Floats, message: Floats, curvature: Floats, margin: float) -> None:
    """Renew one win's messages to its two ends, [2, n] each, in place."""
    ahead -= message[:2]
    behind -= message[2:]
    ahead_variance, behind_variance = 1 / ahead[0], 1 / behind[0]
    ahead_mean, behind_mean = ahead[1] * ahead_variance, behind[1] * behind_variance
    spread = ahead_variance + behind_variance
    deviation = np.sqrt(spread)
    gap = ahead_mean - behind_mean
    factor, weighted = _factor(*_won((gap - margin) / deviation), gap, spread, deviation)
    curvature[:] = factor
    to_ahead = behind[0] / (factor + behind[0])
    to_behind = ahead[0] / (factor + ahead[0])
    np.multiply(factor, to_ahead, out=message[0])
    np.multiply(weighted + factor * behind_mean, to_ahead, out=message[1])
    np.multiply(factor, to_behind, out=message[2])
    np.multiply(factor * ahead_mean - weighted, to_behind, out=message[3])
    ahead += message[:2]
    behind += message[2:]


def _factor(
    shift: Floats, shrink: Floats, gap: Floats, spread: Floats, deviation: Floats
) -> tuple[Floats, Floats]:
    """A comparison's own message about the difference: the truncated moments divided by what came in."""
    left = spread * (1 - shrink)
    return shrink / left, (gap * shrink + deviation * shift) / left


def _settle_jointly(block: _Block, cut: slice, prior: Floats, margin: float) -> Floats:
    """What matches with ties say of their performances, given `prior`; both [2, 4, n].

    Level seats make loops, round which messages between neighbours would count evidence twice; so the four
    performances are kept as one joint normal, that each comparison changes by a matrix of rank one.
    """
    curvature, weighted = block.curvature[:, cut], block.messages[:, 0, cut]
    matrix = _laplacian(block.pairs, curvature)
    natural = prior[1].copy()
    for seat in range(SEATS):
        matrix[seat, seat] += prior[0, seat]
    for index, (a, b, _) in enumerate(block.pairs):
        natural[a] += weighted[index]
        natural[b] -= weighted[index]
    covariance = _inverse(matrix)
    mean = np.einsum("ijn,jn->in", covariance, natural)
    for _ in range(JOINT_ROUNDS):
        for index, pair in enumerate(block.pairs):
            _compare_jointly(covariance, mean, pair, curvature[index], weighted[index], margin)
    variance = covariance[range(SEATS), range(SEATS)]
    return np.stack([1 / variance, mean / variance]) - prior


def _compare_jointly(
    covariance: Floats, mean: Floats, pair: Comparison, curvature: Floats, weighted: Floats, margin: float
) -> None:
    """Renew one comparison, everything in place."""
    a, b, is_draw = pair
    along = covariance[a] - covariance[b]
    spread = along[a] - along[b]
    gap = mean[a] - mean[b]
    left = 1 - curvature * spread
    others_spread = spread / left
    others_gap = (gap - weighted * spread) / left
    deviation = np.sqrt(others_spread)
    if is_draw:
        moments = _drawn(others_gap / deviation, margin / deviation)
    else:
        moments = _won((others_gap - margin) / deviation)
    factor, fresh_weighted = _factor(*moments, others_gap, others_spread, deviation)
    more, more_weighted = factor - curvature, fresh_weighted - weighted
    scale = 1 / (1 + more * spread)
    mean += along * ((more_weighted - more * gap) * scale)
    covariance -= along[:, None] * (along * (more * scale))
    curvature[:] = factor
    weighted[:] = fresh_weighted


@dataclass(slots=True, eq=False)
class _Newton:
    """Turns the pull on each mu into a step, with the matches' curvature of a few sweeps ago.

    Where a bot has few matches a full step overshoots; Aitken's rule finds the `share` of it that does not.
    """

    groups: NDArray[np.int64]
    own: Floats
    inverse: Floats | None = None
    last: float = math.inf
    sweeps: int = 0
    before: Floats | None = None
    share: float = 1.0

    def step(self, pull: Floats, precision: Floats, blocks: list[_Block], beta: float) -> Floats:
        self.sweeps += 1
        if self.sweeps <= PLAIN_SWEEPS:
            return _limited(0.5 * pull / precision, beta)
        size = float(np.abs(pull / precision).max(initial=0))
        inverse = self.inverse
        if inverse is None or size > STALE * self.last:
            inverse = self.inverse = _curvature(blocks, self.own, beta)
            inverse[:] = np.linalg.inv(inverse)
        self.last = size
        step = inverse @ pull
        step -= _group_means(step, self.groups)
        if self.before is not None:
            change = self.before - step
            self.share *= float(self.before @ change) / max(float(change @ change), 1e-300)
            self.share = min(max(self.share, SMALLEST_SHARE), 1.0)
        self.before = step
        return _limited(self.share * step, beta)


def _limited(step: Floats, beta: float) -> Floats:
    longest = float(np.abs(step).max(initial=0))
    return step * min(1.0, LONGEST_STEP * beta / longest) if longest else step


def _curvature(blocks: list[_Block], own: Floats, beta: float) -> Floats:
    """Negative curvature [bots, bots] of the whole log-likelihood, the prior's included."""
    bots = len(own)
    total = np.zeros(bots * bots)
    for block in blocks:
        for cut in block.chunks():
            information = _information(block, cut, beta)
            if block.weights is not None:
                information *= block.weights[cut]
            players = block.players[:, cut].astype(np.int64)
            for a in range(SEATS):
                for b in range(a, SEATS):
                    where = players[a] * bots + players[b]
                    total += np.bincount(where, weights=information[a, b], minlength=bots * bots)
    upper = total.reshape(bots, bots)
    whole = upper + upper.T
    whole[np.diag_indices(bots)] = upper.diagonal() + own
    return whole


def _information(block: _Block, cut: slice, beta: float) -> Floats:
    """What the matches of `cut` say of their four skills, a precision matrix [4, 4, n] by finishing order.

    With the comparisons' precisions as the Laplacian Q it is (Q^-1 + beta^2)^-1, which is
    1 / beta^2 - A^-1 / beta^4 with A = Q + 1 / beta^2.
    """
    own = beta**-2
    matrix = _laplacian(block.pairs, block.curvature[:, cut])
    for seat in range(SEATS):
        matrix[seat, seat] += own
    information = _inverse(matrix)
    information *= -(own**2)
    for seat in range(SEATS):
        information[seat, seat] += own
    return information


def _laplacian(pairs: tuple[Comparison, ...], curvature: Floats) -> Floats:
    """The comparisons' precisions as a matrix over the four seats, [4, 4, n]."""
    matrix = np.zeros((SEATS, SEATS, curvature.shape[1]))
    for index, (a, b, _) in enumerate(pairs):
        matrix[a, a] += curvature[index]
        matrix[b, b] += curvature[index]
        matrix[a, b] -= curvature[index]
        matrix[b, a] -= curvature[index]
    return matrix


def _inverse(matrix: Floats) -> Floats:
    """Inverses of many symmetric 4 by 4 matrices, [4, 4, n], by halves."""
    corner = _inverse_pair(matrix[:2, :2])
    side = matrix[:2, 2:]
    across = np.einsum("ijn,jkn->ikn", corner, side)
    rest = _inverse_pair(matrix[2:, 2:] - np.einsum("jin,jkn->ikn", side, across))
    whole = np.empty_like(matrix)
    whole[2:, 2:] = rest
    whole[:2, 2:] = -np.einsum("ijn,jkn->ikn", across, rest)
    whole[2:, :2] = whole[:2, 2:].transpose(1, 0, 2)
    whole[:2, :2] = corner - np.einsum("ijn,kjn->ikn", whole[:2, 2:], across)
    return whole


def _inverse_pair(matrix: Floats) -> Floats:
    determinant = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]
    rows = [[matrix[1, 1], -matrix[0, 1]], [-matrix[1, 0], matrix[0, 0]]]
    inverse: Floats = np.array(rows) / determinant
    return inverse


def _groups(results: Results) -> NDArray[np.int64]:
    """For each bot the lowest index among the bots that chains of matches join it with."""
    label = np.arange(len(results.bots))
    pairs = np.unique(results.seats[:, 1:].astype(np.int64) * len(label) + results.seats[:, :1])
    one, other = pairs // max(len(label), 1), pairs % max(len(label), 1)
    while True:
        lowest = np.minimum(label[one], label[other])
        before = label.copy()
        np.minimum.at(label, one, lowest)
        np.minimum.at(label, other, lowest)
        label = label[label]
        if (label == before).all():
            return label


def _group_means(values: Floats, groups: NDArray[np.int64]) -> Floats:
    sizes = np.bincount(groups, minlength=len(values))
    sums = np.bincount(groups, weights=values, minlength=len(values))
    means: Floats = sums[groups] / sizes[groups]
    return means


NODES_PER_UNIT: Final = 64
LOWEST_NODE: Final = -10
HIGHEST_NODE: Final = 10


@lru_cache(maxsize=1)
def _shift_table() -> Floats:
    """Cubics [4, cells] for TrueSkill's v, whose slope is -v (v + t); they are within 1e-10 of it."""
    nodes = np.linspace(LOWEST_NODE, HIGHEST_NODE, (HIGHEST_NODE - LOWEST_NODE) * NODES_PER_UNIT + 1)
    tail = np.array([math.erfc(-t / math.sqrt(2)) for t in nodes])
    value = math.sqrt(2 / math.pi) * np.exp(-(nodes**2) / 2) / tail
    slope = -value * (value + nodes) / NODES_PER_UNIT
    rise, first, last = value[1:] - value[:-1], slope[:-1], slope[1:]
    return np.stack([value[:-1], first, 3 * rise - 2 * first - last, first + last - 2 * rise])


def _won(t: Floats) -> tuple[Floats, Floats]:
    """TrueSkill's v and w for a win: how a standard normal moves and shrinks when cut off below at -t."""
    table = _shift_table()
    position = (t - LOWEST_NODE) * NODES_PER_UNIT
    np.clip(position, 0, table.shape[1] - 1e-6, out=position)
    cell = position.astype(np.int32)
    position -= cell
    v: Floats = table[3].take(cell)
    for power in (2, 1, 0):
        v *= position
        v += table[power].take(cell)
    low = t < LOWEST_NODE
    if low.any():
        far = t[low]
        v[low] = -far - 1 / far + 2 / far**3
    return v, v * (v + t)


def _tail(x: Floats) -> Floats:
    """How likely a standard normal is to exceed `x`."""
    return np.fromiter(map(math.erfc, (x / math.sqrt(2)).tolist()), dtype=np.float64, count=len(x)) / 2


def _drawn(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """TrueSkill's v and w for a draw: a normal about t, cut off outside -margin..margin."""
    if not margin.all():
        raise ValueError("a match has a tie, but the draw probability is 0")
    near, far = np.abs(t) - margin, np.abs(t) + margin
    lost = near > -LOWEST_NODE * 3
    mass = _tail(near) - _tail(far)
    mass[lost] = 1
    near_density, far_density = (np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) for x in (near, far))
    v = (far_density - near_density) / mass
    w = v * v + (far * far_density - near * near_density) / mass
    v[lost] = -near[lost] - 1 / near[lost]
    w[lost] = 1 - near[lost] ** -2
    return np.copysign(v, -t), w
