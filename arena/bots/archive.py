"""Owns the bundle: a bot's files as one archive, the same bytes for the same files, and its safe unpacking.

A bundle is a plain tar (POSIX ustar) of files only, in ascending order of their paths' bytes, with no times,
owners or folders in it: so its SHA-256 names what is in it. Whatever else a tar can hold is refused. It must
not know where bundles come from or what a bot does.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arena.bots.bundle import bot_files
from arena.bots.manifest import MANIFEST_NAME, Entrant, load_bot
from arena.errors import ArenaError

__all__ = ["BadBundle", "BundleLimits", "bundle_hash", "pack", "pack_files", "unpack", "unpack_bot"]

_BLOCK = 512
_NAME_BYTES, _PREFIX_BYTES = 100, 155

_Kind = Literal[
    "COMPRESSED",
    "NO_TAR",
    "CUT_OFF",
    "TOO_LARGE",
    "TOO_MANY_FILES",
    "TOO_DEEP",
    "NAME_TOO_LONG",
    "NAME_NOT_UTF8",
    "BAD_NAME",
    "OUTSIDE",
    "DUPLICATE",
    "LINK",
    "DEVICE",
    "FIFO",
    "FOLDER",
    "EXTENSION",
    "EMPTY",
    "NOT_CANONICAL",
    "NO_BOT",
]

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"\x5d\x00\x00\x80": "lzma",
}

# Type flags of a tar that are no file, what they are called, and what is wrong with them.
_REFUSED: dict[bytes, tuple[_Kind, str]] = {
    b"1": ("LINK", "is a hard link; a bundle holds files only: pack a copy of the file it leads to"),
    b"2": ("LINK", "is a symbolic link; a bundle holds files only: pack a copy of the file it leads to"),
    b"3": ("DEVICE", "is a character device; a bundle holds files only"),
    b"4": ("DEVICE", "is a block device; a bundle holds files only"),
    b"5": (
        "FOLDER",
        "is an entry for a folder; a bundle names files only, their folders follow from the names",
    ),
    b"6": ("FIFO", "is a fifo; a bundle holds files only"),
    b"7": ("EXTENSION", "is a contiguous file of an old system; a bundle holds plain files only"),
    b"S": (
        "EXTENSION",
        "is a sparse file, which would unpack to more than was sent; a bundle holds plain files only",
    ),
    b"x": ("EXTENSION", "has a pax header; a bundle is plain ustar, as `arena pack` makes it"),
    b"g": ("EXTENSION", "is a pax header; a bundle is plain ustar, as `arena pack` makes it"),
    b"L": (
        "EXTENSION",
        "has a long name as GNU tar writes it; a bundle is plain ustar, as `arena pack` makes it",
    ),
    b"K": (
        "EXTENSION",
        "has a long link as GNU tar writes it; a bundle is plain ustar, as `arena pack` makes it",
    ),
}


class BadBundle(ArenaError):
    """A bundle that is refused; `kind` is why in a word, the message says which file and what is allowed."""

    def __init__(self, kind: _Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class BundleLimits:
    """How large a bundle may be; it is not compressed, so it unpacks to no more than its own bytes."""

    total_bytes: int = 32 * 1024 * 1024
    files: int = 2_000
    depth: int = 16
    """Parts of a path: `a/b.py` has two."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    is_executable: bool
    content: memoryview


def bundle_hash(data: bytes) -> str:
    """SHA-256 of a bundle, as 64 hex digits: its name."""
    return hashlib.sha256(data).hexdigest()


def pack(path: Path | str, *, limits: BundleLimits | None = None) -> bytes:
    """The bundle of the bot at `path`, a folder with bot.toml or a single NAME.py.

    The same bytes for the same files, whatever their times, owners and order on disk. What is no part of a
    bot (`bot_files`) is left out. Raises ArenaError for what is no bot, BadBundle for what none may hold.
    """
    return _packed(load_bot(path), limits or BundleLimits())


