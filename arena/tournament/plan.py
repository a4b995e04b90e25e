"""Owns the plan of a tournament: all that is decided before the first card, and its file, `plan.json`.

Matches are not listed in it: they are recomputed from the schedule's options. It must not know how matches
are run or how results look.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.rules import Follow, Ruleset, Seed, Success, Undertrump, commitment
from arena.tournament.schedule import PlannedMatch, Schedule, ScheduleOptions, Seats, build_schedule

__all__ = [
    "ADDED_FILE",
    "LOG_FOLDER",
    "PLAN_DRAFT",
    "PLAN_FILE",
    "PLAN_FORMAT",
    "Comparison",
    "Job",
    "Plan",
    "PlannedEntrant",
    "check_plan",
    "plan_digest",
    "plan_document",
    "plan_of_document",
    "read_plan",
    "schedule_of",
    "write_added",
    "write_plan",
]

PLAN_FILE = "plan.json"
PLAN_DRAFT = f".{PLAN_FILE}.draft"  # left where an arena was killed while it wrote the plan
ADDED_FILE = "added.json"  # tables that were added by the plan's own rule while it was played
LOG_FOLDER = "logs"  # in the run's folder: what bots and workers said
PLAN_FORMAT = 1


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
class Comparison:
    """The question about entrants 0 and 1: is the first better by `points1` a match, or by at most `points0`?

    `alpha` and `beta` bound the chances of a wrong answer; see `arena.ratings.sequential`.
    """

    points0: float
    points1: float
    alpha: float
    beta: float


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
    freeze: bool  # bots are stopped while nothing is asked of them
    seed_text: str  # 64 hexadecimal digits, or a short decimal seed for practice; no bot may ever see it
    seed_commitment: str  # hexadecimal
    is_practice: bool
    entrants: tuple[PlannedEntrant, ...]
    schedule: ScheduleOptions
    schedule_digest: str  # SHA-256 over every match planned before the first card, in hexadecimal
    comparison: Comparison | None = None  # two bots are compared, until it is known
    until_separated: int = 0  # tables are added where it is not known who is better, up to so many matches
    admits_faulty: bool = False  # bots that failed the check before the first match play all the same
    added: tuple[tuple[Seats, ...], ...] = ()  # those tables, by instalment; they are kept in ADDED_FILE

    @property
    def seed(self) -> Seed:
        """The seed that every deal follows from."""
        return Seed.parse(self.seed_text)


@dataclass(frozen=True, slots=True)
class Job:
    """A unit of work: matches of one table that one worker plays, whole sets or what is missing of them."""

    job_id: str  # names the folder of its logs
    table: int
    entrants: Seats  # the table's entrants, by number
    matches: tuple[PlannedMatch, ...]  # in schedule order; to be played pass by pass (rotation 0 of all, ...)


def schedule_of(plan: Plan) -> Schedule:
    """The schedule that the plan's options give, with what was added since."""
    planned = build_schedule(plan.schedule, len(plan.entrants))
    return replace(planned, added=tuple(table for tables in plan.added for table in tables))


def check_plan(plan: Plan) -> None:
    """Raises ArenaError unless the schedule and the seed give what the plan says they give."""
    if (found := build_schedule(plan.schedule, len(plan.entrants)).digest()) != plan.schedule_digest:
        raise ArenaError(
            f"{PLAN_FILE}: the schedule comes out with digest {found[:16]}..., "
            f"not {plan.schedule_digest[:16]}..."
        )
    seed = plan.seed
    if (found := commitment(seed).hex()) != plan.seed_commitment:
        raise ArenaError(
            f"{PLAN_FILE}: the seed's commitment is {found[:16]}..., not {plan.seed_commitment[:16]}..."
        )
    if seed.is_practice != plan.is_practice:
        raise ArenaError(f"{PLAN_FILE}: is_practice is {plan.is_practice}, the seed says {seed.is_practice}")


def write_plan(plan: Plan, folder: Path) -> None:
    """Writes `plan.json` into `folder`, whole or not at all; only its owner may read the seed.

    Makes the folder where it is missing. ArenaError when it cannot be written.
    """
    _write(folder, PLAN_FILE, plan_text(plan))


def write_added(plan: Plan, folder: Path) -> None:
    """Writes what was added to the plan, before it is played, whole or not at all."""
    _write(folder, ADDED_FILE, json.dumps(plan.added) + "\n")


