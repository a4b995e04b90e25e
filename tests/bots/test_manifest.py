"""Bots are found and described; every mistake in a description is one line that says what to change."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bots.manifest import find_bots, load_bot, runnable
from arena.errors import ArenaError

GOOD = """\
name = "greedy"
version = "1.0.0"
language = "python"
command = ["python", "bot.py"]
"""


@pytest.fixture
def make_bot(tmp_path: Path) -> Callable[..., Path]:
    def make(manifest: str = GOOD, folder: str = "greedy") -> Path:
        path = tmp_path / "bots" / folder
        path.mkdir(parents=True)
        (path / "bot.toml").write_text(manifest)
        (path / "bot.py").write_text("pass\n")
        return path

    return make


def error_of(manifest: str, tmp_path: Path) -> str:
    folder = tmp_path / "bot"
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(manifest)
    with pytest.raises(ArenaError) as caught:
        load_bot(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder / "bot.toml") in message
    return message.removeprefix(str(folder / "bot.toml"))


def test_folder_is_described_by_its_manifest(make_bot: Callable[..., Path]) -> None:
    manifest = GOOD + 'build = ["make", "all"]\nprotocol = "smart-bots-http"\nmax_parallel_matches = 8\n'
    folder = make_bot(manifest)

    bot = load_bot(folder)

    assert (bot.name, bot.version, bot.language) == ("greedy", "1.0.0", "python")
    assert bot.command == ("python", "bot.py")
    assert bot.build == ("make", "all")
    assert (bot.protocol, bot.max_parallel_matches) == ("smart-bots-http", 8)
    assert bot.folder == bot.path == folder
    assert not bot.is_single_file


def test_optional_keys_have_documented_defaults(make_bot: Callable[..., Path]) -> None:
    bot = load_bot(make_bot())

    assert (bot.build, bot.protocol, bot.max_parallel_matches, bot.is_house) == ((), "grpc", 1, False)


def test_single_file_needs_no_manifest_and_is_versioned_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "lowest.py"
    path.write_text("pass\n")

    bot = load_bot(path)

    assert (bot.name, bot.language, bot.command) == ("lowest", "python", ("python", "lowest.py"))
    assert bot.version == bot.content_hash[:8]
    assert bot.is_single_file
    (tmp_path / "neighbour.py").write_text("other\n")
    assert load_bot(path) == bot
    path.write_text("changed\n")
    assert load_bot(path).version != bot.version


def test_bots_are_found_by_name_and_everything_else_is_passed_over(
    make_bot: Callable[..., Path], tmp_path: Path
) -> None:
    make_bot(GOOD.replace("greedy", "zeta"), "aaa")
    make_bot(GOOD, "zzz")
    bots = tmp_path / "bots"
    (bots / "lone.py").write_text("pass\n")
    (bots / "README.md").write_text("words\n")
    (bots / "notes").mkdir()
    (bots / ".hidden.py").write_text("pass\n")
    (bots / "__init__.py").write_text("pass\n")

    assert [bot.name for bot in find_bots(bots)] == ["greedy", "lone", "zeta"]
    assert [bot.name for bot in find_bots(bots, only=["zeta", "lone"])] == ["lone", "zeta"]
    assert [bot.name for bot in find_bots(bots, exclude=["zeta"])] == ["greedy", "lone"]


def test_excluded_bot_may_be_broken(make_bot: Callable[..., Path], tmp_path: Path) -> None:
    make_bot()
    make_bot("not toml", "broken")

    assert [bot.name for bot in find_bots(tmp_path / "bots", exclude=["broken"])] == ["greedy"]
    with pytest.raises(ArenaError, match="broken"):
        find_bots(tmp_path / "bots")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"only": ["gredy"]}, "--only gredy: no bot of that name in .*; there are greedy"),
        ({"exclude": ["gredy"]}, "--exclude gredy: no bot of that name in .*; there are greedy"),
        ({"exclude": ["greedy"]}, "no bots left in .*: --only and --exclude leave none of greedy"),
    ],
)
def test_choice_that_names_no_bot_is_refused(
    make_bot: Callable[..., Path], tmp_path: Path, option: dict[str, list[str]], message: str
) -> None:
    make_bot(folder="folder")

    with pytest.raises(ArenaError, match=message):
        find_bots(tmp_path / "bots", **option)


def test_missing_empty_and_misplaced_folders_are_told_apart(
    make_bot: Callable[..., Path], tmp_path: Path
) -> None:
    folder = make_bot()
    (tmp_path / "empty").mkdir()

    with pytest.raises(ArenaError, match="nowhere: no such folder"):
        find_bots(tmp_path / "nowhere")
    with pytest.raises(
        ArenaError, match=r"no bots in .*empty: a bot is a folder with bot.toml or a file NAME.py"
    ):
        find_bots(tmp_path / "empty")
    with pytest.raises(ArenaError, match="this is one bot; give the folder that holds it"):
        find_bots(folder)
    with pytest.raises(ArenaError, match="is a file, not a folder of bots"):
        find_bots(folder / "bot.py")
    with pytest.raises(ArenaError, match="nowhere: no such file or folder"):
        load_bot(tmp_path / "nowhere")
    with pytest.raises(ArenaError, match=r"bot.toml: no such file; a bot's folder holds bot.toml"):
        load_bot(tmp_path / "empty")


def test_two_bots_of_one_name_are_refused_naming_both_paths(
    make_bot: Callable[..., Path], tmp_path: Path
) -> None:
    first, second = make_bot(folder="one"), make_bot(GOOD.replace("greedy", "Greedy"), "two")

    with pytest.raises(ArenaError) as caught:
        find_bots(tmp_path / "bots")

    assert str(first) in str(caught.value)
    assert str(second) in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("name", "nme"), ", line 1: nme: unknown key; allowed are name, version, language, command, build,"),
        (('name = "greedy"\n', ""), ": name is missing; required are name, version, language, command"),
        (('"greedy"', '"two words"'), ", line 1: name: 'two words' is not allowed; a name is 1-64 letters"),
        (('"greedy"', '"-x"'), ", line 1: name: '-x' is not allowed"),
        (('"greedy"', f'"{"x" * 65}"'), ", line 1: name: 'xxx"),
        (('"greedy"', '"bot\\n"'), ", line 1: name: 'bot\\n' is not allowed"),
        (('"greedy"', "7"), ", line 1: name: must be a string, not a number"),
        (('"1.0.0"', "2024-01-01"), ", line 2: version: must be a string, not a date or time"),
        (('"1.0.0"', '"1 0"'), ", line 2: version: '1 0' is not allowed; letters, digits"),
        (('"python"\n', '"Python 3"\n'), ", line 3: language: 'Python 3' is not allowed"),
        (
            ('["python", "bot.py"]', '"python bot.py"'),
            ", line 4: command: must be an array of strings, such as",
        ),
        (('["python", "bot.py"]', "[]"), ", line 4: command: must have 1 to 256 words"),
        (('["python", "bot.py"]', '["a\\u0000b"]'), ", line 4: command: must have 1 to 256 words"),
        (("command", "build = [1]\ncommand"), ", line 4: build: must be an array of strings"),
        (
            ("command", 'protocol = "http"\ncommand'),
            "line 4: protocol: 'http' is unknown; allowed are grpc, smart-",
        ),
        (
            ("command", "max_parallel_matches = 0\ncommand"),
            "matches: 0 is out of range; 1 to 4096 is allowed",
        ),
        (
            ("command", "max_parallel_matches = true\ncommand"),
            "must be a whole number from 1 to 4096, not a bool",
        ),
        (("command", "[limits]\ncommand"), ", line 4: limits: unknown key"),
        (('"greedy"', '"greedy'), ": not valid TOML: Illegal character '\\n' (at line 1, column 15)"),
    ],
)
def test_mistake_in_a_manifest_is_named_with_its_line(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    assert message in error_of(GOOD.replace(*change, 1), tmp_path)


def test_manifest_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_bytes(b'name = "\xff"')

    with pytest.raises(ArenaError, match=r"bot.toml: not UTF-8 text \(byte 8\)"):
        load_bot(tmp_path)


def test_enormous_manifest_is_refused_unread(tmp_path: Path) -> None:
    assert ": longer than 65536 bytes" in error_of(GOOD + "#" * 70_000, tmp_path)


def test_deeply_nested_manifest_is_refused(tmp_path: Path) -> None:
    assert ": not valid TOML" in error_of("name = " + "[" * 20_000, tmp_path)


@given(text=st.text(max_size=300) | st.sampled_from(GOOD.splitlines()).map(lambda line: line + "="))
def test_any_text_is_a_manifest_or_an_arena_error(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(text, encoding="utf-8", errors="replace")

    with contextlib.suppress(ArenaError):
        load_bot(folder)


def test_what_cannot_run_here_is_said_in_words(make_bot: Callable[..., Path]) -> None:
    bot = load_bot(make_bot())
    (bot.folder / "here").touch()

    assert runnable(bot) is None
    assert runnable(replace(bot, command=(sys.executable,))) is None
    assert runnable(replace(bot, command=("no-such-program",))) == "no-such-program is not installed"
    assert runnable(replace(bot, command=("./gone",))) == f"{bot.folder}/gone does not exist"
    assert runnable(replace(bot, command=("./here",))) == f"{bot.folder}/here is not executable"
    built = replace(bot, command=("./gone",), build=("no-such-cargo", "build"))
    assert runnable(built) == "no-such-cargo is not installed (it builds the bot)"
    assert runnable(replace(built, build=("python", "build.py"))) is None
