"""Owns where jobs are played: worker processes on this machine. Must not know how records are kept.

An executor takes jobs and hands back records; another one (a cluster, say) need only do the same.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from arena.errors import ArenaError
from arena.tournament.frames import Frame, Kind, pack, pack_json, read_frame
from arena.tournament.plan import LOG_FOLDER, Job
from arena.tournament.worker import WORKER, WorkerSetup, command, job_document
from arena.v1 import record_pb2

__all__ = [
    "BURY_S",
    "STOP_S",
    "Executor",
    "LocalExecutor",
    "LostWorker",
    "OnRecord",
    "Slot",
    "WorkerLink",
    "WorkerProcess",
]

TRIES = 3
STOP_S = 0.7  # to end the bots after a stop; then the worker is killed, and the keepers end the bots
BURY_S = 30.0  # for a worker whose output has ended to end by itself, and so tell its exit status

OnRecord = Callable[[record_pb2.MatchRecord], None]


class LostWorker(Protocol):
    """Called when a worker died in the middle of a job, whose missing matches are played again."""

    def __call__(self, job_id: str, *, exit_status: int, log: str) -> None: ...


class Executor(Protocol):
    """Plays jobs somewhere."""

    async def play(self, jobs: Iterator[Job], *, on_record: OnRecord, on_lost: LostWorker) -> None:
        """Plays every job and hands over each record as it comes, also while being cancelled.

        Returns when every match has been handed over. Cancelled, it ends workers and bots within a second.
        Raises ArenaError when a job cannot be finished.
        """


class LocalExecutor:
    """Worker processes on this machine, each with one job at a time."""

    def __init__(self, setup: WorkerSetup, *, workers: int) -> None:
        self._setup = setup
        self._workers = workers

    async def play(self, jobs: Iterator[Job], *, on_record: OnRecord, on_lost: LostWorker) -> None:
        """See Executor."""
        slots = [self._slot(number, on_record, on_lost) for number in range(self._workers)]
        async with asyncio.TaskGroup() as group:
            for slot in slots:
                group.create_task(slot.work(jobs))

    def _slot(self, number: int, on_record: OnRecord, on_lost: LostWorker) -> Slot:
        log = self._setup.log_dir / f"worker-{number}.log"
        return Slot(
            lambda: WorkerProcess.start(self._setup.to_document(), log),
            log=log,
            on_record=on_record,
            on_lost=on_lost,
        )


class WorkerLink(Protocol):
    """A worker somewhere, as its slot sees it; `frames` is what it says, None once its output has ended."""

    @property
    def frames(self) -> asyncio.Queue[Frame | None]:
        """In the order in which the worker said them."""

    async def send(self, frame: bytes) -> None:
        """Writes a frame; a worker that is gone is noticed where its output ends."""

    async def bury(self, *, patience_s: float) -> int:
        """Makes sure that the process is gone; its exit status, negative for a signal.

        One whose output has ended is about to end by itself, and has so long to do it.
        """


class Slot:
    """One worker at a time, made by `start` and replaced when it dies; what it says itself goes to `log`."""

    def __init__(
        self,
        start: Callable[[], Awaitable[WorkerLink]],
        *,
        log: Path,
        on_record: OnRecord,
        on_lost: LostWorker,
        tries: int = TRIES,
    ) -> None:
        self._start = start
        self._log = log
        self._on_record = on_record
        self._on_lost = on_lost
        self._tries = tries
        self._worker: WorkerLink | None = None
        self._missing: set[int] = set()

    async def work(self, jobs: Iterator[Job]) -> None:
        """Plays jobs as long as there are any."""
        try:
            for job in jobs:
                await self._play(job)
        finally:
            if self._worker is not None:
                await self._stop(self._worker)
            if self._log.exists() and not self._log.stat().st_size:
                self._log.unlink()

    async def _play(self, job: Job) -> None:
        """Plays a job to its end; gives up when as many workers in a row were lost without one record."""
        self._missing = {match.position for match in job.matches}
        failures = 0
        while failures < self._tries:
            worker = self._worker = self._worker or await self._start()
            await worker.send(pack_json(Kind.JOB, job_document(job)))
            await self._receive(worker, until_done=True)
            if not self._missing:
                return
            self._worker = None
            status = await worker.bury(patience_s=BURY_S)
            self._on_lost(job.job_id, exit_status=status, log=f"{LOG_FOLDER}/{self._log.name}")
            left = tuple(match for match in job.matches if match.position in self._missing)
            failures = failures + 1 if len(left) == len(job.matches) else 0
            job = replace(job, matches=left)
        raise ArenaError(
            f"job {job.job_id}: its worker was lost {self._tries} times in a row; "
            f"{self._last_words()} ({self._log})"
        )

    async def _receive(self, worker: WorkerLink, *, until_done: bool) -> None:
        """Hands over records until the job is done, or until the worker's output ends."""
        while (frame := await worker.frames.get()) is not None:
            kind, body = frame
            if kind is Kind.RECORD:
                record = record_pb2.MatchRecord.FromString(body)
                self._missing.discard(record.position)
                self._on_record(record)
            elif kind is Kind.DONE and until_done:
                return

    async def _stop(self, worker: WorkerLink) -> None:
        """Has the worker end its bots and itself, takes what it still says, and kills it if it stays."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await worker.send(pack(Kind.STOP))
                await self._receive(worker, until_done=False)
        await worker.bury(patience_s=0.1)

    def _last_words(self) -> str:
        """The last line of the worker's log, which names what went wrong when it was an exception."""
        lines = self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
        return lines[-1] if lines else "it said nothing"


def _opened(log: Path) -> BinaryIO:
    """A worker's log to append to; its folder is made where it is missing."""
    try:
        log.parent.mkdir(exist_ok=True)
        return log.open("ab")
    except OSError as trouble:
        raise ArenaError(f"{log}: cannot be written: {trouble.strerror}") from None


class WorkerProcess:
    """A `WorkerLink` to a child of this process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        # A task of its own, so that whoever waits for a frame can be cancelled without losing half of one.
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, setup: Mapping[str, Any], log: Path, *, module: str = WORKER) -> WorkerProcess:
        """Starts a worker and tells it what it needs, a JSON document; its errors are appended to `log`."""
        with _opened(log) as log_file:
            process = await asyncio.create_subprocess_exec(
                *command(module),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log_file,
                process_group=0,
            )
        worker = cls(process)
        await worker.send(pack_json(Kind.SETUP, setup))
        return worker

    async def send(self, frame: bytes) -> None:
        """See WorkerLink."""
        assert self._process.stdin is not None
        self._process.stdin.write(frame)
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.drain()

    async def bury(self, *, patience_s: float) -> int:
        """See WorkerLink."""
        if self._reading.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    return await self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._reading
        return await self._process.wait()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while (frame := await read_frame(self._process.stdout)) is not None:
            self.frames.put_nowait(frame)
        self.frames.put_nowait(None)
