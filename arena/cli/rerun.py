"""Owns `arena rerun`."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import run_argument
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.v1 import record_pb2

__all__ = ["command"]

DIFFERS = 1


@click.command(
    "rerun",
    cls=ArenaCommand,
    example="arena rerun results/spring t000-s00003-r2",
    help=(
        "Play the deals of a stored match again with the same bots, and say where it differs: the first call,"
        " card or fault that is another one. Exit status 0 when it is the same match again, 1 when it is not."
        " A bot that was changed since is refused."
    ),
)
@run_argument
@click.argument("match_id")
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def command(*, folder: Path, match_id: str, is_json: bool) -> int:
    """See the help text."""
    from arena.cli.output import print_json, print_lines, say
    from arena.cli.stored import stored_record
    from arena.reports.rerun import first_difference, rerun_document, rerun_lines

    then = stored_record(folder, match_id)
    logs = Path(tempfile.mkdtemp(prefix="arena-rerun-"))
    is_worth_keeping = False
    try:
        now = _played_again(folder, then, logs)
        is_worth_keeping = bool(now.faults)
    finally:
        if not is_worth_keeping:
            shutil.rmtree(logs, ignore_errors=True)
    if is_json:
        print_json(rerun_document(then, now))
    else:
        print_lines(rerun_lines(then, now))
    if is_worth_keeping:
        say(f"{len(now.faults)} faults now; what the bots printed is kept in {logs}")
    return DIFFERS if first_difference(then, now) else 0


def _played_again(folder: Path, then: record_pb2.MatchRecord, logs: Path) -> record_pb2.MatchRecord:
    """The same match, on the deals that the plan's seed gives, as the tournament would play it."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.cli.entrants import built, unchanged_entrants
    from arena.referee.check import RecordError, check_record
    from arena.tournament.plan import Job, check_plan, read_plan, schedule_of
    from arena.tournament.table import play_job

    plan = read_plan(folder)
    check_plan(plan)
    try:
        check_record(then, plan.seed)
    except RecordError as trouble:
        raise ArenaError(f"{folder}: there is nothing to compare with: {trouble}") from None
    schedule = schedule_of(plan)
    match = schedule.match_at(then.position)
    sandbox, _ = choose_sandbox(plan.sandbox)
    found = unchanged_entrants(plan, folder, only=match.seats)
    records: list[record_pb2.MatchRecord] = []
    asyncio.run(
        play_job(
            Job("rerun", match.table, schedule.table_at(match.table), (match,)),
            plan=plan,
            entrants={number: built(one, sandbox) for number, one in zip(match.seats, found, strict=True)},
            on_record=records.append,
            log_dir=logs,
            sandbox=sandbox,
        )
    )
    return records[0]
