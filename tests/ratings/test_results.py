"""What the columnar results promise."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.results import MatchRow, Results, shared_places

FIRST = MatchRow(("ann", "bob", "cat", "dan"), (1, 2, 3, 4), (200, 150, 90, -30), set_id=1)
TIED = MatchRow(("bob", "eve", "ann", "cat"), (1, 1, 3, 4), (170, 170, 20, -40), set_id=1, forfeited=(3,))


def test_rows_become_columns_in_order_of_appearance() -> None:
    results = Results.of([FIRST, TIED])

    assert results.bots == ("ann", "bob", "cat", "dan", "eve")
    assert results.seats.tolist() == [[0, 1, 2, 3], [1, 4, 0, 2]]
    assert results.forfeited.tolist() == [[False] * 4, [False, False, False, True]]


def test_bots_keep_the_order_that_was_asked_for() -> None:
    assert Results.of([FIRST], bots=["zoe", "dan"]).bots == ("zoe", "dan", "ann", "bob", "cat")


def test_no_rows_are_results_without_matches() -> None:
    results = Results.of([], bots=["ann", "bob"])

    assert len(results) == 0
    assert np.isnan(results.mean_points()).all()


def test_mean_points_and_places_are_per_match() -> None:
    results = Results.of([FIRST, TIED])

    assert results.mean_points().tolist() == [11.0, 16.0, 2.5, -3.0, 17.0]
    assert results.mean_places().tolist() == [2.0, 1.75, 3.5, 4.0, 1.5]


def test_level_seats_share_the_mean_of_their_places() -> None:
    places = np.array([[1, 1, 3, 4], [2, 1, 2, 2], [1, 1, 1, 1]], dtype=np.int8)

    assert shared_places(places).tolist() == [[1.5, 1.5, 3, 4], [3, 1, 3, 3], [2.5] * 4]


def test_a_bot_on_two_seats_is_refused() -> None:
    with pytest.raises(ValueError, match="match 0 one bot sits on two seats"):
        Results.of([FIRST._replace(bots=("ann", "ann", "cat", "dan"))])


def test_a_place_outside_the_four_is_refused() -> None:
    with pytest.raises(ValueError, match="place outside"):
        Results.of([FIRST._replace(places=(0, 1, 2, 3))])
