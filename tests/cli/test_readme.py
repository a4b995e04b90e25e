"""Owns what the README promises: every command, and none that is not there; a bot that plays as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from arena.rules import places
from arena.sdk.local import import_bot, play_match

README = (Path(__file__).parent.parent.parent / "README.md").read_text()


def commands() -> set[str]:
    cli = pytest.importorskip("arena.cli")
    if not hasattr(cli, "main"):
        pytest.skip("arena.cli has no main yet")
    assert isinstance(cli.main, click.Group)
    return set(cli.main.list_commands(click.Context(cli.main)))


def bot_program() -> str:
    [program] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    return str(program)


def test_readme_shows_exactly_the_commands_there_are() -> None:
    assert set(re.findall(r"^\| `arena (\w+)", README, flags=re.MULTILINE)) == commands()


def test_bot_of_the_readme_has_fewer_than_15_lines() -> None:
    assert len([line for line in bot_program().splitlines() if line.strip()]) < 15


def test_bot_of_the_readme_plays_a_match(tmp_path: Path) -> None:
    file = tmp_path / "simple.py"
    file.write_text(bot_program())

    result = play_match([import_bot(file) for _ in range(4)])

    assert result.places == tuple(places(list(result.totals_tenths), frozenset()))
