"""The content hash follows its specification, sees every file that counts and no other."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from arena.bots.bundle import bot_files, content_hash
from arena.errors import ArenaError


def hash_of(folder: Path, *, has_build: bool = False) -> str:
    return content_hash(bot_files(folder, has_build=has_build))


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("pass\n")
    (folder / "lib" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "lib" / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("bot.py")
    return folder


def test_hash_is_the_documented_one(bot: Path) -> None:
    def entry(kind: bytes, name: bytes, content: bytes) -> bytes:
        return kind + len(name).to_bytes(8, "big") + name + len(content).to_bytes(8, "big") + content

    text = b"callbreak-arena bundle 1\n"
    text += entry(b"F", b"bot.py", b"pass\n")
    text += entry(b"X", b"lib/run.sh", b"#!/bin/sh\n")
    text += entry(b"L", b"link", b"bot.py")

    assert hash_of(bot) == hashlib.sha256(text).hexdigest()


def test_hash_ignores_where_and_when(bot: Path, tmp_path: Path) -> None:
    before = hash_of(bot)
    os.utime(bot / "bot.py", (1, 1))
    (bot / "bot.py").chmod(0o600)
    (bot / "empty").mkdir()

    moved = bot.rename(tmp_path / "elsewhere")

    assert hash_of(moved) == before


def test_hash_sees_content_name_executable_bit_and_link_target(bot: Path) -> None:
    seen = {hash_of(bot)}
    (bot / "bot.py").write_text("pass")
    seen.add(hash_of(bot))
    (bot / "bot.py").rename(bot / "bots.py")
    seen.add(hash_of(bot))
    (bot / "bots.py").chmod(0o755)
    seen.add(hash_of(bot))
    (bot / "link").unlink()
    (bot / "link").symlink_to("bots.py")
    seen.add(hash_of(bot))

    assert len(seen) == 5


@pytest.mark.parametrize("folder", ["__pycache__", "lib/__pycache__", ".git", "node_modules", ".venv"])
def test_caches_version_control_and_installed_dependencies_do_not_count(bot: Path, folder: str) -> None:
    before = hash_of(bot)
    (bot / folder).mkdir()
    (bot / folder / "file").write_text("whatever")
    (bot / "lib" / "left.pyc").write_text("whatever")

    assert hash_of(bot) == before


def test_build_outputs_count_unless_the_bot_is_built(bot: Path) -> None:
    before = hash_of(bot)
    (bot / "target").mkdir()
    (bot / "target" / "bot").write_text("binary")

    assert hash_of(bot, has_build=True) == before
    assert hash_of(bot) != before


def test_folder_named_like_a_build_output_counts_deeper_down(bot: Path) -> None:
    before = hash_of(bot, has_build=True)
    (bot / "lib" / "target").mkdir()
    (bot / "lib" / "target" / "file").write_text("source")

    assert hash_of(bot, has_build=True) != before


def test_link_is_never_followed(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("one")
    (bot / "outside").symlink_to(tmp_path / "outside")
    before = hash_of(bot)

    (tmp_path / "outside" / "file").write_text("two")

    assert hash_of(bot) == before


def test_named_pipe_is_refused_by_name(bot: Path) -> None:
    os.mkfifo(bot / "pipe")

    with pytest.raises(ArenaError, match="pipe: a bot holds files, folders and links, nothing else"):
        hash_of(bot)
