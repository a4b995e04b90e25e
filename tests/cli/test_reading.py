"""Commands that read a finished run: standings, replay, export, verify, rules, help."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.cli.group import COMMANDS
from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.rules import PRESETS
from arena.store.export import match_document
from tests.cli.commands import arena
from tests.store.played import all_played, plan_of, run_in

Capsys = pytest.CaptureFixture[str]
PLAN = plan_of(["ant", "bee", "cat", "dog", "eel-with-a-name-that-is-longer-than-any-column"])


def cat_errs(match: RefereedMatch) -> FaultKind | None:
    is_cat = match.setup.seats[match.seat].bot == "cat"
    return FaultKind.MALFORMED if is_cat and match.game.round.decision > 30 else None


RECORDS = all_played(PLAN, cat_errs)


@pytest.fixture(scope="module")
def spring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_in(tmp_path_factory.mktemp("runs") / "spring", PLAN, RECORDS)


def test_table_fits_eighty_columns_and_says_what_its_figures_mean(capsys: Capsys, spring: Path) -> None:
    said = arena(capsys, "standings", spring)

    assert said.status == 0
    assert max(len(line) for line in said.out.splitlines()) <= 80
    assert said.out.split()[:4] == ["#", "bot", "rating", "adj."]
    assert "rating = mu − 3 sigma" in said.out
    assert not any("longer-than" in line for line in said.out.splitlines()[:8])


def test_wide_terminal_shows_more(capsys: Capsys, spring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    said = arena(capsys, "standings", spring)

    assert "eel-with-a-name-that-is-longer-than-any-column" in said.out
    assert "p99 ms" in said.out


def test_plain_output_is_ascii_without_lines(capsys: Capsys, spring: Path) -> None:
    for command in (
        ("standings", spring, "--head-to-head"),
        ("replay", spring, "t000-s00000-r1"),
        ("rules",),
    ):
        said = arena(capsys, *command, "--plain")
        assert said.out.isascii()
        assert "---" not in said.out
        assert "\x1b" not in said.out


def test_unequal_game_counts_are_warned_of(capsys: Capsys, tmp_path: Path) -> None:
    folder = run_in(tmp_path / "unfinished", PLAN, RECORDS[:6])

    said = arena(capsys, "standings", folder)

    assert "Provisional: 6 of 20 matches are stored" in said.out
    assert "Warning: bots have played between 2 and 6 matches" in " ".join(said.out.split())


def test_json_csv_and_markdown_say_the_same(capsys: Capsys, spring: Path) -> None:
    document = json.loads(arena(capsys, "standings", spring, "--format", "json").out)
    table = list(csv.DictReader(io.StringIO(arena(capsys, "standings", spring, "--format", "csv").out)))
    markdown = arena(capsys, "standings", spring, "--format", "md").out.splitlines()

    assert [row["bot"] for row in document["rows"]] == [row["bot"] for row in table]
    assert [float(row["rating"]) for row in table] == [row["rating"] for row in document["rows"]]
    assert list(table[0]) == list(document["rows"][0])
    assert markdown[2].startswith(f"| 1 | {document['rows'][0]['bot']} |")
    assert document["seed"] == "7"
    cat = next(row for row in table if row["bot"] == "cat")
    assert cat["faults"].startswith("MALFORMED=")


def test_head_to_head_in_every_format(capsys: Capsys, spring: Path) -> None:
    document = json.loads(arena(capsys, "standings", spring, "--head-to-head", "--format", "json").out)
    rows = arena(capsys, "standings", spring, "--head-to-head", "--format", "csv").out.splitlines()
    markdown = arena(capsys, "standings", spring, "--head-to-head", "--format", "md").out

    assert document["shares"][0][0] is None
    assert document["shares"][0][1] + document["shares"][1][0] == pytest.approx(1)
    assert len(rows) == 1 + 5 * 4
    assert "| # | bot | 1 | 2 | 3 | 4 | 5 |" in markdown


def test_export_is_one_document_a_match_in_schedule_order(capsys: Capsys, spring: Path) -> None:
    lines = arena(capsys, "export", spring, "--format", "jsonl").out.splitlines()

    assert [json.loads(line) for line in lines] == [match_document(record) for record in RECORDS]


def test_export_to_a_file(capsys: Capsys, spring: Path, tmp_path: Path) -> None:
    file = tmp_path / "seats.csv"

    said = arena(capsys, "export", spring, "--format", "csv", "--out", file)

    assert said.out == ""
    assert len(file.read_text().splitlines()) == 1 + 4 * len(RECORDS)


def test_export_of_decisions_has_a_row_a_call_or_card(capsys: Capsys, spring: Path) -> None:
    said = arena(capsys, "export", spring, "--format", "csv", "--rows", "decisions")

    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert len(rows) == 56 * 2 * len(RECORDS)
    assert {row["fault"] for row in rows} == {"", "MALFORMED"}


def test_export_to_portable_bridge_notation_has_a_board_a_round(capsys: Capsys, spring: Path) -> None:
    said = arena(capsys, "export", spring, "--format", "pbn")

    assert said.out.startswith("% PBN 2.1\n")
    assert said.out.count('[Event "spring"]') == 2 * len(RECORDS)


def test_replay_tells_every_trick_and_every_fault(capsys: Capsys, spring: Path) -> None:
    record = next(record for record in RECORDS if record.faults)

    said = arena(capsys, "replay", spring, record.match_id)

    assert said.out.count("\nround ") == 2 + 1
    assert said.out.count("! 2 cat MALFORMED") == len(record.faults)
    assert "\x1b" not in said.out
    assert "no \\x1b[31mred" in said.out
    assert "♠" in said.out


def test_replay_of_one_seat_shows_no_other_hand(capsys: Capsys, spring: Path) -> None:
    said = arena(capsys, "replay", spring, RECORDS[0].match_id, "--seat", "1", "--round", "2")
    document = json.loads(
        arena(capsys, "replay", spring, RECORDS[0].match_id, "--seat", "1", "--round", "2", "--json").out
    )

    assert said.out.count("(not seen)") == 3
    assert "cat MALFORMED" not in said.out
    (played,) = document["rounds"]
    assert [hand is None for hand in played["hands"]] == [True, False, True, True]
    assert document["faults"] == []


def test_verify_passes_and_fails_with_the_place(capsys: Capsys, tmp_path: Path) -> None:
    folder = run_in(tmp_path / "run", PLAN, RECORDS)
    assert arena(capsys, "verify", folder).status == 0

    with sqlite3.connect(folder / "results.sqlite3") as connection:
        connection.execute("UPDATE match_seats SET place = 3 - place WHERE position = 6 AND place = 1")
    connection.close()
    said = arena(capsys, "verify", folder)

    assert said.status == 1
    assert f"WRONG: match {RECORDS[6].match_id}, table match_seats" in said.out
    assert len(said.out.splitlines()) == 1


def test_verify_says_when_matches_are_missing(capsys: Capsys, tmp_path: Path) -> None:
    said = arena(capsys, "verify", run_in(tmp_path / "run", PLAN, RECORDS[:5], is_rated=False))

    assert said.status == 0
    assert "not finished: 15 matches are missing" in said.out


def test_rules_are_shown_side_by_side_and_one_by_one(capsys: Capsys) -> None:
    table = arena(capsys, "rules").out
    one = arena(capsys, "rules", "lakdi").out
    document = json.loads(arena(capsys, "rules", "callbreak+rounds=10", "--json").out)

    assert all(name in table for name in PRESETS)
    assert "bonus_points       13" in one
    assert "whole points that such a call scores" in one
    assert document["rounds"] == 10


# Commands that are groups, and what stands in them.
GROUPS = {"token": ["issue", "list", "revoke"], "season": ["begin", "freeze", "end", "list"]}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(capsys: Capsys, command: str) -> None:
    said = arena(capsys, command, "--help")

    assert said.status == 0
    assert f"Example:\n  arena {command}" in said.out
    for part in GROUPS.get(command, [""]):
        assert "--plain" in arena(capsys, command, *part.split(), "--help").out


def test_help_lists_every_command(capsys: Capsys) -> None:
    said = arena(capsys, "--help")

    assert all(f"  {command} " in said.out for command in COMMANDS)
    assert arena(capsys).out == said.out


def test_help_needs_none_of_the_parts() -> None:
    program = (
        "import sys; from arena.cli.group import run; run(['--help']);"
        "print(sorted({'grpc', 'numpy', 'sqlalchemy', 'rich', 'google.protobuf'} & set(sys.modules)))"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
    assert time.monotonic() - began < 5


def test_reader_that_stops_reading_is_no_error(spring: Path) -> None:
    program = f"from arena.cli import main; import sys; sys.argv = ['arena', 'export', {str(spring)!r}, "
    program += "'--format', 'jsonl']; main()"
    command = f'{sys.executable} -c "{program}" | head -c 100 > /dev/null; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)

    assert (done.stdout.strip(), done.stderr) == ("0", "")
