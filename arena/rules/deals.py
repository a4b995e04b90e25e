"""Owns how deals and random numbers follow from a seed, as docs/deals.md says; knows no rule of play."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from struct import Struct
from typing import Final, Self

from arena.errors import ArenaError
from arena.rules.cards import FULL_DECK, CardSet, card_numbers

__all__ = ["Seed", "commitment", "deal", "match_entropy", "mix"]

SEED_BYTES: Final = 32
DEAL_TAG: Final = b"callbreak-arena deal 1\0"
COMMITMENT_TAG: Final = b"callbreak-arena commitment 1\0"
ENTROPY_TAG: Final = b"callbreak-arena entropy 1\0"
MIX_TAG: Final = b"callbreak-arena mix 1\0"

_EIGHT_WORDS: Final = Struct(">8I")
_EIGHT_BYTES: Final = Struct(">Q")
_TWICE_EIGHT: Final = Struct(">QQ")
_DECK: Final = tuple(1 << (number - 16) for number in card_numbers(FULL_DECK))
_STEPS: Final = tuple((last, last + 1, 2**32 // (last + 1) * (last + 1)) for last in range(51, 0, -1))
"""Of the shuffle: the place to fill, how many cards may come there, and the bound of a fair word."""


@dataclass(frozen=True, slots=True)
class Seed:
    """The 32 bytes that all deals of a tournament follow from.

    A seed below 2**64, read as a big-endian number, can be searched for from thirteen cards: it is for
    practice and says so. `text` is what `parse` reads back: decimal for practice, else 64 hexadecimal digits.
    Neither is in the repr: nothing that is logged gives the deals away.
    """

    value: bytes = field(repr=False)
    is_practice: bool = field(init=False)
    text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.value) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(self.value)}")
        number = int.from_bytes(self.value, "big")
        object.__setattr__(self, "is_practice", number < 2**64)
        object.__setattr__(self, "text", str(number) if number < 2**64 else self.value.hex())

    @classmethod
    def parse(cls, text: str) -> Self:
        """The seed written as 64 hexadecimal digits, or as a decimal number below 2**64 for practice."""
        if re.fullmatch(r"[0-9a-fA-F]{64}", text):
            return cls(bytes.fromhex(text))
        if re.fullmatch(r"[0-9]{1,20}", text) and int(text) < 2**64:
            return cls(int(text).to_bytes(SEED_BYTES, "big"))
        allowed = f"64 hexadecimal digits or, for practice, a number from 0 to {2**64 - 1}"
        raise ArenaError(f"seed is {text!r}; allowed: {allowed}")

    @classmethod
    def fresh(cls, entropy: bytes) -> Self:
        """The seed of 32 random bytes, which the caller takes from the operating system."""
        return cls(entropy)


def _seed_bytes(seed: Seed | bytes) -> bytes:
    return seed.value if isinstance(seed, Seed) else Seed(seed).value


def commitment(seed: Seed | bytes) -> bytes:
    """SHA-256 that is shown before play and binds the organiser to the seed shown afterwards."""
    return sha256(COMMITMENT_TAG + _seed_bytes(seed)).digest()


def deal(
    seed: Seed | bytes, set_number: int, round_number: int, attempt: int = 0
) -> tuple[CardSet, CardSet, CardSet, CardSet]:
    """The four hands, by seat, of a round (from 1) of a set (from 0); `attempt` counts deals thrown in."""
    deck = list(_DECK)
    words = _words(_deal_prefix(seed, set_number, round_number, attempt))
    for (last, choices, limit), drawn in zip(_STEPS, words, strict=False):
        word = drawn
        while word >= limit:
            word = next(words)
        chosen = word % choices
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return sum(deck[:13]), sum(deck[13:26]), sum(deck[26:39]), sum(deck[39:])


def _deal_prefix(seed: Seed | bytes, set_number: int, round_number: int, attempt: int) -> bytes:
    return b"".join(
        (
            DEAL_TAG,
            _seed_bytes(seed),
            set_number.to_bytes(8, "big"),
            round_number.to_bytes(4, "big"),
            attempt.to_bytes(4, "big"),
        )
    )


def _words(prefix: bytes) -> Iterator[int]:
    for counter in count():
        yield from _EIGHT_WORDS.unpack(sha256(prefix + counter.to_bytes(8, "big")).digest())


def match_entropy(seed: Seed | bytes, match_id: str) -> int:
    """64 bits of which `mix` makes the random numbers that bots are given in that match."""
    digest = sha256(ENTROPY_TAG + _seed_bytes(seed) + match_id.encode()).digest()
    return int.from_bytes(digest[:8], "big")


def mix(entropy: int, decision_index: int) -> int:
    """64 random bits for one decision of a match; they tell nothing of the entropy or of other decisions."""
    digest = sha256(MIX_TAG + _TWICE_EIGHT.pack(entropy, decision_index)).digest()
    bits: int = _EIGHT_BYTES.unpack_from(digest)[0]
    return bits
