"""What the order-free fit promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trueskillthroughtime as ttt

from arena.ratings.fit import fit, match_scores
from arena.ratings.model import MODEL, draw_probability
from arena.ratings.online import advance, rate_online, start
from arena.ratings.results import SEATS, MatchRow, Results
from tests.ratings.fields import field, places_of

SKILLS = np.linspace(20, 30, 8)


def through_time(results: Results) -> tuple[list[float], list[float]]:
    """mu and sigma of the trueskillthroughtime package, bots that never change.

    Version 1.1.0 gives likelihoods to the wrong teams unless they are listed in finishing order; so they are.
    """
    order = results.places.argsort(axis=1)
    seats = np.take_along_axis(results.seats, order, axis=1).tolist()
    teams = [[[results.bots[bot]] for bot in match] for match in seats]
    prior = ttt.Gaussian(MODEL.mu, MODEL.sigma)
    players = {bot: ttt.Player(prior, MODEL.beta, 0.0) for bot in results.bots}
    history = ttt.History(
        teams, [[3, 2, 1, 0]] * len(results), [], players, MODEL.mu, MODEL.sigma, MODEL.beta, 0.0
    )
    history.convergence(iterations=4, verbose=False)
    last = {bot: curve[-1][1] for bot, curve in history.learning_curves().items()}
    return [last[bot].mu for bot in results.bots], [last[bot].sigma for bot in results.bots]


def test_differences_and_sigmas_are_those_of_trueskill_through_time() -> None:
    results = field(SKILLS, matches=500, seed=1, tenths=1e6)

    mu, sigma = (np.array(column) for column in through_time(results))
    fitted = fit(results)

    assert fitted.mu - fitted.mu.mean() == pytest.approx(mu - mu.mean(), abs=0.01)
    assert fitted.sigma == pytest.approx(sigma, abs=0.01)


def test_one_match_is_rated_as_online() -> None:
    for places in [(1, 2, 3, 4), (1, 1, 3, 4), (1, 2, 2, 2), (1, 1, 1, 1), (1, 1, 3, 3)]:
        row = MatchRow(("ann", "bob", "cat", "dan"), places, tuple(40 - 10 * p for p in places), set_id=1)
        results = Results.of([row])

        online, together = rate_online(results), fit(results).ratings

        assert [r.mu for r in together] == pytest.approx([r.mu for r in online], abs=1e-5)
        assert [r.sigma for r in together] == pytest.approx([r.sigma for r in online], abs=1e-5)


def test_the_order_of_matches_does_not_matter() -> None:
    results = field(SKILLS, matches=400, seed=2, tenths=2)
    shuffled = results.take(np.random.default_rng(1).permutation(len(results)))

    assert fit(shuffled).mu == pytest.approx(fit(results).mu, abs=1e-6)
    assert fit(shuffled).sigma == pytest.approx(fit(results).sigma, abs=1e-6)


def test_the_order_of_bots_does_not_matter() -> None:
    results = field(SKILLS, matches=400, seed=3, tenths=2)
    order = np.random.default_rng(2).permutation(len(SKILLS))
    renamed = Results(
        bots=tuple(results.bots[bot] for bot in order),
        seats=order.argsort()[results.seats].astype(np.int32),
        places=results.places,
        total_tenths=results.total_tenths,
        set_ids=results.set_ids,
        forfeited=results.forfeited,
    )

    assert fit(renamed).mu == pytest.approx(fit(results).mu[order], abs=1e-6)
    assert fit(renamed).sigma == pytest.approx(fit(results).sigma[order], abs=1e-6)


def test_the_order_of_seats_does_not_matter_even_to_bots_that_are_level() -> None:
    results = field(SKILLS, matches=200, seed=4, tenths=1)
    order = np.random.default_rng(3).random((len(results), SEATS)).argsort(axis=1)
    columns = {
        name: np.take_along_axis(getattr(results, name), order, axis=1)
        for name in ("seats", "places", "total_tenths", "forfeited")
    }
    reseated = Results(bots=results.bots, set_ids=results.set_ids, **columns)

    assert draw_probability(results) > 0.03
    assert fit(reseated).mu == pytest.approx(fit(results).mu, abs=1e-6)


def test_known_skills_are_found_within_their_sigmas() -> None:
    results = field(SKILLS, matches=3000, seed=5)
    fitted = fit(results)

    errors = (fitted.mu - fitted.mu.mean()) - (SKILLS - SKILLS.mean())

    assert np.abs(errors / fitted.sigma).max() < 3.5


def test_the_mean_skill_of_bots_that_meet_is_the_priors() -> None:
    two_groups = [
        MatchRow(("ann", "bob", "cat", "dan"), (1, 2, 3, 4), (40, 30, 20, 10), set_id=1),
        MatchRow(("eve", "fay", "gus", "hal"), (1, 2, 3, 4), (40, 30, 20, 10), set_id=2),
        MatchRow(("eve", "hal", "gus", "ivy"), (1, 2, 3, 4), (40, 30, 20, 10), set_id=3),
    ]

    fitted = fit(Results.of(two_groups))

    assert fitted.groups.tolist() == [0] * 4 + [4] * 5
    assert fitted.mu[:4].mean() == pytest.approx(25)
    assert fitted.mu[4:].mean() == pytest.approx(25)


def test_a_bot_without_a_match_keeps_the_prior() -> None:
    row = MatchRow(("ann", "bob", "cat", "dan"), (1, 2, 3, 4), (40, 30, 20, 10), set_id=1)

    fitted = fit(Results.of([row], bots=["zoe"]))

    assert (fitted.mu[0], fitted.sigma[0]) == (MODEL.mu, MODEL.sigma)


def test_no_matches_leave_every_bot_at_the_prior() -> None:
    assert fit(Results.of([], bots=["ann", "bob"])).mu.tolist() == [MODEL.mu, MODEL.mu]


def test_a_weight_counts_a_match_so_many_times() -> None:
    results = field(SKILLS, matches=80, seed=6, tenths=2)
    times = np.random.default_rng(4).integers(0, 3, len(results))

    repeated = fit(results.take(np.repeat(np.arange(len(results)), times)), probability=0.02)
    weighted = fit(results, weights=times.astype(np.float64), probability=0.02)

    assert weighted.mu == pytest.approx(repeated.mu, abs=1e-5)
    assert weighted.sigma == pytest.approx(repeated.sigma, abs=1e-5)


def test_bots_that_always_finish_in_one_order_still_settle() -> None:
    fitted = fit(field(np.array([0.0, 100.0, 200.0, 300.0]), matches=300, seed=7))

    assert (np.diff(fitted.mu) > 5).all()


def test_a_ladder_of_bots_that_meet_only_their_neighbours_settles() -> None:
    rng = np.random.default_rng(8)
    rungs = rng.integers(0, 36, 1500)
    seats = (rungs[:, None] + rng.random((1500, 5)).argsort(axis=1)[:, :SEATS]).astype(np.int32)
    skills = np.linspace(0, 40, 40)
    totals = np.round((skills[seats] + rng.normal(0, MODEL.beta, seats.shape)) * 10).astype(np.int32)
    ladder = Results(
        bots=tuple(str(bot) for bot in range(40)),
        seats=seats,
        places=places_of(totals),
        total_tenths=totals,
        set_ids=np.arange(1500, dtype=np.int32),
        forfeited=np.zeros(seats.shape, dtype=np.bool_),
    )

    assert np.corrcoef(fit(ladder).mu, skills)[0, 1] > 0.99


def test_at_the_fit_the_matches_pulls_cancel_but_for_the_prior() -> None:
    results = field(SKILLS, matches=300, seed=9, tenths=2)
    scores = match_scores(results)

    pulls = np.bincount(results.seats.ravel(), weights=scores.gradient.ravel())

    assert pulls == pytest.approx((scores.fit.mu - MODEL.mu) / MODEL.sigma**2, abs=1e-5)
    assert scores.information.sum(axis=2) == pytest.approx(np.zeros((300, SEATS)), abs=1e-12)


def test_few_draws_among_many_matches_are_fitted_like_others() -> None:
    """The rarer draws are the closer they are thought to be, until double precision could not tell."""
    results = field(SKILLS, matches=4000, seed=6, tenths=10_000)
    places = results.places.copy()
    places[:2] = [1, 2, 2, 4]
    results = replace(results, places=places)

    assert 0 < draw_probability(results) < 0.0002
    assert fit(results).mu == pytest.approx(fit(results, probability=0.002).mu, abs=0.01)
    online = advance(start(results.bots, draw_probability=0.002), results)
    assert [one.mu for one in rate_online(results)] == pytest.approx(online.mu, abs=0.01)
