"""Owns a bot that runs on this machine: its process and its door, started together and ended together."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.bots.codec import MOST_PARALLEL_MATCHES
from arena.bots.floor import Loss
from arena.bots.gateway import HAS_UNIX_SOCKETS, open_door
from arena.bots.heartbeat import Heartbeat
from arena.bots.launcher import BotProcess, launch
from arena.bots.limits import Limits
from arena.bots.line import Line, Refused
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Exit, Sandbox
from arena.bots.watched import LineWatcher, WatchedLine
from arena.referee.faults import FaultKind

__all__ = ["LocalBot", "last_words"]

FAREWELL_S = 0.5
"""How long a bot may take to end by itself after Goodbye."""

DEATH_S = 2.0
"""How long an ended stream may wait for its process to end, which then tells the cause."""

_LAST_WORDS = 160


class LocalBot:
    """A `Guest` of the floor: one bot in its own process, which dials the socket that only it was given.

    With `freeze` its processes are stopped while nothing is asked of it: it thinks on its own time only. A
    `watcher` is told what goes over its line and what it prints. A door that is kept open refuses a second
    stream, and counts it; a shut one is not even reached.
    """

    def __init__(
        self,
        entrant: Entrant,
        *,
        folder: Path,
        preset: str | None,
        startup_s: float,
        now_ns: Callable[[], int],
        log_dir: Path | None = None,
        sandbox: Sandbox | None = None,
        limits: Limits | None = None,
        most_parallel: int = MOST_PARALLEL_MATCHES,
        freeze: bool = False,
        watcher: LineWatcher | None = None,
        keeps_door_open: bool = False,
    ) -> None:
        self.entrant = entrant
        self.process: BotProcess | None = None
        self._folder = folder
        self._preset = preset
        self._startup_s = startup_s
        self._now_ns = now_ns
        self._log_dir = log_dir
        self._sandbox = sandbox
        self._limits = limits
        self._most_parallel = most_parallel
        self._freeze = freeze
        self._watcher = watcher
        self._keeps_door_open = keeps_door_open
        self._line: Line | None = None
        self._held = contextlib.AsyncExitStack()

    async def start(self) -> Line:
        """Starts the process and waits for its Hello.

        Raises Refused with the fault: NEVER_READY after the start-up time, CRASHED when the process ends
        first, VERSION or MALFORMED for what its Hello says.
        """
        token = "" if HAS_UNIX_SOCKETS else secrets.token_hex(16)
        line = self._new_line(token)
        sockets = self._folder if HAS_UNIX_SOCKETS else None
        door = await self._held.enter_async_context(open_door(line, folder=sockets))
        self._line = line
        self.process = await self._held.enter_async_context(
            launch(
                self.entrant,
                address=door.address,
                token=token or None,
                log_dir=self._log_dir,
                sandbox=self._sandbox,
                limits=self._limits,
                leftovers=(door.socket_path, self._folder) if door.socket_path else (),
            )
        )
        self._listen_in(line, self.process)
        await self._hello(line, self.process)
        if not self._keeps_door_open:
            door.shut()
        if self._freeze:
            line.sleeper = self.process
        if self.process.group is not None:
            line.cpu_ns = self.process.group.cpu_ns
        return line

    async def end(self, reason: str) -> None:
        """Goodbye, half a second to go, then the whole process tree."""
        line, process = self._line, self.process
        try:
            if line is not None and process is not None and line.is_open:
                line.say_goodbye(reason)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FAREWELL_S):
                        await process.wait()
        finally:
            held, self._held = self._held, contextlib.AsyncExitStack()
            self._line = self.process = None
            await held.aclose()

    async def cause_of_death(self) -> Loss:
        """Why the stream ended: how the process ended, or that it goes on without its stream."""
        process = self.process
        if process is None:
            return Loss(FaultKind.CRASHED, "its stream ended")
        try:
            async with asyncio.timeout(DEATH_S):
                ended = await process.wait()
        except TimeoutError:
            return Loss(FaultKind.CRASHED, "its stream ended while its process went on")
        return _loss_of(ended, process, "")

    def keep_output(self, label: str) -> Path | None:
        """Files what the bot printed since the last call under `label`; the file, None for nothing."""
        if self.process is None or not self.process.output.cut(label):
            return None
        return self.process.output.log

    def _new_line(self, token: str) -> Line:
        conditions: dict[str, Any] = {
            "now_ns": self._now_ns,
            "preset": self._preset,
            "token": token,
            "most_parallel": self._most_parallel,
        }
        return Line(**conditions) if self._watcher is None else WatchedLine(self._watcher, **conditions)

    def _listen_in(self, line: Line, process: BotProcess) -> None:
        if self._watcher is not None and isinstance(line, WatchedLine):
            line.drain = process.output.peek
            process.output.listener = self._watcher.printed

    async def _hello(self, line: Line, process: BotProcess) -> None:
        """Waits for the greeting, the process's end or the start-up time, whichever is first."""
        ended = asyncio.create_task(process.wait())
        try:
            async with Heartbeat(self._now_ns) as heartbeat:
                overdue = asyncio.create_task(heartbeat.sleep(int(self._startup_s * 1e9)))
                await asyncio.wait((line.greeting, ended, overdue), return_when=asyncio.FIRST_COMPLETED)
                overdue.cancel()
        finally:
            ended.cancel()
        if line.greeting.done():
            line.greeting.result()
            return
        if not ended.done():
            raise Refused(FaultKind.NEVER_READY, f"no Hello within {self._startup_s:g} s of its start")
        loss = _loss_of(ended.result(), process, " before Hello")
        raise Refused(loss.kind, loss.detail)


def last_words(output: bytes) -> str:
    """The last line of a bot's output that says something, for a fault's detail."""
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1][:_LAST_WORDS] if lines else ""


def _loss_of(ended: Exit, process: BotProcess, when: str) -> Loss:
    words = last_words(process.output.peek())
    kind = FaultKind.RESOURCE if "memory" in ended.reason else FaultKind.CRASHED
    return Loss(kind, f"{ended.reason}{when}{': ' + words if words else ''}")
