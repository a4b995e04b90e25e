"""Owns what is asked of many sets of cards at once, as uint64; knows no rule."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.rules.cards import FULL_DECK

__all__ = ["card_columns", "lowest_numbers", "lowest_ranks", "up_to_highest"]

CardSets = NDArray[np.uint64]
"""Sets of cards; the functions here take any shape."""

_ONE: Final = np.uint64(1)
_SUIT: Final = np.uint64(0xFFFF)
_EVERY_SUIT: Final = np.uint64(0x0001_0001_0001_0001)
_CARDS: Final = FULL_DECK.bit_count()


def card_columns(held: CardSets) -> NDArray[np.int8]:
    """1 for each card of each set, in the order of the deck: from shape (...) to shape (..., 52)."""
    # The sixteen bits of each suit hold thirteen cards: moved together, bit i is card i of the deck.
    deck = np.zeros_like(held)
    for suit in range(4):
        deck |= (held >> np.uint64(2 + 3 * suit)) & np.uint64(0x1FFF << 13 * suit)
    in_bytes = np.ascontiguousarray(deck, "<u8").view(np.uint8).reshape(*held.shape, 8)
    return np.unpackbits(in_bytes, axis=-1, count=_CARDS, bitorder="little").view(np.int8)


def lowest_numbers(held: CardSets) -> NDArray[np.uint8]:
    """The lowest card number of each set; no set may be empty."""
    return np.bitwise_count(_below_lowest(held)) + np.uint8(16)


def lowest_ranks(held: CardSets) -> CardSets:
    """Of each set the card of the lowest rank, of those the lowest suit; nothing of an empty set."""
    ranks = held
    for suit in range(1, 4):
        ranks = ranks | held >> np.uint64(16 * suit)
    lowest = _lowest(ranks & _SUIT)
    return _lowest(held & lowest * _EVERY_SUIT)


def up_to_highest(held: CardSets) -> CardSets:
    """In each suit every place up to the highest card: what a hand has above those is master."""
    filled = held
    for step in (1, 2, 4, 8):
        filled = filled | filled >> np.uint64(step) & _LOW_PART[step]
    return filled


# Of each suit's sixteen bits those that a shift to the right by so many may fill: the rest come from the next
# suit.
_LOW_PART: Final = {step: np.uint64((0xFFFF >> step) * int(_EVERY_SUIT)) for step in (1, 2, 4, 8)}


def _below_lowest(held: CardSets) -> CardSets:
    return ~held & (held - _ONE)


def _lowest(held: CardSets) -> CardSets:
    return held & (~held + _ONE)
