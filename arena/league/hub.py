"""Owns the news within one server: who is told what, and the table that all watchers share.

Everything here belongs to one event loop. It must not know who watches, or how what they see looks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Protocol

from arena.league.model import Entry, Season, Submission

__all__ = [
    "Event",
    "Hub",
    "LiveChanged",
    "MatchStored",
    "Resync",
    "Standings",
    "StandingsChanged",
    "SubmissionChanged",
    "Subscription",
]

POLL_S = 1.0
"""How often the database is asked whether another arena has changed the table."""

CALM_S = 0.5
"""Time between two StandingsChanged at least: a hundred matches a second are still two changes."""

QUEUE = 64
"""Events that wait for one reader; one that is slower is told to look at everything anew."""

_KEPT_TABLES = 8


@dataclass(frozen=True, slots=True)
class StandingsChanged:
    """The table of a season has changed; `Hub.standings` has the new one."""

    season: str
    revision: int


@dataclass(frozen=True, slots=True)
class MatchStored:
    """A match is in the store now."""

    match_id: str
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubmissionChanged:
    """A submission got further."""

    submission: Submission


@dataclass(frozen=True, slots=True)
class LiveChanged:
    """There is more to see of a match in play, or no more: `Live.match` tells."""

    match_id: str


@dataclass(frozen=True, slots=True)
class Resync:
    """Events were left out because they were not read in time: look at everything anew."""


Event = StandingsChanged | MatchStored | SubmissionChanged | LiveChanged | Resync


@dataclass(frozen=True, slots=True)
class Standings:
    """A season's table in order, as it was at `season.revision`. The season holds its secret seed: never
    show that of one that has not ended.
    """

    season: Season
    entries: tuple[Entry, ...]


class SeasonStore(Protocol):
    """What the hub needs of the store."""

    def current_season(self) -> Season | None: ...

    def season(self, name: str) -> Season: ...

    def entries(self, season: Season, *, with_inactive: bool = False) -> list[Entry]: ...


class Subscription:
    """The events that one reader wants, in order; an async iterator that ends when the hub is closed."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._has_some = asyncio.Event()
        self._is_closed = False

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            if self._is_closed:
                raise StopAsyncIteration
            self._has_some.clear()
            await self._has_some.wait()
        return self._events.popleft()

    def put(self, event: Event) -> None:
        """Adds an event; when too many wait already, a single Resync takes the place of all."""
        if self._events and isinstance(self._events[-1], Resync):
            return
        if event in self._events:  # the reader will look at what it names anyway
            return
        if len(self._events) >= QUEUE:
            self._events.clear()
            event = Resync()
        self._events.append(event)
        self._has_some.set()

    def close(self) -> None:
        """No more events; those that wait are still read."""
        self._is_closed = True
        self._has_some.set()


class Hub:
    """Tells subscribers what happens, and keeps the newest table for all of them."""

    def __init__(self, store: SeasonStore) -> None:
        self._store = store
        self._readers: dict[tuple[type, str], set[Subscription]] = {}
        self._is_closed = False
        self._touched = asyncio.Event()
        self._current: Season | None = None
        self._is_current_known = False
        self._tables: dict[int, asyncio.Task[Standings]] = {}
        self._revisions: dict[int, tuple[int, str]] = {}

    @contextlib.contextmanager
    def subscribe(self, *kinds: type[Event], match_id: str = "") -> Iterator[Subscription]:
        """The events of these kinds (of all, without any) from now on; Resync comes with every kind.

        With a `match_id` only that match's LiveChanged and MatchStored are told: a thousand watchers of other
        things are not woken by every card.
        """
        subscription = Subscription()
        wanted = kinds or (StandingsChanged, MatchStored, SubmissionChanged, LiveChanged)
        keys = [(kind, match_id if kind in (LiveChanged, MatchStored) else "") for kind in wanted]
        for key in keys:
            self._readers.setdefault(key, set()).add(subscription)
        if self._is_closed:
            subscription.close()
        try:
            yield subscription
        finally:
            for key in keys:
                self._readers[key].discard(subscription)
                if not self._readers[key]:
                    del self._readers[key]

    @property
    def readers(self) -> int:
        """How many subscriptions there are."""
        return len(set().union(*self._readers.values()))

    def publish(self, event: Event) -> None:
        """Tells everybody who wants to know; never waits for anybody."""
        kind = type(event)
        keys = {(kind, "")}
        if isinstance(event, LiveChanged | MatchStored):
            keys.add((kind, event.match_id))
        for key in keys:
            for subscription in self._readers.get(key, ()):
                subscription.put(event)

    def touch(self) -> None:
        """The table may have changed: look now and not at the next poll."""
        self._touched.set()

    async def standings(self, season: str = "") -> Standings:
        """The table of a season; the empty name is the current one, else the newest. NotFound for none.

        It is read once for each change, however many ask: the same object for all of them.
        """
        found = self._current if not season or (self._current and self._current.name == season) else None
        if found is None:
            found = await asyncio.to_thread(self._store.season, season)
        return await self._table_of(found)

    async def run(self) -> None:
        """Looks for changes, its own arena's and others', until it is cancelled."""
        while True:
            await self._look()
            await asyncio.sleep(CALM_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S - CALM_S):
                    await self._touched.wait()

    def close(self) -> None:
        """Ends every subscription, and whoever subscribes from now on reads nothing."""
        self._is_closed = True
        for subscription in set().union(*self._readers.values()):
            subscription.close()

    async def _look(self) -> None:
        self._touched.clear()
        season = await asyncio.to_thread(self._store.current_season)
        before, self._current = self._current, season
        is_news = self._is_current_known and season != before
        self._is_current_known = True
        if is_news:
            for changed in {one.name: one for one in (before, season) if one is not None}.values():
                self.publish(StandingsChanged(changed.name, changed.revision))

    async def _table_of(self, season: Season) -> Standings:
        state = (season.revision, season.state.value)
        if self._revisions.get(season.season_id) != state or season.season_id not in self._tables:
            self._revisions[season.season_id] = state
            self._tables.pop(season.season_id, None)
            self._tables[season.season_id] = asyncio.create_task(self._read(season))
            if len(self._tables) > _KEPT_TABLES:
                oldest = next(iter(self._tables))
                del self._tables[oldest], self._revisions[oldest]
        reading = self._tables[season.season_id]
        try:
            return await asyncio.shield(reading)
        except BaseException:
            if reading.done() and self._tables.get(season.season_id) is reading:
                self._tables.pop(season.season_id)
            raise

    async def _read(self, season: Season) -> Standings:
        entries = await asyncio.to_thread(self._store.entries, season)
        return Standings(season, tuple(entries))
