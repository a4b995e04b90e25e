"""Owns `arena resume`: the same plan, less what is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import (
    Wishes,
    executor_option,
    jobs_option,
    play_options,
    run_argument,
    schedule_options,
    strict_option,
)
from arena.errors import ArenaError

__all__ = ["command"]


@click.command(
    "resume",
    cls=ArenaCommand,
    example="arena resume results/spring\narena resume results/spring --jobs 8",
    help=(
        "Go on with a tournament that was interrupted, with exactly the same plan. Options need not be given"
        " again; one that differs from the plan is refused, and so is a bot that was changed."
    ),
)
@run_argument
@play_options
@schedule_options
@jobs_option
@executor_option
@strict_option
def command(*, folder: Path, jobs: int | None, executor: str, strict: bool, **wishes: Any) -> int:
    """See the help text."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.cli.entrants import built, unchanged_entrants
    from arena.cli.planning import differences
    from arena.cli.running import run_plan
    from arena.cli.workplace import workplace
    from arena.tournament.plan import read_plan

    plan = read_plan(folder)
    if different := differences(plan, Wishes.taken_from(wishes)):
        raise ArenaError(f"{folder}: {'; '.join(different)}; resume without")
    sandbox, _ = choose_sandbox(plan.sandbox)
    with workplace(executor, jobs) as place:
        entrants = [built(entrant, sandbox) for entrant in unchanged_entrants(plan, folder)]
        return run_plan(folder, plan, entrants, place=place, is_strict=strict)
