"""Owns the leaderboard: the page, its stream of changes, and what a season is."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.league.model import Replays, Season, SeasonState
from arena.referee.clocks import TimeControl
from arena.reports.site.run_facts import Fact, Rule, rules_of
from arena.rules import find_ruleset
from arena.web.site import site_of
from arena.web.streams import EventStream
from arena.web.wording import moment, name_text

__all__ = ["leaderboard", "leaderboard_events", "season_page"]

STATES: Final = {
    SeasonState.OPEN: "open: bots are admitted, and matches go on for ever",
    SeasonState.FROZEN: "frozen: no new versions and no new tables, what is in play is finished",
    SeasonState.ENDED: "ended: the table is final",
}
REPLAYS: Final = {
    Replays.AT_ONCE: "public as soon as a match is stored",
    Replays.AFTER_SEASON: "public when the season has ended",
    Replays.NEVER: "never public",
}
NO_CONTESTS_SHOWN: Final = 20
RATING: Final = (
    "mu \u2212 3 sigma of TrueSkill, after every match; a bot that does not play does not drift. "
    "The final table of a season is fitted to all its matches together, in no order."
)


async def leaderboard(request: Request) -> Response:
    """The table of the current season, which goes on by itself, or of another."""
    site = site_of(request)
    name = request.query_params.get("season", "")
    if not name:
        await site.board.refresh()
    table = site.board.table
    is_live = table is not None and name in ("", table.season.name)
    if not is_live:
        standings = await site.standings(name)
        if standings is None:
            return await site.page(request, "no_season.html", status=404 if name else 200, season=name)
        table = site.board.draw(standings)
    assert table is not None
    seasons = await asyncio.to_thread(site.context.store.seasons)
    return await site.page(
        request,
        "standings.html",
        table=table,
        seasons=seasons,
        since=site.board.feed.last_event_id if is_live else "",
        submit_address=site.context.submit_address,
    )


async def leaderboard_events(request: Request) -> EventStream | Response:
    """What changes in the table, while somebody watches."""
    site = site_of(request)
    return site.stream(request, site.board.feed)


async def season_page(request: Request) -> Response:
    """What is played in a season: rules, time, deals, replays."""
    site = site_of(request)
    season = await site.season(request)
    preset, rules = _rules_of(season)
    count, given_up = await asyncio.to_thread(site.context.store.no_contests, season, NO_CONTESTS_SHOWN)
    return await site.page(
        request,
        "season.html",
        season=season,
        no_contests=count,
        given_up=[(one, moment(one.made_unix_us)) for one in given_up],
        facts=_facts(season),
        preset=preset,
        rules=rules,
        differences=sum(rule.differs for rule in rules),
    )


def _rules_of(season: Season) -> tuple[str, list[Rule]]:
    """The preset and every field; nothing for a ruleset of an arena that knew others."""
    try:
        return rules_of(find_ruleset(season.ruleset))
    except ArenaError:
        return "", []


def _facts(season: Season) -> list[Fact]:
    time = TimeControl.parse(season.time_control)
    ended = season.ended_unix_us
    return [
        Fact("state", STATES[season.state]),
        Fact("began", "", moment=moment(season.began_unix_us)),
        *([Fact("ended", "", moment=moment(ended))] if ended is not None else []),
        Fact("ruleset", name_text(season.ruleset, 200), is_code=True),
        Fact(
            "a table",
            "four matches on the same cards, every bot on every seat; fresh cards with a remote bot",
        ),
        Fact("rating", RATING),
        Fact(
            "time control",
            f"{time.limit_ns / 1e9:g} s a decision, {time.bank_ns / 1e9:g} s a match for what goes beyond",
        ),
        Fact(
            "strikes",
            f"{season.strikes}: at that many faults in a match the seat is forfeited, and comes last",
        ),
        Fact("replays", REPLAYS[season.replays]),
        Fact("seed commitment", season.commitment, is_code=True),
        _seed_fact(season),
    ]


def _seed_fact(season: Season) -> Fact:
    """The seed is a secret as long as cards are dealt from it."""
    if season.state is not SeasonState.ENDED:
        return Fact("seed", "shown when the season has ended; its commitment was shown before the first deal")
    return Fact("seed", season.seed_text, is_code=True)
