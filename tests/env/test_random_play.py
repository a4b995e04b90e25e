"""Promises of random play: legal, and each legal card as likely as any other."""

from __future__ import annotations

import numpy as np

from arena.env.random_play import random_cards
from arena.rules.cards import FULL_DECK, card_list, card_numbers, cards
from tests.env.plays import generator


def test_each_card_of_a_set_comes_equally_often() -> None:
    held = cards("2C 9C AC TD 3H KS AS")

    drawn = random_cards(np.full(70_000, held, np.uint64), generator())

    numbers, times = np.unique(drawn, return_counts=True)
    assert numbers.tolist() == card_numbers(held)
    assert abs(times - 10_000).max() < 500  # five standard deviations


def test_the_only_card_of_a_set_is_drawn() -> None:
    each = np.array([card.bit for card in card_list(FULL_DECK)], np.uint64)

    assert random_cards(each, generator()).tolist() == card_numbers(FULL_DECK)


def test_sets_of_different_sizes_may_stand_together() -> None:
    held = [cards("AS"), FULL_DECK, cards("2C 3C")] * 100

    drawn = random_cards(np.array(held, np.uint64), generator()).tolist()

    assert all(one >> (card - 16) & 1 for one, card in zip(held, drawn, strict=True))