def pack_files(files: Iterable[tuple[str, Path]], *, limits: BundleLimits | None = None) -> bytes:
    """The bundle of (path in it, file on disk). Raises BadBundle for a link, a name or a size not allowed."""
    limits = limits or BundleLimits()
    parts: list[bytes] = []
    size = 2 * _BLOCK
    for number, (name, path) in enumerate(sorted(files, key=lambda item: _encoded(item[0])), start=1):
        if number > limits.files:
            raise _too_many(limits)
        _check_name(name, limits)
        if path.is_symlink():
            raise BadBundle("LINK", f"{name} {_REFUSED[b'2'][1]}")
        try:
            content = path.read_bytes()
            is_executable = bool(path.stat().st_mode & stat.S_IXUSR)
        except OSError as error:
            raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
        size += _BLOCK + _padded(len(content))
        if size > limits.total_bytes:
            raise _too_large(limits, f"with {name} the bundle has {size} bytes or more")
        parts += (_header(name, len(content), is_executable=is_executable), content)
        parts.append(b"\0" * (_padded(len(content)) - len(content)))
    if not parts:
        raise BadBundle("EMPTY", "there is no file to pack")
    return b"".join((*parts, b"\0" * (2 * _BLOCK)))


def unpack(data: bytes, target: Path, *, limits: BundleLimits | None = None) -> None:
    """Writes the files of a bundle below `target`, which must not be there yet: all of them, or nothing.

    Raises BadBundle for one that is not as `pack` makes it, before anything is written; ArenaError when it
    cannot be written here.
    """
    files = _files(memoryview(data), limits or BundleLimits())
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        workshop = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=target.parent))
    except OSError as error:
        raise ArenaError(f"{target}: cannot be unpacked there: {error.strerror}") from error
    try:
        for file in files:
            _write(workshop, file)
        workshop.chmod(0o755)
        workshop.rename(target)
    except OSError as error:
        raise ArenaError(f"{target}: cannot be unpacked there: {error.strerror}") from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def unpack_bot(data: bytes, target: Path, *, limits: BundleLimits | None = None) -> Entrant:
    """Unpacks a bundle to `target` and reads the bot in it: its folder, or its only file NAME.py.

    Raises BadBundle also for what is no bot, and for files that are no part of a bot; then nothing is left at
    `target`.
    """
    limits = limits or BundleLimits()
    unpack(data, target, limits=limits)
    try:
        entrant = _bot_in(target)
        _refuse_extras(data, entrant, limits)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return entrant


def _bot_in(folder: Path) -> Entrant:
    try:
        if (folder / MANIFEST_NAME).exists():
            return load_bot(folder)
        inside = [path for path in folder.iterdir() if path.is_file()]
        if len(inside) == 1 and inside[0].suffix == ".py":
            return load_bot(inside[0])
    except ArenaError as trouble:
        raise BadBundle("NO_BOT", str(trouble).replace(f"{folder}/", "")) from trouble
    raise BadBundle("NO_BOT", f"there is no {MANIFEST_NAME} at its top, and it is not a single NAME.py")


def _refuse_extras(data: bytes, entrant: Entrant, limits: BundleLimits) -> None:
    """Refuses files that the bot's content hash would not see."""
    if _packed(entrant, limits) == data:
        return
    own = {name for name, _ in _files_of(entrant)}
    extra = [file.name for file in _files(memoryview(data), limits) if file.name not in own]
    what = f"{extra[0]} is no part of a bot" if extra else "it is not what `arena pack` makes of its files"
    raise BadBundle("NOT_CANONICAL", f"{what}; caches, editors' files and a build's outputs are left out")


def _packed(entrant: Entrant, limits: BundleLimits) -> bytes:
    return pack_files(_files_of(entrant), limits=limits)


def _files_of(entrant: Entrant) -> Iterator[tuple[str, Path]]:
    if entrant.is_single_file:
        return iter([(entrant.path.name, entrant.path)])
    return bot_files(entrant.folder, has_build=bool(entrant.build))


# Writing.


