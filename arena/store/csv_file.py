"""Owns how rows become CSV that a spreadsheet may open: nothing that a stranger wrote is run as a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

__all__ = ["harmless_cell", "write_csv"]

FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What Excel, LibreOffice and Google Sheets may take for the beginning of a formula, full width included."""


def write_csv(file: TextIO, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a line of names and a line a row: None an empty cell, a flag 0 or 1, a list parted by spaces."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row] for row in rows)


def harmless_cell(text: str) -> str:
    """A text on one line that no spreadsheet takes for a formula: an apostrophe stands before what it might.

    See "CSV Injection" of OWASP. Text alone is changed: a number may begin with a minus sign.
    """
    line = "".join(character if character.isprintable() else " " for character in text)
    return f"'{line}" if line.lstrip().startswith(FORMULA_STARTS) else line


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return harmless_cell(value)
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value
