"""Owns the built copies of bots, one for each content hash; must not know what a bot is started for."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from arena.bots.bundle import bot_files
from arena.bots.launcher import BotProcess, program_of, run
from arena.bots.limits import Limits
from arena.bots.manifest import Entrant, runnable
from arena.bots.sandbox import Sandbox, Start
from arena.errors import ArenaError

__all__ = ["BUILD_S", "BuildError", "build_bot", "default_cache"]

BUILD_S = 600.0
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


async def build_bot(
    entrant: Entrant,
    *,
    cache: Path | None = None,
    sandbox: Sandbox | None = None,
    limits: Limits | None = None,
    time_limit_s: float = BUILD_S,
) -> Entrant:
    """The bot ready to start: itself when it has no build, else with the folder of its built copy.

    A build runs once for each content hash, in a copy of the bot's files (`bot_files`, so without what an
    earlier build left in the original). The copy then moves into the cache as a whole or not at all:
    `CACHE/HASH/bot`, beside what the build said in `CACHE/HASH/build.log`. Two arenas may build at once; one
    copy wins. A failed build is not remembered. The build runs with the operator's environment (less whatever
    begins with ARENA_). Raises BuildError, in one line with the build's last words.
    """
    if not entrant.build:
        return entrant
    cache = cache or default_cache()
    place = cache / entrant.content_hash
    if not place.is_dir():
        workshop = _workshop(entrant, cache)
        try:
            await asyncio.to_thread(_copy, entrant, workshop / _COPY_NAME)
            await _build(entrant, workshop, sandbox=sandbox, limits=limits, time_limit_s=time_limit_s)
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


async def _build(
    entrant: Entrant, workshop: Path, *, sandbox: Sandbox | None, limits: Limits | None, time_limit_s: float
) -> None:
    folder = workshop / _COPY_NAME
    moved = replace(entrant, folder=folder)
    start = Start(
        command=(program_of(entrant.build[0], moved), *entrant.build[1:]),
        environment={key: value for key, value in os.environ.items() if not key.startswith("ARENA_")},
        folder=folder,
        is_python=entrant.build[0] == "python",
        is_trusted_program="/" not in entrant.build[0],
        is_build=True,
    )
    words = " ".join(entrant.build)
    name = f"{entrant.name}: build `{words}`"
    async with run(start, name=name, sandbox=sandbox, limits=limits) as process:
        problem = await _problem_of(process, time_limit_s)
        output = process.output.cut("build")
    (workshop / _LOG_NAME).write_bytes(output)
    text = output.decode(errors="replace")
    if problem:
        raise BuildError(f"{name} {problem}{_last_words(text)}", output=text)
    missing = runnable(replace(moved, build=()))
    if missing:
        raise BuildError(f"{name} succeeded, but {missing.replace(str(folder) + '/', '')}", output=text)


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
