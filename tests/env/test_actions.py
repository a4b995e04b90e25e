"""Promises of the one action space: 52 cards and 13 calls, each with a number of its own."""

from __future__ import annotations

import numpy as np
import pytest

from arena.env.actions import (
    ACTION_OF_CARD,
    ACTIONS,
    CARD_OF_ACTION,
    action_mask,
    action_of_call,
    action_of_card,
    call_of_action,
    card_of_action,
)
from arena.rules.cards import Card, cards


def test_cards_come_in_the_order_of_the_deck_and_calls_after_them() -> None:
    assert [action_of_card(card) for card in Card] == list(range(52))
    assert [action_of_call(number) for number in range(1, 14)] == list(range(52, ACTIONS))


def test_every_action_is_what_it_was_made_of() -> None:
    assert [card_of_action(action) for action in range(52)] == list(Card)
    assert [call_of_action(action) for action in range(52, 65)] == list(range(1, 14))


def test_tables_agree_with_the_functions() -> None:
    assert CARD_OF_ACTION.tolist() == list(Card)
    assert [ACTION_OF_CARD[card] for card in Card] == list(range(52))
    assert (ACTION_OF_CARD != 255).sum() == 52


@pytest.mark.parametrize("action", [-1, 52, 65])
def test_action_that_plays_no_card_is_refused(action: int) -> None:
    with pytest.raises(ValueError, match=f"action {action} plays no card: 0 to 51 do"):
        card_of_action(action)


@pytest.mark.parametrize("action", [-1, 51, 65])
def test_action_that_is_no_call_is_refused(action: int) -> None:
    with pytest.raises(ValueError, match=f"action {action} is no call: 52 to 64 are"):
        call_of_action(action)


@pytest.mark.parametrize("number", [0, 14])
def test_number_that_is_no_call_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"{number} is no call: calls are 1 to 13"):
        action_of_call(number)


def test_number_that_is_no_card_is_refused() -> None:
    with pytest.raises(ValueError):
        action_of_card(16)


def test_mask_has_a_one_for_each_legal_card() -> None:
    mask = action_mask(cards("2C TD AS"), range(0))

    assert np.flatnonzero(mask).tolist() == [action_of_card(Card.parse(card)) for card in ("2C", "TD", "AS")]


def test_mask_has_a_one_for_each_legal_call() -> None:
    mask = action_mask(0, range(2, 9))

    assert np.flatnonzero(mask).tolist() == [action_of_call(number) for number in range(2, 9)]
