"""Owns a run in its folder, of whatever kind: its results, playing what is missing, what is told of both."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.bots.manifest import Entrant
from arena.bots.scratch import sweep
from arena.cli.group import INTERRUPTED
from arena.cli.output import is_plain, notice_console, say
from arena.cli.workplace import Workplace
from arena.reports.faults import fault_lines
from arena.store.reader import StoreReader
from arena.store.sqlite import RESULTS_FILE
from arena.store.standings import figures_of
from arena.store.writer import StoreWriter
from arena.tournament.plan import LOG_FOLDER, Plan, plan_digest, schedule_of
from arena.tournament.progress import LiveProgress, PlainProgress, Tally, duration_text
from arena.tournament.runner import Outcome, locked, play
from arena.tournament.schedule import Schedule

__all__ = [
    "Run",
    "conditions_of",
    "count_text",
    "interrupted",
    "keep_ratings",
    "opened",
    "play_missing",
    "tell_how_it_went",
]


@dataclass(frozen=True, slots=True)
class Run:
    """A plan in its folder with the bots to play it, and where that is done."""

    folder: Path
    plan: Plan
    entrants: Sequence[Entrant]
    place: Workplace

    @property
    def schedule(self) -> Schedule:
        """What is to be played, as far as it is known."""
        return schedule_of(self.plan)

    @property
    def where(self) -> str:
        """The folder, for a command line."""
        return shlex.quote(str(self.folder))

    @property
    def to_resume(self) -> str:
        """The command line that goes on with it in the same place."""
        return f"arena resume {self.where}{self.place.option}"


@contextmanager
def opened(run: Run) -> Iterator[StoreWriter]:
    """The run's results, for this arena alone; made now if the run ended before they were.

    Left settled however this run ends.
    """
    with locked(run.folder):
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


def play_missing(
    run: Run, store: StoreWriter, tally: Tally | None = None, *, is_enough: Callable[[], bool] = lambda: False
) -> Outcome:
    """Plays what the schedule has and the store has not, until that `is_enough`; shows `tally` meanwhile."""
    schedule = run.schedule
    stored = list(store.positions())
    if len(stored) == schedule.match_count or is_enough():
        return Outcome(0, len(stored), schedule.match_count, 0.0, is_interrupted=False)
    tally = tally or _tally(store, planned=schedule.match_count, stored=len(stored))
    console = notice_console()
    is_live = console.is_terminal and not is_plain()
    watcher = LiveProgress(tally, console) if is_live else PlainProgress(tally, say)
    try:
        return play(
            schedule,
            stored=stored,
            executor=run.place.executor(run.plan, run.entrants, log_dir=run.folder.absolute() / LOG_FOLDER),
            workers=run.place.workers,
            results=store,
            watcher=watcher,
            is_enough=is_enough,
        )
    finally:
        watcher.close()
        sweep()


def interrupted(run: Run, outcome: Outcome | None = None) -> int:
    """Says how to go on; returns the exit status."""
    if outcome is None:
        say(f"interrupted; go on with\n  {run.to_resume}")
    else:
        say(f"interrupted: {outcome.stored} of {outcome.planned} matches are stored; go on with")
        say(f"  {run.to_resume}")
    return INTERRUPTED


def keep_ratings(run: Run, store: StoreWriter) -> None:
    """Keeps the ratings of all that is stored, and how sure they are, unless they are kept already."""
    kept = store.ratings()
    if kept is None or kept.matches != store.count():
        store.keep_ratings(figures_of(run.plan, store))


def tell_how_it_went(run: Run, store: StoreReader, *, played: int, took_s: float) -> None:
    """Faults, lost workers and time, on standard error."""
    for line in fault_lines(store):
        say(line)
    if lost := store.lost_worker_count():
        say(f"workers lost on the way and replaced: {lost}; see {run.folder / LOG_FOLDER}")
    if played:
        say(f"{played} matches in {duration_text(took_s)}, {played / took_s:.1f} matches/s")
    else:
        say("every match was stored already")


def conditions_of(run: Run) -> list[str]:
    """Under which conditions is played, exactly, and where the results are."""
    plan = run.plan
    seed_told = " (a short seed, for practice: a bot could search for it)" if plan.is_practice else ""
    sandbox = "SANDBOX OFF, bots run with all your rights" if plan.sandbox == "none" else plan.sandbox
    return [
        (
            f"time {plan.time_control} s (a decision + a match), {count_text(plan.strikes, 'strike')}, "
            f"start-up {plan.startup_s:g} s, {run.place.words}"
            f"{', bots are frozen while nothing is asked of them' if plan.freeze else ''}"
        ),
        f"sandbox: {sandbox}",
        f"seed commitment {plan.seed_commitment}{seed_told}",
        f"results in {run.folder}",
    ]


def count_text(count: int, word: str) -> str:
    """`1 set`, `2 sets`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _tally(store: StoreReader, *, planned: int, stored: int) -> Tally:
    totals = store.totals()
    before = {
        bot.name: (totals[bot.bot].matches, totals[bot.bot].total_tenths)
        for bot in store.bots
        if totals[bot.bot].matches
    }
    return Tally(planned, stored=stored, before=before)
