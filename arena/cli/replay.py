"""Owns `arena replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import run_argument
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.v1 import record_pb2

__all__ = ["command"]


@click.command(
    "replay",
    cls=ArenaCommand,
    example=(
        "arena replay results/spring t000-s00003-r2\n"
        "arena replay results/spring t000-s00003-r2 --round 3 --seat 1"
    ),
    help=(
        "Tell a stored match again, trick by trick: > stands before the card led, * after the card that won;"
        " a score is call/tricks and points."
    ),
)
@run_argument
@click.argument("match_id")
@click.option("--round", "only_round", type=click.IntRange(1), metavar="N", help="Only this round.")
@click.option("--seat", type=click.IntRange(0, 3), metavar="N", help="Only what that seat saw.")
@click.option("--json", "is_json", is_flag=True, help="One JSON document, as `export` writes it.")
def command(*, folder: Path, match_id: str, only_round: int | None, seat: int | None, is_json: bool) -> None:
    """See the help text."""
    from arena.cli.output import is_plain, print_json, print_lines
    from arena.cli.stored import stored_record
    from arena.reports.replay import match_lines

    record = stored_record(folder, match_id)
    if only_round is not None and only_round > len(record.rounds):
        raise ArenaError(f"--round {only_round}: match {match_id} has {len(record.rounds)} rounds")
    if is_json:
        print_json(_document(record, only_round=only_round, seat=seat))
        return
    print_lines(match_lines(record, only_round=only_round or 0, seat=seat, is_plain=is_plain()))


def _document(record: record_pb2.MatchRecord, *, only_round: int | None, seat: int | None) -> dict[str, Any]:
    """The match, less what was not asked for; hands that the seat did not see are null."""
    from arena.store.export import match_document

    document = match_document(record)
    if only_round is not None:
        document["rounds"] = [played for played in document["rounds"] if played["round"] == only_round]
        document["faults"] = [fault for fault in document["faults"] if fault["round"] == only_round]
    if seat is not None:
        document["faults"] = [fault for fault in document["faults"] if fault["seat"] == seat]
        for played in document["rounds"]:
            played["hands"] = [hand if owner == seat else None for owner, hand in enumerate(played["hands"])]
    return document
