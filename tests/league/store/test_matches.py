"""Promises about stored matches: each once and whole, and everything that follows from one."""

from __future__ import annotations

import math
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, event

from arena.errors import ArenaError
from arena.league.model import Entry, Season, StoredMatch, Table, TableKind, TableState
from arena.league.store import DRAW_PROBABILITY, LeagueStore, NotFound
from arena.ratings.online import advance, start
from arena.ratings.results import MatchRow, Results
from arena.v1 import record_pb2
from tests.league.store.league import Clock, admitted, begin, four, leased, played, whole_set


def play(
    store: LeagueStore, season: Season, version_ids: list[int], *, kind: TableKind = TableKind.RATED
) -> Table:
    table = leased(store, season, version_ids, kind=kind)
    store.add_records(table, whole_set(store, season, table))
    return table


def entries(store: LeagueStore, season: Season) -> dict[str, Entry]:
    return {entry.bot.name: entry for entry in store.entries(season, with_inactive=True)}


def all_pages(store: LeagueStore, season: Season, **options: object) -> list[list[StoredMatch]]:
    page = store.matches(season, **options)  # type: ignore[arg-type]
    pages = [list(page.matches)]
    while page.next_token:
        page = store.matches(season, page_token=page.next_token, **options)  # type: ignore[arg-type]
        pages.append(list(page.matches))
    return pages


