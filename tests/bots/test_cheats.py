"""Cheats gain nothing; where that is safe, a second run without the defence shows that the attack is real."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.bots.sandbox import NoSandbox, Sandbox
from arena.cli.group import run
from arena.reports.replay import match_lines
from arena.rules import Seed
from arena.v1 import record_pb2
from tests.tournament.tables import play_table

CHEATS = Path(__file__).parent.parent / "cheats"
FULL = Seed.parse("5e" * 32)
SHORT = Seed.parse("17")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _table(name: str) -> list[Entrant]:
    return [load_bot(CHEATS / f"{name}.py"), *[load_bot(HOUSE_BOTS["house-lowest"])] * 3]


def _notes(records: Sequence[record_pb2.MatchRecord]) -> list[str]:
    return [note.text for record in records for round_ in record.rounds for note in round_.notes]


async def test_seed_cannot_be_found_from_a_hand(tmp_path: Path) -> None:
    records = await play_table(_table("seed_searcher"), seed=FULL, log_dir=tmp_path)

    assert _notes(records) == []


async def test_short_seed_can_be_found_and_is_marked(tmp_path: Path) -> None:
    records = await play_table(_table("seed_searcher"), seed=SHORT, log_dir=tmp_path)

    assert _notes(records) == ["the seed is 17"]
    assert all(record.is_practice for record in records)


async def test_ids_and_random_numbers_tell_nothing_of_the_deal(tmp_path: Path) -> None:
    records = await play_table(
        _table("id_reader"), seed=FULL, log_dir=tmp_path, sets=3, rotations=(0, 1, 2, 3)
    )
    by_pass = [
        sorted(note.text for r in records if r.rotation == k for note in r.rounds[0].notes) for k in range(4)
    ]
    ids = [[text.split()[0] for text in texts] for texts in by_pass]
    numbers = [text.split()[1] for texts in by_pass for text in texts]

    assert ids == [["1", "2", "3"]] * 4
    assert len(set(numbers)) == 12


async def test_stalling_bot_costs_the_others_no_time(tmp_path: Path) -> None:
    records = await play_table(_table("staller"), seed=FULL, log_dir=tmp_path, time_control="0.3+1")
    timing, played = records[0].timing.rounds[0], records[0].rounds[0]
    leaders = [(played.dealer + 1) % 4, *played.leaders]
    by_seat: dict[int, int] = dict.fromkeys(range(4), 0)
    for decision, us in enumerate(timing.decision_us):
        by_seat[(leaders[decision // 4] + decision) % 4] += us

    assert not records[0].faults
    assert by_seat[0] > 5 * max(by_seat[1], by_seat[2], by_seat[3])


async def test_poisoned_notes_and_answers_are_harmless_wherever_they_are_shown(tmp_path: Path) -> None:
    records = await play_table(_table("scribbler"), seed=FULL, log_dir=tmp_path, rounds=2)

    assert any("\x1b" in note for note in _notes(records)), "the record keeps what the bot said"
    told = "\n".join(match_lines(records[0], is_plain=False))
    assert "HYPERLINK" in told
    assert CONTROL.findall(told) == []


@pytest.mark.parametrize("name", ["=cmd", "<b>", "a b", "\x1b[31m", "-x", "", "a/b", "ü"])
def test_poisoned_name_is_refused_before_anything_is_played(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "bots" / "bad"
    folder.mkdir(parents=True)
    shutil.copy(CHEATS / "staller.py", folder / "bot.py")
    manifest = f'name = "{name}"\nversion = "1"\nlanguage = "python"\ncommand = ["python", "bot.py"]\n'
    (folder / "bot.toml").write_text(manifest.replace("\x1b", "\\u001b"))

    status = run(["tournament", "--bots", str(tmp_path / "bots"), "--out", str(tmp_path / "run")])
    err = capsys.readouterr().err

    assert status == 2
    assert err.count("\n") == 1
    assert CONTROL.findall(err) == []
    assert not (tmp_path / "run").exists()


def _run_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("plan.json", "results.sqlite3", "secret.py"):
        (folder / name).write_text("seed")
    (folder / "plan.json").chmod(0o600)
    return folder


def _diaries(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*.diary")]


async def _peep(tmp_path: Path, sandbox: Sandbox) -> list[str]:
    """What the peeping bot finds beside a run's plan and another bot's folder."""
    run_folder = _run_folder(tmp_path)
    bots = [load_bot(CHEATS / "peeper.py"), *[load_bot(HOUSE_BOTS["house-lowest"])] * 3]
    return _notes(
        await play_table(bots, seed=FULL, log_dir=run_folder / "logs", startup_s=60, sandbox=sandbox)
    )


async def test_sandboxed_bot_finds_no_plan_no_results_no_bot_and_no_socket(
    tmp_path: Path, bwrap: Bubblewrap
) -> None:
    assert await _peep(tmp_path, bwrap) == ["nothing"]


async def test_trusted_bot_would_find_them(tmp_path: Path) -> None:
    (note,) = await _peep(tmp_path, NoSandbox())

    assert "plan.json results.sqlite3 secret.py" in note


async def test_sandboxed_bot_can_write_its_memories_nowhere_that_lasts(
    tmp_path: Path, bwrap: Bubblewrap
) -> None:
    diarist = shutil.copy(CHEATS / "rememberer.py", tmp_path / "writing_rememberer.py")
    bots = [load_bot(diarist), *[load_bot(HOUSE_BOTS["house-lowest"])] * 3]

    records = await play_table(
        bots, seed=FULL, log_dir=tmp_path / "logs", sets=2, rotations=(0, 1, 2, 3), sandbox=bwrap
    )

    assert len(records) == 8
    assert _notes(records) == []
    assert _diaries(tmp_path) == []


async def test_trusted_bot_remembers_on_disk_what_its_process_forgets(tmp_path: Path) -> None:
    diarist = shutil.copy(CHEATS / "rememberer.py", tmp_path / "writing_rememberer.py")
    bots = [load_bot(diarist), *[load_bot(HOUSE_BOTS["house-lowest"])] * 3]

    records = await play_table(bots, seed=FULL, log_dir=tmp_path / "logs", rotations=(0, 1, 2, 3))

    assert "I know this deal" in _notes(records)
    assert _diaries(tmp_path) == ["writing_rememberer.diary"]
