"""Owns `arena export`."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import run_argument

if TYPE_CHECKING:
    from arena.v1 import record_pb2

__all__ = ["command"]


@click.command(
    "export",
    cls=ArenaCommand,
    example=(
        "arena export results/spring --format jsonl > matches.jsonl\n"
        "arena export results/spring --format csv --out seats.csv"
    ),
    help=(
        "Write every stored match, in schedule order, for other tools: jsonl holds whole matches, one a line;"
        " csv one row a seat."
    ),
)
@run_argument
@click.option("--format", "format_name", type=click.Choice(["jsonl", "csv"]), required=True)
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="By default stdout."
)
def command(*, folder: Path, format_name: str, out: Path | None) -> None:
    """See the help text."""
    from arena.errors import ArenaError
    from arena.store.reader import StoreReader
    from arena.tournament.plan import plan_digest, read_plan

    read_plan(folder)
    with StoreReader.open(folder, plan_digest=plan_digest(folder)) as store:
        records = (stored.parse() for stored in store.matches())
        if out is None:
            _write(records, format_name, sys.stdout)
            return
        try:
            with out.open("w", newline="", encoding="utf-8") as file:
                _write(records, format_name, file)
        except OSError as error:
            raise ArenaError(f"{out}: cannot be written: {error.strerror}") from None


def _write(records: Iterable[record_pb2.MatchRecord], format_name: str, file: TextIO) -> None:
    from arena.store.export import CSV_COLUMNS, match_document, seat_rows

    if format_name == "jsonl":
        documents = (match_document(record) for record in records)
        file.writelines(
            json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in documents
        )
        return
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for record in records:
        writer.writerows(seat_rows(record))
