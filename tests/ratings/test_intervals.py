"""What the intervals promise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.ratings.fit import fit
from arena.ratings.intervals import Figure, Uncertainty, uncertainty
from arena.ratings.model import draw_probability
from arena.ratings.results import MatchRow, Results
from arena.ratings.sets import sets_of
from arena.ratings.student import student_cdf, student_quantile
from tests.ratings.fields import SetField

CLOSE = SetField(np.linspace(-0.6, 0.6, 6))


def covered(figure: Figure, truth: NDArray[np.float64]) -> NDArray[np.bool_]:
    low, high = figure.interval()
    return (low <= truth) & (truth <= high)


def share_covered(tournaments: int, sets_a_table: int) -> dict[str, float]:
    """How often the intervals of simulated tournaments hold the truth."""
    hits: dict[str, list[NDArray[np.bool_]]] = {"points": [], "adjusted_points": [], "rating": []}
    truths = {"points": CLOSE.points, "adjusted_points": CLOSE.points, "rating": CLOSE.mu}
    for seed in range(tournaments):
        figures = uncertainty(CLOSE.play(sets_a_table, seed=seed))
        for name, found in hits.items():
            found.append(covered(getattr(figures, name), truths[name]))
    return {name: float(np.mean(found)) for name, found in hits.items()}


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    for share in share_covered(80, sets_a_table=2).values():
        assert 0.93 <= share <= 0.97


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_with_a_handful_of_sets() -> None:
    for share in share_covered(1000, sets_a_table=1).values():
        assert 0.935 <= share <= 0.965


def bootstrap_errors(
    results: Results, figure: Callable[[Results], NDArray[np.float64]], *, samples: int
) -> NDArray[np.float64]:
    """The real thing: whole sets drawn again with replacement, table by table, and all computed anew."""
    sets = sets_of(results)
    rows = [np.flatnonzero(sets.set_of == number) for number in range(len(sets))]
    by_table: dict[tuple[int, ...], list[int]] = {}
    for number, table in enumerate(sets.tables.tolist()):
        by_table.setdefault(tuple(table), []).append(number)
    rng = np.random.default_rng(1)
    values = []
    for _ in range(samples):
        drawn = [rng.choice(numbers, len(numbers)) for numbers in by_table.values()]
        numbers = np.concatenate(drawn)
        again = results.take(np.concatenate([rows[number] for number in numbers]))
        again.set_ids[:] = np.repeat(np.arange(len(numbers)), 4)
        values.append(figure(again))
    errors: NDArray[np.float64] = np.std(values, axis=0)
    return errors


def test_standard_errors_are_those_of_a_bootstrap_over_sets() -> None:
    results = SetField(np.linspace(-1, 1, 5)).play(12, seed=3)
    figures = uncertainty(results)
    chance = draw_probability(results)
    shrink = np.sqrt(1 - 1 / 12)  # what a bootstrap of 12 a table falls short by

    for figure, computed in (
        (figures.points, Results.mean_points),
        (figures.place, Results.mean_places),
        (figures.rating, lambda again: fit(again, probability=chance).mu),
    ):
        errors = bootstrap_errors(results, computed, samples=150)
        assert figure.standard_error * shrink == pytest.approx(errors, rel=0.25)
        assert float(np.mean(figure.standard_error * shrink / errors)) == pytest.approx(1, abs=0.1)


def test_the_same_results_give_the_same_intervals() -> None:
    results = CLOSE.play(1, seed=4)

    again = uncertainty(results)

    assert uncertainty(results).rating.interval()[0].tolist() == again.rating.interval()[0].tolist()


def test_a_single_set_gives_no_interval() -> None:
    figures = uncertainty(
        CLOSE.play_tables(np.array([[0, 1, 2, 3]], dtype=np.int32), np.random.default_rng(1))
    )

    for figure in (figures.points, figures.adjusted_points, figures.place, figures.rating):
        assert np.isnan(figure.interval()).all()
        assert np.isnan(figure.better()).all()
        assert np.isnan(figure.rank_interval()).all()
        assert not figure.separated().any()
    assert not np.isnan(figures.points.value[:4]).any()


def test_no_matches_give_no_figures() -> None:
    figures = uncertainty(Results.of([], bots=["ann", "bob"]))

    assert np.isnan(figures.points.value).all()
    assert np.isnan(figures.rating.interval()).all()


def test_a_bot_that_has_not_played_has_no_interval_and_spoils_no_other() -> None:
    played = CLOSE.play(1, seed=5)
    results = Results(
        bots=(*played.bots, "idle"),
        seats=played.seats,
        places=played.places,
        total_tenths=played.total_tenths,
        set_ids=played.set_ids,
        forfeited=played.forfeited,
    )

    low, high = uncertainty(results).rating.interval()

    assert np.isnan(low).tolist() == [False] * 6 + [True]
    assert high[:6] == pytest.approx(uncertainty(played).rating.interval()[1], abs=1e-6)


def test_incomplete_sets_are_taken_as_they_are() -> None:
    whole = CLOSE.play(2, seed=6)
    cut_short = whole.take(np.arange(len(whole) - 6))

    figures = uncertainty(cut_short)

    assert figures.points.value == pytest.approx(cut_short.mean_points())
    assert (figures.points.standard_error > uncertainty(whole).points.standard_error * 0.9).all()


def test_rank_intervals_start_from_the_truth_and_close_in_on_it() -> None:
    wide = SetField(np.linspace(-3, 3, 6))

    best, worst = uncertainty(wide.play(40, seed=7)).adjusted_points.rank_interval()

    assert best.tolist() == worst.tolist() == [6, 5, 4, 3, 2, 1]


def test_rank_intervals_of_equal_bots_hold_every_rank() -> None:
    best, worst = uncertainty(SetField(np.zeros(6)).play(1, seed=9)).adjusted_points.rank_interval()

    assert best.max() <= 2
    assert worst.min() >= 5


def test_rank_intervals_hold_the_true_rank() -> None:
    truth = np.arange(6, 0, -1)
    hits = []
    for seed in range(60):
        best, worst = uncertainty(CLOSE.play(2, seed=seed)).adjusted_points.rank_interval()
        hits.append((best <= truth) & (truth <= worst))

    assert np.mean(hits) >= 0.95


def test_better_is_one_sided_and_adds_up() -> None:
    better = uncertainty(CLOSE.play(3, seed=8)).rating.better()

    assert (better + better.T) == pytest.approx(np.ones((6, 6)))
    assert better[5, 0] > 0.95


def test_fewer_places_are_better() -> None:
    place = uncertainty(SetField(np.linspace(-3, 3, 6)).play(10, seed=9)).place

    assert place.better()[5, 0] > 0.99
    assert place.rank_interval()[0].tolist()[5] == 1


def test_bots_that_no_chain_of_matches_joins_are_not_compared() -> None:
    rows = []
    for number in range(8):
        names = ("ann", "bob", "cat", "dan") if number % 2 else ("eve", "fay", "gus", "hal")
        totals = tuple(100 + 10 * ((seat + number // 2) % 4) for seat in range(4))
        rows.append(MatchRow(names, tuple(1 + sorted(totals)[::-1].index(t) for t in totals), totals, number))

    better = uncertainty(Results.of(rows)).rating.better()

    assert np.isnan(better[:4, 4:]).all()
    assert not np.isnan(better[:4, :4]).any()


def test_students_t_is_the_textbooks() -> None:
    table = {1: 12.7062, 2: 4.3027, 5: 2.5706, 10: 2.2281, 30: 2.0423, 120: 1.9799}

    assert student_quantile(0.975, list(table)) == pytest.approx(list(table.values()), abs=1e-4)
    assert student_cdf([0.0, 1.0, -1.0], [7, 1, 1]) == pytest.approx([0.5, 0.75, 0.25])


def points_and_adjusted(figures: Uncertainty) -> tuple[float, float]:
    return (
        float(np.mean(figures.points.standard_error)),
        float(np.mean(figures.adjusted_points.standard_error)),
    )


def test_adjusting_for_luck_makes_the_standard_errors_smaller() -> None:
    plain, adjusted = points_and_adjusted(uncertainty(CLOSE.play(3, seed=10)))

    assert adjusted < 0.9 * plain
