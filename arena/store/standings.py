"""Owns the ranked table as values: what `arena standings` prints and what its JSON says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.intervals import Figure, uncertainty
from arena.ratings.model import MODEL, draw_probability
from arena.ratings.online import rate_online
from arena.ratings.results import Results
from arena.store.reader import KeptRatings, StoredBot, StoreError, StoreReader
from arena.store.totals import BotTotals
from arena.tournament.plan import Plan, schedule_of

__all__ = [
    "HeadToHead",
    "Standing",
    "Standings",
    "figures_of",
    "head_to_head_of",
    "is_as_sure",
    "planned_matches",
    "rate",
    "standings_of",
]


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the table; None where there is no result to compute a figure from, or nobody did."""

    rank: int
    bot: str
    version: str
    mu: float
    sigma: float
    rating: float  # mu - 3 sigma
    rank_low: int | None  # 95 %
    rank_high: int | None
    matches: int
    wins: float  # a shared win counts in part
    mean_place: float | None  # level seats take the mean of the places they fill
    mean_points: float | None  # a match
    points_low: float | None  # 95 %
    points_high: float | None
    calls_made: float | None  # share of the rounds, 0 to 1
    mean_call: float | None  # tricks
    mean_tricks: float | None
    faults: Mapping[str, int]  # by kind
    forfeits: int
    mean_decision_ms: float | None  # of the decisions that were asked
    p99_decision_ms: float | None  # within 2 %
    adjusted_points: float | None  # a match, less the luck of the deal
    adjusted_low: float | None  # 95 %
    adjusted_high: float | None


@dataclass(frozen=True, slots=True)
class Standings:
    """The table with what it is a table of; `seed` is None until every match is stored."""

    tournament: str
    ruleset: str
    seed: str | None
    matches: int
    rows: tuple[Standing, ...]
    separated: tuple[bool, ...]  # by row: whether it is known to be behind the row above; True of the first
    is_by_skill: bool = False  # ordered by mu of the order-free fit, not by adjusted points

    def as_json(self) -> dict[str, Any]:
        """The document of `arena standings --format json`; its keys never change."""
        document = asdict(self)
        del document["separated"], document["is_by_skill"]  # of the table, where the keys belong to a row
        return document


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead:
    """How often each bot came before each other, and how likely it is the better one; in the order of `bots`.

    The likelihood comes from all matches and not only from those of the two: `better` is nan where unknown.
    """

    bots: tuple[str, ...]
    meetings: NDArray[np.int64]
    above: NDArray[np.float64]  # meetings in which the row's bot came first, level ones counting half
    better: NDArray[np.float64]  # how likely it is that the row's bot is better than the column's

    def share(self, row: int, column: int) -> float | None:
        """Share of their matches in which one came before the other; None when they never met."""
        met = int(self.meetings[row, column])
        return float(self.above[row, column]) / met if met else None

    def likely(self, row: int, column: int) -> float | None:
        """How likely it is that one is better than the other; None where nothing is known."""
        return None if row == column else _known(self.better[row, column])

    def as_json(self) -> dict[str, Any]:
        """Matrices row by row: matches together, the share in which the row's bot came first, P(better)."""
        size = range(len(self.bots))
        return {
            "bots": list(self.bots),
            "meetings": self.meetings.tolist(),
            "shares": [[self.share(row, column) for column in size] for row in size],
            "better": [[self.likely(row, column) for column in size] for row in size],
        }


def rate(results: Results) -> KeptRatings:
    """TrueSkill in schedule order, with the draw probability that the results show."""
    rated = rate_online(results)
    by_bot = {bot: (one.mu, one.sigma) for bot, one in enumerate(rated)}
    return KeptRatings(by_bot, len(results), draw_probability(results))


def standings_of(plan: Plan, store: StoreReader) -> Standings:
    """The table as it stands, also in mid-run; ratings are read if they are kept, else computed."""
    ratings = store.ratings()
    if ratings is not None and ratings.matches == store.count() and ratings.sureness:
        sure = _Sureness.of_json(ratings.sureness)
        if sure.is_by_skill == _is_by_skill(plan):
            return _standings(plan, store, ratings, sure)
    results = store.results()
    if ratings is None or ratings.matches != len(results):
        ratings = rate(results)
    return _standings(plan, store, ratings, _sureness(plan, results))


