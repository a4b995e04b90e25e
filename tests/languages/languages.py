"""Owns the steady bots: where they are, which program each language needs, and their built copies."""

from __future__ import annotations

import fcntl
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.bots.build import build_bot, default_cache
from arena.bots.manifest import Entrant, load_bot

ROOT = Path(__file__).parent.parent.parent
SAMPLE_BOTS = ROOT / "sample_bots"


@dataclass(frozen=True, slots=True)
class Language:
    """A language that bots are written in here; its tests are marked `needs_<toolchain>`."""

    name: str
    folder: str
    toolchain: str | None


PYTHON = Language("python", "steady", None)
COMPILED = (
    Language("go", "steady-go", "go"),
    Language("rust", "steady-rust", "cargo"),
    Language("typescript", "steady-typescript", "node"),
    Language("java", "steady-java", "java"),
    Language("cpp", "steady-cpp", "cpp"),
)


def param(language: Language) -> object:
    """The language as a test's parameter: it skips without its toolchain, and may take as long as a build."""
    marks = [pytest.mark.timeout(900)]
    if language.toolchain:
        marks += [getattr(pytest.mark, f"needs_{language.toolchain}"), pytest.mark.slow]
    return pytest.param(language, id=language.name, marks=marks)


async def built(folder: Path) -> Entrant:
    """The bot in this folder, built if it has a build: one build at a time, whoever else runs tests here."""
    entrant = load_bot(folder)
    if not entrant.build:
        return entrant
    cache = default_cache()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / ".tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return await build_bot(entrant)
