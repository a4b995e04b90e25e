"""Owns `arena verify`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import run_argument

__all__ = ["command"]

FAILED = 1


@click.command(
    "verify",
    cls=ArenaCommand,
    example="arena verify results/spring",
    help=(
        "Recompute every deal, play, score, place, total and rating of a tournament from its plan, its seed"
        " and the rules. The first thing that is wrong is named; then the exit status is 1."
    ),
)
@run_argument
def command(*, folder: Path) -> int:
    """See the help text."""
    from arena.cli.output import print_lines
    from arena.reports.text import harmless
    from arena.store.verify import Mismatch, verify

    try:
        found = verify(folder, on_match=_progress())
    except Mismatch as mismatch:
        print_lines([f"{folder}: WRONG: {harmless(str(mismatch), longest=1000)}"])
        return FAILED
    rated = ", totals and ratings" if found.has_ratings else " and totals"
    what = f"schedule, seats, deals, plays, scores, places, faults{rated}"
    print_lines([f"{folder}: {found.matches} matches verified: {what} follow from plan, seed and rules"])
    if found.matches < found.planned:
        print_lines([f"the tournament is not finished: {found.planned - found.matches} matches are missing"])
    return 0


def _progress() -> Callable[[int, int], None]:
    """Tells how far it is, on a terminal, every thousand matches."""
    is_terminal = sys.stderr.isatty()

    def tell(done: int, planned: int) -> None:
        if is_terminal and done % 1000 == 0:
            click.echo(f"\r{done}/{planned} matches", err=True, nl=False)

    return tell