def figures_of(plan: Plan, store: StoreReader) -> KeptRatings:
    """What is worth keeping of all that is stored: the ratings, and how sure the table is."""
    results = store.results()
    ratings, sure = rate(results), _sureness(plan, results)
    order = [row.bot for row in _standings(plan, store, ratings, sure).rows]
    numbers = {bot.name: bot.bot for bot in store.bots}
    return replace(ratings, sureness=sure.to_json([numbers[name] for name in order]))


def is_as_sure(kept: str, expected: str) -> bool:
    """Whether two texts of `KeptRatings.sureness` say the same, but for what arithmetic may round."""
    one, other = _Sureness.of_json(kept), _Sureness.of_json(expected)
    is_level = one.is_by_skill == other.is_by_skill and np.array_equal(one.apart, other.apart)
    return is_level and all(
        np.allclose(_numbers(getattr(one, name)), _numbers(getattr(other, name)), rtol=1e-6, equal_nan=True)
        for name in ("order", *_PAIRS, "adjusted_means")
    )


def _numbers(values: object) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def _sureness(plan: Plan, results: Results) -> _Sureness:
    return _Sureness.of(results, is_by_skill=_is_by_skill(plan))


def _is_by_skill(plan: Plan) -> bool:
    return bool(plan.until_separated) or plan.comparison is not None


def _standings(plan: Plan, store: StoreReader, ratings: KeptRatings, sure: _Sureness) -> Standings:
    totals, faults = store.totals(), store.fault_counts()
    rows = [_standing(bot, totals[bot.bot], ratings, faults.get(bot.bot, {}), sure) for bot in store.bots]
    ranked = _ranked(rows, {bot.name: sure.order[bot.bot] for bot in store.bots})
    numbers = {bot.name: bot.bot for bot in store.bots}
    is_complete = ratings.matches == planned_matches(plan, store) and (
        not plan.until_separated or store.has_ended()
    )
    return Standings(
        tournament=plan.name,
        ruleset=plan.ruleset.name,
        seed=plan.seed_text if is_complete else None,
        matches=ratings.matches,
        rows=ranked,
        separated=sure.between([numbers[row.bot] for row in ranked]),
        is_by_skill=_is_by_skill(plan),
    )


def planned_matches(plan: Plan, store: StoreReader) -> int:
    """Matches that the run will have: as far as that is known, where it depends on the results."""
    if plan.comparison is not None and store.has_ended():
        return store.count()
    return schedule_of(plan).match_count


def head_to_head_of(results: Results, order: Sequence[str]) -> HeadToHead:
    """Who came before whom, and who is likely better, over all matches; rows and columns in `order`."""
    count = len(results.bots)
    meetings = np.zeros((count, count), dtype=np.int64)
    above = np.zeros((count, count))
    for one, other in combinations(range(4), 2):
        a, b = results.seats[:, one], results.seats[:, other]
        ahead = np.sign(results.places[:, other].astype(np.int64) - results.places[:, one]) / 2 + 0.5
        np.add.at(meetings, (a, b), 1)
        np.add.at(meetings, (b, a), 1)
        np.add.at(above, (a, b), ahead)
        np.add.at(above, (b, a), 1 - ahead)
    chosen = np.array([results.bots.index(bot) for bot in order], dtype=np.int64)
    grid = np.ix_(chosen, chosen)
    better = uncertainty(results).rating.better() if len(results) else np.full((count, count), np.nan)
    return HeadToHead(tuple(order), meetings[grid], above[grid], better[grid])


_PAIRS = ("ranks", "points", "adjusted")


