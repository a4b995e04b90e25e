"""What the online rating promises."""

from __future__ import annotations

import numpy as np
import pytest
import trueskill

from arena.ratings.model import comparisons, draw_margin, draw_probability
from arena.ratings.online import advance, rate_online, start
from arena.ratings.results import MatchRow, Results
from tests.ratings.fields import field

SKILLS = np.linspace(20, 30, 8)


def package_ratings(results: Results) -> list[trueskill.Rating]:
    env = trueskill.TrueSkill(tau=0, draw_probability=draw_probability(results))
    ratings = [env.create_rating() for _ in results.bots]
    for seats, places in zip(results.seats.tolist(), results.places.tolist(), strict=True):
        after = env.rate([(ratings[bot],) for bot in seats], ranks=places, min_delta=1e-9)
        for bot, (rating,) in zip(seats, after, strict=True):
            ratings[bot] = rating
    return ratings


def test_ratings_without_ties_are_those_of_the_trueskill_package() -> None:
    results = field(SKILLS, matches=300, seed=1, tenths=1e6)

    for ours, theirs in zip(rate_online(results), package_ratings(results), strict=True):
        assert ours.mu == pytest.approx(theirs.mu, abs=1e-5)
        assert ours.sigma == pytest.approx(theirs.sigma, abs=1e-5)


def test_ratings_with_a_few_ties_stay_close_to_the_trueskill_package() -> None:
    results = field(SKILLS, matches=300, seed=2, tenths=2)

    assert 0.01 < draw_probability(results) < 0.1
    for ours, theirs in zip(rate_online(results), package_ratings(results), strict=True):
        assert ours.mu == pytest.approx(theirs.mu, abs=0.2)
        assert ours.sigma == pytest.approx(theirs.sigma, abs=0.02)


def test_level_seats_are_rated_alike_wherever_they_are_listed() -> None:
    places = (1, 1, 3, 3)
    results = Results.of([MatchRow(("ann", "bob", "cat", "dan"), places, (50, 50, 20, 20), set_id=1)])

    state = advance(start(draw_probability=0.03), results)

    assert state.mu[0] == pytest.approx(state.mu[1], abs=1e-6)
    assert state.mu[2] == pytest.approx(state.mu[3], abs=1e-6)
    assert state.mu[0] > 25 > state.mu[2]


def test_rating_in_pieces_gives_the_same_numbers_as_at_once() -> None:
    results = field(SKILLS, matches=60, seed=3)
    begun = start(results.bots, draw_probability=0.02)

    halfway = advance(begun, results.take(slice(0, 25)))

    assert advance(halfway, results.take(slice(25, None))) == advance(begun, results)


def test_a_bot_that_joins_late_starts_from_the_prior() -> None:
    early = Results.of([MatchRow(("ann", "bob", "cat", "dan"), (1, 2, 3, 4), (4, 3, 2, 1), set_id=1)])
    late = Results.of([MatchRow(("eve", "dan", "bob", "ann"), (1, 2, 3, 4), (4, 3, 2, 1), set_id=2)])

    state = advance(start(draw_probability=0), early)
    joined = advance(state, late)

    assert state.rating_of("eve").mu == 25
    assert joined.bots == ("ann", "bob", "cat", "dan", "eve")
    assert joined.rating_of("eve").mu > 25
    assert joined.matches == 2


def test_without_ties_the_comparisons_are_the_three_neighbours() -> None:
    assert [(pair.ahead, pair.behind) for pair in comparisons((3, 1, 4, 2))] == [(1, 3), (3, 0), (0, 2)]


def test_draw_probability_is_the_share_of_level_pairs_that_were_played_out() -> None:
    rows = [
        MatchRow(("ann", "bob", "cat", "dan"), (1, 1, 3, 4), (50, 50, 20, 10), set_id=1),
        MatchRow(("ann", "bob", "cat", "dan"), (1, 2, 3, 3), (50, 40, 0, 0), set_id=2, forfeited=(2, 3)),
    ]

    assert draw_probability(Results.of(rows)) == pytest.approx(1 / 7)


def test_a_tie_that_the_model_calls_impossible_is_refused() -> None:
    tied = Results.of([MatchRow(("ann", "bob", "cat", "dan"), (1, 1, 3, 4), (5, 5, 2, 1), set_id=1)])

    with pytest.raises(ValueError, match="draw probability is 0"):
        advance(start(draw_probability=0), tied)


def test_the_margin_makes_equal_players_draw_as_often_as_was_measured() -> None:
    margin = draw_margin(0.1)
    rng = np.random.default_rng(5)
    gaps = rng.normal(0, 25 / 6 * np.sqrt(2), 200_000)

    assert (abs(gaps) < margin).mean() == pytest.approx(0.1, abs=0.003)


def test_an_extreme_upset_still_gives_finite_ratings() -> None:
    results = field(np.array([0.0, 5.0, 400.0, 900.0]), matches=40, seed=4)
    upset = results.take(slice(0, 1))
    upset.places[:] = 5 - upset.places

    state = advance(start(results.bots, draw_probability=0.02), results)

    assert np.isfinite(advance(state, upset).mu).all()


def test_two_forfeited_seats_are_behind_the_others_but_not_level_with_each_other() -> None:
    pairs = comparisons((1, 2, 3, 3), forfeited=[2, 3])

    assert [(pair.ahead, pair.behind) for pair in pairs] == [(0, 1), (1, 2), (1, 3)]
    assert not any(pair.is_draw for pair in pairs)
