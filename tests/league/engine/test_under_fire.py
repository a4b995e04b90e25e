"""Killed at any moment and started again: nothing that was stored is lost or doubled, nothing is left."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest

from arena.league.model import TableState
from arena.league.store import LeagueStore
from arena.v1 import record_pb2
from tests.bots.processes import is_gone
from tests.league.engine.arenas import descendants, matches_of, new_season, tables_of, workers_of
from tests.league.engine.strangers import Stranger
from tests.league.store.league import admitted

pytestmark = [pytest.mark.slow, pytest.mark.chaos, pytest.mark.timeout(240)]

PATIENCE_S = 60.0
ROOT = Path(__file__).parents[3]


class Server:
    """A server process and what it starts; `folder` is its own, and so is one for temporary files."""

    def __init__(self, store: LeagueStore, folder: Path, *, jobs: int = 1) -> None:
        self.store = store
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.scratch = Path(tempfile.mkdtemp(prefix="fire-"))  # a socket's path must be short
        (folder / "address").unlink(missing_ok=True)
        url = f"sqlite:///{folder.parent}/league.sqlite3"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.league.engine.under_fire", url, str(folder), str(jobs)],
            cwd=ROOT,
            env=os.environ | {"TMPDIR": str(self.scratch), "PYTHONPATH": str(ROOT)},
        )

    def until(self, is_true: Callable[[], bool]) -> None:
        """Returns as soon as `is_true()`; the server must not end by itself."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not is_true():
            assert self.process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline_s, "what was waited for did not happen"
            time.sleep(0.01)

    def kill(self) -> None:
        """kill -9; returns when everything that it had started is gone too, by itself."""
        orphans = list(descendants(self.process.pid))
        self.process.kill()
        self.process.wait()
        deadline_s = time.monotonic() + PATIENCE_S
        while not all(map(is_gone, orphans)):
            assert time.monotonic() < deadline_s, "a process outlives the server that started it"
            time.sleep(0.01)

    def stop(self) -> None:
        """SIGTERM; returns when it has drained and ended well."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_S) == 0

    def leftovers(self) -> list[str]:
        """What lies in its temporary folder."""
        return sorted(path.name for path in self.scratch.iterdir())


@contextmanager
def server(store: LeagueStore, folder: Path, *, jobs: int = 1) -> Iterator[Server]:
    """A server, which is gone when the context ends."""
    started = Server(store, folder, jobs=jobs)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        shutil.rmtree(started.scratch)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    with LeagueStore.open(f"sqlite:///{tmp_path}/league.sqlite3") as opened:
        yield opened


def records_by_id(store: LeagueStore) -> dict[str, record_pb2.MatchRecord]:
    return {match.match_id: store.record(match.match_id) for match in matches_of(store)}


def check(store: LeagueStore) -> None:
    """Every match is stored once, and every sum is that of what is stored."""
    matches = matches_of(store)
    assert len({match.match_id for match in matches}) == len(matches)
    for table in tables_of(store):
        rotations = [match.rotation for match in matches if match.table_id == table.table_id]
        assert len(rotations) == len(set(rotations))
        assert (table.state is TableState.DONE) == (len(rotations) == 4)
    for entry in store.entries(store.season("")):
        own = [seat for match in matches for seat in match.seats if seat.bot == entry.bot.name]
        assert entry.matches == len(own)
        assert entry.total_tenths == sum(seat.total_tenths for seat in own)


def test_killed_server_goes_on_with_nothing_lost_and_nothing_doubled(
    store: LeagueStore, tmp_path: Path
) -> None:
    new_season(store)
    for name in ("ant", "bee", "cat", "dog", "eel"):
        admitted(store, name, author=name)
    chance = random.Random(11)
    known: dict[str, record_pb2.MatchRecord] = {}
    for _ in range(5):
        with server(store, tmp_path / "server") as under_fire:
            wanted = len(known) + chance.randint(0, 3)
            under_fire.until(lambda wanted=wanted: len(matches_of(store)) >= wanted)  # type: ignore[misc]
            time.sleep(chance.uniform(0.0, 1.5))
            under_fire.kill()
        found = records_by_id(store)
        assert {match_id: found[match_id] for match_id in known} == known
        known = found
        check(store)

    with server(store, tmp_path / "server") as last:
        last.until(lambda: len(matches_of(store)) >= len(known) + 2)
        last.stop()
        assert last.leftovers() == []
    check(store)
    assert {table.state for table in tables_of(store)} == {TableState.DONE}


def test_worker_and_server_may_die_together(store: LeagueStore, tmp_path: Path) -> None:
    new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        admitted(store, name, author=name)
    with server(store, tmp_path / "server") as first:
        first.until(lambda: len(matches_of(store)) >= 1)
        for worker in workers_of(first.process.pid):
            os.kill(worker, signal.SIGKILL)
        first.kill()
    with server(store, tmp_path / "server") as second:
        second.until(lambda: store.table(1).state is TableState.DONE)
        second.stop()
        assert second.leftovers() == []
    check(store)


def test_terminated_server_finishes_its_table_and_leaves_nothing(store: LeagueStore, tmp_path: Path) -> None:
    new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        admitted(store, name, author=name)
    with server(store, tmp_path / "server") as stopped:
        stopped.until(lambda: len(descendants(stopped.process.pid)) > 3)
        started = list(descendants(stopped.process.pid))
        stopped.stop()
        assert all(map(is_gone, started))
        assert stopped.leftovers() == []
    assert [table.state for table in tables_of(store)] == [TableState.DONE]


async def test_remote_bots_come_back_to_a_killed_server_and_see_no_deal_twice(
    store: LeagueStore, tmp_path: Path
) -> None:
    new_season(store, rounds=5)
    tokens = {name: store.issue_token(store.author(name), label="").text for name in ("a", "b", "c", "d")}
    hands: dict[str, list[tuple[int, ...]]] = {name: [] for name in tokens}

    async def keep_playing(name: str, token: str) -> None:
        """Dials in again and again, and notes every hand that it is dealt."""
        while True:
            with suppress(OSError, EOFError, grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError):
                address = await asyncio.to_thread((tmp_path / "server" / "address").read_text)
                bot = Stranger(address, token, name=name)
                try:
                    await bot.dial()
                    await bot.play()
                finally:
                    await bot.hang_up()
                    asks = [ask for heard in bot.heard for ask in heard.turn.asks]
                    hands[name] += [
                        tuple(ask.hand) for ask in asks if len(ask.hand) == 13 and ask.legal_calls
                    ]
            await asyncio.sleep(0.02)

    playing = [asyncio.create_task(keep_playing(name, token)) for name, token in tokens.items()]
    try:
        for count in (3, 9):
            with server(store, tmp_path / "server") as under_fire:
                await asyncio.to_thread(
                    under_fire.until,
                    lambda count=count: len(matches_of(store)) >= count,  # type: ignore[misc]
                )
                await asyncio.to_thread(under_fire.kill)
            check(store)
        with server(store, tmp_path / "server") as last:
            await asyncio.to_thread(last.until, lambda: len(matches_of(store)) >= 16)
            await asyncio.to_thread(last.stop)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)

    check(store)
    for dealt in hands.values():
        assert len(dealt) > 60
        assert len(set(dealt)) == len(dealt)
    void = [table for table in tables_of(store) if table.state is TableState.VOID]
    assert {table.reason for table in void} <= {"it was begun before, and a remote bot may know its deals"}