def _header(name: str, size: int, *, is_executable: bool) -> bytes:
    """A ustar header: regular file, no owner, no time."""
    prefix, base = _split(_encoded(name))
    fields = (
        base.ljust(_NAME_BYTES, b"\0"),
        b"0000755\0" if is_executable else b"0000644\0",
        b"0000000\0",
        b"0000000\0",
        b"%011o\0" % size,
        b"%011o\0" % 0,
        b" " * 8,
        b"0",
        b"\0" * 100,
        b"ustar\0" + b"00",
        b"\0" * 64,
        b"0000000\0" * 2,
        prefix.ljust(_PREFIX_BYTES, b"\0"),
        b"\0" * 12,
    )
    header = b"".join(fields)
    return header[:148] + b"%06o\0 " % sum(header) + header[156:]


def _split(name: bytes) -> tuple[bytes, bytes]:
    """The name as a header's two fields, the second as long as it can be."""
    if len(name) <= _NAME_BYTES:
        return b"", name
    at = name.find(b"/", len(name) - _NAME_BYTES - 1)
    if at < 0 or at > _PREFIX_BYTES:
        raise BadBundle(
            "NAME_TOO_LONG",
            f"{_shown(name)}: a path has at most {_PREFIX_BYTES} bytes of folders before a / and "
            f"{_NAME_BYTES} bytes after it",
        )
    return name[:at], name[at + 1 :]


def _encoded(name: str) -> bytes:
    try:
        return name.encode("utf-8")
    except UnicodeEncodeError:
        raw = name.encode("utf-8", "surrogateescape")
        raise BadBundle("NAME_NOT_UTF8", f"{_shown(raw)}: a file's name is not UTF-8 text") from None


def _write(folder: Path, file: _File) -> None:
    path = folder / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as opened:
        opened.write(file.content)
    path.chmod(0o755 if file.is_executable else 0o644)


# Reading.


def _files(data: memoryview, limits: BundleLimits) -> list[_File]:
    """The files of a bundle; raises BadBundle at the first thing wrong."""
    if len(data) > limits.total_bytes:
        raise _too_large(limits, f"the bundle has {len(data)} bytes")
    at, names, folders = 0, set[str](), set[str]()
    files: list[_File] = []
    while bytes(header := data[at : at + _BLOCK]).strip(b"\0"):
        file = _file(data, at, bytes(header), limits)
        if len(files) == limits.files:
            raise _too_many(limits)
        _refuse_conflict(file.name, names, folders)
        files.append(file)
        at += _BLOCK + _padded(len(file.content))
    _refuse_bad_end(bytes(data[at : at + 2 * _BLOCK]))
    if not files:
        raise BadBundle("EMPTY", "the bundle holds no file")
    _refuse_other_bytes(data, files)
    return files


def _file(data: memoryview, at: int, header: bytes, limits: BundleLimits) -> _File:
    """The file whose header stands at `at`."""
    is_tar = header[257:262] == b"ustar"
    if len(header) < _BLOCK and (at or is_tar):
        raise _cut_off("in the middle of a file's header")
    if not is_tar or _number(header[148:156]) != _checksum(header):
        _refuse_compressed(bytes(data[:8]))
        where = "it does not begin" if at == 0 else f"byte {at} is not where a file begins"
        raise BadBundle("NO_TAR", f"{where} as a tar does (header and check sum of POSIX ustar)")
    raw = _field(header[345:500]) + b"/" + _field(header[:100]) if header[345] else _field(header[:100])
    kind = header[156:157]
    if kind in _REFUSED:
        reason, words = _REFUSED[kind]
        raise BadBundle(reason, f"{_shown(raw)} {words}")
    if kind not in (b"0", b"\0"):
        raise BadBundle(
            "EXTENSION", f"{_shown(raw)} is of an unknown kind ({kind!r}); a bundle holds files only"
        )
    name = _name(raw)
    _check_name(name, limits)
    size = _number(header[124:136])
    if size is None:
        raise _too_large(limits, f"{name} has a size that is no octal number")
    content = data[at + _BLOCK : at + _BLOCK + size]
    if at + _BLOCK + _padded(size) > len(data):
        raise _cut_off(f"{name} is to have {size} bytes, and {len(content)} follow")
    return _File(name, bool((_number(header[100:108]) or 0) & 0o100), content)


