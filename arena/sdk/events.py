"""Owns what a bot is told besides its own decisions; knows nothing of how it is told."""

from __future__ import annotations

from dataclasses import dataclass

from arena.rules.rulesets import Ruleset
from arena.rules.tricks import Trick

__all__ = ["MatchEnd", "MatchStart", "Replacement", "RoundEnd", "Time"]


@dataclass(frozen=True, slots=True)
class Time:
    """The bot's clock at a decision, in seconds."""

    limit_s: float
    """Time for this decision."""
    bank_left_s: float
    """Time beyond the limits that is left for the whole match."""
    last_latency_s: float | None
    """What the arena measured for the bot's last decision of this match; None before the first."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A decision that the arena made instead of the bot."""

    kind: str
    """What was wrong: `TIMEOUT`, `ILLEGAL_CARD`, ..."""
    detail: str
    """What was wrong, in words."""
    replaced_by: int
    """The call or the card (its number) that stands instead."""
    strikes: int
    """Strikes against this seat so far."""
    strikes_allowed: int
    """Strikes at which the seat is forfeited."""


@dataclass(frozen=True, slots=True)
class MatchStart:
    """A match is about to begin. Whatever takes long to prepare is prepared now, outside every clock."""

    match_id: int
    seat: int
    rules: Ruleset
    limit_s: float
    bank_s: float


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """A round ended; lists by seat have four entries."""

    match_id: int
    round_number: int
    calls: tuple[int, ...]
    tricks_won: tuple[int, ...]
    scores_tenths: tuple[int, ...]
    tricks: tuple[Trick, ...]


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """A match ended for this bot; totals and places are empty when it goes on without the bot."""

    match_id: int
    totals_tenths: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[str, ...]
    forfeited: bool
    replacements: tuple[Replacement, ...]
