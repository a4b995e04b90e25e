"""Owns `arena standings`."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import run_argument

__all__ = ["command"]


@click.command(
    "standings",
    cls=ArenaCommand,
    example="arena standings results/spring\narena standings results/spring --format json",
    help=(
        "Print the ranked table of a tournament, also while it runs. In JSON and CSV calls_made is a share"
        " from 0 to 1, wins count in part when shared, and what is not known is null."
    ),
)
@run_argument
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["table", "json", "csv", "md"]),
    default="table",
    show_default=True,
)
@click.option("--head-to-head", is_flag=True, help="How often each bot came before each other.")
def command(*, folder: Path, format_name: str, head_to_head: bool) -> None:
    """See the help text."""
    from arena.cli.output import is_plain, print_json, print_lines, show
    from arena.reports import standings as looks
    from arena.store.reader import StoreReader
    from arena.store.standings import head_to_head_of, planned_matches, standings_of
    from arena.tournament.plan import plan_digest, read_plan

    plan = read_plan(folder)
    with StoreReader.open(folder, plan_digest=plan_digest(folder)) as store:
        table, planned = standings_of(plan, store), planned_matches(plan, store)
        versus = head_to_head_of(store.results(), [r.bot for r in table.rows]) if head_to_head else None
    if format_name == "json":
        print_json(table.as_json() if versus is None else versus.as_json())
    elif format_name == "csv":
        print_lines(
            (looks.standings_csv(table) if versus is None else looks.head_to_head_csv(versus)).splitlines()
        )
    elif format_name == "md":
        print_lines(looks.standings_markdown(table, planned=planned).splitlines())
        if versus is not None:
            print_lines(["", *looks.head_to_head_markdown(versus).splitlines()])
    else:
        show(lambda w: looks.standings_table(table, planned=planned, is_plain=is_plain(), width=w))
        if versus is not None:
            print_lines([""])
            show(lambda w: looks.head_to_head_table(versus, is_plain=is_plain(), width=w))
