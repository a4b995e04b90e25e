"""Owns what is fixed before a match: who sits where, the rules, the time, and where the deals come from."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from arena.referee.clocks import NS_PER_S, TimeControl
from arena.rules import CALLBREAK, CardSet, Ruleset, Seed

__all__ = ["DEFAULT_TIME_CONTROL", "Isolation", "MatchSetup", "SeatSetup"]

DEFAULT_TIME_CONTROL = TimeControl(NS_PER_S // 2, 10 * NS_PER_S)


class Isolation(enum.IntEnum):
    """How the bots of a match were kept apart from the machine; numbered as `Sandbox` in the record."""

    NONE = 1
    BWRAP = 2


@dataclass(frozen=True, slots=True)
class SeatSetup:
    """Who sits on a seat."""

    bot: str
    version: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """One match before it is played.

    Deals follow from `seed` and `set_number`, or are given: `hands` holds four hands for each round.
    """

    match_id: str
    seats: tuple[SeatSetup, SeatSetup, SeatSetup, SeatSetup]
    rules: Ruleset = CALLBREAK
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    strikes_allowed: int = 3
    position: int = 0
    table: int = 0
    set_number: int = 0
    rotation: int = 0
    isolation: Isolation = Isolation.NONE
    freeze: bool = False
    seed: Seed | None = None
    hands: Sequence[Sequence[CardSet]] = ()

    def __post_init__(self) -> None:
        if (self.seed is None) == (not self.hands):
            raise ValueError(
                f"match {self.match_id}: deals come from a seed or are given, exactly one of them"
            )
