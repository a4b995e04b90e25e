"""Owns how a bot is described: `bot.toml`, a single NAME.py, folders of them; must not know processes."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.bundle import bot_files, content_hash
from arena.errors import ArenaError

__all__ = [
    "MANIFEST_NAME",
    "PROTOCOLS",
    "Entrant",
    "files_of",
    "find_bots",
    "load_bot",
    "refuse_bad_name",
    "runnable",
]

MANIFEST_NAME = "bot.toml"
PROTOCOLS = ("grpc", "smart-bots-http")
_REQUIRED = ("name", "version", "language", "command")
_OPTIONAL = ("build", "protocol", "max_parallel_matches")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#.-]{0,31}")
_BOT_IS = "a bot is a folder with bot.toml or a file NAME.py"
_NAME_ALLOWED = "a name is 1-64 letters, digits, - and _, beginning with a letter or digit"
_MAX_MANIFEST_BYTES = 64 * 1024
_MAX_PARALLEL_MATCHES = 4096
_MAX_WORDS = 256


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot as it enters a tournament: its name, how it is built and started, and the hash of its files.

    `path` is what was given: the bot's folder, or its only file. `folder` is where the command runs; after a
    build it is the built copy. A first word "python" in `command` or `build` is the arena's own interpreter.
    """

    name: str
    version: str
    language: str
    command: tuple[str, ...]
    build: tuple[str, ...]
    folder: Path
    protocol: str
    max_parallel_matches: int
    content_hash: str
    is_house: bool = False
    path: Path = Path()

    @property
    def is_single_file(self) -> bool:
        """True for a bot that is one NAME.py, whose folder is none of its business."""
        return self.path.suffix == ".py"


def load_bot(path: Path | str) -> Entrant:
    """The bot in a folder with `bot.toml`, or in a single NAME.py.

    A single file is called after its file name, runs under the arena's interpreter, and has for its version
    the first eight digits of its content hash. Raises ArenaError, naming the path and what is allowed.
    """
    given = Path(path)
    if not given.exists():
        raise ArenaError(f"{given}: no such file or folder; {_BOT_IS}")
    absolute = given.absolute()
    if absolute.is_dir():
        return _load_folder(absolute, shown=given)
    if absolute.suffix != ".py":
        raise ArenaError(f"{given}: not a bot; {_BOT_IS}")
    return _load_file(absolute, shown=given)


def find_bots(
    folder: Path | str, *, only: Collection[str] = (), exclude: Collection[str] = ()
) -> list[Entrant]:
    """Every bot directly inside `folder`, sorted by name; `only` and `exclude` choose by name.

    A bot is a folder with bot.toml or a file NAME.py. Whatever begins with `.` or `_`, and everything else,
    is passed over. What `exclude` names by folder or file name is not even read. Raises ArenaError for a
    missing or empty folder, two bots of one name, and a name in `only` or `exclude` that no bot has.
    """
    given = Path(folder)
    if not given.is_dir():
        what = "is a file, not a folder of bots" if given.exists() else "no such folder"
        raise ArenaError(f"{given}: {what}; give a folder that holds bots")
    if (given / MANIFEST_NAME).exists():
        raise ArenaError(f"{given}: this is one bot; give the folder that holds it and its opponents")
    candidates = _candidates(given)
    if not candidates:
        raise ArenaError(f"no bots in {given}: {_BOT_IS}")
    entrants = [load_bot(path) for path in candidates if not {path.stem, path.name} & set(exclude)]
    _refuse_doubles(entrants)
    names = {entrant.name for entrant in entrants}
    _refuse_unknown(set(only) - names, names, option="--only", folder=given)
    paths = {word for path in candidates for word in (path.stem, path.name)}
    _refuse_unknown(set(exclude) - names - paths, names, option="--exclude", folder=given)
    chosen = [e for e in entrants if e.name not in exclude and (not only or e.name in only)]
    if not chosen:
        raise ArenaError(f"no bots left in {given}: --only and --exclude leave none of {_listed(names)}")
    return sorted(chosen, key=lambda entrant: entrant.name)


def files_of(path: Path, *, has_build: bool) -> Iterator[tuple[str, Path]]:
    """The files whose content hash names the bot at `path`: see `arena.bots.bundle.bot_files`."""
    return bot_files(path, has_build=has_build) if path.is_dir() else iter([(path.name, path.resolve())])


def refuse_bad_name(name: str) -> None:
    """Raises ArenaError, with what is allowed, for a name that no bot may have."""
    if not _NAME.fullmatch(name):
        raise ArenaError(f"{name!r} cannot be a bot's name; {_NAME_ALLOWED}")


def runnable(entrant: Entrant) -> str | None:
    """Why this bot cannot be built or started on this machine, in words; None when it can.

    A command inside the bot's folder must be there, or be made by its build.
    """
    if entrant.build:
        missing = _missing_program(entrant.build[0], entrant.folder)
        if missing:
            return f"{missing} (it builds the bot)"
    command = entrant.command[0]
    if entrant.build and "/" in command:
        return None
    return _missing_program(command, entrant.folder)


def _missing_program(program: str, folder: Path) -> str | None:
    if program == "python":
        return None
    if "/" not in program:
        return None if shutil.which(program) else f"{program} is not installed"
    path = folder / program
    if not path.is_file():
        return f"{path} does not exist"
    return None if os.access(path, os.X_OK) else f"{path} is not executable"


