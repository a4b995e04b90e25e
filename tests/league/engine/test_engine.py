"""A league goes on by itself: tables are made, played, stored and, whatever happens, never doubled."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap
from arena.errors import ArenaError
from arena.league import engine as engine_module
from arena.league import tables as tables_module
from arena.league import workers as workers_module
from arena.league.hub import MatchStored
from arena.league.model import Replays, Table, TableKind, TableState
from arena.league.store import LeagueStore
from arena.rules import Seed, commitment, deal
from tests.bots.processes import script_bot
from tests.league.engine.arenas import (
    Shelf,
    arena_at_work,
    descendants,
    enter,
    enter_house,
    matches_of,
    my_workers,
    names,
    new_season,
    records_of,
    tables_of,
)
from tests.league.engine.strangers import Stranger

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

TALKER = """
from arena.sdk import Bot, run

class Talker(Bot):
    def call(self, view):
        print("I hold", len(view.hand), "cards", flush=True)
        return 1

    def play(self, view):
        return view.legal_cards[0]

run(Talker())
"""
CRASHER = """
import sys
from arena.sdk import Bot, run

class Crasher(Bot):
    def call(self, view):
        return 1

    def play(self, view):
        sys.exit("no card for you")

run(Crasher())
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    with LeagueStore.open(f"sqlite:///{tmp_path}/league.sqlite3") as opened:
        yield opened


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


async def test_lone_bot_plays_a_set_with_house_bots(store: LeagueStore, shelf: Shelf, tmp_path: Path) -> None:
    season = new_season(store)
    enter_house(store, shelf)
    enter(store, shelf, "ant")
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        with arena.hub.subscribe(MatchStored) as told:
            matches = await arena.stored(4)
            heard = [await anext(told) for _ in range(4)]

    records = records_of(store, matches[0].table_id)
    assert [record.rotation for record in records] == [0, 1, 2, 3]
    assert [record.seats[(1 - record.rotation) % 4].bot for record in records] == [
        records[0].seats[1].bot
    ] * 4
    assert {tuple(record.rounds[0].hands) for record in records} == {tuple(records[0].rounds[0].hands)}
    assert all(bytes(record.seed_commitment).hex() == season.commitment for record in records)
    assert not any(record.faults for record in records)
    assert [event.match_id for event in heard if isinstance(event, MatchStored)] == [
        match.match_id for match in matches
    ]
    assert "ant" in names(matches[0])
    assert store.table(matches[0].table_id).state is TableState.DONE


