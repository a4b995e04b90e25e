"""Owns `arena tournament`: from a folder of bots to a plan, and from the plan to a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import (
    Wishes,
    executor_option,
    faulty_option,
    jobs_option,
    play_options,
    schedule_options,
    strict_option,
)

__all__ = ["command"]

EXAMPLE = """\
arena tournament --bots sample_bots
arena tournament --bots sample_bots --sets 12 --time 0.1+5 --out results/spring
arena tournament --bots mine --ruleset callbreak-master --rule rounds=10 --seed 7"""


@click.command(
    "tournament",
    cls=ArenaCommand,
    example=EXAMPLE,
    help=(
        "Check every bot of a folder, play them against each other, store every match, rank and print. A bot"
        " that fails the check (`arena check` tells more) is left out with a line that says why; named with"
        " --only it is an error."
    ),
)
@click.option("--bots", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Their folder.")
@play_options
@schedule_options
@jobs_option
@executor_option
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Where the run lands.")
@click.option("--only", multiple=True, metavar="BOT", help="Only these bots; may be repeated.")
@click.option("--exclude", multiple=True, metavar="BOT", help="Not these; may be repeated.")
@click.option("--include-house", is_flag=True, help="The house bots play as well.")
@faulty_option
@strict_option
def command(
    *,
    bots: Path,
    jobs: int | None,
    executor: str,
    out: Path | None,
    only: tuple[str, ...],
    exclude: tuple[str, ...],
    include_house: bool,
    strict: bool,
    **wishes: Any,
) -> int:
    """See the help text. Everything is checked before the run's folder is made."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.cli.admission import admitted
    from arena.cli.entrants import gather, with_house_bots
    from arena.cli.planning import check_wishes, conditions, free_folder, make_plan
    from arena.cli.running import run_plan
    from arena.cli.workplace import workplace
    from arena.tournament.plan import write_plan

    wished = Wishes.taken_from(wishes)
    check_wishes(wished)
    folder = free_folder(out, bots.resolve().name)
    sandbox, _ = choose_sandbox(wished.sandbox)
    with workplace(executor, jobs) as place:
        found = gather(bots, only=only, exclude=exclude, sandbox=sandbox)
        sound = admitted(
            found,
            conditions(wished, sandbox=sandbox, at_once=place.at_once_here),
            named=only,
            admits_faulty=wished.admit_faulty,
        )
        entrants = with_house_bots(sound, bots, has_all=include_house)
        plan = make_plan(wished, name=folder.name, folder=folder, entrants=entrants, sandbox=sandbox.name)
        write_plan(plan, folder)
        return run_plan(folder, plan, entrants, place=place, is_strict=strict)
