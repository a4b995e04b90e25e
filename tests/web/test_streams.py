"""What watchers are told: each change once, whatever they missed, and never more than they need."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from arena.web import streams
from arena.web.rows import RowsFeed
from arena.web.streams import EventStream, Feed, Watchers, event_bytes

SCOPE: dict[str, Any] = {"type": "http"}


class Watcher:
    """An ASGI client that keeps what it was sent; it can stop reading, and go."""

    def __init__(self) -> None:
        self.sent = b""
        self.ended = False
        self.gone = asyncio.Event()
        self.reads = asyncio.Event()
        self.reads.set()
        self.got = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await self.reads.wait()
        self.sent += message.get("body", b"")
        self.ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        self.got.set()

    async def until(self, text: bytes) -> None:
        """Waits for something to be sent."""
        while text not in self.sent:
            self.got.clear()
            await self.got.wait()


def test_one_that_has_nothing_is_told_the_whole() -> None:
    feed = Feed()
    feed.publish("all")

    assert feed.since(0) == (event_bytes("state", "all", event_id=f"{feed.epoch}-1"), True)


def test_one_that_is_up_to_date_is_told_nothing() -> None:
    feed = Feed()
    feed.publish("all")

    assert feed.since(1) == (b"", False)


def test_one_that_missed_a_few_changes_is_told_those() -> None:
    feed = Feed()
    for number in range(4):
        feed.publish("all of it, which is long" * 20, change=f"change {number}")
    told, is_whole = feed.since(2)

    assert not is_whole
    assert [line for line in told.splitlines() if line.startswith(b"data")] == [
        b"data: change 2",
        b"data: change 3",
    ]


def test_one_that_missed_too_many_is_told_the_whole() -> None:
    feed = Feed()
    for number in range(streams.CHANGES_KEPT + 2):
        feed.publish("all" * 1000, change=f"change {number}")

    assert feed.since(1)[1]


def test_changes_that_are_longer_than_the_whole_are_not_told() -> None:
    feed = Feed()
    for _ in range(3):
        feed.publish("all", change="a change that is longer than the state")

    assert feed.since(1)[1]


@pytest.mark.parametrize(
    "event_id", ["", "other-1", "nonsense", "{epoch}-", "{epoch}--1", "{epoch}-x", "{epoch}-²"]
)
def test_event_of_another_server_brings_the_whole(event_id: str) -> None:
    feed = Feed()
    feed.publish("all")

    assert feed.last_of(event_id.format(epoch=feed.epoch)) == 0


def test_event_that_is_to_come_counts_as_the_last() -> None:
    feed = Feed()
    feed.publish("all")

    assert feed.last_of(f"{feed.epoch}-999") == 1


def test_line_breaks_stay_within_an_event() -> None:
    assert event_bytes("state", "one\ntwo") == b"event: state\ndata: one\ndata: two\n\n"


async def test_all_watchers_are_sent_the_same_bytes() -> None:
    feed, watchers = Feed(), Watchers(most=10)
    feed.publish("first")
    crowd = [Watcher() for _ in range(3)]
    streaming = [
        asyncio.create_task(EventStream(feed, watchers)(SCOPE, one.receive, one.send)) for one in crowd
    ]
    for one in crowd:
        await one.until(b"first")
    feed.publish("second" * 10, change="change")
    for one in crowd:
        await one.until(b"change")
    feed.close()
    await asyncio.gather(*streaming)

    assert len({one.sent for one in crowd}) == 1
    assert all(one.ended for one in crowd)
    assert watchers.now == 0


async def test_watcher_that_goes_is_counted_no_more() -> None:
    feed, watchers = Feed(), Watchers(most=10)
    feed.publish("first")
    one = Watcher()
    streaming = asyncio.create_task(EventStream(feed, watchers)(SCOPE, one.receive, one.send))
    await one.until(b"first")
    assert watchers.now == 1
    one.gone.set()
    await streaming

    assert watchers.now == 0


async def test_slow_watcher_is_brought_up_to_date_at_once() -> None:
    feed, watchers = Feed(), Watchers(most=10)
    feed.publish("first")
    slow = Watcher()
    streaming = asyncio.create_task(EventStream(feed, watchers)(SCOPE, slow.receive, slow.send))
    await slow.until(b"first")
    slow.reads.clear()
    for number in range(1000):
        feed.publish(f"state {number}", change=f"a change that is longer than the state {number}")
        await asyncio.sleep(0)
    slow.reads.set()
    await slow.until(b"state 999")
    feed.close()
    await streaming

    assert watchers.resyncs >= 1
    assert slow.sent.count(b"event: ") < 5


async def test_watcher_that_reads_no_more_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STUCK_S", 0.01)
    feed, watchers = Feed(), Watchers(most=10)
    stuck = Watcher()
    streaming = asyncio.create_task(EventStream(feed, watchers)(SCOPE, stuck.receive, stuck.send))
    await stuck.until(b"retry")
    stuck.reads.clear()
    feed.publish("state")
    await streaming

    assert watchers.stuck == 1
    assert not stuck.ended


async def test_silence_is_broken_by_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.01)
    feed = Feed()
    one = Watcher()
    streaming = asyncio.create_task(EventStream(feed, Watchers(most=1))(SCOPE, one.receive, one.send))
    await one.until(b":\n\n:\n\n")
    feed.close()
    await streaming


def test_rows_that_did_not_change_are_not_told_again() -> None:
    feed = RowsFeed()
    feed.tell({"1": "one", "2": "two" * 100}, matches=1)
    feed.tell({"2": "two" * 100, "1": "uno"}, matches=2)

    told, _ = feed.since(1)
    assert b'"order": ["2", "1"]' in told
    assert b'"rows": {"1": "uno"}' in told


def test_nothing_is_told_when_nothing_changed() -> None:
    feed = RowsFeed()
    feed.tell({"1": "one"}, matches=1)
    feed.tell({"1": "one"}, matches=1)

    assert feed.number == 1
