"""Owns `arena bench`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import default_jobs, jobs_option

if TYPE_CHECKING:
    from arena.tournament.throughput import Throughput

__all__ = ["command"]


@click.command(
    "bench",
    cls=ArenaCommand,
    example="arena bench\narena bench --jobs 1 --in-flight 1",
    help=(
        "Measure what this machine plays a second: house bots in processes of their own, with the real"
        " referee, transport and records. Start-up is left out."
    ),
)
@jobs_option
@click.option("--in-flight", type=click.IntRange(1, 1024), help="Matches at once; by default 1, then 64.")
@click.option("--matches", type=click.IntRange(1), default=200, show_default=True, help="Matches a worker.")
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def command(*, jobs: int | None, in_flight: int | None, matches: int, is_json: bool) -> None:
    """See the help text."""
    from arena.cli.output import print_json, print_lines
    from arena.tournament.throughput import measure_cells

    cells = jobs or default_jobs()
    told = []
    for together in [in_flight] if in_flight else [1, 64]:
        found = measure_cells(cells, in_flight=together, matches=matches)
        told.append(_document(found))
        if not is_json:
            print_lines([_line(found)])
    if is_json:
        print_json(told)


def _line(found: Throughput) -> str:
    return (
        f"workers {found.cells}, matches in flight {found.in_flight}: "
        f"{found.decisions_per_s:,.0f} decisions/s, {found.matches_per_s:,.0f} matches/s"
    )


def _document(found: Throughput) -> dict[str, float]:
    return {
        **asdict(found),
        "decisions_per_s": found.decisions_per_s,
        "matches_per_s": found.matches_per_s,
    }
