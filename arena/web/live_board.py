"""Owns what those are told who watch matches in play: the list, and each match that somebody watches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

import jinja2

from arena.league.hub import Hub, LiveChanged
from arena.league.live import Live, LiveMatch
from arena.rules import find_ruleset
from arena.web.rows import RowsFeed
from arena.web.streams import Feed
from arena.web.wording import match_address, name_text

__all__ = ["LiveBoard", "match_document"]

CALM_S: Final = 1.0
"""How often the list changes at most."""


class LiveBoard:
    """The feed of the list, and one for each match that somebody watches."""

    def __init__(
        self, hub: Hub, live: Live, row: jinja2.Template, *, may_show_cards: Callable[[], bool]
    ) -> None:
        self._hub = hub
        self._live = live
        self._row = row
        self._may_show_cards = may_show_cards
        self._watched: dict[str, Feed] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self.feed = RowsFeed()

    async def run(self) -> None:
        """Follows what is in play until it is cancelled."""
        async with asyncio.TaskGroup() as self._tasks:
            with self._hub.subscribe(LiveChanged) as news:
                self.refresh()
                async for _ in news:
                    self.refresh()
                    await asyncio.sleep(CALM_S)

    def refresh(self) -> None:
        """Tells the list anew."""
        matches = self._live.matches()
        self.feed.tell({one.match_id: self._row.render(match=one).strip() for one in matches})

    def match(self, match_id: str) -> Feed | None:
        """The feed of a match; None when it is not on view."""
        feed = self._watched.get(match_id)
        if feed is None and self._tasks is not None and self._live.match(match_id) is not None:
            feed = self._watched[match_id] = Feed()
            self._tasks.create_task(self._follow(match_id, feed))
        return feed

    def close(self) -> None:
        """Ends all streams, and begins no more."""
        self._tasks = None
        for feed in (self.feed, *self._watched.values()):
            feed.close()

    async def _follow(self, match_id: str, feed: Feed) -> None:
        with self._hub.subscribe(LiveChanged, match_id=match_id) as news:
            events = aiter(news)
            while (match := self._live.match(match_id)) is not None:
                feed.publish(json.dumps(match_document(match, has_cards=self._may_show_cards())))
                if await anext(events, None) is None:
                    break
        feed.publish(json.dumps({"isGone": True, "next": match_address(match_id)}))
        feed.close()
        del self._watched[match_id]


def match_document(match: LiveMatch, *, has_cards: bool = True) -> dict[str, Any]:
    """What the page of a match in play shows; never a hand, and no card where replays are kept back."""
    document = match.document()
    if not has_cards:
        document["has_cards"] = False
        for trick in (*document["tricks"], document["trick"]):
            trick["cards"] = ()
    return {
        **document,
        "rules": asdict(find_ruleset(match.ruleset)),
        "seats": [{"name": name_text(bot)} for bot in match.bots],
    }
