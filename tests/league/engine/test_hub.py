"""The news within a server: everybody hears what they asked for, and a slow reader holds up no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from arena.league.hub import (
    QUEUE,
    Hub,
    LiveChanged,
    MatchStored,
    Resync,
    StandingsChanged,
    Subscription,
)
from arena.league.model import Entry, Season, SeasonState
from arena.league.store import LeagueStore, NotFound
from tests.league.store.league import admitted, begin, four, leased, played


class CountingStore:
    """A store that counts how often the table was read."""

    def __init__(self, store: LeagueStore) -> None:
        self.store = store
        self.reads = 0

    def current_season(self) -> Season | None:
        return self.store.current_season()

    def season(self, name: str) -> Season:
        return self.store.season(name)

    def entries(self, season: Season, *, with_inactive: bool = False) -> list[Entry]:
        self.reads += 1
        return self.store.entries(season, with_inactive=with_inactive)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    with LeagueStore.open(f"sqlite:///{tmp_path}/league.sqlite3") as opened:
        yield opened


@asynccontextmanager
async def running(hub: Hub) -> AsyncIterator[None]:
    """The hub looks for changes while the context lasts; it has looked once when it begins."""
    looking = asyncio.create_task(hub.run())
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


async def test_reader_hears_the_kinds_it_asked_for_in_order(store: LeagueStore) -> None:
    hub = Hub(store)
    with hub.subscribe(MatchStored) as matches, hub.subscribe() as everything:
        hub.publish(MatchStored("m1", ("ant",)))
        hub.publish(LiveChanged("m2"))
        hub.publish(MatchStored("m2", ("bee",)))
        hub.close()

        assert [event async for event in matches] == [
            MatchStored("m1", ("ant",)),
            MatchStored("m2", ("bee",)),
        ]
        assert len([event async for event in everything]) == 3


async def test_reader_of_one_match_is_not_woken_by_the_others(store: LeagueStore) -> None:
    hub = Hub(store)
    with hub.subscribe(LiveChanged, match_id="mine") as reader:
        for i in range(1000):
            hub.publish(LiveChanged(f"other-{i}"))
        hub.publish(LiveChanged("mine"))
        hub.close()

        assert [event async for event in reader] == [LiveChanged("mine")]


async def test_slow_reader_is_told_to_look_anew_and_others_lose_nothing(store: LeagueStore) -> None:
    hub = Hub(store)
    heard: list[object] = []
    with hub.subscribe(MatchStored) as slow, hub.subscribe(MatchStored) as quick:
        for i in range(QUEUE + 10):
            hub.publish(MatchStored(f"m{i}", ()))
            heard.append(await anext(quick))
        hub.close()

        assert len(heard) == QUEUE + 10
        assert [event async for event in slow] == [Resync()]


async def test_what_waits_to_be_read_is_not_told_twice(store: LeagueStore) -> None:
    hub = Hub(store)
    with hub.subscribe(LiveChanged) as reader:
        for _ in range(10 * QUEUE):
            hub.publish(LiveChanged("m1"))
        hub.close()

        assert [event async for event in reader] == [LiveChanged("m1")]


async def test_nothing_is_kept_of_a_reader_that_has_gone(store: LeagueStore) -> None:
    hub = Hub(store)
    with hub.subscribe(), hub.subscribe(LiveChanged, match_id="m1"):
        assert hub.readers == 2

    assert hub.readers == 0


async def test_who_subscribes_after_the_end_reads_nothing(store: LeagueStore) -> None:
    hub = Hub(store)
    hub.close()

    with hub.subscribe() as late:
        assert [event async for event in late] == []


async def test_a_thousand_watchers_cost_one_reading_of_the_table(store: LeagueStore) -> None:
    begin(store)
    counting = CountingStore(store)
    hub = Hub(counting)

    tables = await asyncio.gather(*(hub.standings() for _ in range(1000)))

    assert counting.reads == 1
    assert all(table is tables[0] for table in tables)


async def test_change_by_another_arena_is_noticed_and_read_once(store: LeagueStore) -> None:
    season = begin(store)
    counting = CountingStore(store)
    hub = Hub(counting)
    with hub.subscribe(StandingsChanged) as reader:
        async with running(hub):
            before = await hub.standings()
            admitted(store, "ant")
            hub.touch()
            heard = await anext(reader)
            after = await hub.standings()

    assert isinstance(heard, StandingsChanged)
    assert heard.season == season.name
    assert (before.entries, len(after.entries)) == ((), 1)
    assert counting.reads == 2


async def test_stored_match_moves_the_table(store: LeagueStore) -> None:
    season = begin(store)
    table = leased(store, season, four(store))
    hub = Hub(store)
    before = await hub.standings()

    store.add_records(table, [played(store, season, table, 0)])

    after = await hub.standings()
    assert {entry.matches for entry in before.entries} == {0}
    assert {entry.matches for entry in after.entries} == {1}


async def test_end_of_a_season_is_a_change_of_its_table(store: LeagueStore) -> None:
    season = begin(store)
    hub = Hub(store)
    with hub.subscribe(StandingsChanged) as reader:
        async with running(hub):
            await hub.standings()
            store.end_season(store.freeze_season(season))
            hub.touch()
            heard = await anext(reader)

    assert isinstance(heard, StandingsChanged)
    assert (await hub.standings("spring")).season.state is SeasonState.ENDED


async def test_unknown_season_is_not_found(store: LeagueStore) -> None:
    with pytest.raises(NotFound):
        await Hub(store).standings("autumn")


async def test_reader_that_waits_is_let_go_at_the_end(store: LeagueStore) -> None:
    hub = Hub(store)

    async def read(reader: Subscription) -> list[object]:
        return [event async for event in reader]

    with hub.subscribe() as reader:
        waiting = asyncio.create_task(read(reader))
        await asyncio.sleep(0)
        hub.close()

        assert await waiting == []
