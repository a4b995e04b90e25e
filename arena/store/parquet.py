"""Owns how rows become a Parquet file; needs pyarrow (the extra `parquet`), which nothing else here does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain, islice
from typing import Any, BinaryIO

from arena.errors import ArenaError
from arena.store.columns import ExportTable, Kind
from arena.v1 import record_pb2

__all__ = ["check_parquet", "write_parquet"]

ROWS_A_GROUP = 65_536
"""Rows that are in memory at once, and that a reader can pass over at once."""


def check_parquet() -> None:
    """ArenaError when pyarrow is not installed."""
    try:
        import_module("pyarrow")
    except ModuleNotFoundError:
        raise ArenaError(
            "--format parquet needs pyarrow, which is not installed: pip install 'callbreak-arena[parquet]'"
        ) from None


def write_parquet(file: BinaryIO, table: ExportTable, records: Iterable[record_pb2.MatchRecord]) -> None:
    """Writes the rows of all `records`, compressed."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = _schema(pyarrow, table)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _grouped(chain.from_iterable(map(table.rows_of, records))):
            columns = zip(*rows, strict=True)
            arrays = [pyarrow.array(cells, kind) for cells, kind in zip(columns, schema.types, strict=True)]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _schema(pyarrow: Any, table: ExportTable) -> Any:
    kinds = {
        Kind.TEXT: pyarrow.string(),
        Kind.WHOLE: pyarrow.int64(),
        Kind.NUMBER: pyarrow.float64(),
        Kind.FLAG: pyarrow.bool_(),
        Kind.TEXTS: pyarrow.list_(pyarrow.string()),
        Kind.WHOLES: pyarrow.list_(pyarrow.int64()),
        Kind.NUMBERS: pyarrow.list_(pyarrow.float64()),
    }
    return pyarrow.schema(
        [
            pyarrow.field(column.name, kinds[column.kind], metadata={"meaning": column.meaning})
            for column in table.columns
        ]
    )


def _grouped(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows, so many at a time."""
    waiting = iter(rows)
    while group := list(islice(waiting, ROWS_A_GROUP)):
        yield group
