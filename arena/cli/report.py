"""Owns `arena report`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import default_jobs, run_argument
from arena.errors import ArenaError

__all__ = ["command"]

REPORT_FOLDER = "report"
NEEDED = ("jinja2", "markupsafe", "vl_convert")


@click.command(
    "report",
    cls=ArenaCommand,
    example="arena report results/spring\narena report results/spring --out public",
    help=(
        "Write a tournament's report: pages that open in a browser from disk, with standings, plots, a page"
        " for each bot and the replay of every match. Prints the page to open. A report that lies there"
        " already is replaced. It can be written while the tournament runs."
    ),
)
@run_argument
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Where it is written; by default the folder `{REPORT_FOLDER}` in the run's own.",
)
def command(*, folder: Path, out: Path | None) -> None:
    """See the help text."""
    from arena.cli.output import print_lines
    from arena.store.reader import StoreReader
    from arena.tournament.plan import plan_digest, read_plan

    plan = read_plan(folder)
    write_site = _write_site()
    target = out or folder / REPORT_FOLDER
    with StoreReader.open(folder, plan_digest=plan_digest(folder)) as store:
        tell = _progress(store.count())
        try:
            page = write_site(plan, store, target, jobs=default_jobs(), on_matches=tell)
        except OSError as error:
            raise ArenaError(f"{error.filename or target}: cannot be written: {error.strerror}") from None
    print_lines([str(page)])


def _write_site() -> Callable[..., Path]:
    """The writer of the site; ArenaError when what it needs is not installed."""
    try:
        from arena.reports.site.writing import write_site
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        raise ArenaError(
            f"a report needs {error.name}, which is not installed: pip install 'callbreak-arena[report]'"
        ) from None
    return write_site


def _progress(count: int) -> Callable[[int], None]:
    """Tells how far it is, on a terminal."""
    is_terminal = sys.stderr.isatty()

    def tell(done: int) -> None:
        if is_terminal:
            click.echo(f"\r{done}/{count} matches", err=True, nl=done == count)

    return tell
