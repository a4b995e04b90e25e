"""Owns what the standings say about how sure they are."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.results import MatchRow, Results
from arena.reports.site.bot_figures import course_of, interval_of_mean, played_by
from arena.reports.site.field import Interval, Scale
from arena.reports.site.plots import _apart, _short

ROWS = [
    MatchRow(("a", "b", "c", "d"), (1, 2, 3, 4), (100, 50, 40, -30), set_id=0),
    MatchRow(("b", "c", "d", "a"), (2, 3, 4, 1), (50, 40, -30, 80), set_id=0),
    MatchRow(("a", "b", "c", "e"), (4, 1, 2, 3), (-20, 90, 80, 10), set_id=1),
    MatchRow(("b", "c", "e", "a"), (1, 2, 3, 4), (90, 80, 10, -40), set_id=1),
]


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(24.13, 23.3, 24.96), "24.1 ± 0.8"),
        (Interval(-3.04, -4.0, -2.08), "−3.0 ± 1.0"),
        (Interval(1500.4, 1480.0, 1520.8), "1500 ± 20"),
        (Interval(7.25), "7.2"),
        (Interval(None), "-"),
    ],
)
def test_interval_reads_as_value_and_reach(interval: Interval, text: str) -> None:
    assert str(interval) == text


def test_scale_holds_every_interval() -> None:
    scale = Scale.over([Interval(5.0, 0.0, 10.0), Interval(12.0), Interval(None)])

    assert 0 < float(scale.percent(0.0).rstrip("%")) < float(scale.percent(12.0).rstrip("%")) < 100


def test_points_by_opponent_count_a_set_once() -> None:
    a = next(iter(played_by(Results.of(ROWS))))
    against = a.against_all()

    assert against[1].value == pytest.approx((9.0 - 3.0) / 2)
    assert against[3] == Interval(9.0)
    assert against[4] == Interval(-3.0)


def test_points_by_seat_are_means_of_that_seat() -> None:
    a = next(iter(played_by(Results.of(ROWS))))

    assert [one.value for one in a.by_seat()] == [4.0, None, None, 2.0]


def test_best_and_worst_matches_are_never_the_same() -> None:
    a, b, *_ = played_by(Results.of(ROWS))

    assert a.extremes(5) == ([0, 1], [3, 2])
    assert [b.points[index] for index in b.extremes(1)[0]] == [9.0]


def test_course_ends_at_the_ratings_of_all_matches() -> None:
    results = Results.of(ROWS)
    course = course_of(results)

    assert course.own_matches[-1].tolist() == [4, 4, 4, 2, 2]
    assert course.matches.tolist() == [0, 1, 2, 3, 4]
    assert course.mu[0] == pytest.approx(np.full(5, 25.0))
    assert course.mu[-1, 1] > course.mu[-1, 3]


def test_interval_of_a_mean_covers_it() -> None:
    rng = np.random.default_rng(1)
    found = [interval_of_mean(rng.normal(3, 2, size=5)) for _ in range(2000)]
    covered = [
        one for one in found if one.low is not None and one.high is not None and one.low < 3 < one.high
    ]

    assert 0.93 < len(covered) / len(found) < 0.97


def test_names_beside_lines_do_not_touch() -> None:
    placed = _apart([1.0, 1.1, 1.05, 9.0], gap=0.5)

    assert min(np.diff(sorted(placed))) > 0.49
    assert placed[3] == 9.0


def test_long_names_stay_different() -> None:
    short = _short(["a" * 30 + "1234", "a" * 31 + "1234", "bee"])

    assert len(set(short)) == 3
    assert max(map(len, short)) <= 16
