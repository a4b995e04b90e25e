"""Owns matches in play as spectators see them: the list, and one of them card by card."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.league.store import NotFound
from arena.web.site import Site, site_of
from arena.web.streams import EventStream
from arena.web.wording import match_address, name_text

__all__ = ["live_events", "live_match_events", "live_match_page", "live_page"]


async def live_page(request: Request) -> Response:
    """The matches in play."""
    site = site_of(request)
    site.live_board.refresh()
    return await site.page(request, "live.html", feed=site.live_board.feed)


async def live_events(request: Request) -> EventStream | Response:
    """What changes in the list."""
    site = site_of(request)
    return site.stream(request, site.live_board.feed)


async def live_match_page(request: Request) -> Response:
    """One match in play; when it is over already, its page among the stored ones."""
    site = site_of(request)
    match_id = request.path_params["match_id"]
    match = site.context.live.match(match_id)
    if match is None:
        await _check_stored(site, match_id)
        return RedirectResponse(match_address(match_id), 303)
    return await site.page(
        request, "live_match.html", match=match, has_cards=match.has_cards and site.may_show_cards()
    )


async def live_match_events(request: Request) -> EventStream | Response:
    """Its cards, as they are shown."""
    site = site_of(request)
    feed = site.live_board.match(request.path_params["match_id"])
    if feed is None:
        raise HTTPException(404, "no such match is on view")
    return site.stream(request, feed)


async def _check_stored(site: Site, match_id: str) -> None:
    try:
        await asyncio.to_thread(site.context.store.match, match_id)
    except NotFound:
        raise HTTPException(404, f"no match {name_text(match_id)}") from None
