"""Owns how far the arena's own claims about its certainty hold, on bots that play by the real rules.

A long run gives the truth; short tournaments, drawn set by set from another, are held against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.fit import fit
from arena.ratings.intervals import Figure, uncertainty
from arena.ratings.results import SEATS, Results
from arena.ratings.sequential import FEWEST_SETS, SequentialTest, Verdict, set_differences
from arena.ratings.student import student_quantile

__all__ = ["LongRun", "calibration_table", "luck_table", "sequential_table"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FIGURES: Final = {
    "mean points": "points",
    "adjusted points": "adjusted_points",
    "mean place": "place",
    "rating mu": "rating",
}
SIZES: Final = (8, 14, 28, 70, 280)
"""Sets in a tournament of eight bots; each bot sits in half of them."""


@dataclass(frozen=True, slots=True, eq=False)
class LongRun:
    """Many sets of every table, in turn: what is true of the bots, and a stock to draw tournaments from."""

    results: Results

    @property
    def tables(self) -> int:
        """How many tables of four the bots make; set i is of table i modulo that."""
        bots = len(self.results.bots)
        return len(list(combinations(range(bots), SEATS)))

    @property
    def sets(self) -> int:
        return len(self.results) // SEATS

    def truth(self) -> dict[str, Floats]:
        """Each figure's value in the long run."""
        points, places = self.results.mean_points(), self.results.mean_places()
        return {
            "mean points": points,
            "adjusted points": points,
            "mean place": places,
            "rating mu": fit(self.results).mu,
        }

    def tournament(self, sets: int, rng: np.random.Generator) -> Results:
        """So many sets, spread over the tables as evenly as it goes."""
        turns = -(-sets // self.tables)
        order = np.concatenate([rng.permutation(self.tables) for _ in range(turns)])[:sets]
        drawn = order + self.tables * rng.integers(0, self.sets // self.tables, sets)
        results = self.results.take((drawn[:, None] * SEATS + np.arange(SEATS)).ravel())
        results.set_ids[:] = np.repeat(np.arange(sets), SEATS)
        return results


def luck_table(run: LongRun, count: int, seed: int) -> str:
    """What adjusting points for luck does to their error, as Markdown."""
    truth = run.truth()["mean points"]
    lines = [
        "| sets a bot | error of points | adjusted | of a difference | adjusted | bias / error | adjusted |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for sets in SIZES:
        rng = np.random.default_rng(seed)
        errors: dict[str, list[Floats]] = {"points": [], "adjusted_points": []}
        for _ in range(count):
            figures = uncertainty(run.tournament(sets, rng))
            for name, each in errors.items():
                each.append(getattr(figures, name).value - truth)
        found = [np.array(each)[~np.isnan(each).any(axis=1)] for each in errors.values()]
        cells = [f"{sets * SEATS / len(truth):g}"]
        for statistic in (_spread, _difference_spread, _largest_bias):
            cells += [f"{statistic(each):.3f}" for each in found]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(errors: Floats) -> float:
    return float(np.sqrt(errors.var(axis=0).mean()))


def _difference_spread(errors: Floats) -> float:
    pairs = list(combinations(range(errors.shape[1]), 2))
    return float(np.sqrt(np.mean([(errors[:, a] - errors[:, b]).var() for a, b in pairs])))


def _largest_bias(errors: Floats) -> float:
    """Of any bot, in standard errors of what was found: without bias the largest of eight is about 2."""
    return float((np.abs(errors.mean(axis=0)) / (errors.std(axis=0) / len(errors) ** 0.5)).max())


def calibration_table(run: LongRun, count: int, seed: int) -> str:
    """How often 95 % intervals hold the truth, as Markdown."""
    truth = run.truth()
    lines = [
        f"| sets a bot | {' | '.join(FIGURES)} | differences | ranks |",
        "|---:" * (len(FIGURES) + 3) + "|",
    ]
    for sets in SIZES:
        rng = np.random.default_rng(seed)
        hits: dict[str, list[Floats]] = {name: [] for name in (*FIGURES, "differences", "ranks")}
        for _ in range(count):
            figures = uncertainty(run.tournament(sets, rng))
            for name, attribute in FIGURES.items():
                figure: Figure = getattr(figures, attribute)
                hits[name].append(_covered(figure, truth[name]))
                hits["differences"].append(_differences_covered(figure, truth[name]))
                hits["ranks"].append(_ranks_covered(figure, truth[name]))
        cells = [f"{np.nanmean(np.concatenate(found)):.3f}" for found in hits.values()]
        lines.append(f"| {sets * SEATS / len(run.results.bots):g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _held(is_held: Flags, is_known: Flags) -> Floats:
    """1 where an interval held the truth, 0 where not, nan where there was none."""
    return np.where(is_known, is_held.astype(np.float64), np.nan)


def _covered(figure: Figure, truth: Floats) -> Floats:
    low, high = figure.interval()
    return _held((low <= truth) & (truth <= high), figure.is_known)


def _differences_covered(figure: Figure, truth: Floats) -> Floats:
    a, b = np.triu_indices(len(truth), 1)
    off = (figure.value[a] - figure.value[b]) - (truth[a] - truth[b])
    reach = student_quantile(0.975, np.maximum(figure.sets[a, b] - 1, 1)) * figure.difference_error()[a, b]
    return _held(np.abs(off) <= reach, ~np.isnan(reach))


def _ranks_covered(figure: Figure, truth: Floats) -> Floats:
    true_rank = 1 + (figure.sign * (truth[None, :] - truth[:, None]) > 0).sum(axis=1)
    best, worst = figure.rank_interval()
    return _held((best <= true_rank) & (true_rank <= worst), figure.is_known)


def sequential_table(run: LongRun, count: int, seed: int) -> str:
    """Error rates of the sequential test, as Markdown."""
    rng = np.random.default_rng(seed)
    bots = run.results.bots
    sources = {
        "normal": rng.standard_normal(100_000),
        "heavy-tailed (t, 3 degrees)": rng.standard_t(3, 100_000),
        f"sets of {bots[0]} and {bots[4]}": set_differences(run.results, candidate=bots[0], baseline=bots[4]),
        f"sets of {bots[4]} and {bots[0]}": set_differences(run.results, candidate=bots[4], baseline=bots[0]),
    }
    lines = [
        "| differences | points1 / spread | called better at points0 | called no better at points1 | sets |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, source in sources.items():
        noise = (source - source.mean()) / source.std()
        for ratio in (0.15, 0.25, 0.5):
            null = [_run(noise, 0.0, ratio, rng) for _ in range(count)]
            real = [_run(noise, ratio, ratio, rng) for _ in range(count)]
            cells = [
                name,
                f"{ratio:g}",
                f"{np.mean([test.verdict is Verdict.BETTER for test in null]):.3f}",
                f"{np.mean([test.verdict is Verdict.NOT_BETTER for test in real]):.3f}",
                f"{np.mean([test.sets for test in null + real]):.0f}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        f"alpha = beta = 0.05, points0 = 0, {count} runs each; no verdict before {FEWEST_SETS} sets.",
    ]
    return "\n".join(lines)


def _run(noise: Floats, shift: float, points1: float, rng: np.random.Generator) -> SequentialTest:
    """A test run to its verdict on differences drawn from `noise`, `shift` added."""
    test = SequentialTest(points1=points1)
    while True:
        for difference in (rng.choice(noise, 200) + shift).tolist():
            test = test.after(difference)
            if test.verdict is not Verdict.UNKNOWN:
                return test
