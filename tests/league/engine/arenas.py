"""Owns the arenas of these tests: an engine with all that it needs, on a database of the test's own."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.bots.sandbox import NoSandbox, Sandbox
from arena.errors import ArenaError
from arena.league.engine import Engine, Installed
from arena.league.hub import Hub
from arena.league.live import Live
from arena.league.lobby import Lobby
from arena.league.model import Replays, Season, StoredMatch, Table, Version
from arena.league.store import LeagueStore, NotFound
from arena.v1 import record_pb2
from tests.league.engine.strangers import open_lobby
from tests.league.store.league import admitted

PATIENCE_S = 50.0
"""How long a test waits for what will come: longer than this machine is ever busy."""


class Shelf:
    """Installed bots, by content hash; those that nobody put there cannot be had."""

    def __init__(self) -> None:
        self._bots: dict[str, Entrant] = {}

    def put(self, content_hash: str, entrant: Entrant) -> None:
        """The bot of that hash."""
        self._bots[content_hash] = entrant

    def take(self, name: str) -> None:
        """That bot cannot be had any more."""
        self._bots = {key: bot for key, bot in self._bots.items() if bot.name != name}

    async def entrant(self, version: Version) -> Entrant:
        """As arena.league.engine.Installed has it."""
        if version.content_hash not in self._bots:
            raise ArenaError("its bundle is damaged")
        return self._bots[version.content_hash]


@dataclass
class Arena:
    """One arena at work."""

    engine: Engine
    store: LeagueStore
    hub: Hub
    live: Live
    lobby: Lobby
    address: str
    running: asyncio.Task[None]

    async def until(self, is_true: Callable[[], bool]) -> None:
        """Returns as soon as `is_true()`; raises what ends the engine in the meantime."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not is_true():
            if self.running.done():
                self.running.result()
            assert time.monotonic() < deadline_s, "what was waited for did not happen"
            await asyncio.sleep(0.02)

    async def stored(self, count: int) -> list[StoredMatch]:
        """The first stored matches of the season, as soon as there are so many; oldest first."""
        await self.until(lambda: len(matches_of(self.store)) >= count)
        return matches_of(self.store)[:count]


@asynccontextmanager
async def arena_at_work(
    store: LeagueStore,
    shelf: Installed,
    folder: Path,
    *,
    owner: str = "arena-1",
    jobs: int = 1,
    sandbox: Sandbox | None = None,
) -> AsyncIterator[Arena]:
    """An engine that plays while the context lasts, without a sandbox unless one is given."""
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    async with open_lobby(store) as (lobby, address):
        hub = Hub(store)
        live = Live(hub, now_s=time.monotonic)
        engine = Engine(
            store,
            hub=hub,
            live=live,
            lobby=lobby,
            installed=shelf,
            sandbox=sandbox or NoSandbox(),
            owner=owner,
            jobs=jobs,
            log_dir=folder,
            rng=random.Random(1),
        )
        running = asyncio.create_task(engine.run())
        try:
            yield Arena(engine, store, hub, live, lobby, address, running)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


def new_season(
    store: LeagueStore,
    *,
    rounds: int = 1,
    time_control: str = "5+10",
    replays: Replays = Replays.AT_ONCE,
) -> Season:
    """An open season of short matches, and patient clocks for a busy machine."""
    return store.open_season(
        "spring",
        ruleset=f"callbreak+rounds={rounds}",
        time_control=time_control,
        strikes=3,
        replays=replays,
    )


def enter(
    store: LeagueStore, shelf: Shelf, name: str, *, path: Path | None = None, author: str = ""
) -> Version:
    """A bot in the league, of an author of its own unless one is named: quick, unless it has a path."""
    version = admitted(store, name, author=author or f"author of {name}")
    entrant = load_bot(path or HOUSE_BOTS["house-lowest"])
    shelf.put(version.content_hash, replace(entrant, name=name))
    return version


def enter_house(store: LeagueStore, shelf: Shelf) -> list[Version]:
    """The three house bots."""
    return [enter(store, shelf, name, path=path, author="house") for name, path in HOUSE_BOTS.items()]


def matches_of(store: LeagueStore) -> list[StoredMatch]:
    """All listed matches of the season, oldest first."""
    season = store.season("")
    found: list[StoredMatch] = []
    page = store.matches(season, page_size=200)
    found += page.matches
    while page.next_token:
        page = store.matches(season, page_size=200, page_token=page.next_token)
        found += page.matches
    return found[::-1]


def records_of(store: LeagueStore, table_id: int) -> list[record_pb2.MatchRecord]:
    """The records of a table, by rotation."""
    stored = [match for match in matches_of(store) if match.table_id == table_id]
    return [store.record(match.match_id) for match in sorted(stored, key=lambda match: match.rotation)]


def tables_of(store: LeagueStore) -> list[Table]:
    """Every table that was made, oldest first."""
    return list(_tables_of(store))


def _tables_of(store: LeagueStore) -> Iterator[Table]:
    with suppress(NotFound):
        for table_id in count(1):
            yield store.table(table_id)


def descendants(pid: int) -> dict[int, str]:
    """The processes that this one has started, and those have started: ids and command lines."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            command = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if fields[0] not in "ZX":
                parents[int(stat.parent.name)] = (int(fields[1]), command)
    found: dict[int, str] = {}
    while new := {
        child: command
        for child, (parent, command) in parents.items()
        if child not in found and (parent == pid or parent in found)
    }:
        found |= new
    return found


def workers_of(pid: int) -> list[int]:
    """The worker processes that this process has started."""
    return [child for child, command in descendants(pid).items() if "arena.league.worker" in command]


def my_workers() -> list[int]:
    """Those of the test's own arena."""
    return workers_of(os.getpid())


def names(match: StoredMatch) -> Collection[str]:
    """Who played."""
    return {seat.bot for seat in match.seats}
