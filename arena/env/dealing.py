"""Owns where the hands of many matches come from: a seed, as in a tournament, or a fast generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.rules.cards import FULL_DECK, RANK_LETTERS, SUIT_CARDS, CardSet, card_numbers
from arena.rules.deals import Seed, deal
from arena.rules.rulesets import Ruleset
from arena.rules.tricks import SPADES

__all__ = ["BatchDeals", "asks_for_redeal", "random_deals", "seeded_deals"]

BatchDeals = Callable[[int, int, NDArray[np.intp]], NDArray[np.uint64]]
"""The hands, shape (4, k), for a round number (from 1), an attempt (from 0) and the k matches, by index, that
are dealt: of all of them at attempt 0, later of those whose deals were thrown in."""

_DECK: Final = np.array([1 << (number - 16) for number in card_numbers(FULL_DECK)], np.uint64)


def seeded_deals(seed: Seed | bytes, set_numbers: Sequence[int]) -> BatchDeals:
    """The deals that a tournament with this seed has, one set number a match; slow, since each is hashed."""

    def deals(round_number: int, attempt: int, matches: NDArray[np.intp]) -> NDArray[np.uint64]:
        dealt = [deal(seed, set_numbers[match], round_number, attempt) for match in matches.tolist()]
        return np.array(dealt, np.uint64).reshape(-1, 4).T.copy()

    return deals


def random_deals(generator: np.random.Generator) -> BatchDeals:
    """Deals from numpy's generator, each as likely as any other; its seed and the order of use fix them."""

    def deals(round_number: int, attempt: int, matches: NDArray[np.intp]) -> NDArray[np.uint64]:
        decks = np.repeat(_DECK[:, None], len(matches), axis=1)
        generator.permuted(decks, axis=0, out=decks)
        hands: NDArray[np.uint64] = np.bitwise_or.reduce(decks.reshape(4, 13, -1), axis=1)
        return hands

    return deals


def asks_for_redeal(hands: NDArray[np.uint64], rules: Ruleset) -> NDArray[np.bool_]:
    """For each deal, hands of shape (4, k), whether one of its hands has it thrown in."""
    if not rules.redeal:
        return np.zeros(hands.shape[1], np.bool_)
    faces = np.uint64(_face_cards(rules.redeal_face_ranks))
    is_poor = (hands & np.uint64(SPADES) == 0) | (hands & faces == 0)
    is_thrown_in: NDArray[np.bool_] = is_poor.any(axis=0)
    return is_thrown_in


def _face_cards(rank_letters: str) -> CardSet:
    ranks = sum(1 << (2 + RANK_LETTERS.index(letter)) for letter in rank_letters)
    return sum(cards & (ranks << 16 * (suit - 1)) for suit, cards in SUIT_CARDS.items())
