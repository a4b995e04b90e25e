"""Builders for tests of the environments: matches that are played at random, one by one and in batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import numpy as np

from arena.env.dealing import random_deals
from arena.env.match_batch import MatchBatch
from arena.env.random_play import random_calls, random_cards
from arena.rules.cards import card_numbers
from arena.rules.deals import Seed, deal
from arena.rules.matches import Match
from arena.rules.rulesets import CALLBREAK, Ruleset
from tests.rules.boards import HOUSE_NAMES, PRESET_NAMES

SEED = Seed.parse("7")

NAMES = (
    *PRESET_NAMES,
    *HOUSE_NAMES,
    "callbreak+follow=free+undertrump=forced+rounds=10",
    "callbreak+redeal=on",
    "callbreak-master+undertrump=forced+redeal=on+redeal_face_ranks=QKA",
)
"""Every preset, and house rules that between them have each field at another value."""


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def batch(rules: Ruleset = CALLBREAK, *, size: int = 8, seed: int = 1) -> MatchBatch:
    return MatchBatch(rules, random_deals(generator(seed)), size=size)


def decide_at_random(matches: MatchBatch, numbers: np.random.Generator) -> None:
    now = matches.round
    if now.is_calling:
        now.call(random_calls(now, numbers))
    else:
        now.play(random_cards(now.legal, numbers))


def single(rules: Ruleset = CALLBREAK, *, set_number: int = 0) -> Match:
    return Match(rules, partial(deal, SEED, set_number))


def decisions_of(match: Match, numbers: Random) -> Iterator[None]:
    """Plays a match at random to its end, and stops before each decision."""
    while not match.is_over:
        while not match.round.is_over:
            yield
            if match.round.is_calling:
                match.round.call(numbers.choice(match.round.legal_calls))
            else:
                match.round.play(numbers.choice(card_numbers(match.round.legal)))
        match.next_round()
