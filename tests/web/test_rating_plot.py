"""The curve of a rating: all of it within the drawing, with round numbers beside it."""

from __future__ import annotations

import pytest

from arena.web.rating_plot import MOST_POINTS, rating_plot


def corners(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, _, y in (pair.partition(",") for pair in text.split())]


def test_curve_and_band_lie_within_the_drawing() -> None:
    plot = rating_plot([(4 * n, 25 + n % 7, 8.0 / n) for n in range(1, 60)], label="ant")

    for x, y in corners(plot.line) + corners(plot.band):
        assert plot.left <= x <= plot.right
        assert 0 <= y <= plot.bottom


def test_better_is_higher_and_later_is_further_right() -> None:
    plot = rating_plot([(4, 20.0, 1.0), (8, 30.0, 1.0)], label="ant")
    (x1, y1), (x2, y2) = corners(plot.line)

    assert x1 < x2
    assert y1 > y2


@pytest.mark.parametrize("sigma", [0.01, 0.3, 8.0])
def test_scale_has_a_few_whole_numbers(sigma: float) -> None:
    plot = rating_plot([(4, 24.9, sigma), (4000, 25.2, sigma)], label="ant")

    assert len(plot.values) <= 8
    assert all(tick.text.lstrip("−").isdigit() for tick in (*plot.values, *plot.matches))
    assert len({tick.text for tick in plot.matches}) == len(plot.matches) >= 2


def test_long_history_is_thinned_and_keeps_its_ends() -> None:
    history = [(4 * n, 25.0 + n, 1.0) for n in range(1, 5001)]
    plot = rating_plot(history, label="ant")

    assert len(plot.rows) == MOST_POINTS
    assert (plot.rows[0][0], plot.rows[-1][0]) == ("4", "20000")


def test_label_says_how_it_ends() -> None:
    assert rating_plot([(4, 20.0, 1.0), (8, -30.0, 1.0)], label="ant").label == "ant ends at −30.0"