async def test_deals_follow_from_the_seasons_seed_and_the_tables_set(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    season = new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        matches = await arena.stored(1)

    record = store.record(matches[0].match_id)
    redeals = len(record.rounds[0].redeals)
    hands = deal(Seed.parse(season.seed_text), record.set, 1, redeals)
    assert [
        sum(1 << (card - 16) for card in record.rounds[0].hands[13 * i : 13 * i + 13]) for i in range(4)
    ] == [*hands]
    assert bytes(record.seed_commitment) == commitment(Seed.parse(season.seed_text))


async def test_league_goes_on_and_every_table_is_whole(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    for name in ("ant", "bee"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run", jobs=2) as arena:
        await arena.stored(12)
        await arena.engine.drain()
        assert arena.engine.tables_in_play == []

    tables = tables_of(store)
    assert {table.state for table in tables} == {TableState.DONE}
    assert len({table.set_numbers for table in tables}) == len(tables)
    assert len(matches_of(store)) == 4 * len(tables)
    rated = {entry.bot.name: entry.matches for entry in store.entries(store.season(""))}
    assert rated["ant"] == rated["bee"] == 4 * len(tables)


async def test_remote_bot_plays_fresh_deals_in_every_match(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    token = store.issue_token(store.author("tess"), label="").text
    async with (
        arena_at_work(store, shelf, tmp_path / "run") as arena,
        Stranger(arena.address, token) as bot,
    ):
        playing = asyncio.create_task(bot.play())
        matches = await arena.stored(4)
        playing.cancel()

    records = records_of(store, matches[0].table_id)
    assert len({record.set for record in records}) == 4
    assert len({tuple(record.rounds[0].hands) for record in records}) == 4
    assert not any(record.faults for record in records)
    assert "tortoise" in names(matches[0])


async def test_four_remote_bots_need_no_process(store: LeagueStore, shelf: Shelf, tmp_path: Path) -> None:
    new_season(store)
    bots = []
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        playing = []
        for name in ("ant", "bee", "cat", "dog"):
            token = store.issue_token(store.author(name), label="").text
            bots.append(Stranger(arena.address, token, name=name))
            await bots[-1].dial()
            playing.append(asyncio.create_task(bots[-1].play()))
        await arena.stored(8)
        assert descendants(os.getpid()) == {}
        for task in playing:
            task.cancel()
        for bot in bots:
            await bot.hang_up()

    assert not any(store.record(match.match_id).faults for match in matches_of(store)[:8])


async def test_remote_bot_that_leaves_costs_the_others_no_match(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store, time_control="0.1+0.2")
    enter_house(store, shelf)
    token = store.issue_token(store.author("tess"), label="").text
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        async with Stranger(arena.address, token) as bot:
            await bot.play(until=lambda response: bool(response.turn.asks) and bot.answered > 3)
        await arena.until(lambda: TableState.VOID in [table.state for table in tables_of(store)])

    table = tables_of(store)[0]
    records = records_of(store, table.table_id)
    assert table.reason == "tortoise was not connected when the table was to begin"
    assert len(records) == 1
    assert [seat.bot for seat in records[0].seats if seat.forfeited] == ["tortoise"]


async def test_remote_bot_that_is_never_ready_is_out_and_the_others_play(
    store: LeagueStore, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_module, "STARTUP_S", 8.0)
    new_season(store)
    enter_house(store, shelf)
    token = store.issue_token(store.author("tess"), label="").text
    async with (
        arena_at_work(store, shelf, tmp_path / "run") as arena,
        Stranger(arena.address, token),
    ):
        matches = await arena.stored(1)

    assert [seat.bot for seat in matches[0].seats if seat.forfeited] == ["tortoise"]
    assert [fault.seat for fault in store.record(matches[0].match_id).faults] == [0]


async def test_waiting_table_of_an_old_version_is_still_played(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    season = new_season(store)
    old = [enter(store, shelf, name).version_id for name in ("ant", "bee", "cat", "dog")]
    waiting = store.add_table(season, old, kind=TableKind.RATED, is_fresh=False)
    enter(store, shelf, "ant")
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.until(lambda: store.table(waiting.table_id).state is TableState.DONE)

    assert [entry.matches for entry in store.entries(season, with_inactive=True)].count(4) >= 1


async def test_table_whose_deals_a_remote_bot_may_know_is_void_though_the_bot_is_gone(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    season = new_season(store)
    local = [enter(store, shelf, name).version_id for name in ("ant", "bee", "cat")]
    newest = store.remote_bot(store.author("tess"), "tortoise", label="1", language="").newest
    assert newest is not None
    table = store.add_table(
        season, [newest.version_id, *local], kind=TableKind.RATED, is_fresh=True, owner="killed"
    )
    store.requeue(table, "the arena that played it is gone")
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.until(lambda: store.table(table.table_id).state is TableState.VOID)

    assert store.table(table.table_id).reason == "it was begun before, and a remote bot may know its deals"


async def test_scrimmage_is_played_unrated(store: LeagueStore, shelf: Shelf, tmp_path: Path) -> None:
    season = new_season(store)
    versions = [enter(store, shelf, name).version_id for name in ("ant", "bee", "cat")]
    versions.append(enter(store, shelf, "dog").version_id)
    asked = store.add_table(season, versions, kind=TableKind.SCRIMMAGE, is_fresh=False)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.until(lambda: store.table(asked.table_id).state is TableState.DONE)
        await arena.engine.drain(0.0)

    assert store.stored_match_ids(asked) == set(asked.match_ids)
    rated = len(matches_of(store)) - 4
    assert {entry.matches for entry in store.entries(season)} == {rated}


async def test_lost_worker_costs_no_stored_match_and_doubles_none(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        first = await arena.stored(2)
        os.kill(my_workers()[0], signal.SIGKILL)
        await arena.stored(4)

    kept = matches_of(store)[:4]
    assert kept[:2] == first
    assert {match.table_id for match in kept} == {first[0].table_id}
    assert [match.rotation for match in kept] == [0, 1, 2, 3]
    assert store.table(first[0].table_id).tries == 2


async def test_table_whose_worker_dies_every_time_is_void_with_the_reason(
    store: LeagueStore, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "MODULE", "arena.league.model")  # has no main
    monkeypatch.setattr(engine_module, "LONGEST_PAUSE_S", 0.01)
    new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.until(lambda: TableState.VOID in [table.state for table in tables_of(store)])

    table = tables_of(store)[0]
    assert table.tries == 5
    assert "its worker ended with status 1: ImportError" in table.reason


async def test_bot_that_cannot_be_started_is_left_out_and_others_play(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    enter(store, shelf, "ant")
    enter(store, shelf, "bee")
    shelf.take("bee")
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.stored(4)

    given_back = [table for table in tables_of(store) if table.reason]
    assert [table.reason for table in given_back] == ["bee cannot be started here: its bundle is damaged"]
    assert all("bee" not in names(match) for match in matches_of(store))


async def test_crashing_bot_forfeits_and_spoils_no_match(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    crasher = script_bot(tmp_path, CRASHER, name="crasher")
    enter(store, shelf, "crasher", path=crasher.path)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        matches = await arena.stored(4)

    assert [[seat.bot for seat in match.seats if seat.forfeited] for match in matches] == [["crasher"]] * 4
    log = store.log(store.bot("crasher").newest.version_id)  # type: ignore[union-attr]
    assert "no card for you" in log


async def test_what_a_bot_prints_is_kept_for_its_author(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    talker = script_bot(tmp_path, TALKER, name="talker")
    version = enter(store, shelf, "talker", path=talker.path)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.stored(4)
        await arena.engine.drain()

    assert "I hold 13 cards" in store.log(version.version_id)
    assert matches_of(store)[-1].match_id in store.log(version.version_id)
    others = [bot.newest for bot in store.bots() if bot.name != "talker"]
    assert [store.log(newest.version_id) for newest in others if newest] == ["", "", ""]


async def test_tables_are_played_in_the_sandbox(
    store: LeagueStore, shelf: Shelf, tmp_path: Path, bwrap: Bubblewrap
) -> None:
    new_season(store)
    enter_house(store, shelf)
    enter(store, shelf, "ant")
    async with arena_at_work(store, shelf, tmp_path / "run", sandbox=bwrap) as arena:
        matches = await arena.stored(1)

    assert store.record(matches[0].match_id).sandbox == 2


async def test_drained_arena_has_finished_its_tables_and_left_nothing(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.until(lambda: len(descendants(os.getpid())) > 2)
        await arena.engine.drain()
        assert [table.state for table in tables_of(store)] == [TableState.DONE]

    assert descendants(os.getpid()) == {}


async def test_impatient_drain_gives_the_table_back_and_the_next_arena_goes_on(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store, rounds=5)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.stored(1)
        await arena.engine.drain(0.0)
        table = tables_of(store)[0]
        assert (table.state, table.reason) == (TableState.WAITING, "the arena was stopped")
        assert tables_of(store)[1:] == []
    kept = matches_of(store)
    assert descendants(os.getpid()) == {}

    async with arena_at_work(store, shelf, tmp_path / "run", owner="arena-2") as arena:
        await arena.until(lambda: store.table(table.table_id).state is TableState.DONE)

    assert matches_of(store)[: len(kept)] == kept
    assert len(records_of(store, table.table_id)) == 4


async def test_two_arenas_on_one_database_share_the_work(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    for name in ("ant", "bee"):
        enter(store, shelf, name)
    async with (
        arena_at_work(store, shelf, tmp_path / "a", owner="arena-1") as one,
        arena_at_work(store, shelf, tmp_path / "b", owner="arena-2") as other,
    ):
        await one.stored(12)
        await asyncio.gather(one.engine.drain(), other.engine.drain())

    tables = tables_of(store)
    assert {table.state for table in tables} == {TableState.DONE}
    assert len(matches_of(store)) == 4 * len(tables)


async def test_frozen_season_begins_nothing_and_finishes_what_is_in_play(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    season = new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.stored(1)
        frozen = store.freeze_season(season)
        await arena.stored(4)
        await arena.until(lambda: arena.engine.tables_in_play == [])
        arena.engine.wake()
        await asyncio.sleep(0.2)

        assert len(tables_of(store)) == 1
        store.end_season(frozen)


async def test_table_that_could_not_be_given_back_is_when_the_database_is_there_again(
    store: LeagueStore, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "BEAT_S", 0.3)
    new_season(store)
    for name in ("ant", "bee", "cat", "dog"):
        enter(store, shelf, name)
    requeue = store.requeue
    refusals: list[str] = []

    def away(table: Table, reason: str) -> Table:
        if len(refusals) < 2:
            refusals.append(reason)
            raise ArenaError("the database does not answer")
        return requeue(table, reason)

    monkeypatch.setattr(store, "requeue", away)
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.stored(1)
        os.kill(my_workers()[0], signal.SIGKILL)
        await arena.until(lambda: store.table(1).state is TableState.DONE)

    assert len(refusals) == 2
    assert store.table(1).reason == "the database was away"
    assert len(records_of(store, 1)) == 4


async def test_revoked_tokens_bot_is_shown_the_door(
    store: LeagueStore, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "BEAT_S", 0.05)
    new_season(store)
    token = store.issue_token(store.author("tess"), label="")
    async with (
        arena_at_work(store, shelf, tmp_path / "run") as arena,
        Stranger(arena.address, token.text) as bot,
    ):
        await arena.until(lambda: len(arena.lobby.connected) == 1)
        store.revoke_token(token.token.token_id)

        assert (await bot.read()).goodbye.reason == "the token was revoked"


async def test_spectators_see_no_cards_where_replays_are_kept_back(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store, replays=Replays.AFTER_SEASON)
    enter_house(store, shelf)
    enter(store, shelf, "ant")
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        await arena.until(lambda: arena.live.matches() != [])

        assert not arena.live.matches()[0].has_cards


async def test_spectators_see_of_real_matches_only_what_was_played(
    store: LeagueStore, shelf: Shelf, tmp_path: Path
) -> None:
    new_season(store)
    enter_house(store, shelf)
    enter(store, shelf, "ant")
    seen = []
    async with arena_at_work(store, shelf, tmp_path / "run") as arena:
        showing = asyncio.create_task(arena.live.run())
        await arena.until(lambda: arena.live.matches() != [])
        match_id = arena.live.matches()[0].match_id
        for _ in range(60):
            await asyncio.sleep(0.05)
            shown = arena.live.match(match_id)
            assert shown is not None
            seen.append(shown)
        await arena.until(lambda: match_id in {match.match_id for match in matches_of(store)})
        showing.cancel()

    plays = list(store.record(match_id).rounds[0].plays)
    counts = []
    for shown in seen:
        cards = [card for trick in (*shown.tricks, shown.trick) for card in trick.cards]
        assert cards == plays[: len(cards)]
        counts.append(len(cards))
    assert counts == sorted(counts)
    assert counts[-1] < 52
