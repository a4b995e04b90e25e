"""Owns a tournament as `tournament` and `resume` show it: header, run, table, faults, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.bots.manifest import Entrant
from arena.bots.scratch import sweep
from arena.cli.group import INTERRUPTED
from arena.cli.output import is_plain, notice_console, say, show
from arena.reports.faults import fault_lines
from arena.reports.standings import standings_table
from arena.store.reader import StoreReader
from arena.store.sqlite import RESULTS_FILE
from arena.store.standings import rate, standings_of
from arena.store.writer import StoreWriter
from arena.tournament.designs import quality_of
from arena.tournament.executor import LocalExecutor
from arena.tournament.plan import LOG_FOLDER, Plan, check_plan, plan_digest, schedule_of
from arena.tournament.progress import LiveProgress, PlainProgress, Tally, duration_text
from arena.tournament.runner import Outcome, Watcher, locked, play
from arena.tournament.schedule import Schedule
from arena.tournament.worker import WorkerSetup

__all__ = ["run_plan"]

MANY_TABLES = 100_000
FORMAT_NAMES = {"round-robin": "round robin", "balanced": "balanced tables", "gauntlet": "gauntlet"}


@dataclass(frozen=True, slots=True)
class _Run:
    """A plan in its folder with the bots to play it."""

    folder: Path
    plan: Plan
    schedule: Schedule
    entrants: Sequence[Entrant]
    jobs: int


def run_plan(folder: Path, plan: Plan, entrants: Sequence[Entrant], *, jobs: int, is_strict: bool) -> int:
    """Plays what is missing of a plan that lies in `folder`; prints the table; returns the exit status."""
    check_plan(plan)
    run = _Run(folder, plan, schedule_of(plan), entrants, jobs)
    try:
        return _run(run, is_strict=is_strict)
    except KeyboardInterrupt:  # before or after play, which has a handler of its own
        say(f"interrupted; go on with\n  arena resume {shlex.quote(str(folder))}")
        return INTERRUPTED


def _run(run: _Run, *, is_strict: bool) -> int:
    with locked(run.folder), _store_of(run) as store:
        for line in _header(run):
            say(line)
        outcome = _play(run, store)
        sweep()
        if outcome.is_interrupted:
            say(f"interrupted: {outcome.stored} of {outcome.planned} matches are stored; go on with")
            say(f"  arena resume {shlex.quote(str(run.folder))}")
            return INTERRUPTED
        _rate(store)
        _tell(run, store, outcome)
        has_faults = bool(store.fault_counts())
    return 1 if is_strict and has_faults else 0


@contextmanager
def _store_of(run: _Run) -> Iterator[StoreWriter]:
    """The run's results; made now if the run ended before they were. Left settled however this run ends."""
    digest = plan_digest(run.folder)
    if (run.folder / RESULTS_FILE).exists():
        store = StoreWriter.open(run.folder, plan_digest=digest)
    else:
        bots = [(entrant.name, entrant.version) for entrant in run.plan.entrants]
        store = StoreWriter.create(run.folder, plan_digest=digest, bots=bots)
    with store:
        try:
            yield store
        finally:
            store.settle()


def _play(run: _Run, store: StoreWriter) -> Outcome:
    stored = list(store.positions())
    planned = run.schedule.match_count
    if len(stored) == planned:
        return Outcome(0, planned, planned, 0.0, is_interrupted=False)
    watcher = _watcher(run, store, stored=len(stored))
    setup = WorkerSetup(run.folder.absolute(), tuple(run.entrants))
    try:
        return play(
            run.schedule,
            stored=stored,
            executor=LocalExecutor(setup, workers=run.jobs),
            workers=run.jobs,
            results=store,
            watcher=watcher,
        )
    finally:
        watcher.close()


def _watcher(run: _Run, store: StoreWriter, *, stored: int) -> Watcher:
    totals = store.totals()
    before = {
        bot.name: (totals[bot.bot].matches, totals[bot.bot].total_tenths)
        for bot in store.bots
        if totals[bot.bot].matches
    }
    tally = Tally(run.schedule.match_count, stored=stored, before=before)
    console = notice_console()
    if console.is_terminal and not is_plain():
        return LiveProgress(tally, console)
    return PlainProgress(tally, say)


def _rate(store: StoreWriter) -> None:
    kept = store.ratings()
    if kept is None or kept.matches != store.count():
        store.keep_ratings(rate(store.results()))


def _tell(run: _Run, store: StoreReader, outcome: Outcome) -> None:
    """The table to standard output; how long it took, faults and what to do next to standard error."""
    standings = standings_of(run.plan, store)
    show(lambda width: standings_table(standings, planned=outcome.planned, is_plain=is_plain(), width=width))
    for line in fault_lines(store):
        say(line)
    if lost := store.lost_worker_count():
        say(f"workers lost on the way and replaced: {lost}; see {run.folder / LOG_FOLDER}")
    if outcome.played:
        rate_text = f"{outcome.played / outcome.took_s:.1f} matches/s"
        say(f"{outcome.played} matches in {duration_text(outcome.took_s)}, {rate_text}")
    else:
        say("every match of this tournament was stored already")
    where = shlex.quote(str(run.folder))
    say(f"next: arena standings {where} --head-to-head, arena replay {where} MATCH_ID, arena verify {where}")


def _header(run: _Run) -> list[str]:
    """What will be played, exactly."""
    plan = run.plan
    seed_told = " (a short seed, for practice: a bot could search for it)" if plan.is_practice else ""
    sandbox = "SANDBOX OFF, bots run with all your rights" if plan.sandbox == "none" else plan.sandbox
    lines = [
        f"{plan.name}: {len(plan.entrants)} bots, {plan.ruleset.name}, {_format_text(run)}",
        _conditions_text(run),
        f"sandbox: {sandbox}",
        f"seed commitment {plan.seed_commitment}{seed_told}",
        f"results in {run.folder}",
    ]
    if len(run.schedule.tables) <= MANY_TABLES:
        lines.insert(1, _quality_text(run))
    return lines


def _conditions_text(run: _Run) -> str:
    plan = run.plan
    return (
        f"time {plan.time_control} s (a decision + a match), {_count(plan.strikes, 'strike')}, "
        f"start-up {plan.startup_s:g} s, {_count(run.jobs, 'worker')}"
        f"{', bots are frozen while nothing is asked of them' if plan.freeze else ''}"
    )


def _format_text(run: _Run) -> str:
    schedule = run.schedule
    return (
        f"{FORMAT_NAMES[run.plan.schedule.format]}: {_count(len(schedule.tables), 'table')}, "
        f"{_count(schedule.sets_per_table, 'set')} of 4 matches each, {schedule.match_count} matches"
    )


def _quality_text(run: _Run) -> str:
    quality = quality_of(run.schedule, len(run.plan.entrants))
    return (
        f"matches a bot {_span(quality.matches)}, a pair {_span(quality.meetings)}, "
        f"one right behind a given other {_span(quality.behind)}"
    )


def _span(counts: tuple[int, int]) -> str:
    fewest, most = counts
    return str(fewest) if fewest == most else f"{fewest} to {most}"


def _count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
