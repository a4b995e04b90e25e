"""The content hash follows its specification, sees every file that counts and no other."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from arena.bots.bundle import bot_files, bundle, content_hash, unpack
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


def test_bundle_is_the_text_that_the_content_hash_names(bot: Path) -> None:
    assert hashlib.sha256(bundle(bot_files(bot, has_build=False))).hexdigest() == hash_of(bot)


def test_unpacked_bot_is_the_same_and_everybody_may_read_it(bot: Path, tmp_path: Path) -> None:
    (bot / "bot.py").chmod(0o600)
    there = tmp_path / "there"

    unpack(bundle(bot_files(bot, has_build=False)), there, content_hash=hash_of(bot))

    assert hash_of(there) == hash_of(bot)
    assert (there / "link").readlink() == Path("bot.py")
    assert stat.S_IMODE((there / "bot.py").stat().st_mode) == 0o644
    assert stat.S_IMODE((there / "lib" / "run.sh").stat().st_mode) == 0o755


def test_bundle_of_another_hash_is_refused_and_nothing_written(bot: Path, tmp_path: Path) -> None:
    packed = bundle(bot_files(bot, has_build=False))

    with pytest.raises(ArenaError, match=r"came with SHA-256 .* not 0{12}"):
        unpack(packed, tmp_path / "there", content_hash="0" * 64)

    assert not (tmp_path / "there").exists()


def packed_by_hand(*entries: tuple[bytes, bytes, bytes]) -> bytes:
    text = b"callbreak-arena bundle 1\n"
    for kind, name, content in entries:
        text += kind + len(name).to_bytes(8, "big") + name + len(content).to_bytes(8, "big") + content
    return text


@pytest.mark.parametrize(
    "entries",
    [
        [(b"F", b"../escaped", b"")],
        [(b"F", b"lib/../../escaped", b"")],
        [(b"F", b"/tmp/escaped", b"")],
        [(b"F", b"", b"")],
        [(b"L", b"lib", b".."), (b"F", b"lib/escaped", b"")],
    ],
    ids=["up", "down and up", "absolute", "nothing", "by a link"],
)
def test_bundle_cannot_lead_out_of_its_folder(
    tmp_path: Path, entries: list[tuple[bytes, bytes, bytes]]
) -> None:
    packed = packed_by_hand(*entries)
    there = tmp_path / "there"
    there.mkdir()

    with pytest.raises(ArenaError, match="leads out of its folder"):
        unpack(packed, there, content_hash=hashlib.sha256(packed).hexdigest())

    assert not (tmp_path / "escaped").exists()


def test_bundle_that_is_cut_short_is_refused(bot: Path, tmp_path: Path) -> None:
    packed = bundle(bot_files(bot, has_build=False))[:-3]

    with pytest.raises(ArenaError, match="ends within a file"):
        unpack(packed, tmp_path / "there", content_hash=hashlib.sha256(packed).hexdigest())
