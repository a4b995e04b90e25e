"""Owns `arena season`: the organiser begins, freezes, ends and lists seasons, on the league's database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand, ArenaSubgroup
from arena.cli.options import league_options, opened_league

if TYPE_CHECKING:
    from arena.league.model import Season

__all__ = ["command"]


@click.group(
    "season",
    cls=ArenaSubgroup,
    example=(
        "arena season freeze --data league/\n"
        "arena season end --data league/\n"
        "arena season list --data league/"
    ),
    help=(
        "Begin, freeze, end or list the seasons of a league. It works on the database itself, so the server"
        " may run or not; it notices within a second."
    ),
)
def command() -> None:
    """See the help text."""


@command.command(
    "begin",
    cls=ArenaCommand,
    example="arena season begin spring --data league/ --replays after-season",
    help=(
        "Begin a season with a new secret seed. All bots that are not retired enter it; there is one at a"
        " time."
    ),
)
@click.argument("name")
@league_options
@click.option(
    "--ruleset", metavar="NAME|FILE.toml", default="callbreak", show_default=True, help="Its rules."
)
@click.option(
    "--time",
    "time_text",
    metavar="LIMIT+BANK",
    default="0.5+10",
    show_default=True,
    help="Seconds a decision.",
)
@click.option("--strikes", type=click.IntRange(1), default=3, show_default=True, help="Faults that forfeit.")
@click.option(
    "--replays",
    type=click.Choice(["at-once", "after-season", "never"]),
    default="at-once",
    show_default=True,
    help="When its records may be seen.",
)
def begin(
    *,
    name: str,
    data: Path | None,
    database: str | None,
    ruleset: str,
    time_text: str,
    strikes: int,
    replays: str,
) -> None:
    """See the help text."""
    from arena.cli.options import chosen_ruleset
    from arena.cli.output import print_lines
    from arena.league.model import Replays
    from arena.referee import TimeControl

    TimeControl.parse(time_text)
    rules = chosen_ruleset(ruleset, (), None).name
    with opened_league(data, database) as store:
        season = store.open_season(
            name, ruleset=rules, time_control=time_text, strikes=strikes, replays=Replays(replays)
        )
    print_lines([_line(season), f"commitment to its seed: {season.commitment}"])


@command.command(
    "freeze",
    cls=ArenaCommand,
    example="arena season freeze --data league/",
    help="Freeze the open season: no new tables and no new versions; what is in play is finished.",
)
@league_options
def freeze(*, data: Path | None, database: str | None) -> None:
    """See the help text."""
    from arena.cli.output import print_lines

    with opened_league(data, database) as store:
        print_lines([_line(store.freeze_season(store.season("")))])


@command.command(
    "end",
    cls=ArenaCommand,
    example="arena season end --data league/",
    help=(
        "End the frozen season: its final standings are those of the fit over all its rated matches, whatever"
        " their order, and its seed is shown, so that anyone can check every deal."
    ),
)
@league_options
def end(*, data: Path | None, database: str | None) -> None:
    """See the help text."""
    from arena.cli.output import print_lines

    with opened_league(data, database) as store:
        season = store.end_season(store.season(""))
    print_lines([_line(season), f"seed: {season.seed_text}"])


@command.command(
    "list",
    cls=ArenaCommand,
    example="arena season list --data league/",
    help="List the seasons, newest first.",
)
@league_options
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def list_(*, data: Path | None, database: str | None, is_json: bool) -> None:
    """See the help text."""
    from arena.cli.output import print_json, print_lines

    with opened_league(data, database) as store:
        seasons = store.seasons()
    if is_json:
        print_json([_document(season) for season in seasons])
    else:
        print_lines([_line(season) for season in seasons])


def _line(season: Season) -> str:
    from arena.reports.text import harmless

    return (
        f"{harmless(season.name)}: {season.state}; {season.ruleset}, {season.time_control} s, "
        f"{season.strikes} strikes, replays {season.replays}"
    )


def _document(season: Season) -> dict[str, object]:
    return {
        "name": season.name,
        "state": season.state.value,
        "ruleset": season.ruleset,
        "time": season.time_control,
        "strikes": season.strikes,
        "replays": season.replays.value,
        "commitment": season.commitment,
        "seed": season.seed_text if season.ended_unix_us is not None else None,
    }
