"""Owns random legal play for batches: what an untrained policy does, and what speed is measured with."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.env.actions import ACTION_OF_CARD, CARDS
from arena.env.card_sets import CardSets, lowest_numbers
from arena.env.round_batch import RoundBatch

__all__ = ["random_actions", "random_calls", "random_cards"]

_ONE: Final = np.uint64(1)
_HALF: Final = np.uint64(32)


def random_calls(current: RoundBatch, generator: np.random.Generator) -> NDArray[np.uint8]:
    """A legal call for each round, each as likely as any other."""
    allowed = current.legal_calls
    calls: NDArray[np.uint8] = generator.integers(allowed.start, allowed.stop, current.size, np.uint8)
    return calls


def random_cards(legal: CardSets, generator: np.random.Generator) -> NDArray[np.uint8]:
    """The number of one card of each set, each as likely to within 2**-28; no set may be empty."""
    how_many = np.bitwise_count(legal)
    skip = _random_words(legal.size, generator) * how_many >> _HALF
    left = legal.copy()
    for _ in range(int(how_many.max()) - 1):
        step = np.minimum(skip, _ONE)
        left &= left - step  # drops the lowest card where one is still to be skipped
        skip -= step
    return lowest_numbers(left)


def random_actions(current: RoundBatch, generator: np.random.Generator) -> NDArray[np.uint8]:
    """A legal action for each round, as `VectorEnv.step` takes them."""
    if current.is_calling:
        return random_calls(current, generator) + np.uint8(CARDS - 1)
    return ACTION_OF_CARD[random_cards(current.legal, generator)]


def _random_words(size: int, generator: np.random.Generator) -> NDArray[np.uint64]:
    # Two numbers of 32 bits from each of 64: the generator's work is a good part of a random decision.
    drawn = generator.integers(0, 2**64 - 1, (size + 1) // 2, np.uint64, endpoint=True)
    return drawn.view(np.uint32)[:size].astype(np.uint64)
