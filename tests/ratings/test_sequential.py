"""What the sequential test promises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.ratings.results import MatchRow, Results
from arena.ratings.sequential import FEWEST_SETS, SequentialTest, Verdict, set_differences
from tests.ratings.fields import SetField

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

BOUNDS = SequentialTest(points0=0.0, points1=1.0)
SPREAD = 2.0
RUNS = 500


def normal(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.normal(0, 1, size)


def heavy_tailed(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.standard_t(3, size) / math.sqrt(3)


def with_outliers(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """One in twenty is six times as wild."""
    widths = np.where(rng.random(size) < 0.05, 6.0, 1.0)
    return widths * rng.normal(0, 1, size) / math.sqrt(0.95 + 0.05 * 36)


def run(differences: Iterable[float], test: SequentialTest = BOUNDS) -> SequentialTest:
    """Feeds the test until it has a verdict."""
    for difference in differences:
        test = test.after(float(difference))
        if test.verdict is not Verdict.UNKNOWN:
            break
    return test


def verdicts(draw: Draw, *, true_difference: float, runs: int = RUNS) -> list[Verdict]:
    rng = np.random.default_rng(1)
    return [run(true_difference + SPREAD * draw(rng, 600)).verdict for _ in range(runs)]


@pytest.mark.parametrize("draw", [normal, heavy_tailed, with_outliers])
def test_a_candidate_that_is_no_better_is_seldom_called_better(draw: Draw) -> None:
    found = verdicts(draw, true_difference=0.0)

    assert found.count(Verdict.BETTER) <= BOUNDS.alpha * RUNS
    assert Verdict.UNKNOWN not in found


@pytest.mark.parametrize("draw", [normal, heavy_tailed, with_outliers])
def test_a_candidate_that_is_better_is_seldom_called_no_better(draw: Draw) -> None:
    found = verdicts(draw, true_difference=1.0)

    assert found.count(Verdict.NOT_BETTER) <= BOUNDS.beta * RUNS


def test_a_worse_candidate_is_never_called_better() -> None:
    assert Verdict.BETTER not in verdicts(normal, true_difference=-1.0, runs=100)


def test_a_large_difference_is_known_sooner_than_a_small_one() -> None:
    rng = np.random.default_rng(2)
    large = run(3 + SPREAD * normal(rng, 600))
    small = run(0.9 + SPREAD * normal(rng, 600))

    assert large.sets < FEWEST_SETS + 4
    assert large.sets < small.sets


def test_no_verdict_comes_from_a_few_sets() -> None:
    assert run([5.0] * (FEWEST_SETS - 1)).verdict is Verdict.UNKNOWN


def test_two_versions_that_play_alike_are_told_to_be_no_better() -> None:
    test = run([0.0] * 100)

    assert (test.verdict, test.sets, test.log_ratio) == (Verdict.NOT_BETTER, FEWEST_SETS, -math.inf)


def test_no_sets_say_nothing() -> None:
    assert (BOUNDS.log_ratio, BOUNDS.mean, BOUNDS.verdict) == (0.0, 0.0, Verdict.UNKNOWN)


def test_the_mean_and_deviation_are_those_of_what_was_fed() -> None:
    test = BOUNDS.after(1.0).after(3.0)

    assert (test.sets, test.mean, test.deviation) == (2, 2.0, 1.0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"points0": 1.0, "points1": 1.0}, "points0"),
        ({"alpha": 0.0}, "alpha"),
        ({"beta": 0.7}, "beta"),
    ],
)
def test_impossible_bounds_are_refused(options: dict[str, float], complaint: str) -> None:
    with pytest.raises(ArenaError, match=complaint):
        SequentialTest(**options)  # type: ignore[arg-type]


def test_differences_are_taken_set_by_set() -> None:
    def row(names: tuple[str, ...], totals: tuple[int, ...], set_id: int) -> MatchRow:
        return MatchRow(names, tuple(1 + sum(t > own for t in totals) for own in totals), totals, set_id)

    results = Results.of(
        [
            row(("new", "old", "cat", "dan"), (150, 120, 90, 60), 3),
            row(("dan", "new", "old", "cat"), (100, 130, 140, 80), 3),
            row(("new", "bob", "cat", "dan"), (160, 120, 90, 60), 5),
            row(("old", "bob", "cat", "dan"), (110, 120, 90, 60), 5),
            row(("new", "bob", "cat", "dan"), (999, 120, 90, 60), 7),
        ]
    )

    assert set_differences(results, candidate="new", baseline="old").tolist() == [1.0, 5.0]


def test_a_bot_without_results_is_an_operators_mistake() -> None:
    with pytest.raises(ArenaError, match="bot nobody has no results"):
        set_differences(SetField(np.zeros(4)).play(1, seed=1), candidate="bot0", baseline="nobody")
