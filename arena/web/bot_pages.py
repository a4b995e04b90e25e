"""Owns the page of a bot: how it stands, how it got there, versions, matches, and more for its author."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.league.model import Author, Bot, Season, StoredMatch, Submission, Version
from arena.league.store import LeagueStore, NotFound
from arena.reports.site.listed_faults import ListedFault, listed_fault
from arena.reports.site.tallies import BotFault
from arena.web import wording
from arena.web.board import Line
from arena.web.rating_plot import RatingPlot, rating_plot
from arena.web.site import Site, site_of

__all__ = ["bot_page"]

MATCHES_SHOWN = 12
MATCHES_SEARCHED = 200
"""So many of the last matches are looked through for faults,"""
FAULTY_SHOWN = 10
"""and those of so many are listed."""
LOG_SHOWN = 8_000
SUBMISSIONS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store knows of a bot that anybody may see."""

    bot: Bot
    versions: Sequence[Version]
    played: dict[int, int]
    matches: Sequence[StoredMatch]
    history: Sequence[tuple[int, float, float]]
    fault_counts: dict[str, int]
    faults: Sequence[ListedFault]


@dataclass(frozen=True, slots=True)
class _Private:
    """What its author sees besides."""

    submissions: Sequence[Submission]
    log: str
    latencies_ms: Sequence[str]


async def bot_page(request: Request) -> Response:
    """A bot in the current season, or in the one that is asked for."""
    site = site_of(request)
    season = await site.season(request)
    name = request.path_params["name"]
    try:
        known = await asyncio.to_thread(_known, site.context.store, name, season)
    except NotFound:
        raise HTTPException(404, f"no bot {wording.name_text(name)}") from None
    line = await _line_of(site, season, known.bot)
    token = await site.sessions.token(request)
    private = None if token is None else await _private_of(site, token.author, known.bot)
    return await site.page(
        request,
        "bot.html",
        season=season,
        known=known,
        line=line,
        headline=_headline(line),
        plot=_plot_of(known.bot, known.history),
        private=private,
        is_away=known.bot.is_remote and not _is_connected(site, known.bot),
    )


def _known(store: LeagueStore, name: str, season: Season) -> _Known:
    bot = store.bot(name)
    version_id = 0 if bot.newest is None else bot.newest.version_id
    matches = store.matches(season, bot=bot.name, page_size=MATCHES_SEARCHED).matches
    return _Known(
        bot=bot,
        versions=store.versions(bot),
        played=store.matches_of_versions(bot),
        matches=matches[:MATCHES_SHOWN],
        history=store.rating_history(season, version_id),
        fault_counts=store.fault_counts(season).get(version_id, {}),
        faults=_faults(store, bot, matches) if wording.may_replay(season) else (),
    )


def _faults(store: LeagueStore, bot: Bot, matches: Sequence[StoredMatch]) -> list[ListedFault]:
    """The bot's faults in the last few of these matches that had one, each with its very decision."""
    faulty = [match for match in matches if any(seat.bot == bot.name and seat.faults for seat in match.seats)]
    records = [store.record(match.match_id) for match in faulty[:FAULTY_SHOWN]]
    return [
        listed_fault(BotFault.of(record, fault))
        for record in records
        for fault in record.faults
        if record.seats[fault.seat].bot == bot.name
    ]


async def _line_of(site: Site, season: Season, bot: Bot) -> Line | None:
    """The bot's row of the table; None when it is not in it."""
    table = site.board.table
    if table is None or table.season.season_id != season.season_id:
        standings = await site.standings(season.name)
        table = None if standings is None else site.board.draw(standings)
    lines = () if table is None else table.lines
    return next((line for line in lines if line.entry.bot.bot_id == bot.bot_id), None)


async def _private_of(site: Site, author: Author, bot: Bot) -> _Private | None:
    if author.author_id != bot.author.author_id and not author.is_organiser:
        return None
    store, version = site.context.store, bot.newest
    submissions = await asyncio.to_thread(
        store.submissions_of, bot.author, bot=bot.name, limit=SUBMISSIONS_SHOWN
    )
    log = "" if version is None else await asyncio.to_thread(store.log, version.version_id)
    round_trips_us = site.context.latencies_us(bot.bot_id)
    return _Private(submissions, log[-LOG_SHOWN:], [f"{us / 1000:.1f}" for us in round_trips_us])


def _is_connected(site: Site, bot: Bot) -> bool:
    return bot.newest is not None and bot.newest.version_id in site.context.connected()


def _headline(line: Line | None) -> list[tuple[str, str]]:
    if line is None or not line.place:
        return []
    entry = line.entry
    return [
        ("place", str(line.place)),
        ("skill", str(line.skill)),
        ("rating", wording.rating_of(entry)),
        ("points a match", wording.points_a_match(entry)),
        ("wins", wording.wins_text(entry)),
        ("mean place", wording.mean_place(entry)),
        ("matches", str(entry.matches)),
        ("faults", str(entry.faults)),
    ]


def _plot_of(bot: Bot, history: Sequence[tuple[int, float, float]]) -> RatingPlot | None:
    """The curve of its newest version; None before there are two points to join."""
    if len(history) < 2:
        return None
    return rating_plot(history, label=f"Rating over matches: {wording.name_text(bot.name)}")
