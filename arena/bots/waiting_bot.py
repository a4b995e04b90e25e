"""Owns a bot that somebody starts by hand, under a debugger say: a door that waits until it is dialled.

There is no process here to start, to end or to read the output of.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from arena.bots.floor import Loss
from arena.bots.gateway import open_door
from arena.bots.line import Line
from arena.bots.watched import LineWatcher, WatchedLine
from arena.referee.faults import FaultKind

__all__ = ["WaitingBot"]

FAREWELL_S = 0.5
"""How long a bot may take to end its stream after Goodbye."""


class WaitingBot:
    """A `Guest` of the floor that is dialled by a process which is none of ours.

    `on_waiting` is called with the ARENA_ADDRESS to dial: a socket in `folder`, or the loopback port `port`,
    which can be the same every time. It waits without end.
    """

    def __init__(
        self,
        *,
        folder: Path,
        preset: str | None,
        now_ns: Callable[[], int],
        on_waiting: Callable[[str], None],
        port: int | None = None,
        watcher: LineWatcher | None = None,
    ) -> None:
        self._folder = folder
        self._preset = preset
        self._now_ns = now_ns
        self._on_waiting = on_waiting
        self._port = port
        self._watcher = watcher
        self._line: Line | None = None
        self._held = contextlib.AsyncExitStack()

    async def start(self) -> Line:
        """Waits for the Hello; raises Refused for one that is not welcome."""
        if self._watcher is None:
            line = Line(now_ns=self._now_ns, preset=self._preset)
        else:
            line = WatchedLine(self._watcher, now_ns=self._now_ns, preset=self._preset)
        folder = self._folder if self._port is None else None
        door = await self._held.enter_async_context(open_door(line, folder=folder, port=self._port or 0))
        self._line = line
        self._on_waiting(door.address)
        await asyncio.wait((line.greeting,))
        door.shut()
        line.greeting.result()
        return line

    async def end(self, reason: str) -> None:
        """Goodbye, half a second to end the stream, and the door is closed."""
        line, self._line = self._line, None
        try:
            if line is not None and line.is_open:
                line.say_goodbye(reason)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FAREWELL_S):
                        await line.closed.wait()
        finally:
            held, self._held = self._held, contextlib.AsyncExitStack()
            await held.aclose()

    async def cause_of_death(self) -> Loss:
        """Nobody here knows more than that the stream ended."""
        return Loss(FaultKind.CRASHED, "its stream ended")

    def keep_output(self, label: str) -> Path | None:
        """What it prints goes to whoever started it."""
        return None
