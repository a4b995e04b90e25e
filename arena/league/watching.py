"""Owns a season's table as bytes: made once for each change, however many watch it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from typing import Protocol

from arena.league.auth import TooMany, address_of
from arena.league.hub import Hub, Standings, StandingsChanged
from arena.league.messages import standings_message
from arena.league.model import Entry, Season
from arena.v1 import league_pb2

__all__ = ["MOST_WATCHERS", "StandingsFeed"]

MOST_WATCHERS = 4_000
"""Streams of WatchStandings at once."""

MOST_AN_ADDRESS = 64
"""Those of one address that is not this machine's own."""

_KEPT = 8


class EntryStore(Protocol):
    """What is needed of the store."""

    def entries(self, season: Season, *, with_inactive: bool = False) -> list[Entry]: ...


class StandingsFeed:
    """The tables for GetStandings and WatchStandings. Belongs to the server's event loop."""

    def __init__(self, store: EntryStore, hub: Hub, *, connected: Callable[[], Collection[int]]) -> None:
        self._store = store
        self._hub = hub
        self._connected = connected
        self._made: dict[tuple[object, ...], asyncio.Task[bytes]] = {}
        self._watchers: Counter[str] = Counter()

    async def table(self, season: str) -> bytes:
        """The season's table as a GetStandingsResponse (or WatchStandingsResponse: the same on the wire).

        NotFound when there is no such season.
        """
        standings = await self._hub.standings(season)
        connected = frozenset(self._connected()) & {e.version.version_id for e in standings.entries}
        now = standings.season
        key = (now.season_id, now.revision, now.state, connected)
        making = self._made.get(key)
        if making is None or (making.done() and (making.cancelled() or making.exception())):
            making = self._made[key] = asyncio.create_task(self._make(standings, connected))
            while len(self._made) > _KEPT:
                del self._made[next(iter(self._made))]
        return await asyncio.shield(making)

    @contextlib.asynccontextmanager
    async def watching(self, season: str, *, peer: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """The table now and at each change, until the hub is closed. TooMany for one watcher too many."""
        address = address_of(peer)
        if self._watchers.total() >= MOST_WATCHERS:
            raise TooMany(f"{MOST_WATCHERS} watch the standings already", retry_s=30.0)
        if address and self._watchers[address] >= MOST_AN_ADDRESS:
            raise TooMany(f"{MOST_AN_ADDRESS} watch the standings from {address} already", retry_s=30.0)
        self._watchers[address] += 1
        try:
            yield self._tables(season)
        finally:
            self._watchers[address] -= 1
            self._watchers += Counter()

    async def _tables(self, season: str) -> AsyncIterator[bytes]:
        with self._hub.subscribe(StandingsChanged) as changes:
            last = await self.table(season)
            yield last
            async for _ in changes:
                table = await self.table(season)
                if table != last:
                    last = table
                    yield table

    async def _make(self, standings: Standings, connected: Collection[int]) -> bytes:
        everybody = await asyncio.to_thread(self._store.entries, standings.season, with_inactive=True)
        table = standings_message(
            standings.season,
            standings.entries,
            matches=sum(entry.matches for entry in everybody) // 4,
            connected=connected,
        )
        return league_pb2.GetStandingsResponse(standings=table).SerializeToString()