def _field(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _name(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise BadBundle("NAME_NOT_UTF8", f"{_shown(raw)}: a file's name is not UTF-8 text") from None


def _check_name(name: str, limits: BundleLimits) -> None:
    """Refuses a path that leads outside, hides something, or is too long or too deep."""
    shown = _shown(name.encode("utf-8", "surrogateescape"))
    if name.startswith("/"):
        raise BadBundle("OUTSIDE", f"{shown} is an absolute path; paths begin at the bot's folder")
    parts = name.split("/")
    if ".." in parts:
        raise BadBundle("OUTSIDE", f"{shown} leads out of the bot's folder; no part of a path is ..")
    if "" in parts or "." in parts:
        raise BadBundle("BAD_NAME", f"{shown or 'an empty name'}: no part of a path is empty or .")
    if not name.isprintable():
        raise BadBundle("BAD_NAME", f"{shown}: a path holds no control or invisible characters")
    if len(parts) > limits.depth:
        raise BadBundle("TOO_DEEP", f"{shown} is {len(parts)} deep; at most {limits.depth} parts are allowed")
    _split(_encoded(name))


def _refuse_conflict(name: str, names: set[str], folders: set[str]) -> None:
    """Notes the name and its folders; refuses one that is there twice, or both as a file and as a folder."""
    parts = name.split("/")
    above = {"/".join(parts[:length]) for length in range(1, len(parts))}
    if name in names:
        raise BadBundle("DUPLICATE", f"{_shown(name.encode())} is there twice")
    if clash := (above & names) or ({name} & folders):
        raise BadBundle("DUPLICATE", f"{_shown(min(clash).encode())} is both a file and a folder")
    names.add(name)
    folders |= above


def _refuse_compressed(head: bytes) -> None:
    for magic, called in _COMPRESSED.items():
        if head.startswith(magic):
            raise BadBundle(
                "COMPRESSED", f"it is compressed ({called}); send a plain tar, as `arena pack` makes it"
            )


def _refuse_bad_end(end: bytes) -> None:
    if len(end) < 2 * _BLOCK:
        raise _cut_off("its end, two blocks of zeros, is missing")
    if end.strip(b"\0"):
        raise _cut_off("a single block of zeros stands where its end should be")


def _refuse_other_bytes(data: memoryview, files: list[_File]) -> None:
    """Refuses what unpacks to the same files as another bundle: its hash would be a second name for them."""
    at, last = 0, b""
    for file in files:
        name = file.name.encode()
        if name < last:
            raise _not_canonical(
                f"{file.name} comes after {last.decode()}: files stand in order of their paths"
            )
        end = at + _BLOCK + _padded(len(file.content))
        if data[at : at + _BLOCK] != _header(file.name, len(file.content), is_executable=file.is_executable):
            raise _not_canonical(f"{file.name} has a time, an owner, a mode or a form of header of its own")
        if bytes(data[at + _BLOCK + len(file.content) : end]).strip(b"\0"):
            raise _not_canonical(f"{file.name} is not padded with zeros")
        at, last = end, name
    if len(data) > at + 2 * _BLOCK:
        raise _not_canonical(f"{len(data) - at - 2 * _BLOCK} bytes follow its end")


def _number(field: bytes) -> int | None:
    """An octal number; None for anything else (as the base 256 of sizes beyond 8 GiB)."""
    digits = field.strip(b" \0")
    if not digits or digits.strip(b"01234567"):
        return None
    return int(digits, 8)


def _checksum(header: bytes) -> int:
    return sum(header[:148]) + sum(header[156:]) + 8 * 0x20


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _shown(raw: bytes) -> str:
    """A name that is safe to print, shortened in the middle."""
    text = raw.decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= 120 else f"{text[:60]}...{text[-50:]}"


def _too_large(limits: BundleLimits, what: str) -> BadBundle:
    return BadBundle("TOO_LARGE", f"{what}; at most {limits.total_bytes} are allowed")


def _too_many(limits: BundleLimits) -> BadBundle:
    return BadBundle("TOO_MANY_FILES", f"it holds more than {limits.files} files")


def _cut_off(what: str) -> BadBundle:
    return BadBundle("CUT_OFF", f"it is cut off: {what}")


def _not_canonical(what: str) -> BadBundle:
    return BadBundle("NOT_CANONICAL", f"{what}; a bundle is exactly what `arena pack` makes of its files")
