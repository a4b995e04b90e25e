"""Owns what people are told at their tables: the view of their own seat, as it changes."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Any

from arena.league.person import PersonSeat
from arena.rules import find_ruleset
from arena.web.streams import Feed
from arena.web.wording import name_text

__all__ = ["Tables", "seat_document"]


class Tables:
    """A feed for each seat that a person has taken."""

    def __init__(self) -> None:
        self._feeds: dict[str, Feed] = {}
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Follows the seats until it is cancelled."""
        async with asyncio.TaskGroup() as self._tasks:
            await asyncio.get_running_loop().create_future()

    def feed(self, seat: PersonSeat) -> Feed:
        """The seat's feed, with the time that is left now."""
        feed = self._feeds.get(seat.seat_id)
        if feed is None:
            feed = self._feeds[seat.seat_id] = Feed()
            assert self._tasks is not None
            self._tasks.create_task(self._follow(seat, feed))
        feed.publish(json.dumps(seat_document(seat)))
        return feed

    def close(self) -> None:
        """Ends all streams."""
        for feed in self._feeds.values():
            feed.close()

    async def _follow(self, seat: PersonSeat, feed: Feed) -> None:
        revision = seat.revision
        while seat.state in ("waiting", "playing"):
            revision = await seat.changed(revision)
            feed.publish(json.dumps(seat_document(seat)))
        self._feeds.pop(seat.seat_id)
        feed.close()


def seat_document(seat: PersonSeat) -> dict[str, Any]:
    """All that the page of a seat shows."""
    view = seat.view()
    rules = asdict(find_ruleset(view["ruleset"])) if "ruleset" in view else None
    seats = [{"name": name_text(bot)} for bot in view["bots"]]
    return {**view, "rules": rules, "seats": seats}
