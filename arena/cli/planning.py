"""Owns how wishes on the command line become a plan, and how they are compared with one that exists."""

from __future__ import annotations

import datetime
import os
import shlex
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.cli.admission import Conditions
from arena.cli.entrants import planned_entrant
from arena.cli.options import Wishes, chosen_ruleset
from arena.errors import ArenaError
from arena.referee.clocks import TimeControl
from arena.rules import Seed, commitment
from arena.tournament.designs import choose_schedule
from arena.tournament.plan import PLAN_DRAFT, PLAN_FILE, PLAN_FORMAT, Comparison, Plan
from arena.tournament.schedule import PAIRED, Schedule, ScheduleOptions, build_schedule

__all__ = ["check_wishes", "conditions", "differences", "free_folder", "make_plan"]

DEFAULT_TIME = "0.5+10"
DEFAULT_STRIKES = 3
DEFAULT_STARTUP_S = 30.0
DEFAULT_PAIRED_SETS = 1000
MORE_BY_DEFAULT = 10
RESULTS = Path("results")


def check_wishes(wishes: Wishes) -> None:
    """Raises ArenaError for what can be seen to be wrong before any bot is looked at."""
    chosen_ruleset(wishes.ruleset, wishes.rules, wishes.rounds)
    TimeControl.parse(wishes.time_text or DEFAULT_TIME)
    if wishes.seed is not None:
        Seed.parse(wishes.seed)
    if wishes.max_matches is not None and not wishes.until_separated:
        raise ArenaError(f"--max-matches {wishes.max_matches} goes with --until-separated")


def conditions(wishes: Wishes, *, sandbox: Sandbox, at_once: int) -> Conditions:
    """Under which bots are examined before they are admitted: as they will play."""
    return Conditions(
        rules=chosen_ruleset(wishes.ruleset, wishes.rules, wishes.rounds),
        time_control=TimeControl.parse(wishes.time_text or DEFAULT_TIME),
        startup_s=wishes.startup or DEFAULT_STARTUP_S,
        sandbox=sandbox,
        at_once=at_once,
    )


def make_plan(
    wishes: Wishes,
    *,
    name: str,
    folder: Path,
    entrants: Sequence[Entrant],
    sandbox: str,
    comparison: Comparison | None = None,
) -> Plan:
    """The plan of a run in `folder`; the seed is fresh unless one was given."""
    seed = Seed.fresh(os.urandom(32)) if wishes.seed is None else Seed.parse(wishes.seed)
    if comparison is None:
        options = _schedule(wishes, [entrant.name for entrant in entrants])
    else:
        options = ScheduleOptions(PAIRED, wishes.sets or DEFAULT_PAIRED_SETS)
    schedule = build_schedule(options, len(entrants))
    return Plan(
        format=PLAN_FORMAT,
        arena_version=arena_version(),
        name=name,
        ruleset=chosen_ruleset(wishes.ruleset, wishes.rules, wishes.rounds),
        time_control=str(TimeControl.parse(wishes.time_text or DEFAULT_TIME)),
        strikes=wishes.strikes or DEFAULT_STRIKES,
        freeze=bool(wishes.freeze),
        startup_s=wishes.startup or DEFAULT_STARTUP_S,
        sandbox=sandbox,
        seed_text=seed.text,
        seed_commitment=commitment(seed).hex(),
        is_practice=seed.is_practice,
        entrants=tuple(planned_entrant(entrant, folder) for entrant in entrants),
        schedule=options,
        schedule_digest=schedule.digest(),
        comparison=comparison,
        until_separated=_most_matches(wishes, schedule),
        admits_faulty=wishes.admit_faulty,
    )


def arena_version() -> str:
    """The installed version of the arena."""
    try:
        return metadata.version("callbreak-arena")
    except metadata.PackageNotFoundError:
        return "unknown"


def differences(plan: Plan, wishes: Wishes) -> list[str]:
    """Every wish that the plan does not fulfil, in words; what was not asked for cannot differ."""
    return [
        f"option {option} {shlex.quote(str(given))} differs from the plan ({planned})"
        for option, given, planned in _compared(plan, wishes)
        if given is not None and given != planned
    ]


def free_folder(wanted: Path | None, name: str) -> Path:
    """Where a new run goes, by default one called after `name`; ArenaError when something is there."""
    if wanted is None:
        return _dated_folder(name or "bots")
    if (wanted / PLAN_FILE).exists():
        raise ArenaError(
            f"{wanted}: holds a tournament already; go on with it: arena resume {shlex.quote(str(wanted))}"
        )
    if wanted.exists() and not (wanted.is_dir() and _is_free(wanted)):
        raise ArenaError(f"{wanted}: is there already and is not an empty folder")
    return wanted


def _is_free(folder: Path) -> bool:
    """Whether nothing is in it but what an arena leaves that is killed before it has a plan."""
    return all(path.name == PLAN_DRAFT for path in folder.iterdir())


def _schedule(wishes: Wishes, names: Sequence[str]) -> ScheduleOptions:
    if wishes.hero is not None and wishes.hero not in names:
        raise ArenaError(f"--hero {wishes.hero}: no such bot; there are {', '.join(names)}")
    return choose_schedule(
        len(names),
        format_name=wishes.format_name,
        sets=wishes.sets,
        matches_per_bot=wishes.matches_per_bot,
        hero=None if wishes.hero is None else names.index(wishes.hero),
    )


def _most_matches(wishes: Wishes, schedule: Schedule) -> int:
    """Matches in all, when tables are added until neighbours are separated; 0 when none are added."""
    if not wishes.until_separated:
        return 0
    most = wishes.max_matches or MORE_BY_DEFAULT * schedule.match_count
    if most <= schedule.match_count:
        raise ArenaError(f"--max-matches {most}: {schedule.match_count} are planned before any are added")
    return most


def _compared(plan: Plan, wishes: Wishes) -> Iterator[tuple[str, object, object]]:
    """(option, value asked for or None, value planned)."""
    if wishes.ruleset is not None or wishes.rules or wishes.rounds is not None:
        asked = chosen_ruleset(wishes.ruleset, wishes.rules, wishes.rounds)
        if asked != plan.ruleset:
            yield "--ruleset", asked.name, plan.ruleset.name
    if wishes.seed is not None:
        yield "--seed", Seed.parse(wishes.seed).text, plan.seed_text
    if wishes.time_text is not None:
        yield "--time", str(TimeControl.parse(wishes.time_text)), plan.time_control
    yield "--strikes", wishes.strikes, plan.strikes
    yield "--freeze", wishes.freeze, plan.freeze
    yield "--startup", wishes.startup, plan.startup_s
    yield "--sandbox", wishes.sandbox, plan.sandbox
    yield "--format", wishes.format_name, plan.schedule.format
    yield "--sets", wishes.sets, plan.schedule.sets_per_table
    yield "--until-separated", wishes.until_separated, bool(plan.until_separated)
    yield "--max-matches", wishes.max_matches, plan.until_separated
    if wishes.hero is not None:
        hero = plan.entrants[plan.schedule.hero].name if plan.schedule.hero >= 0 else "none"
        yield "--hero", wishes.hero, hero


def _dated_folder(name: str) -> Path:
    """`results/2031-05-04-spring`, or the first of `-2`, `-3`... that is free."""
    first = RESULTS / f"{datetime.datetime.now().astimezone().date().isoformat()}-{name}"
    folder, number = first, 1
    while folder.exists():
        number += 1
        folder = first.with_name(f"{first.name}-{number}")
    return folder
