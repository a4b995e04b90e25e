"""Owns a tournament's run: what is missing is played and stored, until it is done or somebody stops it.

It must not know what results look like, nor where jobs are played (an executor does that).
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.errors import ArenaError
from arena.tournament.executor import Executor
from arena.tournament.jobs import jobs_of
from arena.tournament.plan import PLAN_FILE
from arena.tournament.schedule import Schedule
from arena.v1 import record_pb2

__all__ = ["Outcome", "Results", "Watcher", "locked", "play"]

GATHER_S = 0.1  # records that come within this time are stored in one transaction
INTERRUPTED = 130


class Results(Protocol):
    """Where records are kept."""

    def add(self, records: Iterable[record_pb2.MatchRecord]) -> int:
        """Stores records, all or none, durably; returns how many were new."""

    def note_lost_worker(self, job_id: str, *, exit_status: int, log: str) -> None:
        """Keeps that a worker died."""


class Watcher(Protocol):
    """Who is told how the run goes on."""

    def stored(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        """These matches are safe."""

    def lost(self, job_id: str, *, exit_status: int, log: str) -> None:
        """A worker died; its job's missing matches are played again."""

    def stopping(self) -> None:
        """The run was interrupted and is being ended."""

    def close(self) -> None:
        """Gives the terminal back as it was."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: `played` matches now, `stored` in all."""

    played: int
    stored: int
    planned: int
    took_s: float
    is_interrupted: bool


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps every other arena out of a run's folder; ArenaError when one is in it."""
    with (folder / PLAN_FILE).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArenaError(f"{folder}: another arena is playing this tournament right now") from None
        yield


def play(
    schedule: Schedule,
    *,
    stored: Iterable[int],
    executor: Executor,
    workers: int,
    results: Results,
    watcher: Watcher,
    is_enough: Callable[[], bool] = lambda: False,
    now_s: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Plays what `stored` (positions) lacks of the schedule; returns when done or interrupted by a signal.

    `is_enough` is asked whenever matches were stored, and ends the run early when it says so.
    """
    run = _Run(schedule, stored, results, watcher, is_enough)
    began_s = now_s()
    is_interrupted = asyncio.run(run.play(executor, workers))
    return Outcome(run.played, run.stored, schedule.match_count, now_s() - began_s, is_interrupted)


class _Run:
    """One run; `stored` counts the matches that are safe."""

    def __init__(
        self,
        schedule: Schedule,
        stored: Iterable[int],
        results: Results,
        watcher: Watcher,
        is_enough: Callable[[], bool],
    ) -> None:
        self._schedule = schedule
        self._is_enough = is_enough
        self._is_stored = bytearray(schedule.match_count)
        for position in stored:
            self._is_stored[position] = 1
        self._results = results
        self._watcher = watcher
        self._waiting: list[record_pb2.MatchRecord] = []
        self._has_waiting = asyncio.Event()
        self._is_stopping = False
        self.stored = sum(self._is_stored)
        self.played = 0

    async def play(self, executor: Executor, workers: int) -> bool:
        """Plays what is missing; True when it was interrupted."""
        jobs = jobs_of(
            self._schedule, workers=workers, is_stored=lambda position: bool(self._is_stored[position])
        )
        keeping = asyncio.create_task(self._keep())
        playing = asyncio.create_task(executor.play(jobs, on_record=self._take, on_lost=self._lose))
        self._listen_for_signals(playing)
        try:
            await asyncio.wait((playing, keeping), return_when=asyncio.FIRST_COMPLETED)
            if keeping.done():
                await _cancel(playing)
                keeping.result()
            await _result_of(playing)
        finally:
            await _cancel(playing)
            await _cancel(keeping)
            self._store_waiting()
        return self._is_stopping

    def _take(self, record: record_pb2.MatchRecord) -> None:
        self._waiting.append(record)
        self._has_waiting.set()

    def _lose(self, job_id: str, *, exit_status: int, log: str) -> None:
        self._results.note_lost_worker(job_id, exit_status=exit_status, log=log)
        self._watcher.lost(job_id, exit_status=exit_status, log=log)

    async def _keep(self) -> None:
        """Stores what comes, until that is enough."""
        while True:
            await self._has_waiting.wait()
            await asyncio.sleep(GATHER_S)
            self._store_waiting()
            if self._is_enough():
                return

    def _store_waiting(self) -> None:
        records, self._waiting = self._waiting, []
        self._has_waiting.clear()
        if not records:
            return
        added = self._results.add(records)
        self.stored += added
        self.played += added
        self._watcher.stored(records)

    def _listen_for_signals(self, playing: asyncio.Task[None]) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._interrupt, playing)

    def _interrupt(self, playing: asyncio.Task[None]) -> None:
        """The first signal ends the run in order; the second at once, and workers follow by themselves."""
        if self._is_stopping:
            self._watcher.close()
            os._exit(INTERRUPTED)
        self._is_stopping = True
        playing.cancel()  # first: after a hang-up there is no terminal to tell it on
        self._watcher.stopping()


async def _result_of(playing: asyncio.Task[None]) -> None:
    """Raises what `playing` raised, the first of a group for all of it; not its cancellation."""
    await asyncio.wait((playing,))
    error = None if playing.cancelled() else playing.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        raise error


async def _cancel(task: asyncio.Task[None]) -> None:
    """Ends a task and waits until it has ended."""
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))
