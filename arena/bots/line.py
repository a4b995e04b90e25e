"""Owns a line: one bot's stream as the arena sees it, from Hello to Goodbye.

It carries messages and keeps account of what is outstanding; what they mean for a match is the floor's
business. One task reads for the whole life of the stream and is never cancelled, and a write never overlaps
another (both would end the stream).
"""

from __future__ import annotations

import asyncio
import hmac
from collections import deque
from collections.abc import Callable, Coroutine
from importlib.metadata import version as distribution_version
from typing import Any, Protocol

import grpc

from arena.bots.codec import MOST_PARALLEL_MATCHES, PROTOCOL, Greeting, Malformed, greeting_of, read_request
from arena.bots.wire import turn_bytes
from arena.referee.faults import FaultKind
from arena.v1 import play_pb2

__all__ = ["MESSAGE_LIMIT", "Line", "LineListener", "Pen", "Refused", "StreamPen", "next_message"]

MESSAGE_LIMIT = 64 * 1024
"""Bytes of a message from a bot; a longer one is a fault."""


class Refused(Exception):
    """A bot that was turned away at the door; `kind` is its fault, the message says what to change."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class Sleeper(Protocol):
    """A bot that can be stopped while nothing is asked of it."""

    async def freeze(self) -> None:
        """No process of the bot runs from now on."""
        ...

    async def thaw(self) -> None:
        """They run again."""
        ...


class LineListener(Protocol):
    """Who handles what a bot says once it is welcome."""

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        """A message came."""
        ...

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        """Something came that is no message, or one that has no place here."""
        ...

    def due(self, line: Line) -> bytes | None:
        """The PlayResponse to send now; None for nothing. Called right before it is sent."""
        ...

    def lost(self, line: Line) -> None:
        """The stream ended."""
        ...


class Pen(Protocol):
    """What a line writes with: one message at a time."""

    @property
    def is_busy(self) -> bool:
        """Whether a message is on its way out."""
        ...

    def write(self, message: bytes) -> None:
        """Begins to send `message`; only while it is not busy."""
        ...


class Line:
    """One stream of one bot.

    `asked` and `starting` hold what is outstanding, `asks_due` and `starts_due` what waits: ask ids and match
    numbers to whatever the listener keeps of them. `round_ends`, each written as a field of a Turn, and
    `match_ends` are what the bot was not told of yet. `sent_ns` is when the last Turn was handed to the
    transport.
    """

    def __init__(
        self,
        *,
        now_ns: Callable[[], int],
        preset: str | None,
        token: str = "",
        most_parallel: int = MOST_PARALLEL_MATCHES,
    ) -> None:
        self._now_ns = now_ns
        self._preset = preset
        self.token = token
        self.most_parallel = most_parallel
        self._loop = asyncio.get_running_loop()
        self._has_stream = False
        self.refused_streams = 0
        self._pen: Pen | None = None
        self._is_due = False
        self._last_words: deque[bytes] | None = None
        self._thawing: asyncio.Task[None] | None = None
        self._freezing: asyncio.Task[None] | None = None
        self.sleeper: Sleeper | None = None
        self.listener: LineListener | None = None
        self.greeting: asyncio.Future[Greeting] = self._loop.create_future()
        self.closed = asyncio.Event()
        self.asked: dict[int, Any] = {}
        self.starting: dict[int, Any] = {}
        self.last_ask_id = 0
        self.last_wire_id = 0
        self.sent_ns = 0
        self.cpu_ns: Callable[[], int] | None = None
        self.cpu_sent_ns = 0
        self.shortest_allowed_ns = 0
        self.strays = 0
        self.asks_due: deque[Any] = deque()
        self.starts_due: dict[int, Any] = {}
        self.round_ends: list[bytes] = []
        self.match_ends: list[play_pb2.MatchEnd] = []

    @property
    def is_open(self) -> bool:
        """Whether the bot was welcomed and its stream still stands."""
        return self.greeting.done() and not self.closed.is_set()

    def wake(self) -> None:
        """Something may be due: the listener is asked for it once all that has arrived by now is heard."""
        self._is_due = True
        self._loop.call_soon(self._send)

    def wake_at_once(self) -> None:
        """The same without waiting for others to be heard."""
        self._is_due = True
        self._send()

    def write_with(self, pen: Pen) -> None:
        """What is due goes out by `pen` from now on; for a line whose bot is not at the end of one stream."""
        self._pen = pen
        self._send()

    def doze(self) -> None:
        """Nothing is asked of the bot: where it has a sleeper it is stopped until something is."""
        if self.sleeper is not None and self._freezing is None:
            self._freezing = asyncio.create_task(self.sleeper.freeze())

    def say_goodbye(self, reason: str) -> None:
        """Sends what is left to tell and Goodbye; the bot is expected to end the stream."""
        self.listener = None
        goodbye = play_pb2.PlayResponse(goodbye=play_pb2.Goodbye(reason=reason))
        self._last_words = deque([goodbye.SerializeToString()])
        notices = self.take_notices()
        if notices:
            self._last_words.appendleft(turn_bytes(notices, ()))
        self.wake()

    def notices(self) -> bytes:
        """A Turn, serialized, with the ends of rounds and matches that the bot has not been told of."""
        ends = play_pb2.Turn(match_ends=self.match_ends).SerializeToString() if self.match_ends else b""
        return b"".join((*self.round_ends, ends))

    def take_notices(self) -> bytes:
        """The same, and the bot counts as told."""
        if not self.round_ends and not self.match_ends:
            return b""
        notices = self.notices()
        self.round_ends.clear()
        self.match_ends.clear()
        return notices

    async def serve(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """The gRPC handler of `ArenaService.Play`: lives as long as the stream."""
        if self._has_stream:
            self.refused_streams += 1
            await context.abort(
                grpc.StatusCode.FAILED_PRECONDITION, "this address is for one stream, and has it already"
            )
        self._has_stream = True
        try:
            if not await self._greet(context):
                return
            self.write_with(StreamPen(context, self._send))
            await self._read_all(context)
        finally:
            self.closed.set()
            self._pen = None
            if not self.greeting.done():
                self.greeting.set_exception(Refused(FaultKind.CRASHED, "the stream ended before Hello"))
                self.greeting.exception()
            if self.listener is not None:
                self.listener.lost(self)

    async def _greet(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> bool:
        payload = await next_message(context)
        if payload is None:
            return False
        try:
            greeting = self._admit(payload)
        except Refused as refusal:
            rejection = play_pb2.Rejection(reason=str(refusal), kind=refusal.kind.value)  # type: ignore[arg-type]
            self.greeting.set_exception(refusal)
            self.greeting.exception()
            await context.write(play_pb2.PlayResponse(rejection=rejection).SerializeToString())
            return False
        welcome = play_pb2.Welcome(
            protocol=PROTOCOL,
            arena_version=distribution_version("callbreak-arena"),
            max_parallel_matches=min(greeting.max_parallel_matches, self.most_parallel),
        )
        await context.write(play_pb2.PlayResponse(welcome=welcome).SerializeToString())
        self.greeting.set_result(greeting)
        return True

    def _admit(self, payload: bytes) -> Greeting:
        if len(payload) > MESSAGE_LIMIT:
            raise Refused(
                FaultKind.RESOURCE, f"Hello has {len(payload)} bytes; at most {MESSAGE_LIMIT} are read"
            )
        try:
            request = read_request(payload)
        except Malformed as trouble:
            raise Refused(FaultKind.MALFORMED, f"the first message must be Hello: {trouble}") from None
        if request.WhichOneof("message") != "hello":
            found = request.WhichOneof("message") or "an empty PlayRequest"
            raise Refused(FaultKind.MALFORMED, f"the first message must be Hello, this was {found}")
        greeting = greeting_of(request.hello)
        if self.token and not hmac.compare_digest(greeting.token.encode(), self.token.encode()):
            raise Refused(FaultKind.MALFORMED, "Hello.token is not the one in ARENA_TOKEN")
        refusal = greeting.refusal(self._preset)
        if refusal is not None:
            raise Refused(FaultKind.VERSION, refusal)
        return greeting

    async def _read_all(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        clock = self._now_ns
        while True:
            payload = await next_message(context)
            now_ns = clock()
            if payload is None:
                return
            if self.listener is None:
                self.strays += 1
                continue
            if len(payload) > MESSAGE_LIMIT:
                self.listener.garbled(
                    self, f"a message of {len(payload)} bytes; at most {MESSAGE_LIMIT} are read", now_ns
                )
                continue
            try:
                request = read_request(payload)
            except Malformed as trouble:
                self.listener.garbled(self, str(trouble), now_ns)
                continue
            self.listener.heard(self, request, now_ns)

    def _send(self) -> None:
        """Sends what is due, unless a message is on its way out: then this is called again after it."""
        if not self._is_due or self._pen is None or self._pen.is_busy or self._thawing is not None:
            return
        if self._freezing is not None:
            self._thawing = asyncio.create_task(self._thaw(self._freezing))
            return
        payload = self._next_message()
        if payload is not None:
            if self.cpu_ns is not None:
                self.cpu_sent_ns = self.cpu_ns()
            self.sent_ns = self._now_ns()
            self._pen.write(payload)

    def _next_message(self) -> bytes | None:
        if self._last_words:
            return self._last_words.popleft()
        self._is_due = False
        return None if self.listener is None else self.listener.due(self)

    async def _thaw(self, freezing: asyncio.Task[None]) -> None:
        await freezing
        self._freezing = None
        if self.sleeper is not None:
            await self.sleeper.thaw()
        self._thawing = None
        self._send()


class StreamPen:
    """Writes to a stream, one message at a time; `on_idle` is called whenever the next may be written.

    It takes the first step of a write by itself and leaves the others to the futures that the write waits
    for: the message is handed to gRPC within the call, where a task would take a turn of the event loop.
    """

    def __init__(self, context: grpc.aio.ServicerContext[bytes, bytes], on_idle: Callable[[], None]) -> None:
        self._context = context
        self._on_idle = on_idle
        self._writing: Coroutine[asyncio.Future[None], None, None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a message is on its way out."""
        return self._writing is not None

    def write(self, message: bytes) -> None:
        """Begins to send `message`. A stream that has ended is for its reader to notice."""
        self._writing = self._context.write(message)
        self._step(self._writing)

    def _step(self, writing: Coroutine[asyncio.Future[None], None, None]) -> None:
        try:
            awaited = writing.send(None)
        except StopIteration:
            self._writing = None
            self._on_idle()
        except grpc.aio.BaseError:
            self._writing = None
        else:
            awaited.add_done_callback(lambda _: self._step(writing))


async def next_message(context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes | None:
    """The next message; None when the bot has ended its side."""
    payload: object = await context.read()
    return payload if isinstance(payload, bytes) else None
