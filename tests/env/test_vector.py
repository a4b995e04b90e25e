"""Promises of the vectorised environment: actions in, rewards out, seeds, match after match."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.env.actions import action_of_call
from arena.env.layout import OBSERVATION_SIZE
from arena.env.random_play import random_actions
from arena.env.vector import Step, VectorEnv
from arena.errors import ArenaError
from arena.rules.deals import deal
from arena.rules.house_rules import find_ruleset
from arena.rules.rounds import IllegalCall, IllegalCard
from arena.rules.rulesets import CALLBREAK
from tests.env.plays import SEED, generator


def vector(
    size: int = 6, *, seed: int = 1, reward: str = "score", tournament_deals: bool = False
) -> VectorEnv:
    made = VectorEnv(size, reward=reward, tournament_deals=tournament_deals)
    made.reset(seed)
    return made


def play(env: VectorEnv, *, steps: int, seed: int = 1) -> list[Step]:
    numbers = generator(seed)
    return [env.step(random_actions(env.matches.round, numbers)) for _ in range(steps)]


def test_match_is_five_rounds_of_56_steps_and_the_next_one_follows() -> None:
    env = vector()
    steps = play(env, steps=2 * 5 * 56)

    assert [i for i, step in enumerate(steps, 1) if step.is_round_over] == list(range(56, 561, 56))
    assert [i for i, step in enumerate(steps, 1) if step.is_match_over] == [280, 560]
    assert not env.matches.is_over


def test_scores_as_rewards_add_up_to_the_totals() -> None:
    env = vector()
    steps = play(env, steps=4 * 56)
    rewards = sum((step.rewards for step in steps), np.zeros((6, 4)))

    assert np.allclose(rewards.T * 10, env.matches.totals_tenths)
    assert not any(step.rewards.any() for step in steps if not step.is_round_over)


def test_margins_as_rewards_add_up_to_nothing() -> None:
    scores = play(vector(), steps=56)[-1].rewards
    margins = play(vector(reward="margin"), steps=56)[-1].rewards

    assert np.allclose(margins.sum(axis=1), 0)
    assert np.allclose(margins[:, 0], scores[:, 0] - scores[:, 1:].mean(axis=1))


def test_mask_allows_exactly_the_legal_actions() -> None:
    env = vector()
    for _ in range(56):
        mask = env.action_mask()
        now = env.matches.round
        assert mask.shape == (6, 65)
        expected = len(now.legal_calls) if now.is_calling else np.bitwise_count(now.legal)
        assert (mask.sum(axis=1) == expected).all()
        env.step(_random_of(mask))


def _random_of(mask: NDArray[np.int8]) -> NDArray[np.intp]:
    drawn: NDArray[np.intp] = (mask * generator().random(mask.shape)).argmax(axis=1)
    return drawn


def test_observation_is_one_row_a_match() -> None:
    seen = vector().observe()

    assert seen["observation"].shape == (6, OBSERVATION_SIZE)
    assert seen["action_mask"].shape == (6, 65)


@pytest.mark.parametrize("action", [51, 60, 65, -1, 308, -252])
def test_illegal_call_is_refused(action: int) -> None:
    env = vector(2)

    with pytest.raises(IllegalCall, match="match 1 of the batch"):
        env.step([action_of_call(1), action])


@pytest.mark.parametrize("action", [52, 64, 65, -1, -65, 255, 256, 2**32])
def test_action_that_is_no_card_is_refused(action: int) -> None:
    env = vector(2)
    play(env, steps=4)
    legal = int(env.action_mask()[0].argmax())

    with pytest.raises(IllegalCard, match="match 1 of the batch"):
        env.step([legal, action])


def test_same_seed_gives_the_same_deals_and_another_does_not() -> None:
    first, again, other = (vector(seed=seed).matches.round.dealt for seed in (1, 1, 2))

    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("tournament_deals", [False, True])
def test_reset_goes_on_in_the_sequence_and_a_seed_begins_it_again(tournament_deals: bool) -> None:
    env = vector(tournament_deals=tournament_deals)
    first = env.matches.round.dealt
    env.reset()
    second = env.matches.round.dealt
    env.reset(1)

    assert (first != second).any()
    assert (env.matches.round.dealt == first).all()


def test_without_a_seed_the_deals_differ_from_run_to_run() -> None:
    first, second = VectorEnv(4), VectorEnv(4)
    first.reset()
    second.reset()

    assert (first.matches.round.dealt != second.matches.round.dealt).any()


def test_tournament_deals_are_those_of_the_arena() -> None:
    env = VectorEnv(3, find_ruleset("callbreak+rounds=1"), tournament_deals=True)
    env.reset(int(SEED.text))
    first = env.matches.round.dealt
    play(env, steps=56)
    second = env.matches.round.dealt

    assert first.T.tolist() == [list(deal(SEED, set_number, 1)) for set_number in (0, 1, 2)]
    assert second.T.tolist() == [list(deal(SEED, set_number, 1)) for set_number in (3, 4, 5)]


def test_unknown_reward_and_unusable_seed_are_refused() -> None:
    with pytest.raises(ValueError, match="'wins' is not a valid Reward"):
        VectorEnv(1, CALLBREAK, reward="wins")
    with pytest.raises(ArenaError, match="seed is '-1'"):
        vector(seed=-1)
