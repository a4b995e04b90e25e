"""Owns the one action space for cards and calls; knows no state.

Actions 0 to 51 play a card, in the order of the deck: clubs from two to ace, diamonds, hearts, spades.
Actions 52 to 64 call 1 to 13.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.env.card_sets import card_columns
from arena.rules.cards import FULL_DECK, Card, CardSet, card_numbers

__all__ = [
    "ACTIONS",
    "ACTION_OF_CARD",
    "CARD_OF_ACTION",
    "action_mask",
    "action_of_call",
    "action_of_card",
    "call_of_action",
    "card_of_action",
    "card_row",
]

CARDS: Final = 52
CALLS: Final = 13
ACTIONS: Final = CARDS + CALLS
"""Number of actions: 52 cards, then 13 calls."""

CARD_OF_ACTION: Final[NDArray[np.uint8]] = np.array(card_numbers(FULL_DECK), np.uint8)
"""Card numbers by action, for the 52 actions that play a card."""

ACTION_OF_CARD: Final[NDArray[np.uint8]] = np.full(256, 255, np.uint8)
"""Actions by card number; 255 for a number that is no card."""
ACTION_OF_CARD[CARD_OF_ACTION] = np.arange(CARDS)


def action_of_card(card: int) -> int:
    """The action that plays this card; ValueError for a number that is no card."""
    number = Card(card)
    return 13 * (number.suit - 1) + number.rank - 2


def action_of_call(number: int) -> int:
    """The action that makes this call; ValueError unless it is from 1 to 13."""
    if not 1 <= number <= CALLS:
        raise ValueError(f"{number} is no call: calls are 1 to {CALLS}")
    return CARDS - 1 + number


def card_of_action(action: int) -> Card:
    """The card that this action plays; ValueError when it plays none."""
    if not 0 <= action < CARDS:
        raise ValueError(f"action {action} plays no card: 0 to {CARDS - 1} do")
    return Card(16 * (action // 13 + 1) + action % 13 + 2)


def call_of_action(action: int) -> int:
    """The call that this action makes; ValueError when it makes none."""
    if not CARDS <= action < ACTIONS:
        raise ValueError(f"action {action} is no call: {CARDS} to {ACTIONS - 1} are")
    return action - CARDS + 1


def action_mask(legal_cards: CardSet, legal_calls: range) -> NDArray[np.int8]:
    """1 for each action that may be taken, 0 for the others: shape (65,), int8."""
    mask = np.zeros(ACTIONS, np.int8)
    mask[:CARDS] = card_row(legal_cards)
    if legal_calls:
        mask[action_of_call(legal_calls[0]) : action_of_call(legal_calls[-1]) + 1] = 1
    return mask


def card_row(held: CardSet) -> NDArray[np.int8]:
    """1 for each card of the set, by action: shape (52,), int8."""
    return card_columns(np.array(held, np.uint64))
