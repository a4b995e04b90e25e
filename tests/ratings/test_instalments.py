"""What is played next where it is not known who is better: the rule, and how rarely it errs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from arena.ratings.instalments import next_tables, ranking, tables_for, undecided
from arena.ratings.intervals import Figure, uncertainty
from arena.ratings.results import Results
from tests.ratings.fields import SetField


def figure(leads: list[float], *, sets: int = 1000) -> Figure:
    """Bots 0, 1, ... from the best down, each so many standard errors of a difference ahead of the next."""
    bots = len(leads) + 1
    value = -np.concatenate([[0.0], np.cumsum(leads)]) * np.sqrt(2)
    return Figure(
        bots=tuple(map(str, range(bots))),
        value=value,
        covariance=np.eye(bots),
        sets=np.full((bots, bots), sets),
        is_known=np.ones(bots, dtype=np.bool_),
        groups=np.zeros(bots, dtype=np.int64),
    )


def test_nothing_is_added_when_all_is_known() -> None:
    assert tables_for(figure([9, 9, 9, 9]), look=1, most=99) == []


@pytest.mark.parametrize(
    ("leads", "tables"),
    [
        ([0.1, 9, 9, 9, 9], [(0, 1, 2, 3)]),
        ([9, 9, 0.1, 9, 9], [(1, 2, 3, 4)]),
        ([9, 9, 9, 9, 0.1], [(2, 3, 4, 5)]),
        ([9, 0.1, 0.1, 9, 9], [(1, 2, 3, 4)]),
        ([0.1, 9, 9, 9, 0.1], [(0, 1, 2, 3), (2, 3, 4, 5)]),
        ([0.1, 0.1, 0.1, 0.1, 0.1], [(0, 1, 2, 3), (2, 3, 4, 5)]),
        ([0.1] * 6, [(0, 1, 2, 3), (3, 4, 5, 6)]),
    ],
)
def test_each_stretch_of_undecided_neighbours_is_covered(leads: list[float], tables: object) -> None:
    assert tables_for(figure(leads), look=1, most=99) == tables


def test_later_looks_add_more_and_never_more_than_allowed() -> None:
    known = figure([0.1, 9, 9, 9, 0.1])
    once = [(0, 1, 2, 3), (2, 3, 4, 5)]

    assert tables_for(known, look=2, most=99) == once * 2
    assert tables_for(known, look=2, most=3) == [*once, once[0]]
    assert tables_for(known, look=2, most=0) == []


def test_a_look_must_be_surer_than_the_one_before() -> None:
    leads = figure([2.2, 2.6, 2.9, 3.2])

    pairs = [undecided(leads, ranking(leads), look=look) for look in (1, 2, 3, 4, 9)]

    assert pairs == [[], [0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3]]


def test_bots_that_never_met_are_undecided() -> None:
    apart = replace(figure([9, 9, 9]), groups=np.array([0, 0, 1, 1]))

    assert undecided(apart, [0, 1, 2, 3], look=1) == [1]


def more(results: Results, field: SetField, tables: object, rng: np.random.Generator) -> Results:
    added = field.play_tables(np.repeat(np.array(tables, dtype=np.int32), 6, axis=0), rng)
    first = int(results.set_ids.max()) + 1
    return Results(
        bots=results.bots,
        seats=np.vstack([results.seats, added.seats]),
        places=np.vstack([results.places, added.places]),
        total_tenths=np.vstack([results.total_tenths, added.total_tenths]),
        set_ids=np.concatenate([results.set_ids, added.set_ids + first]),
        forfeited=np.vstack([results.forfeited, added.forfeited]),
    )


def play_until_known(skills: list[float], *, seed: int, most: int) -> tuple[list[int], list[int], int]:
    """The order found, its places that are undecided at the end, and the matches that it took."""
    field, rng = SetField(np.array(skills)), np.random.default_rng(seed)
    results = field.play(2, seed=seed)
    look = 1
    while tables := next_tables(results, look=look, most=(most - len(results)) // 24):
        results = more(results, field, tables, rng)
        look += 1
    rating = uncertainty(results).rating
    order = ranking(rating)
    return order, undecided(rating, order, look=look), len(results)


def test_bots_of_equal_skill_are_hardly_ever_told_apart_however_often_one_looks() -> None:
    wrong = 0
    for seed in range(8):
        order, open_places, matches = play_until_known([0, 0, 1.5, 1.5], seed=seed, most=400)
        skills = [(0, 0, 1.5, 1.5)[bot] for bot in order]
        assert matches <= 400
        wrong += sum(
            better <= worse
            for place, (better, worse) in enumerate(pairwise(skills))
            if place not in open_places
        )

    assert wrong <= 1, "of 16 pairs that are level"


def test_matches_go_where_neighbours_are_close() -> None:
    field, seed = SetField(np.array([0, 0.2, 4, 8, 12, 16])), 4
    results = field.play(2, seed=seed)
    before = results.matches_per_bot()
    rng = np.random.default_rng(seed)
    look = 1
    while tables := next_tables(results, look=look, most=(600 - len(results)) // 24):
        results = more(results, field, tables, rng)
        look += 1

    added = results.matches_per_bot() - before
    assert added[:2].min() > 2 * added[4:].max()
