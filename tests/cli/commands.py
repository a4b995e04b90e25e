"""How tests run commands: in this process, or in one of their own that can be killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.bots.house import HOUSE_BOTS
from arena.cli.group import run

# Every stored batch is told at once, so that a test can wait for a line instead of a time.
TALKATIVE = "import arena.tournament.progress as p; p.LINE_EVERY_S = 0.0; from arena.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str

    @property
    def mistake(self) -> str:
        """The one line of an operator's mistake."""
        assert self.status == 2, self
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("arena: ")
        return lines[0]


def arena(capsys: pytest.CaptureFixture[str], *arguments: object) -> Said:
    """Runs a command in this process."""
    capsys.readouterr()
    status = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return Said(status, captured.out, captured.err)


def start(*arguments: object) -> subprocess.Popen[str]:
    """Starts a command in a process of its own that tells every batch of results."""
    return subprocess.Popen(
        [sys.executable, "-c", TALKATIVE, *(str(argument) for argument in arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )


def wait_for_results(process: subprocess.Popen[str]) -> str:
    """Returns the first line that tells of stored results; what came before it is dropped."""
    assert process.stderr is not None
    for line in process.stderr:
        if "matches/s" in line:
            return line
    raise AssertionError("the command ended before any result was stored")


def quick_bots(folder: Path, *names: str) -> Path:
    """Bots that play low and answer at once; their moves depend on nothing but the view."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(HOUSE_BOTS["house-lowest"], folder / f"{name}.py")
    return folder
