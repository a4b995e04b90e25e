"""CSV for spreadsheets: what a stranger wrote stays a text."""

from __future__ import annotations

import csv
import io

import pytest

from arena.store.csv_file import harmless_cell, write_csv


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://a.example","see")',
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(A1:A9)",
        "\t=1+1",
        "\r=1+1",
        " =1+1",
        "＝1+1",
    ],
)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert harmless_cell(text).startswith("'")


@pytest.mark.parametrize("text", ["", "greedy", "KH", "ace is high, I lead", "a=b", "t000-s00001-r2"])
def test_other_text_is_as_it_was(text: str) -> None:
    assert harmless_cell(text) == text


def test_line_breaks_and_escapes_of_a_stranger_stay_in_the_cell() -> None:
    assert harmless_cell("two\nlines\x1b[2J") == "two lines [2J"


def test_numbers_flags_lists_and_nothing() -> None:
    file = io.StringIO()

    write_csv(file, ["a", "b", "c", "d", "e"], [(-1.5, True, [3, -2.5], None, "=1")])

    assert file.getvalue() == "a,b,c,d,e\n-1.5,1,3 -2.5,,'=1\n"


def test_a_cell_with_quotes_and_commas_is_read_back() -> None:
    file = io.StringIO()

    write_csv(file, ["note"], [('he said "ace", twice',)])

    file.seek(0)
    assert list(csv.reader(file)) == [["note"], ['he said "ace", twice']]
