"""Owns the promise that `docs/exports.md` says what is: its columns are the code's, its examples run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from arena.store.columns import TABLES, Kind
from tests.cli.commands import arena
from tests.store.played import all_played, plan_of, run_in

PAGE = (Path(__file__).parents[2] / "docs" / "exports.md").read_text()
WORDS = {
    Kind.TEXT: "text",
    Kind.WHOLE: "whole number",
    Kind.NUMBER: "number",
    Kind.FLAG: "flag",
    Kind.TEXTS: "list of texts",
    Kind.WHOLES: "list of whole numbers",
    Kind.NUMBERS: "list of numbers",
}
PLAN = plan_of()


def fenced(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return found


def rows_of(query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        return database.execute(query).fetchall()


@pytest.fixture
def exported(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the page's own commands write, and the working folder."""
    (tmp_path / "results").mkdir()
    run_in(tmp_path / "results" / "spring", PLAN, all_played(PLAN))
    monkeypatch.chdir(tmp_path)
    for line in fenced("")[0].splitlines():
        name, *arguments = line.split()
        assert name == "arena"
        assert arena(capsys, *arguments).status == 0
    return tmp_path


@pytest.mark.parametrize("name", TABLES)
def test_page_has_every_column_with_its_meaning(name: str) -> None:
    lines = [f"| `{each.name}` | {WORDS[each.kind]} | {each.meaning} |" for each in TABLES[name].columns]

    assert "\n".join(["| column | holds | meaning |", "|---|---|---|", *lines, ""]) in PAGE


@pytest.mark.parametrize("query", fenced("sql"), ids=lambda query: query.split()[0])
def test_duckdb_example_runs_and_finds_something(exported: Path, query: str) -> None:
    assert rows_of(query)


def test_duckdb_finds_what_the_records_say(exported: Path) -> None:
    rows = rows_of(fenced("sql")[0])

    assert sorted(row[0] for row in rows) == ["ant", "bee", "cat", "dog", "eel"]
    assert {row[1] for row in rows} == {2.0}
    assert sum(row[2] for row in rows) == pytest.approx(5 * 13 / 4, abs=0.05)


def test_pandas_examples_run(exported: Path) -> None:
    names: dict[str, Any] = {}
    for program in fenced("python"):
        exec(program, names)

    assert list(names["table"]["count"]) == [16] * 5
    assert names["differences"].sum(axis=1).abs().max() == pytest.approx(0, abs=1e-9)
    assert set(names["mean_call_by_spades"]) == {2.0}


def test_parquet_columns_have_their_types_and_meanings(exported: Path) -> None:
    types = {row[0]: row[1] for row in rows_of("DESCRIBE 'decisions.parquet'")}

    assert (types["won"], types["time_us"], types["card"]) == ("BOOLEAN", "BIGINT", "VARCHAR")
    assert types["hand"] == "VARCHAR[]"
