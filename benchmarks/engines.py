"""Owns how fast rules alone are, played in one process without any bot: the arena's and those of others."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from typing import Any

from arena.rules import CALLBREAK, Round, Seed, deal
from benchmarks.sample import Effort, Sample, Unavailable

__all__ = ["measure_open_spiel", "measure_rlcard", "measure_rules"]

_SEED = Seed.parse("1")
_DEALS = 64
_FIRST_CARD = 15
"""A set of one card has the bit length `card - 15`."""


def measure_rules(effort: Effort) -> Sample:
    """`Round` of arena.rules through `legal_cards` and `play`: the lowest card each time."""
    deals = [deal(_SEED, number, 1) for number in range(_DEALS)]

    def play(number: int) -> int:
        round_ = Round(deals[number % _DEALS], dealer=number % 4, rules=CALLBREAK)
        for _ in range(4):
            round_.call(1)
        while not round_.is_over:
            legal = round_.legal_cards()
            round_.play((legal & -legal).bit_length() + _FIRST_CARD)
        return round_.decision

    return _repeat(play, effort)


def measure_open_spiel(game: str, effort: Effort) -> Sample:
    """A card game of OpenSpiel, whose rules are C++, from Python: the first legal action each time."""
    spiel = _library("pyspiel", "open_spiel")
    deals = [_dealt(spiel.load_game(game)) for _ in range(_DEALS)]

    def play(number: int) -> int:
        state, decisions = deals[number % _DEALS].clone(), 0
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
            decisions += 1
        return decisions

    return _repeat(play, effort)


def measure_rlcard(game: str, effort: Effort) -> Sample:
    """A card game of RLCard, whose rules are Python: the first legal action each time, dealing included."""
    environment = _library("rlcard", "rlcard").make(game)

    def play(number: int) -> int:
        state, _ = environment.reset()
        decisions = 0
        while not environment.is_over():
            state, _ = environment.step(next(iter(state["legal_actions"])))
            decisions += 1
        return decisions

    return _repeat(play, effort)


def _dealt(game: Any) -> Any:
    state, step = game.new_initial_state(), 0
    while state.is_chance_node():
        actions = state.legal_actions()
        state.apply_action(actions[step * 7 % len(actions)])
        step += 1
    return state


def _library(module: str, package: str) -> Any:
    if importlib.util.find_spec(module) is None:
        raise Unavailable(f"{package} is not installed: pip install {package}")
    return importlib.import_module(module)


def _repeat(play: Callable[[int], int], effort: Effort) -> Sample:
    began_ns, began_cpu_ns = time.perf_counter_ns(), time.process_time_ns()
    until_ns = began_ns + int(effort.seconds * 1e9)
    decisions = number = 0
    while (now_ns := time.perf_counter_ns()) < until_ns:
        decisions += play(number)
        number += 1
    return Sample(decisions, (now_ns - began_ns) / 1e9, (time.process_time_ns() - began_cpu_ns) / 1e9, 0.0)
