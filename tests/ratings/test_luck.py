"""What points adjusted for the luck of the deal promise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.ratings.luck import adjusted_points
from arena.ratings.results import MatchRow, Results
from tests.ratings.fields import SetField


def replayed(field: SetField, sets_a_table: int, tournaments: int) -> tuple[NDArray[np.float64], ...]:
    """Adjusted and plain points of many simulated tournaments, [tournaments, bots] each."""
    played = [field.play(sets_a_table, seed=seed) for seed in range(tournaments)]
    return (
        np.array([adjusted_points(results) for results in played]),
        np.array([results.mean_points() for results in played]),
    )


def test_a_rich_deal_makes_nobody_better() -> None:
    rows = []
    for number, names in enumerate([("ann", "bob", "cat", "dan"), ("ann", "bob", "cat", "eve")]):
        totals = tuple(100 * number + points for points in (150, 140, 130, 120))
        rows += [MatchRow(names, (1, 2, 3, 4), totals, number)] * 4

    results = Results.of(rows)

    ann, bob, cat, dan, eve = adjusted_points(results)
    assert results.mean_points()[4] - results.mean_points()[3] == pytest.approx(10)
    assert eve == pytest.approx(dan)
    assert [ann - bob, bob - cat] == pytest.approx([1, 1])


def test_adjusted_points_are_less_noisy_and_unbiased() -> None:
    field = SetField(np.linspace(-1, 1, 8), set_luck=1.2, hand_luck=0)

    adjusted, plain = replayed(field, sets_a_table=1, tournaments=150)

    assert (adjusted.std(axis=0) < plain.std(axis=0)).all()
    assert np.mean(adjusted.var(axis=0)) < 0.92 * np.mean(plain.var(axis=0))
    off = (adjusted.mean(axis=0) - field.points) / (adjusted.std(axis=0) / np.sqrt(150))
    assert np.abs(off).max() < 3.5


def test_what_a_bot_does_to_its_tables_is_not_taken_for_luck() -> None:
    presence = np.array([-0.8, 0.8, 0, 0, 0, 0, 0, 0])
    field = SetField(np.zeros(8), presence=presence)
    assert field.points[:2] - 10 == pytest.approx([0.343, -0.343], abs=0.001)

    few, few_plain = replayed(field, sets_a_table=1, tournaments=40)
    many, _ = replayed(field, sets_a_table=24, tournaments=12)

    assert np.mean((few - field.points) ** 2) < np.mean((few_plain - field.points) ** 2)
    assert many.mean(axis=0) == pytest.approx(field.points, abs=0.08)


def test_four_bots_share_all_luck_so_nothing_is_adjusted() -> None:
    results = SetField(np.linspace(-1, 1, 4)).play(5, seed=1)

    assert adjusted_points(results) == pytest.approx(results.mean_points())


def test_the_mean_over_all_bots_stays_what_it_was() -> None:
    results = SetField(np.linspace(-1, 1, 6)).play(2, seed=2)

    assert adjusted_points(results).mean() == pytest.approx(results.mean_points().mean())


def test_a_bot_without_a_match_has_no_points() -> None:
    row = MatchRow(("ann", "bob", "cat", "dan"), (1, 2, 3, 4), (150, 140, 130, 120), 1)

    assert np.isnan(adjusted_points(Results.of([row], bots=["idle"]))[0])
