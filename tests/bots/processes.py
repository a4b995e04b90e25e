"""Owns how tests look at real processes: small bots written to a folder, and whether a process is gone."""

from __future__ import annotations

import asyncio
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from arena.bots.manifest import Entrant, load_bot

DEADLINE_S = 20.0


def script_bot(folder: Path, source: str, *, name: str = "script") -> Entrant:
    """A bot that is one Python file with this source."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source))
    return load_bot(path)


def is_gone(pid: int) -> bool:
    """True when no such process runs; a zombie that waits for its parent does not run."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in (b"Z", b"X")


def pids_in(folder: Path) -> list[int]:
    """The process ids that the bots of a test wrote, each as the name of an empty file `pid-N`."""
    return sorted(int(path.name.removeprefix("pid-")) for path in folder.glob("pid-*"))


def nobody_works_in(folder: Path) -> bool:
    """True when no process works in `folder` or below it: catches processes whose ids nobody wrote down."""
    for pid in Path("/proc").glob("[0-9]*"):
        try:
            if (pid / "cwd").readlink().is_relative_to(folder) and not is_gone(int(pid.name)):
                return False
        except OSError:
            continue
    return True


async def until(is_true: Callable[[], bool]) -> None:
    """Returns as soon as `is_true()`, which other processes bring about; fails when they never do."""
    deadline = time.monotonic() + DEADLINE_S
    while not is_true():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        await asyncio.sleep(0.005)