def _candidates(folder: Path) -> list[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise ArenaError(f"{folder}: cannot be read: {error.strerror}") from error
    return [path for path in inside if path.name[0] not in "._" and _is_bot(path)]


def _is_bot(path: Path) -> bool:
    if path.is_dir():
        return (path / MANIFEST_NAME).exists()
    return path.suffix == ".py"


def _refuse_doubles(entrants: Iterable[Entrant]) -> None:
    seen: dict[str, Entrant] = {}
    for entrant in entrants:
        first = seen.setdefault(entrant.name.casefold(), entrant)
        if first is not entrant:
            raise ArenaError(
                f"two bots are called {entrant.name}: {first.path} and {entrant.path}; "
                "a name is unique in a tournament (upper and lower case count as one)"
            )


def _refuse_unknown(unknown: set[str], known: set[str], *, option: str, folder: Path) -> None:
    if unknown:
        raise ArenaError(
            f"{option} {min(unknown)}: no bot of that name in {folder}; there are {_listed(known)}"
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _load_file(path: Path, *, shown: Path) -> Entrant:
    name = path.stem
    if not _NAME.fullmatch(name):
        raise ArenaError(f"{shown}: {name!r} cannot be a bot's name; {_NAME_ALLOWED}")
    digest = content_hash(files_of(path, has_build=False))
    return Entrant(
        name=name,
        version=digest[:8],
        language="python",
        command=("python", path.name),
        build=(),
        folder=path.parent,
        protocol="grpc",
        max_parallel_matches=1,
        content_hash=digest,
        path=path,
    )


def _load_folder(folder: Path, *, shown: Path) -> Entrant:
    manifest = _Manifest.read(folder / MANIFEST_NAME, shown=shown / MANIFEST_NAME)
    manifest.refuse_unknown_keys()
    build = manifest.words("build")
    return Entrant(
        name=manifest.text("name", _NAME, _NAME_ALLOWED),
        version=manifest.text("version", _VERSION, "letters, digits and . _ + -, at most 64, such as 1.0.0"),
        language=manifest.text("language", _LANGUAGE, "lower-case letters, digits, + # . -, such as python"),
        command=manifest.words("command"),
        build=build,
        folder=folder,
        protocol=manifest.choice("protocol", PROTOCOLS),
        max_parallel_matches=manifest.whole_number("max_parallel_matches", 1, _MAX_PARALLEL_MATCHES),
        content_hash=content_hash(files_of(folder, has_build=bool(build))),
        path=folder,
    )


@dataclass(frozen=True, slots=True)
class _Manifest:
    """A parsed bot.toml that checks what is taken out of it; every error names file, line and key."""

    shown: Path
    text_: str
    table: dict[str, Any]

    @classmethod
    def read(cls, path: Path, *, shown: Path) -> _Manifest:
        try:
            with path.open("rb") as file:
                content = file.read(_MAX_MANIFEST_BYTES + 1)
            if len(content) > _MAX_MANIFEST_BYTES:
                raise ArenaError(
                    f"{shown}: longer than {_MAX_MANIFEST_BYTES} bytes; a few lines are expected"
                )
            text = content.decode("utf-8")
            return cls(shown, text, tomllib.loads(text))
        except FileNotFoundError as error:
            raise ArenaError(f"{shown}: no such file; a bot's folder holds bot.toml") from error
        except OSError as error:
            raise ArenaError(f"{shown}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ArenaError(f"{shown}: not UTF-8 text (byte {error.start})") from error
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ArenaError(f"{shown}: not valid TOML: {str(error) or 'nested too deeply'}") from error

    def refuse_unknown_keys(self) -> None:
        known = (*_REQUIRED, *_OPTIONAL)
        for key in self.table:
            if key not in known:
                raise self._error(key, f"unknown key; allowed are {', '.join(known)}")
        for key in _REQUIRED:
            if key not in self.table:
                raise ArenaError(f"{self.shown}: {key} is missing; required are {', '.join(_REQUIRED)}")

    def text(self, key: str, pattern: re.Pattern[str], allowed: str) -> str:
        value = self.table[key]
        if not isinstance(value, str):
            raise self._error(key, f"must be a string, not {_toml_type(value)}")
        if not pattern.fullmatch(value):
            raise self._error(key, f"{value!r} is not allowed; {allowed}")
        return value

    def choice(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.table.get(key, allowed[0])
        if value not in allowed:
            raise self._error(key, f"{value!r} is unknown; allowed are {', '.join(allowed)}")
        return str(value)

    def whole_number(self, key: str, low: int, high: int) -> int:
        value = self.table.get(key, low)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._error(key, f"must be a whole number from {low} to {high}, not {_toml_type(value)}")
        if not low <= value <= high:
            raise self._error(key, f"{value} is out of range; {low} to {high} is allowed")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        if key not in self.table:
            return ()
        value = self.table[key]
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self._error(key, 'must be an array of strings, such as ["python", "bot.py"]')
        if not value or not value[0] or len(value) > _MAX_WORDS or any("\0" in word for word in value):
            raise self._error(key, f"must have 1 to {_MAX_WORDS} words, the first a program, none with a NUL")
        return tuple(value)

    def _error(self, key: str, problem: str) -> ArenaError:
        bare = re.escape(key)
        pattern = re.compile(rf"\s*(\[+\s*)?(\"{bare}\"|'{bare}'|{bare})\s*[=.\]]")
        for number, line in enumerate(self.text_.splitlines(), start=1):
            if pattern.match(line):
                return ArenaError(f"{self.shown}, line {number}: {key}: {problem}")
        return ArenaError(f"{self.shown}: {key}: {problem}")


def _toml_type(value: object) -> str:
    names: dict[type, str] = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    names |= {list: "an array", dict: "a table"}
    return names.get(type(value), "a date or time")
