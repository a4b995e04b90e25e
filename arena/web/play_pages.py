"""Owns a person's game in the browser: choosing opponents, the table, answers."""

from __future__ import annotations

import random

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from arena.errors import ArenaError
from arena.league.person import NotNow
from arena.web.forms import form_of, json_of
from arena.web.match_pages import replay_of
from arena.web.person_seats import TakenSeat
from arena.web.site import Site, site_of
from arena.web.streams import EventStream
from arena.web.wording import may_replay, name_text

__all__ = [
    "answer",
    "leave",
    "play_page",
    "seat_events",
    "seat_page",
    "seat_replay",
    "take_seat",
]

OPPONENTS = 3


async def play_page(request: Request) -> Response:
    """Whom to play against; for strangers, that they must log in first."""
    site = site_of(request)
    token = await site.sessions.token(request)
    seat = None if token is None else site.person_seats.of(token.author)
    return await site.page(request, "play.html", bots=_bots(site), seat=seat, wrong="")


async def take_seat(request: Request) -> Response:
    """Begins a match, unless one is going on, and leads to its table."""
    site = site_of(request)
    token = await site.author_token(request)
    seat = site.person_seats.of(token.author)
    if seat is None:
        fields = await form_of(request)
        chosen = [name for name in fields.get("opponent", []) if name]
        try:
            season = await site.season(request)
            seat = await site.context.seat_person(_opponents(site, chosen))
        except ArenaError as error:
            return await site.page(
                request, "play.html", status=409, bots=_bots(site), seat=None, wrong=str(error)
            )
        site.person_seats.add(seat, token.author, may_replay=may_replay(season))
    return RedirectResponse(f"/play/{seat.seat_id}", 303)


async def seat_page(request: Request) -> Response:
    """The table from the person's seat."""
    taken = await _taken(request)
    return await site_of(request).page(request, "seat.html", seat=taken.seat, may_replay=taken.may_replay)


async def seat_events(request: Request) -> EventStream | Response:
    """What the person sees, as it changes."""
    site = site_of(request)
    taken = await _taken(request)
    return site.stream(request, site.tables.feed(taken.seat))


async def answer(request: Request) -> Response:
    """The person's call or card; 409 with the reason when that may not be."""
    taken = await _taken(request)
    asked = await json_of(request)
    call, card = (_number(asked.get(name)) for name in ("call", "card"))
    try:
        taken.seat.answer(call=call, card=card)
    except NotNow as reason:
        return JSONResponse({"detail": str(reason)}, 409)
    return Response(status_code=204)


async def leave(request: Request) -> Response:
    """The person gets up."""
    taken = await _taken(request)
    taken.seat.leave()
    return RedirectResponse("/play", 303)


async def seat_replay(request: Request) -> Response:
    """The match once more, when it is over, where the season lets it be seen."""
    taken = await _taken(request)
    record = taken.seat.record
    if record is None:
        raise HTTPException(404, "the match is not over")
    if not taken.may_replay:
        raise HTTPException(403, "the season keeps its replays back")
    seat = taken.seat.view()["seat"]
    return JSONResponse(replay_of(record, people=frozenset({seat})))


async def _taken(request: Request) -> TakenSeat:
    site = site_of(request)
    token = await site.author_token(request)
    taken = site.person_seats.find(request.path_params["seat_id"], token.author)
    if taken is None:
        raise HTTPException(404, "this seat is not yours, or the match is long over")
    return taken


def _bots(site: Site) -> list[str]:
    """Bots that can be played against, in standing order: a remote one would have to wait for a person."""
    table = site.board.table
    return (
        [] if table is None else [line.entry.bot.name for line in table.lines if not line.entry.bot.is_remote]
    )


def _opponents(site: Site, chosen: list[str]) -> list[str] | None:
    """Three names, those left open filled at random; None when all are open."""
    if not chosen:
        return None
    there = _bots(site)
    for name in chosen:
        if name not in there:
            raise ArenaError(f"{name_text(name)} is not there to be played against")
    others = [name for name in there if name not in chosen]
    random.SystemRandom().shuffle(others)
    return [*chosen, *others][:OPPONENTS]


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
