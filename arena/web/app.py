"""Owns which page is where, and what stands around all of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arena.web import (
    account_pages,
    bot_pages,
    live_pages,
    match_pages,
    operations,
    play_pages,
    standings_pages,
)
from arena.web.context import WebContext
from arena.web.metrics import Measured
from arena.web.security import HEADERS, SameOrigin, SecureHeaders
from arena.web.site import Site, site_of

__all__ = ["create_app"]

WORDS: Final = {
    400: ("This cannot be read", "The address or the form is not as our pages make it."),
    403: ("Not allowed", "This may not be seen or done."),
    404: ("Nothing here", "There is no such page in this league."),
    405: ("Not this way", "This address is not for that."),
    413: ("Too long", "That is more than anything here needs."),
    500: ("Something broke", "It is our fault, and it is in the server's log. Try again in a moment."),
    503: ("Not now", "The server is about to restart. Try again in a moment."),
}


def create_app(context: WebContext) -> Starlette:
    """The league's web server. It follows the league while its lifespan lasts."""
    site = Site(context)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        following = asyncio.create_task(site.run())
        try:
            yield
        finally:
            following.cancel()
            await asyncio.wait((following,))

    app = Starlette(
        routes=_routes(site),
        lifespan=lifespan,
        exception_handlers={HTTPException: _refusal, 500: _failure},
        middleware=[
            Middleware(Measured, metrics=site.metrics),
            Middleware(SecureHeaders),
            Middleware(SameOrigin),
            Middleware(GZipMiddleware, minimum_size=1000, compresslevel=6),
        ],
    )
    app.state.site = site
    return app


def _routes(site: Site) -> list[Route]:
    return [
        Route("/", standings_pages.leaderboard),
        Route("/season", standings_pages.season_page),
        Route("/bots/{name:path}", bot_pages.bot_page),
        Route("/matches", match_pages.matches_page),
        Route("/matches/{match_id}", match_pages.match_page),
        Route("/matches/{match_id}/replay.json", match_pages.replay_document),
        Route("/live", live_pages.live_page),
        Route("/live/{match_id}", live_pages.live_match_page),
        Route("/play", play_pages.play_page),
        Route("/play", play_pages.take_seat, methods=["POST"]),
        Route("/play/{seat_id}", play_pages.seat_page),
        Route("/play/{seat_id}/answer", play_pages.answer, methods=["POST"]),
        Route("/play/{seat_id}/leave", play_pages.leave, methods=["POST"]),
        Route("/play/{seat_id}/replay.json", play_pages.seat_replay),
        Route("/submissions", account_pages.submissions_page),
        Route("/login", account_pages.login_page),
        Route("/login", account_pages.log_in, methods=["POST"]),
        Route("/logout", account_pages.log_out, methods=["POST"]),
        Route("/events/standings", standings_pages.leaderboard_events),
        Route("/events/live", live_pages.live_events),
        Route("/events/live/{match_id}", live_pages.live_match_events),
        Route("/events/play/{seat_id}", play_pages.seat_events),
        Route("/events/submissions", account_pages.submission_events),
        Route("/healthz", operations.health),
        Route("/metrics", operations.metrics),
        Route("/assets/{digest}/{name}", site.assets.respond),
    ]


async def _refusal(request: Request, error: Exception) -> Response:
    """What a visitor is told who asked for something that is not there, or not theirs."""
    assert isinstance(error, HTTPException)
    if _is_for_scripts(request):
        return JSONResponse({"detail": error.detail}, error.status_code)
    if error.status_code == 401:
        back = request.url.path if request.method == "GET" else "/play"
        return RedirectResponse(f"/login?next={quote(back, safe='/')}", 303)
    title, words = WORDS.get(error.status_code, ("Refused", ""))
    detail = "" if error.detail.lower().replace(" ", "") in NAMELESS else error.detail
    return await site_of(request).page(
        request, "error.html", status=error.status_code, title=title, words=words, detail=detail
    )


async def _failure(request: Request, error: Exception) -> Response:
    """Our own fault; the log has the traceback. No template, which may be what broke; nor middleware."""
    title, words = WORDS[500]
    return Response(f"{title}. {words}\n", 500, dict(HEADERS), media_type="text/plain")


NAMELESS: Final = frozenset({"notfound", "forbidden", "badrequest", "methodnotallowed", "unauthorized"})
"""What HTTP says by itself."""


def _is_for_scripts(request: Request) -> bool:
    path = request.url.path
    return path.startswith("/events/") or path.endswith((".json", "/answer"))
