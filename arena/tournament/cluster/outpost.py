"""Owns one worker on a node of a cluster, with its bots and its logs, and the node's end of the line to it.

The worker is the one of play on one machine. It ends when its input does, and its bots with it: when the
process that holds the outpost is killed, nothing stays on the node. What bots and worker print is handed on
with the records. It must not know who carries what it says over the network.
"""

from __future__ import annotations

import platform
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import arena
from arena.bots.bubblewrap import choose_sandbox
from arena.bots.bundle import bot_files, content_hash
from arena.bots.manifest import Entrant
from arena.bots.scratch import scratch_folder
from arena.errors import ArenaError
from arena.tournament.cluster.depot import settle
from arena.tournament.frames import Frame, Kind, pack_json, read_frame_of
from arena.tournament.plan import LOG_FOLDER, Plan, plan_document, plan_of_document
from arena.tournament.worker import WorkerSetup, command, entrant_of

__all__ = ["Order", "Outpost", "Parcel", "arena_hash", "common_of"]

END_S = 30.0  # for a worker whose output has ended to end by itself, and so tell its exit status
COULD_NOT_START = 1


@dataclass(frozen=True, slots=True)
class Order:
    """What a node is told to start: a table's entrants, and with what to fetch each, by content hash."""

    entrants: Mapping[int, dict[str, Any]]
    bundles: Mapping[str, Any]
    log_name: str  # of the file for what the worker itself says


@dataclass(frozen=True, slots=True)
class Parcel:
    """What came from a worker: frames, then what was added to files of its log folder, by their names.

    Once its output has ended there is its exit status, negative for a signal.
    """

    frames: tuple[Frame, ...]
    logs: tuple[tuple[str, bytes], ...]
    exit_status: int | None


class Outpost:
    """A worker that is being started, or runs. Its methods are called from threads of their own.

    `fetch` turns a value of `Order.bundles` into the bundle.
    """

    def __init__(self, fetch: Callable[[Any], bytes]) -> None:
        self._fetch = fetch
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._held = ExitStack()
        self._log_dir = self._held.enter_context(scratch_folder()) / LOG_FOLDER
        self._log_dir.mkdir()
        self._seen: dict[str, int] = {}
        self._is_open = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def open(self, common: Mapping[str, Any], order: Order) -> None:
        """Brings the bots of the order into this node and starts the worker for them.

        `common` is what `common_of` made. Where that cannot be, the worker counts as one that said why and
        ended.
        """
        log = self._log_dir / order.log_name
        try:
            setup = self._setup(common, order)
            self._process = self._start(setup, log)
        except ArenaError as trouble:
            log.write_text(f"node {platform.node()}: {trouble}\n")
            self._frames.put(None)
        finally:
            self._is_open.set()

    def send(self, frame: bytes) -> None:
        """Writes a frame to the worker, as soon as there is one; one that is gone is noticed elsewhere."""
        self._is_open.wait()
        if self._process is None or self._process.stdin is None:
            return
        with suppress(OSError, ValueError):
            self._process.stdin.write(frame)
            self._process.stdin.flush()

    def receive(self) -> Parcel:
        """What the worker said since the last parcel; waits until there is something.

        Not to be called again after the last parcel, the one with an exit status.
        """
        frames = [self._frames.get()]
        with suppress(queue.Empty):
            while True:
                frames.append(self._frames.get_nowait())
        if None not in frames:
            return Parcel(tuple(frame for frame in frames if frame is not None), self._news(), None)
        status = self._bury()
        parcel = Parcel(tuple(frame for frame in frames if frame is not None), self._news(), status)
        self._held.close()
        return parcel

    def _setup(self, common: Mapping[str, Any], order: Order) -> WorkerSetup:
        if (own := arena_hash()) != common["arena"]:
            raise ArenaError(
                f"has another arena (code of SHA-256 {own[:12]}..., this run's is "
                f"{common['arena'][:12]}...); install the same version on every node"
            )
        plan = plan_of_document(common["plan"])
        sandbox, _ = choose_sandbox(plan.sandbox)
        entrants: dict[int, Entrant] = {}
        for number, document in order.entrants.items():
            sent = entrant_of(document)
            fetch = partial(self._fetch, order.bundles[sent.content_hash])
            entrants[number] = settle(sent, fetch=fetch, sandbox=sandbox)
        return WorkerSetup(plan, self._log_dir, entrants)

    def _start(self, setup: WorkerSetup, log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as log_file:
            process = subprocess.Popen(
                command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                process_group=0,
            )
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(pack_json(Kind.SETUP, setup.to_document()))
            process.stdin.flush()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        while (frame := read_frame_of(cast(BinaryIO, process.stdout))) is not None:
            self._frames.put(frame)
        self._frames.put(None)

    def _news(self) -> tuple[tuple[str, bytes], ...]:
        """What was added to the logs since this was last asked."""
        found = []
        for path in sorted(self._log_dir.iterdir()):
            with path.open("rb") as file:
                file.seek(self._seen.get(path.name, 0))
                added = file.read()
            if added:
                self._seen[path.name] = self._seen.get(path.name, 0) + len(added)
                found.append((path.name, added))
        return tuple(found)

    def _bury(self) -> int:
        self._is_open.wait()
        process = self._process
        if process is None:
            return COULD_NOT_START
        with process:
            try:
                return process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                return process.wait()


def common_of(plan: Plan) -> dict[str, Any]:
    """What every outpost of a run is told."""
    return {"arena": arena_hash(), "plan": plan_document(plan)}


def arena_hash() -> str:
    """SHA-256 of this arena's Python code, which two machines must share to play one tournament."""
    folder = Path(arena.__file__).parent
    return content_hash(
        (name, path) for name, path in bot_files(folder, has_build=False) if name.endswith(".py")
    )
