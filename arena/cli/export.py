"""Owns `arena export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import run_argument
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.v1 import record_pb2

__all__ = ["command"]

WITH_ROWS = ("csv", "parquet")


@click.command(
    "export",
    cls=ArenaCommand,
    example=(
        "arena export results/spring --format jsonl > matches.jsonl\n"
        "arena export results/spring --format csv --out seats.csv\n"
        "arena export results/spring --format parquet --rows decisions --out decisions.parquet"
    ),
    help=(
        "Write every stored match, in schedule order, for other tools: jsonl holds whole matches, one a line;"
        " csv and parquet a row a seat of a match, or with --rows decisions a row a call or card; pbn"
        " (Portable Bridge Notation) a board a round."
    ),
)
@run_argument
@click.option("--format", "format_name", type=click.Choice(["jsonl", "csv", "parquet", "pbn"]), required=True)
@click.option(
    "--rows",
    type=click.Choice(["seats", "decisions"]),
    help="With csv or parquet: what a row is; by default seats.",
)
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="By default stdout."
)
def command(*, folder: Path, format_name: str, rows: str | None, out: Path | None) -> None:
    """See the help text."""
    from arena.store.parquet import check_parquet
    from arena.store.reader import StoreReader
    from arena.tournament.plan import plan_digest, read_plan

    if rows is not None and format_name not in WITH_ROWS:
        raise ArenaError(
            f"--rows goes with --format {' or '.join(WITH_ROWS)}; {format_name} holds whole matches"
        )
    if format_name == "parquet" and out is None and sys.stdout.isatty():
        raise ArenaError("--format parquet is not for a terminal: give --out FILE, or send it on")
    plan = read_plan(folder)
    with StoreReader.open(folder, plan_digest=plan_digest(folder)) as store:
        export = _Export(
            (stored.parse() for stored in store.matches()), format_name, rows or "seats", plan.name
        )
        if format_name == "parquet":
            check_parquet()
            with _binary(out) as binary:
                export.write_binary(binary)
        else:
            with _text(out) as text:
                export.write_text(text)


@dataclass(frozen=True, slots=True)
class _Export:
    """What is to be written, in which form."""

    records: Iterable[record_pb2.MatchRecord]
    format_name: str
    rows: str
    event: str

    def write_text(self, file: TextIO) -> None:
        from arena.store.columns import TABLES
        from arena.store.csv_file import write_csv
        from arena.store.export import match_document
        from arena.store.pbn import PBN_HEAD, board_lines

        if self.format_name == "csv":
            table = TABLES[self.rows]
            names = [column.name for column in table.columns]
            write_csv(file, names, (row for record in self.records for row in table.rows_of(record)))
        elif self.format_name == "pbn":
            file.writelines(f"{line}\n" for line in PBN_HEAD)
            for record in self.records:
                file.writelines(f"{line}\n" for line in board_lines(record, event=self.event))
        else:
            documents = map(match_document, self.records)
            file.writelines(
                json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in documents
            )

    def write_binary(self, file: BinaryIO) -> None:
        from arena.store.columns import TABLES
        from arena.store.parquet import write_parquet

        write_parquet(file, TABLES[self.rows], self.records)


@contextmanager
def _text(out: Path | None) -> Iterator[TextIO]:
    if out is None:
        yield sys.stdout
        return
    with _saying_why_not(out), out.open("w", newline="", encoding="utf-8") as file:
        yield file


@contextmanager
def _binary(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        yield sys.stdout.buffer
        return
    with _saying_why_not(out), out.open("wb") as file:
        yield file


@contextmanager
def _saying_why_not(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ArenaError(f"{out}: cannot be written: {error.strerror}") from None
