"""Owns server-sent events: a feed that is written once for all who watch it, and the response that sends it.

A watcher holds one number, the last event it has; whoever falls behind is brought up to date by the changes
that are kept, or else by the whole state. So nothing queues up for a slow one. It must not know what is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

__all__ = ["EventStream", "Feed", "Watchers", "event_bytes"]

HEARTBEAT_S = 15.0
"""A comment that often keeps proxies from closing the stream, and finds those that are gone."""
STUCK_S = 60.0
"""Who does not take an event for so long is cut off; its browser comes again by itself."""
RETRY_MS = 2000
CHANGES_KEPT = 64

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


def event_bytes(name: str, data: str, *, event_id: str = "") -> bytes:
    """An event as it goes over the wire; `data` may have several lines."""
    lines = [f"id: {event_id}"] if event_id else []
    lines += [f"event: {name}", *(f"data: {line}" for line in data.split("\n"))]
    return ("\n".join(lines) + "\n\n").encode()


@dataclass(slots=True, eq=False)
class Watchers:
    """How many watch, of how many that may, and what was told; shared by all feeds of a server."""

    most: int
    now: int = 0
    events: int = 0
    resyncs: int = 0
    stuck: int = 0

    @property
    def is_full(self) -> bool:
        """Whether one more would be too many."""
        return self.now >= self.most

    @contextlib.contextmanager
    def one_more(self) -> Iterator[None]:
        """Counts a watcher while it is there."""
        self.now += 1
        try:
            yield
        finally:
            self.now -= 1


class Feed:
    """One thing that is watched: its whole state now, and the last changes, each encoded once.

    The whole is sent as the event `state` to whoever is new, a change as the event `change`.
    """

    def __init__(self) -> None:
        self.epoch = secrets.token_hex(4)  # ids of events of another server, or another day, are not ours
        self.number = 0
        self.is_closed = False
        self._whole = b""
        self._changes: deque[tuple[int, bytes]] = deque(maxlen=CHANGES_KEPT)
        self._next: asyncio.Future[None] | None = None

    def publish(self, whole: str, *, change: str | None = None) -> None:
        """The state is `whole` from now on; `change` leads there from the one before, None: nothing does."""
        self.number += 1
        event_id = f"{self.epoch}-{self.number}"
        self._whole = event_bytes("state", whole, event_id=event_id)
        if change is None:
            self._changes.clear()
        else:
            self._changes.append((self.number, event_bytes("change", change, event_id=event_id)))
        self._wake()

    def close(self) -> None:
        """Ends the streams of all who watch."""
        self.is_closed = True
        self._wake()

    def last_of(self, event_id: str) -> int:
        """The number in an event's id as the browser sends it back; 0 for one that this feed did not send."""
        epoch, _, number = event_id.partition("-")
        if epoch != self.epoch or not (number.isascii() and number.isdigit() and len(number) < 19):
            return 0
        return min(int(number), self.number)

    def since(self, number: int) -> tuple[bytes, bool]:
        """What brings one that has event `number` up to date, and whether it is the whole state."""
        if number == self.number:
            return b"", False
        missed = [change for at, change in self._changes if at > number]
        told = b"".join(missed)
        if number and len(missed) == self.number - number and len(told) <= len(self._whole):
            return told, False
        return self._whole, True

    def changed(self) -> asyncio.Future[None]:
        """Done at the next change; one future for all who wait."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        return self._next

    def _wake(self) -> None:
        waiting, self._next = self._next, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)


class EventStream:
    """An ASGI response that sends a feed until the watcher goes or the feed is closed."""

    def __init__(self, feed: Feed, watchers: Watchers, *, last_event_id: str = "") -> None:
        self._feed = feed
        self._watchers = watchers
        self._last = feed.last_of(last_event_id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends events; returns when there is nobody left to send them to."""
        with self._watchers.one_more():
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await _put(send, f"retry: {RETRY_MS}\n\n".encode())
            gone = asyncio.create_task(_gone(receive))
            try:
                if await self._send_all(send, gone):
                    await send({"type": "http.response.body", "body": b""})
            finally:
                gone.cancel()
                await asyncio.wait((gone,))

    async def _send_all(self, send: Send, gone: asyncio.Task[None]) -> bool:
        """Whether the stream can be ended in order."""
        feed = self._feed
        while not gone.done():
            changed = feed.changed()
            told, is_whole = feed.since(self._last)
            if told:
                self._watchers.events += 1
                self._watchers.resyncs += is_whole and self._last > 0
                self._last = feed.number
                if not await self._put_in_time(send, told):
                    return False
            if feed.is_closed:
                return True
            done, _ = await asyncio.wait(
                (changed, gone), timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not done and not await self._put_in_time(send, b":\n\n"):
                return False
        return False

    async def _put_in_time(self, send: Send, told: bytes) -> bool:
        try:
            async with asyncio.timeout(STUCK_S):
                await _put(send, told)
        except TimeoutError:
            self._watchers.stuck += 1
            return False
        return True


async def _put(send: Send, told: bytes) -> None:
    await send({"type": "http.response.body", "body": told, "more_body": True})


async def _gone(receive: Receive) -> None:
    """Returns when the watcher has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
