"""The table that all watch: read once for each change, and told in as few rows as changed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from arena.league.hub import Standings
from arena.league.model import Entry
from arena.web.board import Table
from arena.web.site import Site
from tests.web.leagues import League


@pytest.fixture
def site(league: League) -> Site:
    """The league's pages, without a server."""
    return Site(league.context)


def drawn(site: Site, league: League, **changes: Any) -> Table:
    """The table of entries of which the first played as `changes` say, and the others as they did."""
    entries = league.store.entries(league.season)
    return site.board.draw(Standings(league.season, (replace(entries[0], **changes), *entries[1:])))


async def test_table_is_read_once_however_many_look(
    site: Site, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[object] = []
    entries = league.store.entries

    def counted(*args: Any, **options: Any) -> list[Entry]:
        reads.append(args)
        return entries(*args, **options)

    monkeypatch.setattr(league.store, "entries", counted)
    league.play_some(1)
    for _ in range(50):
        await site.board.refresh()

    assert len(reads) == 1
    assert site.board.feed.number == 1


async def test_only_rows_that_changed_are_told(site: Site, league: League) -> None:
    league.play("ant", "bee", "cat", "dog")
    await site.board.refresh()
    before = site.board.feed.rows
    league.play("ant", "bee", "cat", "dog", luck="more")
    await site.board.refresh()
    after = site.board.feed.rows
    told, is_whole = site.board.feed.since(1)
    change = json.loads(next(line for line in told.split(b"\n") if line.startswith(b"data"))[6:])

    assert not is_whole
    assert change["order"] == list(after)
    assert change["matches"] == 8
    assert change["rows"] == {key: row for key, row in after.items() if row != before[key]}
    assert 0 < len(change["rows"]) < 5  # eel has not played


async def test_new_season_is_told_whole(site: Site, league: League) -> None:
    league.play_some(1)
    await site.board.refresh()
    league.store.end_season(league.store.freeze_season(league.season))
    league.store.open_season(
        "summer", ruleset="callbreak", time_control="1+1", strikes=3, replays=league.season.replays
    )
    await site.board.refresh()

    assert site.board.table is not None
    assert site.board.table.season.name == "summer"


def test_bots_level_in_every_way_share_a_place(site: Site, league: League) -> None:
    league.play("ant", "bee", "cat", "dog")
    entries = league.store.entries(league.season)
    level = tuple(replace(entry, mu=25.0, sigma=2.0, matches=4) for entry in entries[:3])
    table = site.board.draw(Standings(league.season, (*level, replace(entries[3], mu=1.0, matches=4))))

    assert [line.place for line in table.lines] == [1, 1, 1, 4]


def test_rule_stands_where_skills_differ_by_more_than_chance(site: Site, league: League) -> None:
    entries = league.store.entries(league.season)
    apart = [(40.0, 1.0), (39.0, 1.0), (20.0, 1.0), (19.9, 8.0)]
    table = site.board.draw(
        Standings(
            league.season,
            tuple(
                replace(entry, mu=mu, sigma=sigma, matches=4)
                for entry, (mu, sigma) in zip(entries, apart, strict=False)
            ),
        )
    )

    assert [line.ends_block for line in table.lines] == [False, True, False, False]


def test_bot_that_has_not_played_has_no_place(site: Site, league: League) -> None:
    table = drawn(site, league)

    assert {line.place for line in table.lines} == {0}
    assert all("not played yet" in row for row in table.rows.values())


def test_figures_are_not_made_up(site: Site, league: League) -> None:
    table = drawn(site, league, matches=3, total_tenths=-31, wins_twelfths=18, places_doubled=13, mu=-2.0)
    row = next(iter(table.rows.values()))

    assert ">−1.0</td>" in row  # points a match
    assert ">1.5</td>" in row  # wins
    assert ">2.17</td>" in row  # mean place


def test_scale_stays_while_bots_move_a_little(site: Site, league: League) -> None:
    one = drawn(site, league, matches=4, mu=25.0, sigma=1.0)
    other = drawn(site, league, matches=4, mu=25.2, sigma=1.0)
    key = next(iter(one.rows))

    assert 'x2="100%"' in one.rows[key]
    assert [row for row in one.rows if one.rows[row] != other.rows[row]] == [key]
