"""Owns how jobs are played on a Ray cluster, once `connection` stands. Only these two modules need Ray.

A job is an actor with one processor: Ray finds the node, or waits for one, and frees it when the job is done.
The actor is an `Outpost`; its records come back while it plays. A job whose actor is lost is given to a new
one, less the matches that came; Ray's own retries are off, since they would play those again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError

from arena.bots.bundle import bundle
from arena.bots.manifest import Entrant, files_of
from arena.errors import ArenaError
from arena.tournament.cluster.connection import processors
from arena.tournament.cluster.outpost import Order, Outpost, Parcel, common_of
from arena.tournament.executor import LostWorker, OnRecord, Slot
from arena.tournament.frames import Frame
from arena.tournament.plan import Job, Plan
from arena.tournament.worker import entrant_document

__all__ = ["RayExecutor"]

TRIES = 5  # one more or two than on one machine: nodes may leave just as a job begins
AHEAD = 2  # jobs in Ray's hands for each processor: one is played, one waits for what becomes free or joins
FEWEST_AHEAD = 8
LOOK_AGAIN_S = 5.0  # for nodes that joined while no job ended
KILL_S = 1.0
THREADS = 4  # open, receive, and two frames that are sent
# Bots have clocks, so jobs go where there is most room.
OPTIONS: Mapping[str, Any] = {
    "num_cpus": 1,
    "max_restarts": 0,
    "max_task_retries": 0,
    "max_concurrency": THREADS,
    "scheduling_strategy": "SPREAD",
}
LOST = -signal.SIGKILL  # the exit status of a worker that went with its actor or its node


class RayExecutor:
    """Plays jobs on the nodes of the cluster that `connected` connected to; see Executor.

    At most `most` at once, or as many as the cluster has processors for, counted again as nodes come and go.
    What bots and workers print goes to files in `log_dir`, as on one machine.
    """

    def __init__(
        self, plan: Plan, entrants: Mapping[int, Entrant], *, log_dir: Path, most: int | None = None
    ) -> None:
        self._entrants = entrants
        self._log_dir = log_dir
        self._most = most
        self._common = ray.put(common_of(plan))
        self._bundles: dict[str, Any] = {}
        self._outposts: Any = ray.remote(**OPTIONS)(Outpost)

    async def play(self, jobs: Iterator[Job], *, on_record: OnRecord, on_lost: LostWorker) -> None:
        """See Executor."""
        playing: set[asyncio.Task[None]] = set()
        async with asyncio.TaskGroup() as group:
            for job in jobs:
                while len(playing) >= await self._room():
                    _, playing = await asyncio.wait(
                        playing, timeout=LOOK_AGAIN_S, return_when=asyncio.FIRST_COMPLETED
                    )
                slot = self._slot(job, on_record, on_lost)
                playing.add(group.create_task(slot.work(iter((job,)))))

    async def _room(self) -> int:
        """How many jobs Ray may have now."""
        if self._most is not None:
            return self._most
        return max(FEWEST_AHEAD, AHEAD * await asyncio.to_thread(processors))

    def _slot(self, job: Job, on_record: OnRecord, on_lost: LostWorker) -> Slot:
        log = self._log_dir / f"worker-{job.job_id}.log"

        async def start() -> _Line:
            order = await asyncio.to_thread(self._order, job, log.name)
            outpost = self._outposts.remote(_fetch)
            outpost.open.remote(self._common, order)
            return _Line(outpost, log_dir=self._log_dir, log=log)

        return Slot(start, log=log, on_record=on_record, on_lost=on_lost, tries=TRIES)

    def _order(self, job: Job, log_name: str) -> Order:
        entrants = {number: self._entrants[number] for number in job.entrants}
        return Order(
            entrants={number: entrant_document(one) for number, one in entrants.items()},
            bundles={one.content_hash: self._bundle(one) for one in entrants.values()},
            log_name=log_name,
        )

    def _bundle(self, entrant: Entrant) -> Any:
        """The bot's files in the object store, put there when it first plays."""
        if entrant.content_hash not in self._bundles:
            packed = bundle(files_of(entrant.path, has_build=bool(entrant.build)))
            if hashlib.sha256(packed).hexdigest() != entrant.content_hash:
                raise ArenaError(f"bot {entrant.name} was changed while its tournament is played")
            self._bundles[entrant.content_hash] = ray.put(packed)
        return self._bundles[entrant.content_hash]


class _Line:
    """A `WorkerLink` to a worker in an outpost, which Ray may still have to find a place for."""

    def __init__(self, outpost: Any, *, log_dir: Path, log: Path) -> None:
        self._outpost = outpost
        self._log_dir = log_dir
        self._log = log
        self._status: int | None = None
        self._is_buried = False
        self.frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    async def send(self, frame: bytes) -> None:
        """See WorkerLink."""
        self._outpost.send.remote(frame)

    async def bury(self, *, patience_s: float) -> int:
        """See WorkerLink."""
        self._is_buried = True
        with contextlib.suppress(RayError):
            ray.kill(self._outpost)
        await asyncio.wait((self._reading,), timeout=KILL_S)
        if self._reading.done():
            self._reading.result()
        self._reading.cancel()
        return LOST if self._status is None else self._status

    async def _read(self) -> None:
        """Takes parcels until the worker or its outpost has ended."""
        try:
            while self._status is None:
                parcel: Parcel = await self._outpost.receive.remote()
                for name, added in parcel.logs:
                    self._append(self._log_dir / name, added)
                for frame in parcel.frames:
                    self.frames.put_nowait(frame)
                self._status = parcel.exit_status
        except RayError as loss:
            if not self._is_buried:
                self._append(self._log, f"lost: {' '.join(str(loss).split())}\n".encode())
        finally:
            self.frames.put_nowait(None)

    def _append(self, log: Path, added: bytes) -> None:
        try:
            log.parent.mkdir(exist_ok=True)
            with log.open("ab") as file:
                file.write(added)
        except OSError as trouble:
            raise ArenaError(f"{log}: cannot be written: {trouble.strerror}") from None


def _fetch(reference: Any) -> bytes:
    packed: bytes = ray.get(reference)
    return packed
