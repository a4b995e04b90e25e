"""Owns the worker processes of a server: tables of local bots are played there, one table a worker.

It must not know the store: whoever has a table played is told what happens at it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from arena.bots.manifest import Entrant
from arena.league.live import SeenRound
from arena.league.tables import TablePlan
from arena.tournament.executor import BURY_S, STOP_S, WorkerProcess
from arena.tournament.frames import Kind, pack, pack_json
from arena.tournament.worker import entrant_document
from arena.v1 import record_pb2

__all__ = ["TableNews", "WorkerLost", "Workers"]

MODULE = "arena.league.worker"


class WorkerLost(Exception):
    """The worker died in the middle of a table; the message says how, and what it said last."""


class TableNews(Protocol):
    """Who hears what happens at a table."""

    def seen(self, rotation: int, rounds: Sequence[SeenRound]) -> None:
        """What was called and played so far in a match that is in play."""
        ...

    def finished(self, record: record_pb2.MatchRecord) -> None:
        """A match is over."""
        ...

    def printed(self, version_id: int, text: str) -> None:
        """What a bot's process wrote during a match."""
        ...

    def lost(self, bot: str, kind: str, detail: str) -> None:
        """A bot's process is gone."""
        ...


class Workers:
    """At most `most` worker processes, kept from one table to the next. What they say goes to `log`."""

    def __init__(self, *, most: int, sandbox: str, log: Path) -> None:
        self._sandbox = sandbox
        self._log = log
        self._free = asyncio.Semaphore(most)
        self._idle: list[WorkerProcess] = []

    async def play(self, plan: TablePlan, entrants: Mapping[int, Entrant], news: TableNews) -> None:
        """Plays a table once a worker is free; WorkerLost when that dies. Cancelled, it ends the bots."""
        job = {
            "plan": plan.to_document(),
            "entrants": {version_id: entrant_document(one) for version_id, one in entrants.items()},
        }
        async with self._free:
            worker = self._idle.pop() if self._idle else await self._start()
            try:
                await worker.send(pack_json(Kind.JOB, job))
                is_done = await _hear(worker, news)
            except BaseException:
                await _stop(worker)
                raise
            if is_done:
                self._idle.append(worker)
                return
            status = await worker.bury(patience_s=BURY_S)
            raise WorkerLost(f"its worker ended with status {status}: {self._last_words()}")

    async def close(self) -> None:
        """Ends the idle ones."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*(_stop(worker) for worker in idle))

    async def _start(self) -> WorkerProcess:
        return await WorkerProcess.start({"sandbox": self._sandbox}, self._log, module=MODULE)

    def _last_words(self) -> str:
        """Of the log, the last line that says something: a group of errors ends in a line of dashes."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        telling = [line.strip(" |") for line in lines if any(map(str.isalpha, line))]
        return telling[-1][:300] if telling else "it said nothing"


async def _hear(worker: WorkerProcess, news: TableNews) -> bool:
    """Hands over what the worker says; True at the end of its table, False at its own."""
    while (frame := await worker.frames.get()) is not None:
        kind, body = frame
        if kind is Kind.RECORD:
            news.finished(record_pb2.MatchRecord.FromString(body))
        elif kind is Kind.NEWS:
            _tell(json.loads(body), news)
        elif kind is Kind.DONE:
            return True
    return False


def _tell(heard: dict[str, Any], news: TableNews) -> None:
    if heard["what"] == "seen":
        rounds = [SeenRound(dealer, tuple(calls), tuple(plays)) for dealer, calls, plays in heard["rounds"]]
        news.seen(heard["rotation"], rounds)
    elif heard["what"] == "printed":
        news.printed(heard["version_id"], heard["text"])
    else:
        news.lost(heard["bot"], heard["kind"], heard["detail"])


async def _stop(worker: WorkerProcess) -> None:
    """Has a worker end its bots and itself, and kills it if it stays."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_S):
            await worker.send(pack(Kind.STOP))
            while await worker.frames.get() is not None:
                pass
    await worker.bury(patience_s=STOP_S)
