"""Owns the built copies of bots, one for each content hash; must not know what a bot is started for."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

from arena.bots.bundle import bot_files, everything_in
from arena.bots.launcher import BotProcess, program_of, run
from arena.bots.limits import Limits
from arena.bots.manifest import Entrant, runnable
from arena.bots.sandbox import Sandbox, Start
from arena.errors import ArenaError

__all__ = ["BUILD_LIMITS", "BUILD_S", "BuildError", "build_bot", "default_cache", "is_built"]

BUILD_S = 600.0
BUILD_LIMITS = Limits(
    memory_bytes=4 << 30,
    processes=1024,
    open_files=4096,
    file_bytes=2 << 30,
    tmp_bytes=4 << 30,
)
_LOG_NAME = "build.log"
_COPY_NAME = "bot"


class BuildError(ArenaError):
    """A bot could not be built; `output` is what its build said (head and tail)."""

    def __init__(self, message: str, *, output: str = "") -> None:
        super().__init__(message)
        self.output = output


def default_cache() -> Path:
    """Where built copies are kept: `callbreak-arena/builds` in the user's cache folder (XDG_CACHE_HOME)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "callbreak-arena" / "builds"


def is_built(entrant: Entrant, *, cache: Path | None = None) -> bool:
    """Whether there is nothing to build: it has no build, or a built copy is kept."""
    return not entrant.build or ((cache or default_cache()) / entrant.content_hash).is_dir()


async def build_bot(
    entrant: Entrant,
    *,
    cache: Path | None = None,
    sandbox: Sandbox | None = None,
    limits: Limits | None = None,
    time_limit_s: float = BUILD_S,
    has_network: bool = True,
) -> Entrant:
    """The bot ready to start: itself when it has no build, else with the folder of its built copy.

    A build runs once for each content hash, in a copy of the bot's files (`bot_files`, so without what an
    earlier build left in the original). The copy then moves into the cache as a whole or not at all:
    `CACHE/HASH/bot`, beside what the build said in `CACHE/HASH/build.log`. Two arenas may build at once; one
    copy wins. A failed build is not remembered.

    The build runs with the operator's environment less whatever begins with ARENA_; in a sandbox with only
    what tells it where to fetch from (BUILD_VARIABLES), it sees what its bot will see, and may write to its
    own copy. With `has_network` it also reaches the network, this machine's own servers included, so
    strangers' bots should bring what they need. Raises BuildError, in one line with the build's last words.
    """
    if not entrant.build:
        return entrant
    cache = cache or default_cache()
    place = cache / entrant.content_hash
    if not place.is_dir():
        workshop = _workshop(entrant, cache)
        try:
            await asyncio.to_thread(_copy, entrant, workshop / _COPY_NAME)
            start = _start_of_build(entrant, workshop / _COPY_NAME, has_network=has_network)
            name = f"{entrant.name}: build `{' '.join(entrant.build)}`"
            async with run(start, name=name, sandbox=sandbox, limits=limits or BUILD_LIMITS) as process:
                problem = await _problem_of(process, time_limit_s)
                output = process.output.cut("build")
            _judge(entrant, workshop, problem=problem, output=output)
            _install(workshop, place)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    return replace(entrant, folder=place / _COPY_NAME)


def _workshop(entrant: Entrant, cache: Path) -> Path:
    try:
        cache.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{entrant.content_hash[:16]}-", dir=cache))
    except OSError as error:
        raise BuildError(f"{cache}: cannot keep built bots there: {error.strerror}") from error


def _copy(entrant: Entrant, target: Path) -> None:
    try:
        for name, path in bot_files(entrant.folder, has_build=True):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / name, follow_symlinks=False)
    except OSError as error:
        raise BuildError(f"{entrant.name}: cannot be copied for its build: {error}") from error


def _start_of_build(entrant: Entrant, folder: Path, *, has_network: bool) -> Start:
    program = entrant.build[0]
    return Start(
        command=(program_of(program, replace(entrant, folder=folder)), *entrant.build[1:]),
        environment={key: value for key, value in os.environ.items() if not key.startswith("ARENA_")},
        folder=folder,
        is_python=program == "python",
        is_trusted_program="/" not in program,
        is_build=True,
        has_network=has_network,
    )


def _judge(entrant: Entrant, workshop: Path, *, problem: str | None, output: bytes) -> None:
    """Keeps what the build said; raises BuildError when it failed or made no bot."""
    folder = workshop / _COPY_NAME
    text = output.decode(errors="replace")
    name = f"{entrant.name}: build `{' '.join(entrant.build)}`"
    if problem:
        raise BuildError(f"{name} {problem}{_last_words(text)}", output=text)
    _disarm(folder)
    missing = runnable(replace(entrant, folder=folder, build=()))
    if missing:
        raise BuildError(f"{name} succeeded, but {missing.replace(f'{folder}/', '')}", output=text)
    (workshop / _LOG_NAME).write_bytes(output)


def _disarm(folder: Path) -> None:
    """Leaves nothing in a built copy that runs with its owner's rights, and only files, folders, links."""
    for path in everything_in(folder):
        mode = path.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
            path.unlink()
        elif mode & (stat.S_ISUID | stat.S_ISGID):
            path.chmod(stat.S_IMODE(mode) & 0o777)


async def _problem_of(process: BotProcess, time_limit_s: float) -> str | None:
    try:
        async with asyncio.timeout(time_limit_s):
            ended = await process.wait()
    except TimeoutError:
        return f"did not end within {time_limit_s:g} s"
    return None if ended.code == 0 else f"failed ({ended.reason})"


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return f": {lines[-1][:300]}" if lines else ""


def _install(workshop: Path, place: Path) -> None:
    try:
        workshop.chmod(0o755)
        workshop.rename(place)
    except OSError as error:
        if not place.is_dir():
            raise BuildError(f"{place}: cannot keep a built bot there: {error.strerror}") from error
