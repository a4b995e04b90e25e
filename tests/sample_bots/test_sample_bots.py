"""The sample bots: legal under every ruleset, better from one lesson to the next."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.rules import CALLBREAK, PRESETS, Card, Ruleset, with_rules
from arena.sdk import Bot, View
from arena.sdk.local import DEFAULT_TIME, import_bot, play_match, play_set

SAMPLE_BOTS = Path(__file__).parent.parent.parent / "sample_bots"
FORCED = with_rules(CALLBREAK, {"undertrump": "forced", "call_max": "13", "rounds": "2"})
RULESETS = [*(with_rules(rules, {"rounds": "2"}) for rules in PRESETS.values()), FORCED]
QUICK = replace(DEFAULT_TIME, limit_s=0.01)


def bot(name: str) -> Bot:
    """A sample bot as an object."""
    return import_bot(SAMPLE_BOTS / name)


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_every_lesson_plays_legally_under_every_ruleset(rules: Ruleset) -> None:
    table = [bot(name) for name in ("random", "lowest", "greedy", "counting")]

    for set_number in range(25):
        play_match(table, rules, seed=3, set_number=set_number)


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_montecarlo_plays_legally_under_every_ruleset(rules: Ruleset) -> None:
    table = [bot("montecarlo"), bot("random"), bot("greedy"), bot("counting")]

    for set_number in range(2):
        play_match(table, rules, seed=4, set_number=set_number, time=QUICK)


def _gain(better: str, worse: str, sets: int, time: Any = DEFAULT_TIME) -> tuple[float, float]:
    """Points a match by which one bot beats three of another, and twice the standard error."""
    table = [bot(better), bot(worse), bot(worse), bot(worse)]
    gains = []
    for set_number in range(sets):
        first, *others = play_set(table, seed=2, set_number=set_number, time=time)
        gains.append((first - statistics.fmean(others)) / 40)
    return statistics.fmean(gains), 2 * statistics.stdev(gains) / sets**0.5


@pytest.mark.parametrize(("better", "worse", "sets"), [("lowest", "random", 10), ("greedy", "lowest", 20)])
def test_each_plain_lesson_beats_the_one_before(better: str, worse: str, sets: int) -> None:
    gain, error = _gain(better, worse, sets)

    assert gain > error


def test_counting_beats_greedy() -> None:
    gain, error = _gain("counting", "greedy", 100)

    assert gain > error


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_montecarlo_beats_counting() -> None:
    gain, _ = _gain("montecarlo", "counting", 12)

    assert gain > 0


class Watched(Bot):
    """A bot that plays at random and shows each view where a card is asked."""

    def __init__(self, seen: list[View], number: int) -> None:
        self._seen = seen
        self._chance = random.Random(number)

    def call(self, view: View) -> int:
        """Any call."""
        return self._chance.choice(view.legal_calls)

    def play(self, view: View) -> Card:
        """Any card."""
        self._seen.append(view)
        return self._chance.choice(view.legal_cards)


def _views(rules: Ruleset) -> list[tuple[View, dict[int, set[Card]]]]:
    """Views of a random round, with the cards that each seat still held, which the round's end tells."""
    seen: list[View] = []
    played = play_match([Watched(seen, n) for n in range(4)], rules, seed=6)
    held = []
    for view in seen:
        finished = played.rounds[view.round_number - 1]
        after: dict[int, set[Card]] = {seat: set() for seat in range(4)}
        gone = 4 * len(view.tricks) + len(view.trick)
        for index, number in enumerate(finished.plays):
            if index >= gone:
                seat = (finished.leaders[index // 4] + index) % 4
                after[seat].add(Card(number))
        held.append((view, after))
    return held


def _module() -> Any:
    """What stands in the bot's file."""
    play: Any = type(bot("montecarlo")).play
    return SimpleNamespace(**play.__globals__)


def _cards(hand: int) -> set[Card]:
    return {card for card in Card if hand >> (card - 16) & 1}


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_sampled_worlds_agree_with_everything_seen(rules: Ruleset) -> None:
    montecarlo = _module()
    for view, held in _views(rules)[::5]:
        cannot, _ = montecarlo.seen(view)
        for seat in range(4):
            assert not _cards(cannot[seat]) & held[seat], "what a seat really holds is never ruled out"
        hands, weights = montecarlo.Worlds(view).sample(16)
        assert np.all(weights > 0)
        for lane in range(16):
            world = [_cards(int(hands[seat][lane])) for seat in range(4)]
            assert world[view.seat] == set(view.hand)
            assert sorted(card for hand in world for card in hand) == sorted({*view.hand, *view.unseen})
            assert [len(hand) for hand in world] == [len(held[seat]) for seat in range(4)]
            assert all(not world[seat] & _cards(cannot[seat]) for seat in range(4) if seat != view.seat)


def test_all_ways_of_splitting_are_weighed_by_their_deals() -> None:
    ways, chance = _module().splits({(0, 1): 2, (0, 1, 2): 3}, [2, 2, 1])

    # One of two cards to each of seats 0 and 1 leaves 3! ways for the rest; both to one seat leaves 3.
    by_way: Sequence[tuple[int, float]] = list(zip(ways[0, 1][0].tolist(), chance.tolist(), strict=True))
    assert {first: round(p, 6) for first, p in by_way} == {0: 0.166667, 1: 0.666667, 2: 0.166667}
