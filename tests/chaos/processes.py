"""Owns how the arena's processes are found from outside: by where they work and what they run.

Everything that a disturbed run starts works below one folder, or in a sandbox that shows something of it;
orphans too. What does when nothing should is left behind.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from tests.bots.processes import is_gone

__all__ = ["LOOK_AGAIN_S", "Kind", "Process", "heeds", "processes_in", "wait_until_nobody_is_in"]

LOOK_AGAIN_S = 0.05
SANDBOX_PROGRAMS = ("bwrap", "setpriv", "prlimit")


class Kind(StrEnum):
    """What a process is to the arena."""

    ARENA = "arena"
    WORKER = "worker"
    KEEPER = "keeper"
    SANDBOX = "sandbox"
    BOT = "bot"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Process:
    """A process as it was when it was looked at; `bot` is the bot that dies with it, empty for none."""

    pid: int
    parent: int
    kind: Kind
    bot: str

    def send(self, number: signal.Signals) -> None:
        """A signal; nothing when the process is gone already."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


def processes_in(folder: Path) -> list[Process]:
    """Every process that works in `folder` or below it, by process id."""
    found = {process.pid: process for process in _found_in(folder)}
    for process in tuple(found.values()):
        if process.kind is Kind.BOT:
            _name_ancestors(process, found)
    return [found[pid] for pid in sorted(found)]


def heeds(process: Process, number: signal.Signals) -> bool:
    """Whether the process has a handler for the signal by now."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (number - 1) & 1)


def wait_until_nobody_is_in(folder: Path, *, patience_s: float) -> list[Process]:
    """Returns as soon as no process is left there, or with those that are when patience ends."""
    deadline_s = time.monotonic() + patience_s
    while (left := processes_in(folder)) and time.monotonic() < deadline_s:
        time.sleep(LOOK_AGAIN_S)
    return left


def _name_ancestors(bot: Process, found: dict[int, Process]) -> None:
    """Whoever stands between a bot and its worker: its sandbox's processes and its keeper."""
    while (above := found.get(bot.parent)) is not None and above.kind in (Kind.SANDBOX, Kind.KEEPER):
        bot = found[above.pid] = replace(above, bot=bot.bot)


def _found_in(folder: Path) -> Iterator[Process]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if not _belongs_to(folder, place) or is_gone(int(place.name)):
                continue
            words = (place / "cmdline").read_text(errors="replace").split("\0")
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it ended while we looked, or is not ours
        kind = _kind_of(words)
        yield Process(int(place.name), parent, kind, _bot_of(words) if kind is Kind.BOT else "")


def _belongs_to(folder: Path, place: Path) -> bool:
    if (place / "cwd").readlink().is_relative_to(folder):
        return True
    is_sandboxed = (place / "ns" / "mnt").readlink() != Path("/proc/self/ns/mnt").readlink()
    return is_sandboxed and str(folder) in (place / "mountinfo").read_text()


def _kind_of(words: list[str]) -> Kind:
    programs = [Path(word).name for word in words if word.endswith(".py")]
    if any("arena.tournament.worker" in word for word in words):
        return Kind.WORKER
    if "keeper.py" in programs:
        return Kind.KEEPER
    if any("arena.cli" in word for word in words):
        return Kind.ARENA
    if Path(words[0]).name in SANDBOX_PROGRAMS:
        return Kind.SANDBOX
    return Kind.BOT if programs else Kind.OTHER


def _bot_of(words: list[str]) -> str:
    return next(Path(word).stem for word in words if word.endswith(".py"))