def read_plan(folder: Path) -> Plan:
    """The plan of the run in `folder`; ArenaError when there is none or it cannot be understood."""
    file = folder / PLAN_FILE
    if not folder.is_dir():
        raise ArenaError(f"{folder}: no such folder")
    if not file.is_file():
        raise ArenaError(f"{folder}: no tournament there ({PLAN_FILE} is missing)")
    try:
        plan = _plan_of(json.loads(file.read_text()))
        return replace(plan, added=_read_added(folder))
    except (ValueError, KeyError, TypeError, OSError) as trouble:
        raise ArenaError(f"{file}: cannot be read as a plan: {trouble}") from None


def plan_digest(folder: Path) -> str:
    """SHA-256 of the plan's file, in hexadecimal."""
    return hashlib.sha256((folder / PLAN_FILE).read_bytes()).hexdigest()


def plan_text(plan: Plan) -> str:
    """The plan as the JSON document that `read_plan` reads, without what was added since."""
    document = plan_document(plan)
    del document["added"]
    return json.dumps(document, indent=2) + "\n"


def plan_document(plan: Plan) -> dict[str, Any]:
    """The plan, with what was added to it, as JSON."""
    return asdict(plan)


def plan_of_document(document: Mapping[str, Any]) -> Plan:
    """What `plan_document` made; ArenaError when it is none."""
    try:
        rest = {key: value for key, value in document.items() if key != "added"}
        return replace(_plan_of(rest), added=_added_of(document["added"]))
    except (ValueError, KeyError, TypeError) as trouble:
        raise ArenaError(f"not a plan: {trouble}") from None


def _plan_of(document: Mapping[str, Any]) -> Plan:
    version = document["format"]
    if version != PLAN_FORMAT:
        raise ValueError(f"format {version}, this arena reads {PLAN_FORMAT}")
    _only_fields(Plan, document, but={"added"})
    return Plan(
        **{
            **document,
            "comparison": _comparison_of(document.get("comparison")),
            "ruleset": _ruleset_of(document["ruleset"]),
            "entrants": tuple(PlannedEntrant(**entrant) for entrant in document["entrants"]),
            "schedule": _options_of(document["schedule"]),
        }
    )


def _read_added(folder: Path) -> tuple[tuple[Seats, ...], ...]:
    file = folder / ADDED_FILE
    if not file.exists():
        return ()
    return _added_of(json.loads(file.read_text()))


def _added_of(added: Sequence[Sequence[Sequence[int]]]) -> tuple[tuple[Seats, ...], ...]:
    return tuple(tuple(_seats(table) for table in tables) for tables in added)


def _seats(table: Sequence[int]) -> Seats:
    first, second, third, fourth = table
    return first, second, third, fourth


def _comparison_of(values: Mapping[str, Any] | None) -> Comparison | None:
    if values is None:
        return None
    _only_fields(Comparison, values)
    return Comparison(**values)


def _ruleset_of(values: Mapping[str, Any]) -> Ruleset:
    _only_fields(Ruleset, values)
    enums = {
        "follow": Follow(values["follow"]),
        "undertrump": Undertrump(values["undertrump"]),
        "success": Success(values["success"]),
    }
    return Ruleset(**{**values, **enums})


def _options_of(values: Mapping[str, Any]) -> ScheduleOptions:
    _only_fields(ScheduleOptions, values)
    blocks = tuple(tuple(block) for block in values["base_blocks"])
    return ScheduleOptions(**{**values, "base_blocks": blocks})


def _only_fields(kind: type, values: Mapping[str, Any], *, but: Set[str] = frozenset()) -> None:
    """Raises ValueError for an unknown field, and for a missing one unless older arenas did without."""
    names = {field.name for field in fields(kind)} - but
    needed = {field.name for field in fields(kind) if field.default is MISSING} - but
    wrong = (set(values) - names) | (needed - set(values))
    if wrong:
        raise ValueError(f"{kind.__name__.lower()}: unknown or missing {sorted(wrong)}")


def _write(folder: Path, name: str, text: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".{name}.draft"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / name)
        _sync_folder(folder)
    except OSError as trouble:
        raise ArenaError(f"{folder}: the plan cannot be written: {trouble.strerror}") from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
