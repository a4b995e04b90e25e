"""Owns a tournament as `tournament` and `resume` show it: header, run, table, faults, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.manifest import Entrant
from arena.cli.comparing import run_comparison
from arena.cli.output import is_plain, say, show
from arena.cli.runs import (
    Run,
    conditions_of,
    count_text,
    interrupted,
    keep_ratings,
    opened,
    play_missing,
    tell_how_it_went,
)
from arena.cli.workplace import Workplace
from arena.ratings.instalments import next_tables
from arena.reports.standings import standings_table
from arena.store.standings import planned_matches, standings_of
from arena.store.writer import StoreWriter
from arena.tournament.designs import quality_of
from arena.tournament.plan import Plan, check_plan, write_added
from arena.tournament.runner import Outcome
from arena.tournament.schedule import MATCHES_A_SET, SETS_ADDED

__all__ = ["run_plan"]

MANY_TABLES = 100_000
MATCHES_ADDED = SETS_ADDED * MATCHES_A_SET
"""Matches that one more table plays."""
FORMAT_NAMES = {"round-robin": "round robin", "balanced": "balanced tables", "gauntlet": "gauntlet"}


def run_plan(
    folder: Path, plan: Plan, entrants: Sequence[Entrant], *, place: Workplace, is_strict: bool
) -> int:
    """Plays what is missing of a plan that lies in `folder`; prints the table; returns the exit status."""
    check_plan(plan)
    run = Run(folder, plan, entrants, place)
    if plan.comparison is not None:
        return run_comparison(run, plan.comparison, is_strict=is_strict)
    try:
        return _run(run, is_strict=is_strict)
    except KeyboardInterrupt:  # before or after play, which has a handler of its own
        return interrupted(run)


def _run(run: Run, *, is_strict: bool) -> int:
    with opened(run) as store:
        for line in _header(run):
            say(line)
        played, took_s = 0, 0.0
        going_on: Run | None = run
        while going_on is not None:
            run = going_on
            outcome = play_missing(run, store)
            played, took_s = played + outcome.played, took_s + outcome.took_s
            if outcome.is_interrupted:
                return interrupted(run, outcome)
            going_on = _with_more(run, store, outcome)
        keep_ratings(run, store)
        standings, planned = standings_of(run.plan, store), planned_matches(run.plan, store)
        show(lambda width: standings_table(standings, planned=planned, is_plain=is_plain(), width=width))
        tell_how_it_went(run, store, played=played, took_s=took_s)
        has_faults = bool(store.fault_counts())
    where = run.where
    say(f"next: arena standings {where} --head-to-head, arena replay {where} MATCH_ID, arena verify {where}")
    return 1 if is_strict and has_faults else 0


def _with_more(run: Run, store: StoreWriter, outcome: Outcome) -> Run | None:
    """The run with the tables that are to be added now; None when it is over."""
    plan = run.plan
    if not plan.until_separated or store.has_ended():
        return None
    most = (plan.until_separated - outcome.planned) // MATCHES_ADDED
    look = len(plan.added) + 1
    tables = next_tables(store.results(), look=look, most=most)
    if not tables:
        store.note_end("nothing is to be added")
        return None
    plan = replace(plan, added=(*plan.added, tuple(tables)))
    write_added(plan, run.folder)
    say(f"{count_text(len(tables), 'table')} more where neighbours are not separated yet (look {look})")
    return replace(run, plan=plan)


def _header(run: Run) -> list[str]:
    """What will be played, exactly."""
    plan = run.plan
    lines = [f"{plan.name}: {len(plan.entrants)} bots, {plan.ruleset.name}, {_format_text(run)}"]
    if plan.until_separated:
        lines.append(f"until neighbours are separated, {plan.until_separated} matches at most")
    if len(run.schedule.tables) <= MANY_TABLES:
        lines.append(_quality_text(run))
    return lines + conditions_of(run)


def _format_text(run: Run) -> str:
    schedule = run.schedule
    return (
        f"{FORMAT_NAMES[run.plan.schedule.format]}: {count_text(len(schedule.tables), 'table')}, "
        f"{count_text(schedule.sets_per_table, 'set')} of 4 matches each, {schedule.match_count} matches"
    )


def _quality_text(run: Run) -> str:
    quality = quality_of(run.schedule, len(run.plan.entrants))
    return (
        f"matches a bot {_span(quality.matches)}, a pair {_span(quality.meetings)}, "
        f"one right behind a given other {_span(quality.behind)}"
    )


def _span(counts: tuple[int, int]) -> str:
    fewest, most = counts
    return str(fewest) if fewest == most else f"{fewest} to {most}"
