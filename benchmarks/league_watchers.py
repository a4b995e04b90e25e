"""Owns what watchers of a league's table cost its server: time until all see a change, processor, memory.

    python -m benchmarks.league_watchers                      1,000 watchers, 200 bots, 20 changes
    python -m benchmarks.league_watchers --watchers 4000

The server is a process of its own with pages, hub and a SQLite database, on the loopback; the watchers are
streams of this process. A change is a set of four matches, stored by this process as another arena would.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

import uvicorn

from arena.errors import ArenaError
from arena.league.hub import Hub
from arena.league.live import Live
from arena.league.store import LeagueStore
from arena.web import WebContext, create_app
from benchmarks import report
from tests.league.store.league import admitted, begin, leased, whole_set

DATABASE: Final = "league.sqlite3"
PATIENCE_S: Final = 30.0
BETWEEN_CHANGES_S: Final = 2.0
CONNECTING: Final = 50
"""Watchers that connect at the same time."""
REQUEST: Final = b"GET /events/standings HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Watcher:
    """A stream of the table: what came, and when the last of it did."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    events: int = 0
    size: int = 0
    seen_s: float = 0.0
    has_seen: asyncio.Event = field(default_factory=asyncio.Event)
    watching: asyncio.Task[None] | None = None

    async def watch(self) -> None:
        """Reads until the stream ends."""
        while line := await self.reader.readline():
            self.size += len(line)
            if line.startswith(b"data: "):
                self.events += 1
                self.seen_s = time.perf_counter()
                self.has_seen.set()


@dataclass(frozen=True, slots=True)
class Change:
    """What one change took: until the first and the last watcher saw it, and the server's processor."""

    first_s: float
    last_s: float
    server_s: float
    bytes_each: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; the status to leave with."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.league_watchers", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--changes", type=int, default=20)
    parser.add_argument("--idle", type=float, default=10.0, help="seconds in which nothing changes")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    _allow_open_files(given.watchers + 200)
    if given.serve is not None:
        asyncio.run(_serve(given.serve, most=given.watchers + 10))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(asyncio.run(_measure(Path(folder), given))))
    return 0


def _allow_open_files(count: int) -> None:
    """Each watcher is an open file, here and there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


async def _serve(folder: Path, *, most: int) -> None:
    """The server; it prints its port, and ends with its input."""
    with LeagueStore.open(f"sqlite:///{folder / DATABASE}") as store:
        hub = Hub(store)
        context = WebContext(
            store=store,
            hub=hub,
            live=Live(hub, now_s=time.monotonic),
            seat_person=_no_seat,
            submit_address="127.0.0.1:7878",
            most_watchers=most,
        )
        config = uvicorn.Config(create_app(context), log_config=None, access_log=False)
        server = uvicorn.Server(config)
        listening = socket.create_server(("127.0.0.1", 0), backlog=CONNECTING)
        tasks = [asyncio.create_task(hub.run()), asyncio.create_task(server.serve(sockets=[listening]))]
        print(listening.getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
        context.draining.set()
        server.should_exit = True
        await tasks[1]
        tasks[0].cancel()


async def _no_seat(opponents: Sequence[str] | None) -> Any:
    raise ArenaError("nobody plays here")


async def _measure(folder: Path, given: argparse.Namespace) -> list[str]:
    with LeagueStore.open(f"sqlite:///{folder / DATABASE}") as store:
        begin(store)
        versions = [
            admitted(store, f"bot-{number}", author=f"author-{number}").version_id
            for number in range(given.bots)
        ]
        for first in range(0, len(versions) - 3, 4):
            _play(store, versions[first : first + 4])
        with _server(folder, given.watchers) as (pid, port):
            alone_kb = _resident_kb(pid)
            watchers = await _connected(port, given.watchers)
            changes = [
                await _change(store, versions, number, watchers, pid) for number in range(given.changes)
            ]
            idle = await _idle(pid, given.idle)
            lines = _table(given, changes, idle, _resident_kb(pid) - alone_kb)
            for watcher in watchers:
                watcher.writer.close()
    return lines


@contextmanager
def _server(folder: Path, watchers: int) -> Iterator[tuple[int, int]]:
    """The server's process id and port; it ends when the context does."""
    options = [f"--watchers={watchers}", f"--serve={folder}"]
    command = [sys.executable, "-m", "benchmarks.league_watchers", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.pid, int(process.stdout.readline())
        finally:
            process.stdin.close()


def _play(store: LeagueStore, four: Sequence[int]) -> None:
    """A set of these versions is stored."""
    season = store.season("")
    table = leased(store, season, four)
    store.add_records(table, whole_set(store, season, table))


async def _connected(port: int, count: int) -> list[Watcher]:
    gate = asyncio.Semaphore(CONNECTING)

    async def connect() -> Watcher:
        async with gate:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**22)
            writer.write(REQUEST)
            watcher = Watcher(reader, writer)
            watcher.watching = asyncio.create_task(watcher.watch())
            await asyncio.wait_for(watcher.has_seen.wait(), PATIENCE_S)
            return watcher

    return list(await asyncio.gather(*(connect() for _ in range(count))))


async def _change(
    store: LeagueStore, versions: Sequence[int], number: int, watchers: Sequence[Watcher], pid: int
) -> Change:
    await asyncio.sleep(BETWEEN_CHANGES_S)
    first = 7 * number % (len(versions) - 3)
    for watcher in watchers:
        watcher.has_seen.clear()
        watcher.size = 0
    await asyncio.to_thread(_play, store, versions[first : first + 4])
    used_s, stored_s = _processor_s(pid), time.perf_counter()
    await asyncio.wait_for(asyncio.gather(*(watcher.has_seen.wait() for watcher in watchers)), PATIENCE_S)
    seen = [watcher.seen_s - stored_s for watcher in watchers]
    return Change(
        first_s=min(seen),
        last_s=max(seen),
        server_s=_processor_s(pid) - used_s,
        bytes_each=sum(watcher.size for watcher in watchers) / len(watchers),
    )


async def _idle(pid: int, seconds: float) -> float:
    """Share of a processor that the server takes while nothing changes."""
    await asyncio.sleep(BETWEEN_CHANGES_S)
    used_s = _processor_s(pid)
    await asyncio.sleep(seconds)
    return (_processor_s(pid) - used_s) / seconds


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def _resident_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def _table(given: argparse.Namespace, changes: Sequence[Change], idle: float, grown_kb: int) -> list[str]:
    spreads_ms = sorted(1000 * (change.last_s - change.first_s) for change in changes)
    servers_ms = [1000 * change.server_s for change in changes]
    rows = [
        ("from the first watcher to the last, median", f"{median(spreads_ms):.0f} ms"),
        ("the same, slowest change", f"{spreads_ms[-1]:.0f} ms"),
        ("from stored to seen by all, median", f"{median(change.last_s for change in changes):.2f} s"),
        ("server's processor a change, median", f"{median(servers_ms):.0f} ms"),
        ("the same, a watcher", f"{1000 * median(servers_ms) / given.watchers:.0f} us"),
        ("sent to each a change, median", f"{median(change.bytes_each for change in changes) / 1000:.1f} kB"),
        ("server's processor while nothing changes", f"{100 * idle:.1f} %"),
        ("server's memory a watcher", f"{grown_kb / given.watchers:.0f} kB"),
    ]
    head = f"{given.watchers} watchers of a table of {given.bots} bots, {given.changes} changes"
    return [*report.machine(), "", head, "", *(f"{name:<46}{value:>10}" for name, value in rows)]


if __name__ == "__main__":
    sys.exit(main())
