"""Promises of the training example: it learns, and its bot calls and plays as trained."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.env.dealing import random_deals
from arena.env.round_batch import RoundBatch
from arena.rules.cards import card_list
from arena.rules.house_rules import find_ruleset
from arena.rules.matches import FinishedRound
from arena.rules.rulesets import CALLBREAK, Ruleset
from arena.sdk import Bot
from arena.sdk.local import import_bot, play_match
from examples.train_caller import Model, best_calls, choose_cards, dealt_rounds, inputs_of, points_of, train
from tests.env.plays import generator
from tests.rules.boards import PRESET_NAMES

FOLDER = Path(__file__).parents[2] / "sample_bots" / "learned"
ROUNDS = 4000


@pytest.fixture(scope="module")
def learned() -> Bot:
    return import_bot(FOLDER)


@pytest.fixture(scope="module")
def model() -> Model:
    """The model of the bot, read for numpy."""
    weights = json.loads((FOLDER / "model.json").read_text(encoding="utf-8"))
    names = ("hidden", "hidden_bias", "output", "output_bias")
    return Model(*(np.array(weights[name], np.float32) for name in names))


def entropy(tricks: NDArray[np.uint8]) -> float:
    """The loss of who knows how often each number of tricks comes, and nothing of the hand."""
    share = np.bincount(tricks) / len(tricks)
    return float(-np.log(share[tricks]).mean())


def test_a_few_seconds_of_training_learn_from_the_hand() -> None:
    numbers = generator()
    hands, tricks = dealt_rounds(ROUNDS, numbers)
    others, their_tricks = dealt_rounds(ROUNDS // 4, numbers)
    fresh = Model.fresh(16, numbers)
    before = fresh.loss(inputs_of(others), their_tricks)

    (*_, fitted) = train(fresh, inputs_of(hands), tricks, epochs=6, generator=numbers, batch=128)

    after = fitted.loss(inputs_of(others), their_tricks)
    assert after < entropy(their_tricks) - 0.3 < before
    by_model = points_of(best_calls(fitted.chances(inputs_of(others))), their_tricks)
    assert by_model > max(points_of(np.full(ROUNDS, call), their_tricks) for call in range(1, 9)) + 0.3


def test_the_same_seed_trains_the_same_model() -> None:
    texts = []
    for _ in range(2):
        numbers = generator()
        hands, tricks = dealt_rounds(100, numbers)
        (fitted,) = train(
            Model.fresh(4, numbers), inputs_of(hands), tricks, epochs=1, generator=numbers, batch=64
        )
        texts.append(fitted.to_json())

    assert texts[0] == texts[1]


def test_gradients_are_the_slopes_of_the_loss() -> None:
    numbers = generator()
    hands, tricks = dealt_rounds(50, numbers)
    inputs = inputs_of(hands).astype(np.float64)
    fresh = Model(*(part.astype(np.float64) for part in Model.fresh(4, numbers).weights))
    for part, slopes in zip(fresh.weights, fresh.gradients(inputs, tricks), strict=True):
        place = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
        part[place] += 1e-4
        above = fresh.loss(inputs, tricks)
        part[place] -= 2e-4
        below = fresh.loss(inputs, tricks)
        part[place] += 1e-4
        assert (above - below) / 2e-4 == pytest.approx(slopes[place], rel=1e-3)


def test_each_round_gives_thirteen_tricks_to_four_hands() -> None:
    hands, tricks = dealt_rounds(100, generator())

    assert hands.shape == tricks.shape == (400,)
    assert (np.bitwise_count(hands) == 13).all()
    assert tricks.sum() == 1300


def test_hands_that_differ_in_the_names_of_plain_suits_are_the_same_to_the_model() -> None:
    hands = random_deals(generator())(1, 0, np.arange(50))[0]
    clubs, others = hands & np.uint64(0xFFFF), hands >> np.uint64(16) & np.uint64(0xFFFFFFFF)
    renamed = hands >> np.uint64(48) << np.uint64(48) | clubs << np.uint64(32) | others

    assert (hands != renamed).any()
    assert (inputs_of(hands) == inputs_of(renamed)).all()


def test_bot_gives_each_number_of_tricks_the_chance_that_the_model_does(learned: Bot, model: Model) -> None:
    hands, _ = dealt_rounds(100, generator())

    ours = [learned.model.chances(tuple(card_list(hand))) for hand in hands.tolist()]  # type: ignore[attr-defined]

    assert np.allclose(ours, model.chances(inputs_of(hands)), atol=1e-5)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_bot_calls_and_plays_as_in_training(name: str, learned: Bot, model: Model) -> None:
    rules = find_ruleset(name)
    for set_number in range(3):
        for played in play_match([learned] * 4, rules, set_number=set_number).rounds:
            assert choices(played, rules) == list(played.plays)
            dealt = np.array(played.dealt, np.uint64)
            assert best_calls(model.chances(inputs_of(dealt)), rules).tolist() == list(played.calls)


def choices(played: FinishedRound, rules: Ruleset) -> list[int]:
    """What the policy of the training would have played at each card of this round."""
    now = RoundBatch(np.array(played.dealt, np.uint64)[:, None], dealer=played.dealer, rules=rules)
    for i in range(4):
        now.call([played.calls[(played.dealer + 1 + i) % 4]])
    chosen = []
    for card in played.plays:
        chosen.append(int(choose_cards(now)[0]))
        now.play([card])
    return chosen


def test_the_bots_model_is_a_good_one(model: Model) -> None:
    hands, tricks = dealt_rounds(2000, generator(99))
    chances = model.chances(inputs_of(hands))

    assert model.loss(inputs_of(hands), tricks) < 1.31
    assert points_of(best_calls(chances), tricks) > 2.1


def test_best_call_is_the_one_worth_most_under_the_rules() -> None:
    surely_two = np.eye(14, dtype=np.float32)[[2]]
    even = np.full((1, 14), 1 / 14, np.float32)

    assert best_calls(surely_two, CALLBREAK).tolist() == [2]
    assert best_calls(surely_two, find_ruleset("callbreak+call_min=3")).tolist() == [3]
    assert best_calls(even, CALLBREAK).tolist() == [3]
