"""Owns the promise that the README shows every command, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

README = (Path(__file__).parent.parent.parent / "README.md").read_text()

cli = pytest.importorskip("arena.cli")
if not hasattr(cli, "main"):
    pytest.skip("arena.cli has no main yet", allow_module_level=True)


def commands() -> set[str]:
    group = cli.main
    assert isinstance(group, click.Group)
    return set(group.list_commands(click.Context(group)))


def test_readme_shows_exactly_the_commands_there_are() -> None:
    assert set(re.findall(r"^\| `arena (\w+)", README, flags=re.MULTILINE)) == commands()


@pytest.mark.parametrize("program", re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL))
def test_bot_of_the_readme_is_complete_and_under_15_lines(program: str) -> None:
    lines = [line for line in program.splitlines() if line.strip()]

    compile(program, "README.md", "exec")
    assert len(lines) < 15
