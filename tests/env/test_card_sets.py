"""Promises of what is asked of many sets of cards at once: the same as of each alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.env.card_sets import card_columns, lowest_numbers, lowest_ranks, up_to_highest
from arena.rules.cards import FULL_DECK, Card, card_list, card_numbers, cards
from tests.env.plays import generator


def some_sets() -> NDArray[np.uint64]:
    """Random sets of all sizes, none of them empty."""
    numbers = generator()
    drawn = numbers.integers(0, 2**62, (4, 500), np.uint64) & numbers.integers(0, 2**62, (4, 500), np.uint64)
    held: NDArray[np.uint64] = np.maximum(drawn & np.uint64(FULL_DECK), np.uint64(Card.CLUBS_TWO.bit))
    return held


def test_columns_are_the_cards_of_the_deck_in_order() -> None:
    columns = card_columns(some_sets())

    assert columns.shape == (4, 500, 52)
    deck = card_list(FULL_DECK)
    for row, held in zip(columns.reshape(-1, 52), some_sets().ravel().tolist(), strict=True):
        assert [deck[i] for i in np.flatnonzero(row)] == card_list(held)


def test_lowest_number_is_the_first_of_each_set() -> None:
    assert lowest_numbers(some_sets()).ravel().tolist() == [
        card_numbers(held)[0] for held in some_sets().ravel().tolist()
    ]


def test_lowest_rank_comes_before_the_suit() -> None:
    lists = [card_list(held) for held in some_sets().ravel().tolist()]
    expected = [min(held, key=lambda card: (card.rank, card.suit)).bit for held in lists]

    assert lowest_ranks(some_sets()).ravel().tolist() == expected
    assert lowest_ranks(np.zeros(1, np.uint64)).tolist() == [0]


@pytest.mark.parametrize(
    ("unseen", "hand", "masters"),
    [
        ("QC 5D", "KC JC 4D", "KC"),
        ("AS 2H", "KS QS 3H", "3H"),
        ("KS", "AS", "AS"),
        ("2C", "3C AC 2D AD 2H 2S", "3C AC 2D AD 2H 2S"),
        ("AC AD AH AS", "KC KD KH KS", ""),
    ],
)
def test_what_lies_above_the_highest_unseen_card_is_master(unseen: str, hand: str, masters: str) -> None:
    left = np.array([cards(hand)], np.uint64) & ~up_to_highest(np.array([cards(unseen)], np.uint64))

    assert left.tolist() == [cards(masters)]
