"""Owns cards and sets of cards; knows no rule of the game.

A card's number is `suit * 16 + rank`, as in the protocol. A `CardSet` is an int in which bit `card - 16` says
whether the card is in the set, so each suit has sixteen bits of its own and a set fits 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, Self

__all__ = [
    "FULL_DECK",
    "SUIT_CARDS",
    "Card",
    "CardSet",
    "Suit",
    "card_bytes",
    "card_list",
    "card_numbers",
    "card_set",
    "card_text",
    "cards",
    "contains",
]

CardSet = int
"""A set of cards: bit `card - 16` is set when the card is in it."""

RANK_LETTERS: Final = "23456789TJQKA"
SUIT_LETTERS: Final = "CDHS"


class Suit(IntEnum):
    """A suit. Spades are always trumps."""

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4


class Card(IntEnum):
    """A card; its number is `suit * 16 + rank`, ranks 2 to 14 (ace)."""

    CLUBS_TWO = 0x12
    CLUBS_THREE = 0x13
    CLUBS_FOUR = 0x14
    CLUBS_FIVE = 0x15
    CLUBS_SIX = 0x16
    CLUBS_SEVEN = 0x17
    CLUBS_EIGHT = 0x18
    CLUBS_NINE = 0x19
    CLUBS_TEN = 0x1A
    CLUBS_JACK = 0x1B
    CLUBS_QUEEN = 0x1C
    CLUBS_KING = 0x1D
    CLUBS_ACE = 0x1E
    DIAMONDS_TWO = 0x22
    DIAMONDS_THREE = 0x23
    DIAMONDS_FOUR = 0x24
    DIAMONDS_FIVE = 0x25
    DIAMONDS_SIX = 0x26
    DIAMONDS_SEVEN = 0x27
    DIAMONDS_EIGHT = 0x28
    DIAMONDS_NINE = 0x29
    DIAMONDS_TEN = 0x2A
    DIAMONDS_JACK = 0x2B
    DIAMONDS_QUEEN = 0x2C
    DIAMONDS_KING = 0x2D
    DIAMONDS_ACE = 0x2E
    HEARTS_TWO = 0x32
    HEARTS_THREE = 0x33
    HEARTS_FOUR = 0x34
    HEARTS_FIVE = 0x35
    HEARTS_SIX = 0x36
    HEARTS_SEVEN = 0x37
    HEARTS_EIGHT = 0x38
    HEARTS_NINE = 0x39
    HEARTS_TEN = 0x3A
    HEARTS_JACK = 0x3B
    HEARTS_QUEEN = 0x3C
    HEARTS_KING = 0x3D
    HEARTS_ACE = 0x3E
    SPADES_TWO = 0x42
    SPADES_THREE = 0x43
    SPADES_FOUR = 0x44
    SPADES_FIVE = 0x45
    SPADES_SIX = 0x46
    SPADES_SEVEN = 0x47
    SPADES_EIGHT = 0x48
    SPADES_NINE = 0x49
    SPADES_TEN = 0x4A
    SPADES_JACK = 0x4B
    SPADES_QUEEN = 0x4C
    SPADES_KING = 0x4D
    SPADES_ACE = 0x4E

    suit: Suit
    """The card's suit."""

    rank: int
    """2 for a two up to 14 for an ace."""

    bit: CardSet
    """The set that holds this card alone."""

    def __new__(cls, number: int) -> Self:
        card = int.__new__(cls, number)
        card._value_ = number
        card.suit, card.rank, card.bit = Suit(number >> 4), number & 15, 1 << (number - 16)
        return card

    @classmethod
    def parse(cls, text: str) -> Self:
        """The card written as rank and suit, such as `AS` or `TH`; ValueError for anything else."""
        card = _BY_TEXT.get(text)
        if card is None:
            raise ValueError(
                f"{text!r} is no card: a card is one of {RANK_LETTERS} and one of {SUIT_LETTERS}"
            )
        return cls(card)

    def __str__(self) -> str:
        return RANK_LETTERS[(self & 15) - 2] + SUIT_LETTERS[(self >> 4) - 1]

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


_BY_TEXT: Final = {str(card): card for card in Card}
_BY_NUMBER: Final = {int(card): card for card in Card}

SUIT_CARDS: Final = {suit: 0x7FFC << 16 * (suit - 1) for suit in Suit}
"""All thirteen cards of each suit."""

FULL_DECK: Final[CardSet] = sum(SUIT_CARDS.values())
"""All 52 cards."""


def _numbers_of_byte(position: int, byte: int) -> bytes:
    return bytes(16 + 8 * position + bit for bit in range(8) if byte >> bit & 1)


# One table a byte of a set: a hand becomes a list by eight look-ups, whatever is in it.
_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = (
    tuple(_numbers_of_byte(position, byte) for byte in range(256)) for position in range(8)
)


def card_bytes(held: CardSet) -> bytes:
    """Numbers of the cards of a set, ascending, one byte each."""
    a, b, c, d, e, f, g, h = held.to_bytes(8, "little")
    return _T0[a] + _T1[b] + _T2[c] + _T3[d] + _T4[e] + _T5[f] + _T6[g] + _T7[h]


def card_numbers(held: CardSet) -> list[int]:
    """Numbers of the cards of a set, ascending, as plain ints: the cheapest list there is."""
    return list(card_bytes(held))


def card_list(held: CardSet) -> list[Card]:
    """The cards of a set by number: clubs, diamonds, hearts, spades, each from two to ace."""
    return [_BY_NUMBER[number] for number in card_numbers(held)]


def card_text(held: CardSet) -> str:
    """The cards of a set as text, by number: `2C 9H 3S`."""
    return " ".join(map(str, card_list(held)))


def card_set(held: Iterable[int]) -> CardSet:
    """The set of the given cards; ValueError for a number that is no card or that comes twice."""
    result = 0
    for card in held:
        bit = Card(card).bit
        if result & bit:
            raise ValueError(f"{Card(card)} is there twice")
        result |= bit
    return result


def cards(text: str) -> CardSet:
    """The set written as text, `3S 9H 2C` in any order; ValueError for what is no card or comes twice."""
    return card_set(Card.parse(word) for word in text.split())


def contains(held: CardSet, card: int) -> bool:
    """Whether the card is in the set; False for a number that is no card."""
    return card >= 16 and held >> (card - 16) & 1 == 1
