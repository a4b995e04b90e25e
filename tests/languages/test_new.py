"""`arena new`: in every language a bot that is built and plays as it comes from its template."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.cli.new import LANGUAGES, TEMPLATE_NAME, TEMPLATES
from arena.rules import Seed
from tests.cli.commands import arena
from tests.languages.languages import COMPILED, PYTHON, SAMPLE_BOTS, Language, built, param
from tests.tournament.tables import play_table

# What a template and the steady bot of its language do not share: all else is the same, byte for byte.
OWN_STEMS = {"README", "bot", "strategy", "Strategy"}
LEFT_BY_BUILDS = {"bin", "build", "dist", "target", "node_modules", "Cargo.lock"}


def shared_files(folder: Path) -> dict[str, bytes]:
    paths = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        str(inside): path.read_bytes()
        for inside, path in paths.items()
        if path.stem not in OWN_STEMS and not LEFT_BY_BUILDS & set(inside.parts)
    }


async def cargo_built(folder: Path) -> Entrant:
    """A Rust bot, built from what cargo made for the steady bot: only the bot itself is compiled."""
    steady = await built(SAMPLE_BOTS / "steady-rust")
    bot = load_bot(folder)
    shutil.copytree(steady.folder / "target", folder / "target")
    shutil.copy2(steady.folder / "Cargo.lock", folder)
    cargo = await asyncio.create_subprocess_exec(*bot.build, "--offline", "--quiet", cwd=folder)
    assert await cargo.wait() == 0
    return replace(bot, build=())


@pytest.mark.parametrize("language", [param(language) for language in (PYTHON, *COMPILED)])
async def test_new_bot_is_built_and_plays_a_match_without_a_fault(
    language: Language, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = await asyncio.to_thread(
        arena, capsys, "new", "fresh", "--language", language.name, "--into", tmp_path
    )
    folder = tmp_path / "fresh"
    bot = await (cargo_built(folder) if language.name == "rust" else built(folder))
    others = [load_bot(path) for path in HOUSE_BOTS.values()]

    [record] = await play_table([bot, *others], seed=Seed.parse("3"), log_dir=tmp_path)

    assert (said.status, said.out) == (0, f"{folder}\n")
    assert list(record.faults) == []
    assert len(record.rounds) == 1


@pytest.mark.parametrize("language", COMPILED, ids=lambda language: language.name)
def test_template_speaks_the_protocol_as_the_steady_bot_does(language: Language) -> None:
    assert shared_files(TEMPLATES / language.name) == shared_files(SAMPLE_BOTS / language.folder)


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_bot_goes_by_its_own_name_everywhere(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arena(capsys, "new", "Star-7", "--language", language, "--into", tmp_path / "bots")

    bot = load_bot(tmp_path / "bots" / "Star-7")
    texts = [path.read_text() for path in bot.folder.rglob("*") if path.is_file()]
    assert (bot.name, bot.language) == ("Star-7", language)
    assert sum("Star-7" in text for text in texts) >= 3
    assert [text for text in texts if TEMPLATE_NAME in text] == []


def test_folder_that_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()

    said = arena(capsys, "new", "mine", "--language", "go", "--into", tmp_path)

    assert "mine: already there" in said.mistake
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("name", ["../mine", "my bot", "-x", ""])
def test_name_that_no_bot_may_have_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = arena(capsys, "new", "--language", "go", "--into", tmp_path, "--", name)

    assert "cannot be a bot's name" in said.mistake
    assert list(tmp_path.iterdir()) == []
