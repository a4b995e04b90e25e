"""Owns the plan of a tournament: all that is decided before the first card, and its file, `plan.json`.

Matches are not listed in it: they are recomputed from the schedule's options. It must not know how matches
are run or how results look.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.tournament.schedule import PlannedMatch

if TYPE_CHECKING:
    from arena.rules.rulesets import Ruleset

__all__ = ["Job", "Plan", "PlannedEntrant", "ScheduleOptions"]


@dataclass(frozen=True, slots=True)
class PlannedEntrant:
    """A bot of the tournament as it was when the plan was made."""

    name: str
    version: str
    content_hash: str  # SHA-256 of the bot's files, in hexadecimal
    path: str  # of the bot's folder or file, relative to the run's folder; the house bot's name if `is_house`
    language: str
    protocol: str
    is_house: bool


@dataclass(frozen=True, slots=True)
class ScheduleOptions:
    """What the schedule follows from, beside the number of entrants."""

    format: str  # "round-robin", "balanced" or "gauntlet"
    sets_per_table: int = 0  # round-robin and gauntlet
    matches_per_bot: int = 0  # balanced
    hero: int = -1  # gauntlet: the entrant that sits at every table


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what is played; `entrants` are numbered by their place in the tuple."""

    format: int  # version of the file's meaning
    arena_version: str
    name: str
    ruleset: Ruleset
    time_control: str  # "0.5+10": seconds a decision, seconds in the bank of a match
    strikes: int
    startup_s: float
    sandbox: str  # "bwrap" or "none"
    seed_text: str  # 64 hexadecimal digits, or a short decimal seed for practice; no bot may ever see it
    seed_commitment: str  # hexadecimal
    is_practice: bool
    entrants: tuple[PlannedEntrant, ...]
    schedule: ScheduleOptions
    schedule_digest: str  # SHA-256 over every planned match, in hexadecimal


@dataclass(frozen=True, slots=True)
class Job:
    """A unit of work: matches of one table that one worker plays, whole sets or what is missing of them."""

    job_id: str  # names the folder of its logs
    table: int
    entrants: tuple[int, int, int, int]  # the table's entrants, by number
    matches: tuple[PlannedMatch, ...]  # in schedule order; to be played pass by pass (rotation 0 of all, ...)
