"""A bundle is the same bytes for the same files, comes back whole, and nothing else is ever unpacked."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.bots.archive import BadBundle, BundleLimits, bundle_hash, pack, pack_files, unpack, unpack_bot
from arena.bots.manifest import load_bot
from arena.errors import ArenaError

MANIFEST = 'name = "demo"\nversion = "1.0.0"\nlanguage = "python"\ncommand = ["python", "bot.py"]\n'


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text("print('hello')\n")
    (folder / "lib" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "lib" / "run.sh").chmod(0o755)
    return folder


def member(name: str, content: bytes = b"x", **changes: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in changes.items():
        setattr(info, key, value)
    return info, content


def tar_of(*members: tuple[tarfile.TarInfo, bytes], format_: int = tarfile.USTAR_FORMAT) -> bytes:
    """A tar as other tools write it, for what is refused."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format_) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def with_header(data: bytes, at: int, field: bytes) -> bytes:
    """The tar with bytes of its first header replaced, and the check sum put right."""
    header = bytearray(data[:512])
    header[at : at + len(field)] = field
    total = sum(header[:148]) + sum(header[156:]) + 8 * 0x20
    header[148:156] = b"%06o\0 " % total
    return bytes(header) + data[512:]


def zipped(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", content)
    return out.getvalue()


def with_size(field: bytes) -> bytes:
    return with_header(tar_of(member("a")), 124, field)


def two_ends() -> bytes:
    data = canonical("a.py")
    return data[:1024] + b"\0" * 512 + data[:512]


def canonical(name: str) -> bytes:
    """A bundle of one file that holds an `x`, written as `pack` would."""
    header = bytearray(tar_of(member(name))[:512])
    header[257:265] = b"ustar\x0000"
    header[265:329] = b"\0" * 64
    header[329:345] = b"0000000\0" * 2
    data = bytes(header) + b"x".ljust(512, b"\0") + b"\0" * 1024
    return with_header(with_header(data, 100, b"0000644\0"), 136, b"%011o\0" % 0)


def left_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def refusal(data: bytes, tmp_path: Path, limits: BundleLimits | None = None) -> BadBundle:
    """What is said of a bad bundle, after which nothing may be left."""
    place = tmp_path / "unpacked"
    place.mkdir()
    with pytest.raises(BadBundle) as refused:
        unpack_bot(data, place / "bot", limits=limits)
    assert left_in(place) == []
    assert "\n" not in str(refused.value)
    return refused.value


def test_same_files_are_the_same_bytes_whatever_their_times_owners_and_order(
    bot: Path, tmp_path: Path
) -> None:
    first = pack(bot)
    other = tmp_path / "elsewhere"
    other.mkdir()
    for name in ["lib/run.sh", "bot.toml", "bot.py"]:
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_bytes((bot / name).read_bytes())
        os.utime(other / name, (7, 7))
    (other / "bot.py").chmod(0o600)
    (other / "lib" / "run.sh").chmod(0o700)
    (other / "__pycache__").mkdir()
    (other / "__pycache__" / "bot.pyc").write_bytes(b"cache")

    assert pack(other) == first


def test_bundle_is_a_tar_that_other_tools_read(bot: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(pack(bot))) as tar:
        found = {info.name: (info.mode, info.mtime, info.uid) for info in tar}

    assert found == {"bot.py": (0o644, 0, 0), "bot.toml": (0o644, 0, 0), "lib/run.sh": (0o755, 0, 0)}


def test_hash_is_that_of_the_bytes(bot: Path) -> None:
    assert bundle_hash(pack(bot)) == hashlib.sha256(pack(bot)).hexdigest()


def test_hash_sees_content_name_and_executable_bit(bot: Path) -> None:
    seen = {bundle_hash(pack(bot))}
    (bot / "bot.py").write_text("print('bye')\n")
    seen.add(bundle_hash(pack(bot)))
    (bot / "bot.py").chmod(0o755)
    seen.add(bundle_hash(pack(bot)))
    (bot / "lib" / "run.sh").rename(bot / "lib" / "go.sh")
    seen.add(bundle_hash(pack(bot)))

    assert len(seen) == 4


def test_bot_comes_back_as_it_was(bot: Path, tmp_path: Path) -> None:
    entrant = unpack_bot(pack(bot), tmp_path / "copy")

    assert entrant.content_hash == load_bot(bot).content_hash
    assert (entrant.name, entrant.folder) == ("demo", tmp_path / "copy")
    assert left_in(tmp_path / "copy") == ["bot.py", "bot.toml", "lib", "lib/run.sh"]


def test_single_file_is_a_bundle_too(tmp_path: Path) -> None:
    file = tmp_path / "simple.py"
    file.write_text("pass\n")

    entrant = unpack_bot(pack(file), tmp_path / "copy")

    assert (entrant.name, entrant.is_single_file) == ("simple", True)
    assert entrant.content_hash == load_bot(file).content_hash


def test_paths_up_to_what_a_header_holds_come_back(tmp_path: Path) -> None:
    source = tmp_path / "file"
    source.write_bytes(b"x" * 513)
    names = ["a" * 100, "b" * 155 + "/" + "c" * 100, "d" * 50 + "/" + "e" * 99, "ü/ñ.txt", "BZh.py", "]"]

    unpack(pack_files([(name, source) for name in names]), tmp_path / "copy")

    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert {path.relative_to(tmp_path / "copy").as_posix() for path in files} == set(names)
    assert {path.read_bytes() for path in files} == {b"x" * 513}


@pytest.mark.parametrize(
    ("kind", "words", "data"),
    [
        ("LINK", "etc is a symbolic link", lambda: tar_of(member("etc", b"", type=b"2", linkname="/etc"))),
        ("LINK", "b is a hard link", lambda: tar_of(member("a"), member("b", b"", type=b"1", linkname="a"))),
        ("DEVICE", "null is a character device", lambda: tar_of(member("null", b"", type=b"3"))),
        ("DEVICE", "disk is a block device", lambda: tar_of(member("disk", b"", type=b"4"))),
        ("FIFO", "pipe is a fifo", lambda: tar_of(member("pipe", b"", type=b"6"))),
        ("FOLDER", "lib/ is an entry for a folder", lambda: tar_of(member("lib", b"", type=b"5"))),
        ("EXTENSION", "hole is a sparse file", lambda: tar_of(member("hole", b"", type=b"S"))),
        ("EXTENSION", "of an unknown kind", lambda: tar_of(member("odd", b"", type=b"Z"))),
        ("EXTENSION", "pax header", lambda: tar_of(member("ü" * 90), format_=tarfile.PAX_FORMAT)),
        ("EXTENSION", "long name as GNU tar", lambda: tar_of(member("n" * 200), format_=tarfile.GNU_FORMAT)),
        ("OUTSIDE", "/etc/cron.d/x is an absolute path", lambda: tar_of(member("/etc/cron.d/x"))),
        ("OUTSIDE", "a/../../x leads out", lambda: tar_of(member("a/../../x"))),
        ("OUTSIDE", ".. leads out", lambda: tar_of(member(".."))),
        ("BAD_NAME", "no part of a path is empty", lambda: tar_of(member("a//b"))),
        ("BAD_NAME", "no part of a path is empty", lambda: tar_of(member("./bot.py"))),
        ("BAD_NAME", "no part of a path is empty", lambda: with_header(tar_of(member("a")), 0, b"\0")),
        ("BAD_NAME", "no control", lambda: tar_of(member("a\x1b[2Jb"))),
        ("BAD_NAME", "no control", lambda: tar_of(member("a\u202eb"))),
        ("NAME_NOT_UTF8", "not UTF-8", lambda: with_header(tar_of(member("a")), 0, b"\xff\xfe")),
        ("DUPLICATE", "a is there twice", lambda: tar_of(member("a"), member("a"))),
        ("DUPLICATE", "a is both a file and a folder", lambda: tar_of(member("a"), member("a/b"))),
        ("DUPLICATE", "a is both a file and a folder", lambda: tar_of(member("a/b"), member("a"))),
        ("TOO_DEEP", "is 17 deep", lambda: tar_of(member("/".join("abcdefghijklmnopq")))),
        ("COMPRESSED", "gzip", lambda: gzip.compress(tar_of(member("a")))),
        ("COMPRESSED", "bzip2", lambda: bz2.compress(tar_of(member("a")))),
        ("COMPRESSED", "xz", lambda: lzma.compress(tar_of(member("a")))),
        ("COMPRESSED", "lzma", lambda: lzma.compress(tar_of(member("a")), format=lzma.FORMAT_ALONE)),
        ("COMPRESSED", "zip", lambda: zipped(b"x" * 10_000_000)),
        ("NO_TAR", "as a tar does", lambda: b"hello"),
        ("NO_TAR", "as a tar does", lambda: b"#!/bin/sh\n" * 1000),
        ("NO_TAR", "byte 1024 is not", lambda: tar_of(member("a"))[:1024] + b"junk" * 256),
        ("CUT_OFF", "in the middle of a file's header", lambda: tar_of(member("a"))[:300]),
        ("CUT_OFF", "a is to have 4000 bytes", lambda: tar_of(member("a", b"y" * 4000))[:1024]),
        ("CUT_OFF", "a is to have 8589934591 bytes", lambda: with_size(b"77777777777\0")),
        ("CUT_OFF", "its end", lambda: tar_of(member("a"))[:1024]),
        ("CUT_OFF", "its end", lambda: b""),
        ("CUT_OFF", "single block of zeros", two_ends),
        ("TOO_LARGE", "no octal number", lambda: with_size(b"\x80" + b"\0" * 10 + b"\x01")),
        ("EMPTY", "holds no file", lambda: b"\0" * 1024),
        ("NOT_CANONICAL", "bytes follow its end", lambda: canonical("a.py") + b"\0" * 512),
        ("NOT_CANONICAL", "time, an owner, a mode", lambda: tar_of(member("a.py", mtime=1))),
        ("NOT_CANONICAL", "in order of their paths", lambda: canonical("b.py")[:1024] + canonical("a.py")),
        ("NO_BOT", "no bot.toml at its top", lambda: canonical("readme.txt")),
        ("NO_BOT", "no bot.toml at its top", lambda: canonical("demo/bot.toml")),
        ("NO_BOT", "bot.toml: not valid TOML", lambda: canonical("bot.toml")),
    ],
)  # fmt: skip
def test_bad_bundle_is_refused_in_its_own_words_and_leaves_nothing(
    kind: str, words: str, data: Callable[[], bytes], tmp_path: Path
) -> None:
    refused = refusal(data(), tmp_path)

    assert (refused.kind, words in str(refused)) == (kind, True), str(refused)


def test_files_that_are_no_part_of_a_bot_are_refused(bot: Path, tmp_path: Path) -> None:
    # The content hash does not see them: two bots of one hash would be different programs.
    hidden = bot / "hidden.txt"
    hidden.write_text("x")
    named = [("node_modules/evil.js", hidden), *((n, bot / n) for n in ["bot.py", "bot.toml"])]

    refused = refusal(pack_files(named), tmp_path)

    assert refused.kind == "NOT_CANONICAL"
    assert "node_modules/evil.js is no part of a bot" in str(refused)


@pytest.mark.parametrize(
    ("limits", "kind", "words"),
    [
        (BundleLimits(total_bytes=2048), "TOO_LARGE", "at most 2048 are allowed"),
        (BundleLimits(files=2), "TOO_MANY_FILES", "more than 2 files"),
        (BundleLimits(depth=1), "TOO_DEEP", "lib/run.sh is 2 deep; at most 1 parts"),
    ],
)
def test_limits_hold_when_it_is_unpacked_and_when_it_is_packed(
    bot: Path, tmp_path: Path, limits: BundleLimits, kind: str, words: str
) -> None:
    refused = refusal(pack(bot), tmp_path, limits)
    with pytest.raises(BadBundle) as at_home:
        pack(bot, limits=limits)

    assert refused.kind == at_home.value.kind == kind
    assert words in str(refused)
    assert words in str(at_home.value)


def test_link_is_refused_before_anything_is_sent(bot: Path) -> None:
    (bot / "data").symlink_to("/etc/passwd")

    with pytest.raises(BadBundle, match="data is a symbolic link"):
        pack(bot)


def test_name_on_disk_that_is_no_utf8_is_refused(bot: Path) -> None:
    Path(os.fsdecode(os.fsencode(bot) + b"/caf\xe9.txt")).write_text("x")

    with pytest.raises(BadBundle, match=r"caf\\xe9.txt: a file's name is not UTF-8"):
        pack(bot)


def test_target_that_is_taken_stays_as_it_is(bot: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine").write_text("x")

    with pytest.raises(ArenaError, match="cannot be unpacked there"):
        unpack(pack(bot), taken)

    assert left_in(taken) == ["mine"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


NAMES = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=4).map(
    "/".join
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.dictionaries(NAMES, st.binary(max_size=1500), min_size=1, max_size=6), seed=st.integers(0, 2**32)
)
def test_any_files_come_back_or_are_refused_at_home(
    files: dict[str, bytes], seed: int, tmp_path: Path
) -> None:
    place = Path(tempfile.mkdtemp(dir=tmp_path))
    sources = []
    for number, (name, content) in enumerate(files.items()):
        (place / str(number)).write_bytes(content)
        sources.append((name, place / str(number)))
    random.Random(seed).shuffle(sources)
    try:
        data = pack_files(sources)
        unpack(data, place / "copy")
    except BadBundle:
        assert not (place / "copy").exists()
        return

    found = {p.relative_to(place / "copy").as_posix(): p for p in (place / "copy").rglob("*") if p.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == files
    assert pack_files(found.items()) == data


@st.composite
def mutilated(draw: st.DrawFn) -> bytes:
    """A bundle with bytes changed, moved, cut out or doubled; check sums of headers often put right again."""
    data = bytearray(canonical("a.py")[:1024] + canonical("b.py"))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        length = draw(st.integers(0, 700))
        piece = draw(st.one_of(st.binary(max_size=16), st.just(bytes(data[at : at + length]))))
        data[at : at + draw(st.integers(0, len(piece) + 8))] = piece
    if draw(st.booleans()) and len(data) >= 512:
        return with_header(bytes(data), 0, b"")
    return bytes(data)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.one_of(st.binary(max_size=2048), mutilated()))
def test_any_bytes_are_refused_or_are_what_pack_makes(data: bytes, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        place = Path(name) / "bot"
        try:
            unpack(data, place)
        except BadBundle:
            assert left_in(Path(name)) == []
            return

        found = [(p.relative_to(place).as_posix(), p) for p in place.rglob("*") if p.is_file()]
        assert pack_files(found) == data
