"""Owns the list of matches and the page of one, with its replay where the season lets it be seen."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import ArenaError
from arena.league.model import Season, StoredMatch, TableKind
from arena.league.store import LeagueStore, NotFound, Page
from arena.referee.record import rules_of_message
from arena.reports.site.entries import match_entry, time_words
from arena.v1 import record_pb2
from arena.web.site import Site, site_of
from arena.web.wording import bot_address, may_replay, name_text

__all__ = ["match_page", "matches_page", "replay_document", "replay_of"]

PAGE_SIZE = 50


async def matches_page(request: Request) -> Response:
    """Stored matches, newest first, of all bots or of one."""
    site = site_of(request)
    season = await site.season(request)
    bot, page_token = request.query_params.get("bot", ""), request.query_params.get("page", "")
    found = await asyncio.to_thread(_matches, site.context.store, season, bot, page_token)
    return await site.page(
        request, "matches.html", season=season, bot=bot, found=found, is_first=not page_token
    )


async def match_page(request: Request) -> Response:
    """One match: its result for all, its replay for whom it is public."""
    site = site_of(request)
    match, season = await _match_of(site, request)
    return await site.page(request, "match.html", match=match, season=season)


async def replay_document(request: Request) -> Response:
    """The record as the replay's scripts read it; 403 where the season keeps it back."""
    site = site_of(request)
    match, season = await _match_of(site, request)
    if not may_replay(season):
        raise HTTPException(403, "the season keeps its replays back")
    document = await asyncio.to_thread(_read_replay, site.context.store, match)
    return JSONResponse(document)


def replay_of(record: record_pb2.MatchRecord, *, people: frozenset[int] = frozenset()) -> dict[str, Any]:
    """`run` and `entry` of `arena.replay.decode`; seats of `people` have no page of their own."""
    seats = [
        {
            "name": name_text(seat.bot),
            "version": name_text(seat.version, 40),
            "page": "" if number in people else bot_address(seat.bot),
        }
        for number, seat in enumerate(record.seats)
    ]
    numbers = {seat.bot: number for number, seat in enumerate(record.seats)}
    return {
        "run": {"ruleset": asdict(rules_of_message(record.ruleset)), "bots": seats},
        "entry": match_entry(record, numbers=numbers, times=time_words([record])[0]),
    }


def _matches(store: LeagueStore, season: Season, bot: str, page_token: str) -> Page:
    try:
        return store.matches(season, bot=bot, page_size=PAGE_SIZE, page_token=page_token)
    except NotFound:
        raise HTTPException(404, f"no bot {name_text(bot)}") from None
    except ArenaError as error:
        raise HTTPException(400, str(error)) from None


async def _match_of(site: Site, request: Request) -> tuple[StoredMatch, Season]:
    match_id = request.path_params["match_id"]
    try:
        match = await asyncio.to_thread(site.context.store.match, match_id)
    except NotFound:
        raise HTTPException(404, f"no match {name_text(match_id)}") from None
    if match.kind is TableKind.QUALIFYING:
        raise HTTPException(404, f"no match {name_text(match_id)}")
    return match, await site.season_of(match.season_id)


def _read_replay(store: LeagueStore, match: StoredMatch) -> dict[str, Any]:
    return replay_of(store.record(match.match_id))
