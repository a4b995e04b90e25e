"""Owns what authors are told who watch their submissions."""

from __future__ import annotations

import asyncio
from typing import Final

import jinja2

from arena.league.hub import Hub, SubmissionChanged
from arena.league.model import Author, Submission, SubmissionState
from arena.league.store import LeagueStore
from arena.web.rows import RowsFeed

__all__ = ["SubmissionBoard"]

MOST_SHOWN: Final = 20
STEPS: Final = (
    SubmissionState.RECEIVED,
    SubmissionState.UNPACKED,
    SubmissionState.BUILT,
    SubmissionState.CHECKED,
    SubmissionState.QUALIFIED,
    SubmissionState.ADMITTED,
)
"""What a submission goes through when all is well."""


class SubmissionBoard:
    """A feed for each author who watches their submissions."""

    def __init__(self, hub: Hub, store: LeagueStore, row: jinja2.Template) -> None:
        self._hub = hub
        self._store = store
        self._row = row
        self._feeds: dict[int, tuple[Author, RowsFeed]] = {}

    async def run(self) -> None:
        """Follows submissions until it is cancelled."""
        with self._hub.subscribe(SubmissionChanged) as news:
            async for event in news:
                only = event.submission.author.author_id if isinstance(event, SubmissionChanged) else None
                for author, _ in list(self._feeds.values()):
                    if only in (None, author.author_id):
                        await self.feed(author)

    async def feed(self, author: Author) -> RowsFeed:
        """The author's feed, as it is now."""
        _, feed = self._feeds.setdefault(author.author_id, (author, RowsFeed()))
        found = await asyncio.to_thread(self._store.submissions_of, author, limit=MOST_SHOWN)
        feed.tell({one.submission_id: self._drawn(one) for one in found})
        return feed

    def close(self) -> None:
        """Ends all streams."""
        for _, feed in self._feeds.values():
            feed.close()

    def _drawn(self, submission: Submission) -> str:
        is_refused = submission.state is SubmissionState.REFUSED
        reached = 0 if is_refused else STEPS.index(submission.state) + 1
        return self._row.render(one=submission, steps=STEPS, reached=reached, is_refused=is_refused).strip()
