"""Promises of a store that many use at once: nothing doubled, nothing lost, nothing half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pytest

from arena.errors import ArenaError
from arena.league.model import Season, Submission, SubmissionState, Table, TableKind, TableState
from arena.league.store import LeagueStore, Taken
from tests.league.store.league import Clock, admitted, begin, four, leased, played, whole_set

ROOT = Path(__file__).parents[3]
EVERY = list(TableKind)

A = TypeVar("A")
T = TypeVar("T")

# Claims and plays tables until none waits; says the id of each that it stored.
PLAYER = """
import sys
from arena.league.model import TableKind
from arena.league.store import LeagueStore
from tests.league.store.league import whole_set

url, owner = sys.argv[1:]
with LeagueStore.open(url) as store:
    season = store.season("spring")
    while table := store.claim_table(owner, kinds=list(TableKind), version_ids=range(1, 100)):
        records = whole_set(store, season, table)
        store.add_records(table, records[:1])
        store.add_records(table, records)
        print(table.table_id, flush=True)
"""

# Plays and stores for ever; what was acknowledged is said.
STORER = """
import sys
from arena.league.model import TableKind
from arena.league.store import LeagueStore
from tests.league.store.league import leased, whole_set

[url] = sys.argv[1:]
with LeagueStore.open(url) as store:
    season = store.season("spring")
    version_ids = [bot.newest.version_id for bot in store.bots()]
    while True:
        table = leased(store, season, version_ids)
        records = whole_set(store, season, table)
        print("stores", flush=True)
        store.add_records(table, records)
        print(table.table_id, flush=True)
        store.receive(store.author("ann"), str(table.table_id).encode())
        print("received", table.table_id, flush=True)
"""


def program(source: str, *arguments: str) -> subprocess.Popen[str]:
    """A Python program of its own process, that finds the arena and the tests' builders."""
    return subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def at_once(call: Callable[[A], T], given: Iterable[A]) -> list[T]:
    """What `call` returns for each of `given`, each in a thread of its own."""
    asked = list(given)
    with ThreadPoolExecutor(len(asked)) as pool:
        return list(pool.map(call, asked))


def check_whole(store: LeagueStore, season: Season) -> None:
    """Sums, ratings' history and seats agree with the matches that are stored."""
    page = store.matches(season, page_size=200)
    listed = list(page.matches)
    while page.next_token:
        page = store.matches(season, page_size=200, page_token=page.next_token)
        listed += page.matches
    assert len({match.match_id for match in listed}) == len(listed) == store.counts()["matches"]
    for entry in store.entries(season, with_inactive=True):
        seats = [seat for match in listed for seat in match.seats if seat.bot == entry.bot.name]
        assert entry.matches == len(seats)
        assert entry.total_tenths == sum(seat.total_tenths for seat in seats)
        history = store.rating_history(season, entry.version.version_id, most=10_000)
        assert len(history) == entry.sets
        if history and entry.sets * 4 == entry.matches:
            assert history[-1] == (entry.matches, entry.mu, entry.sigma)
    for match in listed:
        assert store.record(match.match_id).match_id == match.match_id


