"""An operator's mistake is one line on standard error and exit status 2, never a traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.commands import arena, quick_bots
from tests.store.played import all_played, plan_of, run_in

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return quick_bots(tmp_path / "bots", "ant", "bee", "cat", "dog")


OPTIONS = [
    (("--rounds", "0"), "rounds is 0"),
    (("--rounds", "many"), "rounds is 'many'"),
    (("--rule", "rounds=0"), "rounds is 0"),
    (("--rule", "rounds"), "write KEY=VALUE"),
    (("--rule", "trumps=hearts"), "unknown rule 'trumps'"),
    (("--rule", "rounds=2", "--rounds", "3"), "given twice"),
    (("--rule", "call_min=9"), "call_min 9 is above call_max 8"),
    (("--ruleset", "poker"), "unknown ruleset 'poker'"),
    (("--ruleset", "nowhere.toml"), "nowhere.toml: cannot be read"),
    (("--seed", "lucky"), "seed is 'lucky'"),
    (("--seed", "-1"), "seed is '-1'"),
    (("--time", "soon"), "time 'soon'"),
    (("--time", "0+0"), "time '0+0'"),
    (("--strikes", "0"), "--strikes"),
    (("--startup", "0"), "--startup"),
    (("--sets", "0"), "--sets 0"),
    (("--sets", "few"), "--sets"),
    (("--jobs", "0"), "--jobs"),
    (("--matches-per-bot", "0", "--format", "balanced"), "--matches-per-bot 0"),
    (("--format", "swiss"), "--format"),
    (("--format", "gauntlet"), "--hero"),
    (("--format", "gauntlet", "--hero", "fox"), "--hero fox: no such bot; there are ant, bee"),
    (("--hero", "ant"), "--hero"),
    (("--sandbox", "prison"), "--sandbox"),
    (("--executor", "cloud"), "--executor cloud: unknown; allowed are local, ray and ray://HOST:PORT"),
    (("--executor", "ray://"), "--executor ray://: unknown"),
    (("--only", "fox"), "--only fox"),
    (("--exclude", "fox"), "--exclude fox"),
    (("--only", "ant"), "two bots at least"),
    (("--colour",), "No such option"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS, ids=[" ".join(o) for o, _ in OPTIONS])
def test_option_that_makes_no_sense_is_named_and_nothing_is_made(
    capsys: Capsys, bots: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    out = tmp_path / "run"

    said = arena(capsys, "tournament", "--bots", bots, "--out", out, *options)

    assert message in said.mistake
    assert not out.exists()


def test_empty_folder_of_bots(capsys: Capsys, tmp_path: Path) -> None:
    assert "no bots in" in arena(capsys, "tournament", "--bots", tmp_path).mistake


def test_missing_folder_of_bots(capsys: Capsys, tmp_path: Path) -> None:
    assert "no such folder" in arena(capsys, "tournament", "--bots", tmp_path / "nowhere").mistake


def test_no_folder_of_bots_at_all(capsys: Capsys) -> None:
    mistake = arena(capsys, "tournament").mistake

    assert "--bots" in mistake
    assert "arena tournament --help" in mistake


def test_two_bots_of_one_name(capsys: Capsys, bots: Path) -> None:
    twin = bots / "twin"
    twin.mkdir()
    (twin / "bot.toml").write_text(
        'name = "ant"\nversion = "1"\nlanguage = "python"\ncommand = ["python", "bot.py"]\n'
    )
    (twin / "bot.py").write_text("")

    assert "two bots are called ant" in arena(capsys, "tournament", "--bots", bots).mistake


def test_broken_bot_toml_is_named_with_its_line(capsys: Capsys, bots: Path) -> None:
    broken = bots / "broken"
    broken.mkdir()
    (broken / "bot.toml").write_text('name = "broken"\nversion = \n')

    mistake = arena(capsys, "tournament", "--bots", bots).mistake

    assert "broken/bot.toml" in mistake
    assert "line 2" in mistake


def test_bot_that_cannot_run_here_is_an_error_when_it_is_asked_for(capsys: Capsys, bots: Path) -> None:
    exotic = bots / "exotic"
    exotic.mkdir()
    (exotic / "bot.toml").write_text(
        'name = "exotic"\nversion = "1"\nlanguage = "cobol"\ncommand = ["no-such-cobol", "bot.cob"]\n'
    )

    mistake = arena(capsys, "tournament", "--bots", bots, "--only", "exotic", "--only", "ant").mistake

    assert "exotic" in mistake
    assert "no-such-cobol is not installed" in mistake


def test_folder_that_holds_a_tournament_is_to_be_resumed(capsys: Capsys, bots: Path, tmp_path: Path) -> None:
    folder = run_in(tmp_path / "run", plan_of(), [])

    mistake = arena(capsys, "tournament", "--bots", bots, "--out", folder).mistake

    assert f"arena resume {folder}" in mistake


def test_folder_with_other_things_in_it_is_left_alone(capsys: Capsys, bots: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("buy milk")

    said = arena(capsys, "tournament", "--bots", bots, "--out", tmp_path / "notes")

    assert "not an empty folder" in said.mistake


@pytest.mark.parametrize(
    "command", ["standings", "resume", "verify", "export --format jsonl", "replay", "rerun"]
)
def test_folder_without_a_run_is_named(capsys: Capsys, tmp_path: Path, command: str) -> None:
    name, *rest = command.split()
    ids = ["t000-s00000-r0"] if name in ("replay", "rerun") else []

    assert "no tournament there" in arena(capsys, name, tmp_path, *ids, *rest).mistake
    assert "no such folder" in arena(capsys, name, tmp_path / "nowhere", *ids, *rest).mistake


def test_unknown_command_is_named(capsys: Capsys) -> None:
    assert "No such command 'turnament'" in arena(capsys, "turnament").mistake


def test_match_needs_four_bots(capsys: Capsys, bots: Path) -> None:
    assert "four bots; 2 were given" in arena(capsys, "match", bots / "ant.py", bots / "bee.py").mistake


def test_match_with_a_bot_that_is_nowhere(capsys: Capsys, bots: Path) -> None:
    ant = bots / "ant.py"

    assert "fox.py: no such file" in arena(capsys, "match", ant, ant, ant, bots / "fox.py").mistake


PLAN = plan_of()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_in(tmp_path_factory.mktemp("runs") / "spring", PLAN, all_played(PLAN))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("t000-s00099-r0",), "there is no match t000-s00099-r0; the first is t000-s00000-r0, the last"),
        (("t000-s00000-r0", "--round", "9"), "has 2 rounds"),
        (("t000-s00000-r0", "--seat", "4"), "--seat"),
    ],
)
def test_replay_of_what_is_not_there(
    capsys: Capsys, finished: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in arena(capsys, "replay", finished, *arguments).mistake


def test_replay_of_a_match_that_is_still_to_come(capsys: Capsys, tmp_path: Path) -> None:
    folder = run_in(tmp_path, PLAN, all_played(PLAN)[:4])

    assert "is not played yet" in arena(capsys, "replay", folder, "t004-s00004-r3").mistake


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "xml"), "--format"),
        (("--format", "pbn", "--rows", "seats"), "--rows goes with --format csv or parquet"),
        (("--format", "csv", "--out", "nowhere/seats.csv"), "nowhere/seats.csv: cannot be written: No such"),
        (("--format", "parquet", "--out", "nowhere/a.parquet"), "nowhere/a.parquet: cannot be written"),
    ],
)
def test_export_that_cannot_be_written_is_one_line(
    capsys: Capsys, finished: Path, options: tuple[str, ...], message: str
) -> None:
    assert message in arena(capsys, "export", finished, *options).mistake


def test_parquet_without_its_library_is_one_line_and_leaves_no_file(
    capsys: Capsys, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = tmp_path / "seats.parquet"

    mistake = arena(capsys, "export", finished, "--format", "parquet", "--out", out).mistake

    assert "pyarrow, which is not installed: pip install 'callbreak-arena[parquet]'" in mistake
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seed", "8"), "option --seed 8 differs from the plan (7)"),
        (("--sets", "2"), "option --sets 2 differs from the plan (1)"),
        (("--rounds", "3"), "--ruleset callbreak+rounds=3 differs from the plan (callbreak+rounds=2)"),
        (("--time", "1+1"), "--time 1+1 differs from the plan (0.5+10)"),
        (
            ("--strikes", "5", "--format", "balanced"),
            "--strikes 5 differs from the plan (3); option --format",
        ),
    ],
)
def test_resume_refuses_what_differs_from_the_plan(
    capsys: Capsys, finished: Path, options: tuple[str, ...], message: str
) -> None:
    assert message in arena(capsys, "resume", finished, *options).mistake


def test_resume_names_every_bot_that_is_gone(capsys: Capsys, finished: Path) -> None:
    mistake = arena(capsys, "resume", finished).mistake

    assert all(f"bots/{name}" in mistake for name in ("ant", "bee", "cat", "dog", "eel"))


def test_words_of_strangers_cannot_steer_the_terminal(capsys: Capsys) -> None:
    mistake = arena(capsys, "rules", "pok\x1b[2Jer\nx").mistake

    assert "\\x1b[2J" in mistake
