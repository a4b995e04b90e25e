"""Owns what the web server is given by the rest of the league, and asks of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from arena.league.hub import Hub
from arena.league.live import Live
from arena.league.store import LeagueStore
from arena.web.seats import SeatPerson

__all__ = ["WebContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebContext:
    """The league as its pages need it. All of it belongs to the event loop that serves the pages.

    `submit_address` is where `arena submit` reaches this league. `connected` has the version ids of remote
    bots that are connected, `latencies_us` the last round trips of a bot by its id. Once `draining` is set,
    /healthz says so and every stream ends.
    """

    store: LeagueStore
    hub: Hub
    live: Live
    seat_person: SeatPerson
    submit_address: str
    name: str = "Call Break league"
    connected: Callable[[], Collection[int]] = frozenset
    latencies_us: Callable[[int], Sequence[int]] = lambda bot_id: ()
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    most_watchers: int = 4000
