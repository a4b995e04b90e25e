"""`arena pack` prints the hash of the bundle that it writes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.cli.commands import arena, quick_bots

Capsys = pytest.CaptureFixture[str]


def test_pack_prints_the_hash_of_what_it_writes(capsys: Capsys, tmp_path: Path) -> None:
    bot = quick_bots(tmp_path / "bots", "simple") / "simple.py"

    only_hash = arena(capsys, "pack", bot)
    written = arena(capsys, "pack", bot, "--out", tmp_path / "simple.tar")

    digest = hashlib.sha256((tmp_path / "simple.tar").read_bytes()).hexdigest()
    assert (only_hash.status, only_hash.out) == (0, f"{digest}\n")
    assert written.out == only_hash.out


def test_what_no_bundle_may_hold_is_one_line(capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(
        'name = "demo"\nversion = "1"\nlanguage = "python"\ncommand = ["python", "bot.py"]\n'
    )
    (tmp_path / "bot.py").symlink_to("/etc/passwd")

    assert "bot.py is a symbolic link" in arena(capsys, "pack", tmp_path).mistake


def test_place_that_cannot_be_written_is_one_line(capsys: Capsys, tmp_path: Path) -> None:
    bot = quick_bots(tmp_path / "bots", "simple") / "simple.py"

    assert "cannot be written" in arena(capsys, "pack", bot, "--out", tmp_path / "no" / "simple.tar").mistake
