"""Owns the worker process: it reads jobs from its standard input and writes records to its standard output.

It ends by itself, and its bots with it, when its input ends: when the arena that started it is gone, however
that came about. It is told all that it needs, plan included, and reads no file of the run's: so it can be on
another machine. It must not know how records are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import arena
from arena.bots.bubblewrap import choose_sandbox
from arena.bots.manifest import Entrant
from arena.errors import ArenaError
from arena.tournament.frames import Kind, pack, pack_json, read_frame
from arena.tournament.plan import Job, Plan, plan_document, plan_of_document, schedule_of
from arena.tournament.table import play_job
from arena.v1 import record_pb2

__all__ = [
    "WORKER",
    "WorkerSetup",
    "command",
    "entrant_document",
    "entrant_of",
    "job_document",
    "main",
    "run_worker",
]

WORKER = "arena.tournament.worker"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]

# `-P` keeps the working folder off the path: it may hold a bot called random.py.
BOOT = "import sys; sys.path.append(sys.argv[1]); from {module} import main; main()"


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker is told before its first job.

    `entrants` are those that its jobs need, built, by their number in the plan; what they print goes to files
    in `log_dir`.
    """

    plan: Plan
    log_dir: Path
    entrants: Mapping[int, Entrant]

    def to_document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "plan": plan_document(self.plan),
            "log_dir": str(self.log_dir),
            "entrants": [[number, entrant_document(one)] for number, one in self.entrants.items()],
        }

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> WorkerSetup:
        """What `to_document` made."""
        entrants = {number: entrant_of(one) for number, one in document["entrants"]}
        return cls(plan_of_document(document["plan"]), Path(document["log_dir"]), entrants)


def command(module: str = WORKER) -> tuple[str, ...]:
    """The command line that starts a worker, the `main` of `module`; its input then gets setup and jobs."""
    return sys.executable, "-P", "-c", BOOT.format(module=module), str(Path(arena.__file__).parents[1])


def job_document(job: Job) -> dict[str, Any]:
    """A job as it is sent: the worker has the plan, so positions are enough."""
    return {"job_id": job.job_id, "positions": [match.position for match in job.matches]}


class Worker:
    """Plays one job after the other until it is told to stop."""

    def __init__(self, setup: WorkerSetup, writer: asyncio.StreamWriter) -> None:
        self._plan = setup.plan
        self._schedule = schedule_of(self._plan)
        self._entrants = setup.entrants
        self._sandbox, _ = choose_sandbox(self._plan.sandbox)
        self._log_dir = setup.log_dir
        self._writer = writer

    async def play(self, document: dict[str, Any]) -> None:
        """Plays a job and says that it is done."""
        matches = tuple(self._schedule.match_at(position) for position in document["positions"])
        table = matches[0].table
        await play_job(
            Job(document["job_id"], table, self._schedule.table_at(table), matches),
            plan=self._plan,
            entrants=self._entrants,
            on_record=self._send_record,
            log_dir=self._log_dir,
            sandbox=self._sandbox,
        )
        self._writer.write(pack_json(Kind.DONE, {"job_id": document["job_id"]}))

    def _send_record(self, record: record_pb2.MatchRecord) -> None:
        self._writer.write(pack(Kind.RECORD, record.SerializeToString()))


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Plays the jobs that come in until a stop or the end of the input, which also ends a job in play."""
    first = await read_frame(reader)
    if first is None:
        return
    worker = Worker(WorkerSetup.of_document(json.loads(first[1])), writer)
    coming = asyncio.create_task(read_frame(reader))
    while (frame := await coming) is not None and frame[0] is Kind.JOB:
        coming = asyncio.create_task(read_frame(reader))
        playing = asyncio.create_task(worker.play(json.loads(frame[1])))
        await asyncio.wait((playing, coming), return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing
            return
        playing.result()


async def _serve_pipes(records_fd: int, serve: Serve) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    pipe = os.fdopen(records_fd, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    try:
        await serve(reader, writer)
        with contextlib.suppress(ConnectionError):  # the arena is gone: what is missing is played again
            await writer.drain()
    finally:
        writer.close()


def main() -> None:
    """The process of a tournament's worker."""
    run_worker(serve)


def run_worker(serve: Serve) -> None:
    """A worker's process: standard output carries frames, so whatever is printed goes to standard error.

    What is no bug ends it with one line there, which is the last of its log.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the arena's to handle
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # bots would inherit what whoever started this has blocked
    records_fd = os.dup(1)
    os.dup2(2, 1)
    try:
        asyncio.run(_serve_pipes(records_fd, serve))
    except ArenaError as trouble:
        sys.exit(str(trouble))
    except BaseExceptionGroup as group:
        troubles, others = group.split(ArenaError)
        if troubles is None or others is not None:
            raise
        sys.exit(str(_first_of(troubles)))


def _first_of(group: BaseExceptionGroup[ArenaError]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def entrant_document(entrant: Entrant) -> dict[str, Any]:
    """An entrant as JSON."""
    return {**asdict(entrant), "folder": str(entrant.folder), "path": str(entrant.path)}


def entrant_of(document: dict[str, Any]) -> Entrant:
    """What `entrant_document` made."""
    paths = {name: Path(document[name]) for name in ("folder", "path")}
    words = {name: tuple(document[name]) for name in ("command", "build")}
    return Entrant(**{**document, **paths, **words})


if __name__ == "__main__":
    main()
