"""Promises about seasons: one at a time, a table at any moment, and an end that no order of play changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.league.model import Replays, Season, SeasonState, TableKind, TableState
from arena.league.store import LeagueStore, NotFound, Taken
from arena.ratings.fit import fit
from arena.ratings.results import MatchRow, Results
from arena.rules import Seed, commitment
from tests.league.store.league import Clock, admitted, begin, four, leased, played, whole_set


def ended(store: LeagueStore, season: Season) -> Season:
    return store.end_season(store.freeze_season(season))


def test_season_begins_with_a_secret_seed_and_its_commitment(store: LeagueStore, clock: Clock) -> None:
    season = store.open_season(
        "spring", ruleset="callbreak", time_control="1+20", strikes=2, replays=Replays.AFTER_SEASON
    )
    seed = Seed.parse(season.seed_text)

    assert (season.state, season.began_unix_us, season.ended_unix_us) == (
        SeasonState.OPEN,
        clock.now_us,
        None,
    )
    assert (season.time_control, season.strikes, season.replays) == ("1+20", 2, Replays.AFTER_SEASON)
    assert not seed.is_practice
    assert season.commitment == commitment(seed).hex()
    assert season.seed_text not in repr(season)
    assert store.season("spring") == season == store.current_season()


def test_seasons_have_seeds_of_their_own(store: LeagueStore) -> None:
    spring = ended(store, begin(store))

    assert begin(store, "summer").seed_text != spring.seed_text


def test_there_is_one_season_at_a_time(store: LeagueStore) -> None:
    season = begin(store)

    with pytest.raises(ArenaError, match="season spring has not ended"):
        begin(store, "summer")
    store.freeze_season(season)
    with pytest.raises(ArenaError, match="season spring has not ended"):
        begin(store, "summer")
    store.end_season(season)
    with pytest.raises(Taken, match="there was a season spring before"):
        begin(store)
    assert begin(store, "summer").state is SeasonState.OPEN


def test_unknown_rules_open_no_season(store: LeagueStore) -> None:
    with pytest.raises(ArenaError, match="unknown ruleset 'bridge'"):
        store.open_season("spring", ruleset="bridge", time_control="1+20", strikes=2, replays=Replays.NEVER)
    assert store.current_season() is None


def test_season_is_found_by_name_and_the_current_one_without(store: LeagueStore) -> None:
    with pytest.raises(NotFound, match="no season has begun yet"):
        store.season("")
    spring = ended(store, begin(store))
    assert store.season("") == spring
    summer = begin(store, "summer")

    assert store.season("") == summer
    assert store.season("spring") == spring
    assert store.seasons() == [summer, spring]
    with pytest.raises(NotFound, match="there is no season autumn"):
        store.season("autumn")


def test_every_bot_that_is_not_retired_enters_with_its_newest_version(store: LeagueStore) -> None:
    four(store)
    admitted(store, "ant", label="2.0")
    store.retire(store.bot("bee"))
    season = begin(store)

    entered = store.entries(season, with_inactive=True)
    assert sorted((entry.bot.name, entry.version.number) for entry in entered) == [
        ("ant", 2),
        ("cat", 1),
        ("dog", 1),
    ]


def test_table_is_in_the_order_of_mu_less_three_sigma(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    for _ in range(4):
        table = leased(store, season, version_ids)
        store.add_records(table, whole_set(store, season, table))
    admitted(store, "eel")

    ratings = [entry.mu - 3 * entry.sigma for entry in store.entries(season)]
    assert ratings == sorted(ratings, reverse=True)
    assert len(set(ratings)) == 5


def test_frozen_season_takes_no_new_table_and_finishes_what_is_played(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    playing = leased(store, season, version_ids)
    waiting = store.add_table(season, version_ids, kind=TableKind.SCRIMMAGE, is_fresh=False)
    frozen = store.freeze_season(season)

    assert frozen.state is SeasonState.FROZEN
    assert store.table(waiting.table_id).reason == "season spring was frozen"
    assert store.table(waiting.table_id).state is TableState.VOID
    with pytest.raises(ArenaError, match="season spring is frozen: no new tables"):
        leased(store, season, version_ids)
    with pytest.raises(ArenaError, match="tables still in play: 1"):
        store.end_season(season)
    store.add_records(playing, whole_set(store, season, playing))
    assert store.end_season(season).state is SeasonState.ENDED


def test_season_ends_after_it_was_frozen_and_once(store: LeagueStore) -> None:
    season = begin(store)

    with pytest.raises(ArenaError, match="season spring is open: only a frozen one can be ended"):
        store.end_season(season)
    ended(store, season)
    with pytest.raises(ArenaError, match="season spring is ended"):
        store.end_season(season)
    with pytest.raises(ArenaError, match="season spring is ended"):
        store.freeze_season(season)


def test_retirement_after_the_end_does_not_touch_the_final_table(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    store.add_records(table, whole_set(store, season, table))
    ended(store, season)
    before = [(entry.bot.name, entry.mu, entry.is_active) for entry in store.entries(season)]
    store.retire(store.bot("ant"))
    admitted(store, "bee", label="2.0")

    assert [(entry.bot.name, entry.mu, entry.is_active) for entry in store.entries(season)] == before
    assert len(before) == 4


def test_final_table_is_the_fit_of_all_rated_matches(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    version_ids.append(admitted(store, "eel").version_id)
    admitted(store, "fox")
    rows = []
    for left_out in (0, 1, 2, 3, 4):
        table = leased(store, season, [v for n, v in enumerate(version_ids) if n != left_out])
        records = whole_set(store, season, table)
        store.add_records(table, records)
        rows += [
            MatchRow([seat.bot for seat in r.seats], list(r.places), list(r.total_tenths), r.set)
            for r in records
        ]
    unrated = leased(store, season, version_ids[:4], kind=TableKind.SCRIMMAGE)
    store.add_records(unrated, whole_set(store, season, unrated))
    ended(store, season)

    fitted = fit(Results.of(rows))
    expected = dict(zip(fitted.bots, fitted.ratings, strict=True))
    final = store.entries(season)
    assert {entry.bot.name for entry in final} == {"ant", "bee", "cat", "dog", "eel", "fox"}
    for entry in final:
        if entry.bot.name == "fox":
            assert (entry.mu, entry.matches) == (25.0, 0)
            continue
        assert entry.mu == pytest.approx(expected[entry.bot.name].mu, abs=1e-6)
        assert entry.sigma == pytest.approx(expected[entry.bot.name].sigma, abs=1e-6)
    ratings = [entry.mu - 3 * entry.sigma for entry in final]
    assert ratings == sorted(ratings, reverse=True)


def table_of(store: LeagueStore, season: Season) -> str:
    return str([(entry.bot.name, entry.mu, entry.sigma) for entry in store.entries(season)])


def tables_of_matches_in_order(store: LeagueStore, order: int) -> tuple[str, str]:
    """The table before and after the end of a season whose matches, always the same, come in some order."""
    season = begin(store)
    version_ids = [*four(store), admitted(store, "eel").version_id]
    tables = [
        leased(store, season, [v for n, v in enumerate(version_ids) if n != left_out])
        for left_out in (0, 1, 2, 3, 4, 0)
    ]
    matches = [(table, rotation) for table in tables for rotation in range(4)]
    random.Random(order).shuffle(matches)
    for table, rotation in matches:
        # Deals follow from the season's seed, so totals are made up, the same in every league.
        record = played(store, season, table, rotation)
        totals = random.Random(f"{table.table_id} {rotation}").sample(range(-50, 200), 4)
        record.total_tenths[:] = totals
        record.places[:] = [1 + sum(other > one for other in totals) for one in totals]
        store.add_records(table, [record])
    before = table_of(store, season)
    ended(store, season)
    return before, table_of(store, season)


def test_order_of_play_changes_no_bit_of_the_final_table(url: str, tmp_path: Path) -> None:
    found = []
    for order, where in enumerate((url, *(f"sqlite:///{tmp_path}/{name}" for name in ("one", "two")))):
        with LeagueStore.open(where) as store:
            found.append(tables_of_matches_in_order(store, order))

    assert len({before for before, _ in found}) == 3
    assert len({after for _, after in found}) == 1


def test_history_of_an_ended_season_stays(store: LeagueStore) -> None:
    season, version_ids = begin(store), four(store)
    table = leased(store, season, version_ids)
    store.add_records(table, whole_set(store, season, table))
    before = store.rating_history(season, version_ids[0])
    ended(store, season)
    begin(store, "summer")

    assert store.rating_history(season, version_ids[0]) == before
    assert store.matches_of_versions(store.bot("ant")) == {version_ids[0]: 4}
