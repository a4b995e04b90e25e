"""Promises about bots, their versions and their logs."""

from __future__ import annotations

import pytest

from arena.errors import ArenaError
from arena.league.model import Season, TableKind, TableState
from arena.league.store import PERSON, LeagueStore, NotFound, Taken
from tests.league.store.league import Clock, admitted, begin, four, leased, whole_set


def active(store: LeagueStore, season: Season) -> list[tuple[str, int]]:
    return sorted((entry.bot.name, entry.version.number) for entry in store.entries(season))


def test_bots_are_listed_by_name_with_their_newest_versions(store: LeagueStore) -> None:
    for bot in ("bee", "Ant", "cat", "bee"):
        admitted(store, bot)

    assert [(bot.name, bot.newest.number) for bot in store.bots() if bot.newest] == [
        ("Ant", 1),
        ("bee", 2),
        ("cat", 1),
    ]


def test_bot_is_found_in_upper_and_lower_case(store: LeagueStore) -> None:
    admitted(store, "Ant")

    assert store.bot("aNT").name == "Ant"
    with pytest.raises(NotFound, match="there is no bot called bee"):
        store.bot("bee")


def test_versions_are_numbered_and_listed_newest_first(store: LeagueStore) -> None:
    made = [admitted(store, "ant", label=label) for label in ("1.0", "1.1", "2.0")]

    assert store.versions(store.bot("ant")) == made[::-1]
    assert [version.number for version in made] == [1, 2, 3]
    assert store.version(made[1].version_id) == made[1]


def test_newest_version_plays_and_old_ones_keep_their_history(store: LeagueStore) -> None:
    season = begin(store)
    version_ids = four(store)
    table = leased(store, season, version_ids)
    store.add_records(table, whole_set(store, season, table))
    second = admitted(store, "ant", label="2.0")

    assert ("ant", 2) in active(store, season)
    assert ("ant", 1) not in active(store, season)
    by_id = {entry.version.version_id: entry for entry in store.entries(season, with_inactive=True)}
    assert (by_id[version_ids[0]].is_active, by_id[version_ids[0]].matches) == (False, 4)
    assert (by_id[second.version_id].is_active, by_id[second.version_id].matches) == (True, 0)
    assert store.matches_of_versions(store.bot("ant")) == {version_ids[0]: 4, second.version_id: 0}


def test_retired_bot_leaves_the_lists_and_the_season_but_not_its_history(store: LeagueStore) -> None:
    season = begin(store)
    four(store)
    before = store.revision(season)
    store.retire(store.bot("ant"))

    assert [bot.name for bot in store.bots()] == ["bee", "cat", "dog"]
    assert [bot.name for bot in store.bots(with_retired=True)] == ["ant", "bee", "cat", "dog"]
    assert ("ant", 1) not in active(store, season)
    assert len(store.entries(season, with_inactive=True)) == 4
    assert store.revision(season) > before


def test_table_that_waits_for_a_retired_bot_is_void(store: LeagueStore) -> None:
    season = begin(store)
    table = store.add_table(season, four(store), kind=TableKind.SCRIMMAGE, is_fresh=False)
    store.retire(store.bot("cat"))

    assert (store.table(table.table_id).state, store.table(table.table_id).reason) == (
        TableState.VOID,
        "cat was retired",
    )


def test_retired_bot_comes_back_with_its_next_version(store: LeagueStore) -> None:
    season = begin(store)
    admitted(store, "ant")
    store.retire(store.bot("ant"))
    admitted(store, "ant", label="2.0")

    assert store.bot("ant").retired_unix_us is None
    assert active(store, season) == [("ant", 2)]


def test_remote_bot_dials_in_with_one_version_until_its_label_changes(store: LeagueStore) -> None:
    season = begin(store)
    ann = store.author("ann")
    first = store.remote_bot(ann, "ant", label="1", language="rust")
    again = store.remote_bot(ann, "ant", label="1", language="rust")
    changed = store.remote_bot(ann, "ant", label="2", language="rust")

    assert again == first
    assert first.is_remote
    assert (
        (first.newest.number, changed.newest.number) == (1, 2) if first.newest and changed.newest else False
    )
    assert active(store, season) == [("ant", 2)]


def test_remote_bot_that_dials_in_again_changes_nothing(store: LeagueStore) -> None:
    season = begin(store)
    store.remote_bot(store.author("ann"), "ant", label="1", language="rust")
    before = store.revision(season)
    store.remote_bot(store.author("ann"), "ant", label="1", language="rust")

    assert store.revision(season) == before


def test_retired_remote_bot_that_dials_in_plays_on_where_it_was(store: LeagueStore) -> None:
    season = begin(store)
    bot = store.remote_bot(store.author("ann"), "ant", label="1", language="rust")
    store.retire(bot)
    back = store.remote_bot(store.author("ann"), "ant", label="1", language="rust")

    assert back == bot
    assert active(store, season) == [("ant", 1)]


def test_name_of_another_author_is_taken(store: LeagueStore) -> None:
    store.remote_bot(store.author("ann"), "ant", label="1", language="rust")
    submission = store.receive(store.author("cem"), b"bundle")

    with pytest.raises(Taken, match="ANT: another author has a bot of this name"):
        store.remote_bot(store.author("cem"), "ANT", label="1", language="rust")
    with pytest.raises(Taken, match="ant: another author"):
        store.admit(submission.submission_id, bot="ant", label="1", language="c", content_hash="00")


def test_bot_is_remote_or_submitted_but_not_both(store: LeagueStore) -> None:
    ann = store.author("ann")
    admitted(store, "ant")
    store.remote_bot(ann, "bee", label="1", language="rust")
    submission = store.receive(ann, b"bundle")

    with pytest.raises(Taken, match="ant: your bot of this name was submitted as a bundle"):
        store.remote_bot(ann, "ant", label="1", language="rust")
    with pytest.raises(Taken, match="bee: your bot of this name plays from its author's machine"):
        store.admit(submission.submission_id, bot="bee", label="1", language="c", content_hash="00")


def test_refused_name_leaves_no_bot(store: LeagueStore) -> None:
    with pytest.raises(ArenaError, match="cannot be a bot's name"):
        store.remote_bot(store.author("ann"), "../ant", label="1", language="rust")
    with pytest.raises(Taken, match="no bot can have this name"):
        store.remote_bot(store.author("ann"), "Person", label="1", language="rust")

    assert store.bots() == []


def test_person_is_in_no_list_and_no_season(store: LeagueStore) -> None:
    season = begin(store)
    person = store.person()

    assert store.person() == person
    assert store.bots(with_retired=True) == []
    assert store.entries(season, with_inactive=True) == []
    assert store.counts()["bots"] == 0
    with pytest.raises(NotFound):
        store.bot(PERSON)


def test_end_of_a_log_is_kept(store: LeagueStore) -> None:
    version = admitted(store, "ant")
    assert store.log(version.version_id) == ""
    store.set_log(version.version_id, "first\n")
    store.set_log(version.version_id, "é" * 100_000 + "last\n")

    kept = store.log(version.version_id)
    assert kept.endswith("élast\n")
    assert 65_530 < len(kept.encode()) <= 65_536


def test_log_may_hold_what_no_database_takes(store: LeagueStore) -> None:
    version = admitted(store, "ant")
    store.set_log(version.version_id, "nul \0 half \ud800 end")

    assert store.log(version.version_id) == "nul \ufffd half ? end"


def test_times_come_from_the_clock(store: LeagueStore, clock: Clock) -> None:
    assert admitted(store, "ant").admitted_unix_us == clock.now_us