def test_record_comes_back_byte_for_byte(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    record = played(store, season, table, 2, faulty=1)
    store.add_records(table, [record])

    assert store.record(record.match_id).SerializeToString() == record.SerializeToString()
    for ask in (store.record, store.match):
        with pytest.raises(NotFound, match="there is no match nobody"):
            ask("nobody")


def test_match_says_who_sat_where_and_what_came_of_it(store: LeagueStore, clock: Clock) -> None:
    season, version_ids = begin(store), four(store)
    admitted(store, "dog", author="cem", label="2.0")
    table = leased(store, season, version_ids)
    record = played(store, season, table, 1, faulty=3)
    store.add_records(table, [record])

    match = store.match(record.match_id)
    assert (match.table_id, match.kind, match.rotation) == (table.table_id, TableKind.RATED, 1)
    assert match.stored_unix_us == clock.now_us
    assert [seat.bot for seat in match.seats] == ["bee", "cat", "dog", "ant"]
    assert [seat.total_tenths for seat in match.seats] == list(record.total_tenths)
    assert [seat.place for seat in match.seats] == list(record.places)
    assert [seat.faults for seat in match.seats] == [0, 0, 0, 1]
    assert {seat.version for seat in match.seats} == {1}
    assert [seat.author for seat in match.seats] == ["ann", "cem", "cem", "ann"]
    assert match.same_author == ("bee", "cat", "dog", "ant")


def test_only_bots_that_share_an_author_are_said_to(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    eel = admitted(store, "eel", author="eve")
    table = play(store, season, [version_ids[0], version_ids[2], version_ids[3], eel.version_id])

    assert store.match(table.match_ids[0]).same_author == ("cat", "dog")


def test_sums_and_ratings_follow_from_the_records(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    names = dict(zip(version_ids, ["ant", "bee", "cat", "dog"], strict=True))
    records: list[record_pb2.MatchRecord] = []
    for _ in range(3):
        table = leased(store, season, version_ids)
        new = [played(store, season, table, rotation, faulty=0) for rotation in range(4)]
        records += new
        store.add_records(table, new)

    rows = [
        MatchRow([seat.bot for seat in r.seats], list(r.places), list(r.total_tenths), r.set) for r in records
    ]
    rated = advance(start(list(names.values()), draw_probability=DRAW_PROBABILITY), Results.of(rows))
    for name, entry in entries(store, season).items():
        seats = [[seat.bot for seat in record.seats].index(name) for record in records]
        totals = [record.total_tenths[seat] for record, seat in zip(records, seats, strict=True)]
        assert (entry.matches, entry.sets, entry.faults) == (12, 3, 3)
        assert entry.total_tenths == sum(totals)
        assert entry.mu == rated.rating_of(name).mu
        assert entry.sigma == rated.rating_of(name).sigma
    assert sum(entry.wins_twelfths for entry in entries(store, season).values()) == 12 * 12
    assert sum(entry.places_doubled for entry in entries(store, season).values()) == 2 * 10 * 12
    assert store.fault_counts(season) == {number: {"MALFORMED": 3} for number in version_ids}


def test_rating_moves_only_of_bots_that_played(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    for bot in ("eel", "fox"):
        admitted(store, bot)
    play(store, season, [*version_ids[:3], admitted(store, "gnu").version_id])
    before = entries(store, season)
    for _ in range(5):
        play(store, season, version_ids)
    after = entries(store, season)

    assert {name for name in after if after[name] != before[name]} == {"ant", "bee", "cat", "dog"}
    assert (after["gnu"].mu, after["gnu"].sigma) == (before["gnu"].mu, before["gnu"].sigma)


@pytest.mark.parametrize("kind", [TableKind.SCRIMMAGE, TableKind.PERSON, TableKind.QUALIFYING])
def test_table_that_is_not_rated_counts_for_nothing(store: LeagueStore, kind: TableKind) -> None:
    season, version_ids = begin(store), four(store)
    before = entries(store, season)
    table = play(store, season, version_ids, kind=kind)

    assert entries(store, season) == before
    assert store.fault_counts(season) == {}
    assert store.table(table.table_id).state is TableState.DONE


def test_rating_history_has_a_point_a_set(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    for _ in range(7):
        play(store, season, version_ids)
    whole = store.rating_history(season, version_ids[0])
    ant = entries(store, season)["ant"]

    assert [matches for matches, _, _ in whole] == [4, 8, 12, 16, 20, 24, 28]
    assert whole[-1] == (28, ant.mu, ant.sigma)
    assert store.rating_history(season, version_ids[0], most=3) == [whole[0], whole[3], whole[6]]
    assert store.rating_history(season, 99) == []


def test_same_record_again_changes_nothing(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    records = whole_set(store, season, table)
    assert store.add_records(table, [*records[:2], records[0]]) == 2
    assert store.add_records(table, records) == 2
    before, revision = entries(store, season), store.revision(season)
    records[0].timing.started_unix_us += 1

    assert store.add_records(table, records) == 0
    assert entries(store, season) == before
    assert store.revision(season) == revision
    assert store.counts()["matches"] == 4


def test_another_result_of_a_stored_match_is_refused_with_all_that_came_with_it(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    store.add_records(table, [played(store, season, table, 0)])
    before = entries(store, season)

    with pytest.raises(ArenaError, match=f"match {table.match_ids[0]}: another result"):
        store.add_records(
            table, [played(store, season, table, 1), played(store, season, table, 0, luck="other")]
        )
    assert store.stored_match_ids(table) == {table.match_ids[0]}
    assert entries(store, season) == before


def test_two_results_of_one_match_at_once_are_refused(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)

    with pytest.raises(ArenaError, match="another result"):
        store.add_records(table, [played(store, season, table, 0, luck=luck) for luck in ("a", "b")])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"match_id": "s9-t00001-r0"}, "is none of table 1"),
        ({"rotation": 1}, "is none of table 1"),
        ({"rotation": 4}, "is none of table 1"),
        ({"position": 5}, "position and set are 5 and 0, the table has 0 and 0"),
        ({"set": 7}, "position and set are 0 and 7"),
    ],
)
def test_record_of_another_match_is_refused(store: LeagueStore, change: dict[str, object], why: str) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    record = played(store, season, table, 0)
    for name, value in change.items():
        setattr(record, name, value)

    with pytest.raises(ArenaError, match=why):
        store.add_records(table, [record])


def test_record_with_other_bots_is_refused(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    record = played(store, season, table, 0)
    record.seats[0].bot, record.seats[1].bot = record.seats[1].bot, record.seats[0].bot

    with pytest.raises(ArenaError, match=r"seats are \['bee', 'ant', 'cat', 'dog'\]"):
        store.add_records(table, [record])


def test_unknown_table_stores_nothing(store: LeagueStore, tmp_path_factory: pytest.TempPathFactory) -> None:
    with LeagueStore.open(f"sqlite:///{tmp_path_factory.mktemp('other')}/league.sqlite3") as other:
        table = leased(other, begin(other), four(other))

    with pytest.raises(NotFound, match="there is no table 1"):
        store.add_records(table, [])


def test_revision_grows_with_every_stored_match(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    seen = [store.revision(season)]
    for rotation in range(4):
        store.add_records(table, [played(store, season, table, rotation)])
        seen.append(store.revision(season))

    assert seen == sorted(set(seen))


def test_pages_hold_every_match_once_newest_first(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    tables = [play(store, season, version_ids) for _ in range(3)]
    pages = all_pages(store, season, page_size=5)

    assert [len(page) for page in pages] == [5, 5, 2]
    listed = [match.match_id for page in pages for match in page]
    assert listed == [match_id for table in tables for match_id in table.match_ids][::-1]


def test_page_does_not_move_when_matches_are_added(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    for _ in range(2):
        play(store, season, version_ids)
    first = store.matches(season, page_size=4)
    before = store.matches(season, page_size=4, page_token=first.next_token)
    play(store, season, version_ids)

    assert store.matches(season, page_size=4, page_token=first.next_token) == before


def test_matches_of_one_bot_are_paged_whatever_version_played(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    eel = admitted(store, "eel")
    play(store, season, version_ids)
    play(store, season, [*version_ids[1:], eel.version_id])
    second = admitted(store, "ant", label="2.0")
    play(store, season, [second.version_id, *version_ids[1:]])

    pages = all_pages(store, season, bot="ANT", page_size=3)
    numbers = [seat.version for page in pages for match in page for seat in match.seats if seat.bot == "ant"]
    assert numbers == [2, 2, 2, 2, 1, 1, 1, 1]
    with pytest.raises(NotFound, match="no bot called gnu"):
        store.matches(season, bot="gnu")


def test_only_listed_kinds_of_match_are_listed(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    for kind in TableKind:
        play(store, season, version_ids, kind=kind)

    def kinds(**options: object) -> set[TableKind]:
        return {match.kind for page in all_pages(store, season, page_size=3, **options) for match in page}

    assert kinds() == {TableKind.RATED, TableKind.SCRIMMAGE, TableKind.PERSON}
    assert kinds(with_unrated=False) == {TableKind.RATED}
    assert kinds(bot="ant", with_unrated=False) == {TableKind.RATED}


def test_season_lists_its_own_matches(store: LeagueStore) -> None:
    spring, version_ids = begin(store), four(store)
    play(store, spring, version_ids)
    store.end_season(store.freeze_season(spring))
    summer = begin(store, "summer")
    play(store, summer, version_ids)

    for season in (spring, summer):
        assert {match.season_id for page in all_pages(store, season) for match in page} == {season.season_id}
        assert {match.season_id for page in all_pages(store, season, bot="ant") for match in page} == {
            season.season_id
        }


@pytest.mark.parametrize("token", ["x", "-1", "1.5", "9" * 30, "²"])
def test_token_that_no_page_gave_is_refused(store: LeagueStore, token: str) -> None:
    with pytest.raises(ArenaError, match="was given by no page"):
        store.matches(begin(store), page_token=token)


def test_page_has_bounds(store: LeagueStore) -> None:
    season = begin(store)

    with pytest.raises(ArenaError, match="allowed: 1 to 200"):
        store.matches(season, page_size=0)
    assert store.matches(season, page_size=10**9).matches == ()


def test_match_with_a_person_is_stored_under_that_name(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    person = store.person()
    table = leased(store, season, [*version_ids[:3], person.version_id], kind=TableKind.PERSON)
    store.add_records(table, [played(store, season, table, 0)])

    assert [seat.bot for seat in store.match(table.match_ids[0]).seats] == ["ant", "bee", "cat", "person"]


def test_counts_are_what_there_is(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    play(store, season, version_ids)
    leased(store, season, version_ids)
    for _ in range(2):
        store.add_table(season, version_ids, kind=TableKind.SCRIMMAGE, is_fresh=False)
    store.receive(store.author("ann"), b"bundle")

    assert store.counts() == {
        "bots": 4,
        "matches": 4,
        "tables_waiting": 2,
        "tables_playing": 1,
        "submissions_waiting": 1,
    }


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(4)), cuts=st.sets(st.integers(1, 3)))
def test_set_may_come_in_any_pieces(store: LeagueStore, order: list[int], cuts: set[int]) -> None:
    season = store.current_season() or begin(store)
    version_ids = [bot.newest.version_id for bot in store.bots() if bot.newest] or four(store)
    table = leased(store, season, version_ids)
    records = [played(store, season, table, rotation) for rotation in order]
    before = entries(store, season)
    bounds = [0, *sorted(cuts), 4]
    for first, end in pairwise(bounds):
        store.add_records(table, records[first:end])

    after = entries(store, season)
    assert store.table(table.table_id).state is TableState.DONE
    for name, entry in after.items():
        assert (entry.matches, entry.sets) == (before[name].matches + 4, before[name].sets + 1)
        assert math.isfinite(entry.mu)


@pytest.mark.parametrize("options", [{}, {"with_unrated": False}, {"bot": "ant"}])
def test_page_is_found_by_an_index_and_never_sorted(tmp_path: Path, options: dict[str, object]) -> None:
    """So it costs the same however many matches there are, and however many came before it."""
    with LeagueStore.open(f"sqlite:///{tmp_path / 'league.sqlite3'}") as store:
        season, version_ids = begin(store), four(store)
        play(store, season, version_ids)
        asked: list[tuple[str, tuple[object, ...]]] = []
        listener = lambda *said: asked.append((said[2], said[3]))  # noqa: E731
        event.listen(Engine, "before_cursor_execute", listener)
        store.matches(season, page_token="3", **options)  # type: ignore[arg-type]
        event.remove(Engine, "before_cursor_execute", listener)

    with sqlite3.connect(tmp_path / "league.sqlite3") as connection:
        plans = {
            statement: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
            for statement, values in asked
            if "FROM match" in statement
        }
    connection.close()
    assert len(plans) == 2
    for plan in plans.values():
        assert plan
        assert not [step for step in plan if step.startswith("SCAN") or "TEMP B-TREE" in step], plan