@dataclass(frozen=True, slots=True, eq=False)
class _Sureness:
    """By the bot's number, (low, high) of 95 % for ranks and points, and [a, b] whether two are separated.

    `order` is the figure that orders the table, and ranks and separation are of the same: adjusted points, or
    the skill in the order-free fit where bots met opponents of unlike strength by design.
    """

    order: Sequence[float | None]
    ranks: Sequence[tuple[int | None, int | None]]
    points: Sequence[tuple[float | None, float | None]]
    adjusted: Sequence[tuple[float | None, float | None]]
    adjusted_means: Sequence[float | None]
    apart: NDArray[np.bool_]
    is_by_skill: bool

    @classmethod
    def of(cls, results: Results, *, is_by_skill: bool) -> _Sureness:
        count = len(results.bots)
        if not len(results):
            pairs, nothing = [(None, None)] * count, [None] * count
            apart = np.zeros((count, count), dtype=np.bool_)
            return cls(nothing, pairs, pairs, pairs, nothing, apart, is_by_skill)
        found = uncertainty(results)
        figure = found.rating if is_by_skill else found.adjusted_points
        return cls(
            order=[_known(value) for value in figure.value],
            ranks=[(_whole(low), _whole(high)) for low, high in zip(*figure.rank_interval(), strict=True)],
            points=_interval(found.points),
            adjusted=_interval(found.adjusted_points),
            adjusted_means=[_known(value) for value in found.adjusted_points.value],
            apart=figure.separated(),
            is_by_skill=is_by_skill,
        )

    @classmethod
    def of_json(cls, text: str) -> _Sureness:
        """What `to_json` made: of the separations only those of neighbours in the table."""
        try:
            kept = json.loads(text)
            ranks, points, adjusted = ([(low, high) for low, high in kept[name]] for name in _PAIRS)
            apart = np.zeros((len(kept["order"]), len(kept["order"])), dtype=np.bool_)
            for above, below in kept["apart"]:
                apart[above, below] = True
            means, is_by_skill = kept["adjusted_means"], kept["is_by_skill"]
            return cls(kept["order"], ranks, points, adjusted, means, apart, is_by_skill)
        except (ValueError, KeyError, TypeError, IndexError):
            raise StoreError("table run: sureness: it cannot be read") from None

    def to_json(self, order: Sequence[int]) -> str:
        """As a text, for a table in which the bots stand in this order."""
        kept = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "apart"}
        apart = [pair for pair in pairwise(order) if self.apart[pair]]
        return json.dumps({**kept, "apart": apart})

    def between(self, order: Sequence[int]) -> tuple[bool, ...]:
        """Whether each bot of `order` is separated from the one before it; True of the first."""
        return tuple(index == 0 or bool(self.apart[order[index - 1], bot]) for index, bot in enumerate(order))


def _standing(
    bot: StoredBot,
    totals: BotTotals,
    ratings: KeptRatings,
    faults: Mapping[str, int],
    sure: _Sureness,
) -> Standing:
    rank_low, rank_high = sure.ranks[bot.bot]
    points_low, points_high = sure.points[bot.bot]
    adjusted_low, adjusted_high = sure.adjusted[bot.bot]
    mu, sigma = ratings.by_bot.get(bot.bot, (MODEL.mu, MODEL.sigma))
    p99_us = totals.times.quantile_us(0.99)
    return Standing(
        rank=0,
        bot=bot.name,
        version=bot.version,
        mu=mu,
        sigma=sigma,
        rating=mu - 3 * sigma,
        rank_low=rank_low,
        rank_high=rank_high,
        matches=totals.matches,
        wins=totals.wins_twelfths / 12,
        mean_place=_mean(totals.places_doubled, totals.matches, unit=2),
        mean_points=_mean(totals.total_tenths, totals.matches, unit=10),
        points_low=points_low,
        points_high=points_high,
        calls_made=_mean(totals.calls_made, totals.rounds),
        mean_call=_mean(totals.calls, totals.rounds),
        mean_tricks=_mean(totals.tricks, totals.rounds),
        faults=dict(faults),
        forfeits=totals.forfeits,
        mean_decision_ms=_mean(totals.decision_us, totals.decisions, unit=1000),
        p99_decision_ms=None if p99_us is None else p99_us / 1000,
        adjusted_points=sure.adjusted_means[bot.bot] if totals.matches else None,
        adjusted_low=adjusted_low,
        adjusted_high=adjusted_high,
    )


def _interval(figure: Figure) -> list[tuple[float | None, float | None]]:
    return [(_known(low), _known(high)) for low, high in zip(*figure.interval(), strict=True)]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _whole(value: float) -> int | None:
    return None if np.isnan(value) else int(value)


def _mean(total: int, count: int, unit: int = 1) -> float | None:
    return total / (count * unit) if count else None


def _ranked(rows: Sequence[Standing], values: Mapping[str, float | None]) -> tuple[Standing, ...]:
    """Rows by the figure that orders the table, then rating, then name; equal in both is an equal rank."""

    def order(row: Standing) -> tuple[bool, float, float]:
        return (not row.matches, -(values[row.bot] or 0.0), -row.rating)

    ordered = sorted(rows, key=lambda row: (*order(row), row.bot))
    ranks: list[int] = []
    for index, row in enumerate(ordered):
        is_level = index > 0 and order(row) == order(ordered[index - 1])
        ranks.append(ranks[-1] if is_level else index + 1)
    return tuple(_with_rank(row, rank) for row, rank in zip(ordered, ranks, strict=True))


def _with_rank(row: Standing, rank: int) -> Standing:
    values = {name: getattr(row, name) for name in Standing.__slots__}
    return Standing(**{**values, "rank": rank})
