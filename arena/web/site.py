"""Owns what all pages share: the league they show, their templates, who looks at them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import jinja2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.league.hub import Standings
from arena.league.model import Season, Token
from arena.league.store import NotFound
from arena.reports.site.files import TEMPLATES as REPORT_TEMPLATES
from arena.reports.text import number, points
from arena.web import wording
from arena.web.assets import Assets
from arena.web.board import Board
from arena.web.context import WebContext
from arena.web.live_board import LiveBoard
from arena.web.metrics import Metrics
from arena.web.person_seats import PersonSeats
from arena.web.sessions import Sessions
from arena.web.streams import EventStream, Feed, Watchers
from arena.web.submission_board import SubmissionBoard
from arena.web.tables import Tables

__all__ = ["Site", "site_of"]

AFTER_TROUBLE_S: Final = 2.0
OWN_TEMPLATES: Final = Path(__file__).parent / "templates"

log = logging.getLogger(__name__)


class Site:
    """The league's pages in one server."""

    def __init__(self, context: WebContext) -> None:
        self.context = context
        self.assets = Assets.read()
        self.templates = _environment(self.assets)
        self.watchers = Watchers(most=context.most_watchers)
        self.metrics = Metrics(context, self.watchers)
        self.sessions = Sessions(context.store.token_of)
        self.board = Board(context.hub, self.templates.get_template("row.html"), context.connected)
        self.live_board = LiveBoard(
            context.hub,
            context.live,
            self.templates.get_template("live_row.html"),
            may_show_cards=self.may_show_cards,
        )
        self.submission_board = SubmissionBoard(
            context.hub, context.store, self.templates.get_template("submission_row.html")
        )
        self.person_seats = PersonSeats()
        self.tables = Tables()

    async def run(self) -> None:
        """Follows the league until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for follow in (
                self.board.run,
                self.live_board.run,
                self.submission_board.run,
                self.tables.run,
                self._drain,
            ):
                tasks.create_task(_for_good(follow))

    def may_show_cards(self) -> bool:
        """Whether cards of matches in play may be seen, once they are played."""
        return self.board.table is not None and wording.may_replay(self.board.table.season)

    async def page(self, request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
        """A whole page."""
        token = await self.sessions.token(request)
        text = self.templates.get_template(template).render(
            league=self.context.name,
            path=request.url.path,
            viewer=None if token is None else token.author,
            **values,
        )
        return HTMLResponse(text, status_code=status)

    async def author_token(self, request: Request) -> Token:
        """The token of whoever is logged in; 401, which leads to the form, when nobody is."""
        token = await self.sessions.token(request)
        if token is None:
            raise HTTPException(401)
        return token

    async def season(self, request: Request) -> Season:
        """The season that the address asks for, by default the current one; 404 when there is none."""
        name = request.query_params.get("season", "")
        try:
            return await asyncio.to_thread(self.context.store.season, name)
        except NotFound:
            raise HTTPException(
                404, f"no season {wording.name_text(name)}" if name else "no season"
            ) from None

    async def season_of(self, season_id: int) -> Season:
        """A season by its id."""
        seasons = await asyncio.to_thread(self.context.store.seasons)
        return next(season for season in seasons if season.season_id == season_id)

    async def standings(self, season: str) -> Standings | None:
        """The season's entries in order; None when there is no such season."""
        try:
            return await self.context.hub.standings(season)
        except NotFound:
            return None

    def stream(self, request: Request, feed: Feed) -> EventStream | Response:
        """The feed to one more watcher, from where it left off."""
        if self.watchers.is_full or self.context.draining.is_set():
            return Response(status_code=503, headers={"retry-after": "5"})
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        last = request.headers.get("last-event-id") or request.query_params.get("since", "")
        return EventStream(feed, self.watchers, last_event_id=last)

    async def _drain(self) -> None:
        """Waits until the server drains, then ends all streams."""
        await self.context.draining.wait()
        self.board.feed.close()
        for board in (self.live_board, self.submission_board, self.tables):
            board.close()


async def _for_good(follow: Callable[[], Awaitable[None]]) -> None:
    """Follows until the hub is closed; a database that is away for a while does not end it."""
    while True:
        try:
            await follow()
        except (
            Exception
        ):  # the outermost edge of what follows the league: pages must not stand still for good
            log.exception("following the league failed; it is tried again")
            await asyncio.sleep(AFTER_TROUBLE_S)
        else:
            return


def site_of(request: Request) -> Site:
    """The site that the request is for."""
    site = request.app.state.site
    assert isinstance(site, Site)
    return site


def _environment(assets: Assets) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([OWN_TEMPLATES, REPORT_TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["asset"] = assets.address
    environment.globals["may_replay"] = wording.may_replay
    for one in (
        wording.bot_address,
        wording.kind_words,
        wording.match_address,
        wording.mean_place,
        wording.moment,
        wording.name_text,
        wording.points_a_match,
        wording.rating_of,
        wording.season_address,
        wording.wins_text,
        number,
        points,
    ):
        environment.filters[one.__name__] = one
    return environment