def test_threads_that_make_tables_get_numbers_of_their_own(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    made = at_once(lambda _: leased(store, season, version_ids, is_fresh=True), range(12))

    assert sorted(table.first_position for table in made) == list(range(0, 48, 4))
    assert sorted(number for table in made for number in table.set_numbers) == list(range(48))


def test_threads_that_claim_get_tables_of_their_own(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    for _ in range(10):
        store.add_table(season, version_ids, kind=TableKind.RATED, is_fresh=False)

    def claims(owner: str) -> list[Table | None]:
        return [store.claim_table(owner, kinds=EVERY, version_ids=version_ids) for _ in range(4)]

    found = at_once(claims, ["one", "two", "three", "four"])
    claimed = [table.table_id for tables in found for table in tables if table is not None]
    assert sorted(claimed) == list(range(1, 11))


def test_threads_that_claim_submissions_get_one_each(store: LeagueStore) -> None:
    for number in range(6):
        store.receive(store.author("ann"), bytes([number]))
    found = at_once(store.claim_submission, map(str, range(8)))

    assert len({one.submission_id for one in found if one is not None}) == 6
    assert found.count(None) == 2


def test_threads_that_store_one_record_store_it_once(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    records = whole_set(store, season, table)

    assert sum(at_once(lambda _: store.add_records(table, records), range(6))) == 4
    check_whole(store, season)


def test_threads_that_store_two_results_of_a_match_store_one_of_them(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)

    def stored(luck: str) -> int:
        try:
            return store.add_records(table, [played(store, season, table, 0, luck=luck)])
        except ArenaError:
            return -1

    assert sorted(at_once(stored, "abcd")) == [-1, -1, -1, 1]
    check_whole(store, season)


def test_threads_that_admit_a_name_make_one_bot(store: LeagueStore) -> None:
    begin(store)
    waiting = [store.receive(store.author("ann"), bytes([number])) for number in range(5)]

    def admit(waits: Submission) -> int:
        made = store.admit(waits.submission_id, bot="ant", label="1", language="c", content_hash="00")
        return made.number

    assert sorted(at_once(admit, waiting)) == [1, 2, 3, 4, 5]
    assert len(store.bots()) == 1
    assert len(store.entries(store.season(""))) == 1


def test_authors_that_want_one_name_get_it_once(store: LeagueStore) -> None:
    def wants(author: str) -> str:
        try:
            store.remote_bot(store.author(author), "ant", label="1", language="c")
        except Taken:
            return "taken"
        return author

    found = at_once(wants, ["ann", "bob", "cem", "dot", "eve"])
    assert found.count("taken") == 4
    assert store.bot("ant").author.name in found


def test_organisers_that_begin_a_season_begin_one(store: LeagueStore) -> None:
    def begins(name: str) -> int:
        try:
            begin(store, name)
        except ArenaError:
            return 0
        return 1

    assert sum(at_once(begins, ["spring", "summer", "autumn", "winter"])) == 1
    assert len(store.seasons()) == 1


def test_bundle_received_while_it_is_refused_is_there(store: LeagueStore) -> None:
    for number in range(5):
        bundle = f"bundle {number}".encode()
        first = store.receive(store.author("ann"), bundle)

        def act(author: str, bundle: bytes = bundle, first: Submission = first) -> Submission:
            if author == "ann":
                return store.advance(first.submission_id, SubmissionState.REFUSED, "no bot.toml")
            return store.receive(store.author(author), bundle)

        _, second = at_once(act, ["ann", "cem"])
        assert store.bundle(second.bundle_sha256) == bundle


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_processes_that_share_a_league_play_each_table_once(store: LeagueStore, url: str) -> None:
    season, version_ids = begin(store), four(store)
    for number in range(6):
        admitted(store, f"extra{number}", author=f"author{number}")
    for number in range(18):
        kind = TableKind.RATED if number % 3 else TableKind.SCRIMMAGE
        store.add_table(season, version_ids, kind=kind, is_fresh=bool(number % 2))
    with ExitStack() as stack:
        players = [stack.enter_context(program(PLAYER, url, f"arena-{number}")) for number in range(3)]
        said = [player.communicate()[0].split() for player in players]

    assert [player.returncode for player in players] == [0, 0, 0]
    assert sorted(int(table) for tables in said for table in tables) == list(range(1, 19))
    assert store.tables_in_play(season) == []
    assert store.counts()["matches"] == 72
    rated = sum(match.kind is TableKind.RATED for match in store.matches(season, page_size=200).matches)
    assert sum(entry.matches for entry in store.entries(season)) == rated * 4


@pytest.mark.chaos
@pytest.mark.timeout(300)
@pytest.mark.parametrize("delay_us", [0, 300, 1000, 3000, 10_000])
def test_killed_arena_leaves_a_set_whole_or_not_at_all(
    url: str, store: LeagueStore, clock: Clock, delay_us: int
) -> None:
    season = begin(store)
    four(store)
    with program(STORER, url) as storer:
        assert storer.stdout is not None
        said = [storer.stdout.readline().split() for _ in range(7)]
        # "stores", its id, "received", twice; then killed while it stores the third.
        subprocess.run(["sleep", str(delay_us / 1_000_000)], check=True)
        storer.send_signal(signal.SIGKILL)
        said += [line.split() for line in storer.communicate()[0].splitlines()]

    acknowledged = [int(words[0]) for words in said if len(words) == 1 and words[0].isdigit()]
    received = [words[1] for words in said if words[0] == "received" and len(words) == 2]
    assert len(acknowledged) >= 2
    for table_id in acknowledged:
        table = store.table(table_id)
        assert store.stored_match_ids(table) == set(table.match_ids)
        assert table.state is TableState.DONE
    bundles = {store.bundle(one.bundle_sha256).decode() for one in store.submissions_of(store.author("ann"))}
    assert set(received) <= bundles
    assert store.counts()["matches"] % 4 == 0
    check_whole(store, season)
    clock.sleep(10**9)  # the dead arena's clock was the machine's
    left = store.tables_in_play(season)
    assert store.recover("other") == len(left) <= 1
    for table in left:
        again = store.claim_table("other", kinds=EVERY, version_ids=table.version_ids)
        assert again is not None
        assert store.add_records(again, whole_set(store, season, again)) == 4
    check_whole(store, season)
