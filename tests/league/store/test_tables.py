"""Promises about tables: numbered once, played by one arena at a time, given up in the end."""

from __future__ import annotations

import pytest

from arena.errors import ArenaError
from arena.league.model import Table, TableKind, TableState
from arena.league.store import LeagueStore, LeaseLost, NotFound
from tests.league.store.league import ME, Clock, admitted, begin, four, leased, played, whole_set

EVERY = list(TableKind)


def waiting(store: LeagueStore, *, kind: TableKind = TableKind.SCRIMMAGE) -> Table:
    current = store.current_season() or begin(store)
    version_ids = [bot.newest.version_id for bot in store.bots() if bot.newest] or four(store)
    return store.add_table(current, version_ids[:4], kind=kind, is_fresh=False)


def claim(store: LeagueStore, owner: str = "one") -> Table | None:
    """Any table, whoever sits at it."""
    return store.claim_table(owner, kinds=EVERY, version_ids=range(1, 100))


def test_tables_share_no_position_set_or_match_id(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    made = [leased(store, season, version_ids, is_fresh=is_fresh) for is_fresh in (False, True, False)]

    assert [table.first_position for table in made] == [0, 4, 8]
    assert [table.set_numbers for table in made] == [(0,) * 4, (1, 2, 3, 4), (5,) * 4]
    assert len({match_id for table in made for match_id in table.match_ids}) == 12


def test_each_version_sits_on_each_seat_once(store: LeagueStore) -> None:
    version_ids = four(store)
    table = leased(store, begin(store), version_ids)

    for seat in range(4):
        assert {table.seats(rotation)[seat] for rotation in range(4)} == set(version_ids)
    assert table.seats(0) == tuple(version_ids)


def test_table_is_as_it_was_made(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    ann = store.author("ann")
    table = store.add_table(season, version_ids, kind=TableKind.SCRIMMAGE, is_fresh=True, requested_by=ann)

    assert (table.kind, table.state, table.owner, table.tries) == (
        TableKind.SCRIMMAGE,
        TableState.WAITING,
        "",
        0,
    )
    assert store.table(table.table_id) == table
    assert store.tables_in_play(season) == [table]
    with pytest.raises(NotFound, match="there is no table 99"):
        store.table(99)


def test_rated_table_notes_when_its_bots_sat_down(store: LeagueStore, clock: Clock) -> None:
    season, version_ids = begin(store), four(store)
    other = admitted(store, "eel")
    clock.sleep(1)
    leased(store, season, version_ids)
    leased(store, season, [*version_ids[:3], other.version_id], kind=TableKind.SCRIMMAGE)

    last = {entry.bot.name: entry.last_table_unix_us for entry in store.entries(season)}
    assert (last["ant"], last["eel"]) == (clock.now_us, None)


def test_last_rated_tables_are_told_oldest_first(store: LeagueStore) -> None:
    season, (ant, bee, cat, dog) = begin(store), four(store)
    eel = admitted(store, "eel").version_id
    first, second, third = (dog, cat, bee, ant), (ant, bee, cat, eel), (eel, dog, ant, cat)
    for version_ids in (first, second, third):
        leased(store, season, version_ids)
    leased(store, season, first, kind=TableKind.SCRIMMAGE)
    store.void(leased(store, season, first), "no contest")

    assert store.recent_tables(season, 9) == [first, second, third]
    assert store.recent_tables(season, 2) == [second, third]


def test_table_needs_four_different_bots(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    second = admitted(store, "dog", author="cem", label="2.0")

    for wrong, why in [
        (version_ids[:3], "four seats, not 3"),
        ([*version_ids[:3], second.version_id + 1], "there is no version 6"),
        ([*version_ids[:2], version_ids[3], second.version_id], "four different bots"),
        ([*version_ids[:3], version_ids[0]], "four different bots"),
    ]:
        with pytest.raises(ArenaError, match=why):
            leased(store, season, wrong)
    assert store.tables_in_play(season) == []


def test_rated_table_needs_versions_of_its_season(store: LeagueStore) -> None:
    version_ids = four(store)
    second = admitted(store, "dog", author="cem", label="2.0")
    season = begin(store)
    old = version_ids[3]

    with pytest.raises(ArenaError, match=f"version {old} is not in season spring"):
        leased(store, season, version_ids)
    assert leased(store, season, [*version_ids[:3], second.version_id]).version_ids[3] == second.version_id


def test_person_sits_only_where_nothing_counts(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    seats = [*version_ids[:3], store.person().version_id]

    with pytest.raises(ArenaError, match="a person sits only at tables of kind person"):
        leased(store, season, seats)
    table = leased(store, season, seats, kind=TableKind.PERSON, is_fresh=True)
    bots = {version.version_id: bot.name for bot in store.bots() for version in store.versions(bot)}
    assert [bots.get(version_id, "person") for version_id in table.version_ids][3] == "person"


def test_oldest_waiting_table_is_claimed_and_by_one_arena(store: LeagueStore) -> None:
    first, second = waiting(store), waiting(store)

    one, other = claim(store, "one"), claim(store, "other")
    assert one is not None
    assert other is not None
    assert (one.table_id, one.state, one.owner, one.tries) == (first.table_id, TableState.PLAYING, "one", 1)
    assert (other.table_id, other.owner) == (second.table_id, "other")
    assert claim(store) is None


def test_table_is_claimed_only_with_all_its_versions_and_of_its_kind(store: LeagueStore) -> None:
    table = waiting(store)
    some, all_four = table.version_ids[:3], table.version_ids

    assert store.claim_table("one", kinds=EVERY, version_ids=some) is None
    assert store.claim_table("one", kinds=EVERY, version_ids=[]) is None
    assert store.claim_table("one", kinds=[], version_ids=all_four) is None
    assert store.claim_table("one", kinds=[TableKind.RATED], version_ids=all_four) is None
    assert store.claim_table("one", kinds=[TableKind.SCRIMMAGE], version_ids=all_four) is not None


def test_table_given_back_waits_and_is_void_after_five_tries(store: LeagueStore) -> None:
    table, states = waiting(store), []
    for _ in range(5):
        claimed = claim(store)
        assert claimed is not None
        states.append(store.requeue(claimed, "the worker died").state)

    assert states == [TableState.WAITING] * 4 + [TableState.VOID]
    assert store.table(table.table_id).reason == "the worker died"
    assert claim(store) is None


def test_table_with_a_person_is_void_when_its_arena_gives_it_back(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids, kind=TableKind.PERSON)

    assert store.requeue(table, "the arena was stopped").state is TableState.VOID


def test_lease_that_was_lost_is_not_given_back(store: LeagueStore) -> None:
    waiting(store)
    before = claim(store, "one")
    assert before is not None
    store.requeue(before, "stopped")
    now = claim(store, "other")

    assert store.requeue(before, "stopped again") == now


def test_table_is_given_up_by_who_plays_it(store: LeagueStore) -> None:
    table = waiting(store)
    before = claim(store, "one")
    assert before is not None

    with pytest.raises(LeaseLost, match=f"table {table.table_id} is playing, leased to one"):
        store.void(table, "it waited too long")
    assert store.void(before, "no contest").state is TableState.VOID


def test_tables_that_were_given_up_are_counted_and_told_with_their_bots_and_why(store: LeagueStore) -> None:
    current = begin(store)
    version_ids = four(store)
    names = {bot.newest.version_id: bot.name for bot in store.bots() if bot.newest}
    for kind, why in ((TableKind.RATED, "one"), (TableKind.PERSON, "two"), (TableKind.SCRIMMAGE, "three")):
        table = store.add_table(current, version_ids, kind=kind, is_fresh=False, owner=ME)
        store.void(table, why)
    leased(store, current, version_ids)

    count, told = store.no_contests(current, 1)

    assert count == 2
    assert [(one.reason, one.bots) for one in told] == [("three", tuple(names[at] for at in version_ids))]
    assert [one.reason for one in store.no_contests(current, 9)[1]] == ["three", "one"]


def test_tables_of_a_dead_arena_wait_for_another(store: LeagueStore, clock: Clock) -> None:
    waiting(store)
    table = claim(store, "one")
    assert table is not None
    clock.sleep(31)

    assert store.recover("other") == 1
    again = claim(store, "other")
    assert again is not None
    assert (again.table_id, again.tries) == (table.table_id, 2)
    assert "one that played it is gone" in again.reason


def test_tables_of_a_living_arena_stay_its_own(store: LeagueStore, clock: Clock) -> None:
    waiting(store)
    claim(store, "one")
    for _ in range(4):
        clock.sleep(29)
        store.heartbeat("one")
        assert store.recover("other") == 0


def test_arena_that_looks_for_the_dead_takes_nothing_from_the_living(
    store: LeagueStore, clock: Clock
) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)

    assert store.recover("") == 0
    clock.sleep(31)
    assert store.recover("") == 1
    assert store.table(table.table_id).state is TableState.WAITING


def test_arena_that_starts_anew_recovers_its_own_at_once(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    rated = leased(store, season, version_ids)
    person = leased(store, season, version_ids, kind=TableKind.PERSON)

    assert store.recover(ME) == 2
    assert store.table(rated.table_id).state is TableState.WAITING
    assert store.table(person.table_id).state is TableState.VOID
    assert store.recover(ME) == 0


def test_records_of_a_lost_lease_are_refused(store: LeagueStore, clock: Clock) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    records = whole_set(store, season, table)
    clock.sleep(31)
    store.recover("other")
    now = claim(store, "other")
    assert now is not None

    with pytest.raises(LeaseLost, match="its lease was lost"):
        store.add_records(table, records)
    assert store.stored_match_ids(table) == set()
    assert store.add_records(now, records) == 4


def test_table_of_which_some_is_stored_needs_only_the_rest(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    store.add_records(table, [played(store, season, table, rotation) for rotation in (0, 2)])
    store.requeue(table, "stopped")
    again = claim(store)
    assert again is not None

    assert store.stored_match_ids(again) == {table.match_ids[0], table.match_ids[2]}
    store.add_records(again, [played(store, season, again, rotation) for rotation in (1, 3)])
    assert store.table(table.table_id).state is TableState.DONE
