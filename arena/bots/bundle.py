"""Owns which files make up a bot and the hash that names them; must not know how bots are started.

A bot travels as its bundle: the very text whose SHA-256 is its content hash (see `content_hash`).
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena.errors import ArenaError

__all__ = [
    "BUILD_OUTPUTS",
    "IGNORED_FOLDERS",
    "bot_files",
    "bundle",
    "content_hash",
    "everything_in",
    "unpack",
]

IGNORED_FOLDERS = frozenset(
    {
        *("__pycache__", ".git", ".hg", ".svn", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
        *(".idea", ".vscode", ".gradle"),
        *("node_modules", ".venv", "venv"),
    }
)
"""Never part of a bot, wherever they lie in it: caches, version control, editors, installed dependencies."""

BUILD_OUTPUTS = frozenset({"target", "build", "dist", "out", "bin", "obj"})
"""Not part of a bot that declares a `build`, when directly in its folder: the build makes them anew."""

IGNORED_FILES = frozenset({".DS_Store", "Thumbs.db"})
_IGNORED_SUFFIXES = (".pyc", ".pyo", "~", ".swp")
_MAX_FILES = 20_000
_HEADING = b"callbreak-arena bundle 1\n"
_LENGTH_BYTES = 8


def bot_files(folder: Path, *, has_build: bool) -> Iterator[tuple[str, Path]]:
    """The bot's files as (path inside the folder with `/`, path on disk), by the bytes of the former.

    Left out: `IGNORED_FOLDERS` and `IGNORED_FILES`, names ending in .pyc .pyo ~ .swp, and, for a bot with a
    build, `BUILD_OUTPUTS` at the top. Symbolic links are listed, never followed. Anything that is neither a
    file, a folder nor a link is an ArenaError, as are more than 20,000 files.
    """
    found = sorted(_walk(folder, "", has_build=has_build), key=lambda item: os.fsencode(item[0]))
    if len(found) > _MAX_FILES:
        raise ArenaError(f"{folder}: {len(found)} files; a bot has at most {_MAX_FILES}")
    yield from found


def content_hash(files: Iterator[tuple[str, Path]]) -> str:
    """SHA-256, as 64 hex digits, of the files that make up a bot.

    The hashed text is `callbreak-arena bundle 1` and a newline, then, for each file in ascending order of its
    path's bytes: one kind byte (`F` file, `X` file that its owner may execute, `L` symbolic link), the length
    of the path (8 bytes, big endian), the path (`/` between parts), the length of the content (8 bytes, big
    endian), the content; a link's content is its target. Times, owners and empty folders do not count.
    """
    digest = hashlib.sha256()
    for piece in _pieces(files):
        digest.update(piece)
    return digest.hexdigest()


def bundle(files: Iterator[tuple[str, Path]]) -> bytes:
    """The files that make up a bot as one text: the one that `content_hash` hashes."""
    return b"".join(_pieces(files))


def unpack(packed: bytes, folder: Path, *, content_hash: str) -> None:
    """Writes the files of a bundle into `folder`, which is empty; everybody may read them.

    Raises ArenaError, with nothing written, for a bundle that `content_hash` does not name. A link is made as
    it was, and nothing is written through one.
    """
    if (found := hashlib.sha256(packed).hexdigest()) != content_hash:
        raise ArenaError(f"a bundle came with SHA-256 {found[:12]}..., not {content_hash[:12]}...")
    try:
        for kind, name, content in _entries(packed):
            _place(_inside(folder, name), kind, content)
    except OSError as error:
        raise ArenaError(f"{folder}: a bot's files cannot be written there: {error.strerror}") from error


def everything_in(folder: Path) -> Iterator[Path]:
    """`folder` and every file, folder and link below it; links are not followed."""
    yield folder
    for above, folders, files in os.walk(folder, followlinks=False):
        yield from (Path(above) / name for name in (*folders, *files))


def _walk(folder: Path, prefix: str, *, has_build: bool) -> Iterator[tuple[str, Path]]:
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        raise ArenaError(f"{folder}: cannot be read: {error.strerror}") from error
    for entry in entries:
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            is_output = has_build and not prefix and entry.name in BUILD_OUTPUTS
            if entry.name not in IGNORED_FOLDERS and not is_output:
                yield from _walk(Path(entry.path), name + "/", has_build=has_build)
        elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
            if entry.name not in IGNORED_FILES and not entry.name.endswith(_IGNORED_SUFFIXES):
                yield name, Path(entry.path)
        else:
            raise ArenaError(f"{entry.path}: a bot holds files, folders and links, nothing else")


def _kind_and_content(path: Path) -> tuple[bytes, bytes]:
    if path.is_symlink():
        return b"L", os.fsencode(path.readlink())
    is_executable = path.stat().st_mode & stat.S_IXUSR
    return (b"X" if is_executable else b"F"), path.read_bytes()


def _pieces(files: Iterator[tuple[str, Path]]) -> Iterator[bytes]:
    yield _HEADING
    for name, path in files:
        try:
            kind, content = _kind_and_content(path)
        except OSError as error:
            raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
        encoded = os.fsencode(name)
        yield kind + _length(encoded) + encoded + _length(content)
        yield content


def _length(text: bytes) -> bytes:
    return len(text).to_bytes(_LENGTH_BYTES, "big")


def _entries(packed: bytes) -> Iterator[tuple[bytes, str, bytes]]:
    """(kind, path, content) of each file; ArenaError when the text is none that `bundle` makes."""
    if not packed.startswith(_HEADING):
        raise ArenaError("not a bot's bundle")
    at = len(_HEADING)

    def take(count: int) -> bytes:
        nonlocal at
        if at + count > len(packed):
            raise ArenaError("a bot's bundle ends within a file")
        at += count
        return packed[at - count : at]

    def take_counted() -> bytes:
        return take(int.from_bytes(take(_LENGTH_BYTES), "big"))

    while at < len(packed):
        yield take(1), os.fsdecode(take_counted()), take_counted()


def _inside(folder: Path, name: str) -> Path:
    """Where a file of a bundle goes; ArenaError when that is outside, be it by a link."""
    path = PurePosixPath(name)
    is_outside = path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name
    if is_outside or any((folder / above).is_symlink() for above in path.parents[:-1]):
        raise ArenaError(f"a bot's bundle names {name!r}, which leads out of its folder")
    return folder / path


def _place(path: Path, kind: bytes, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == b"L":
        path.symlink_to(os.fsdecode(content))
        return
    with path.open("xb") as file:
        file.write(content)
    path.chmod(0o755 if kind == b"X" else 0o644)
