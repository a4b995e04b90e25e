"""Owns a remote bot's line: it outlives the streams on which the bot dials in, so a lost one costs time only.

While the bot is away its clock goes on; when it is back it is told again what it has not answered. Who it is
was settled before (see arena.league.lobby).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from pathlib import Path

import grpc

from arena.bots.codec import Greeting, Malformed, read_request
from arena.bots.floor import STRAYS_ALLOWED, Loss
from arena.bots.line import MESSAGE_LIMIT, Line, LineListener, StreamPen, next_message
from arena.bots.wire import turn_bytes
from arena.referee.faults import FaultKind
from arena.v1 import play_pb2

__all__ = ["RETURN_S", "NoContest", "RemoteGuest", "RemoteLine", "Stream"]

RETURN_S = 5.0
"""How long a bot may be away before its match has begun; then there is no contest."""

FAREWELL_S = 1.0
"""How long a last message may take to leave, for a bot that does not read."""

ROUND_TRIPS = 50
"""Round trips that are kept for a bot's author."""


class NoContest(Exception):
    """A table that cannot be played, through no fault that counts; the message says why."""


class Stream:
    """One gRPC stream of a remote bot, from its Welcome on."""

    def __init__(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        self.context = context
        self.pen = StreamPen(context, self._rest)
        self.over = asyncio.Event()
        self.farewell = ""
        self.on_idle: Callable[[], None] = lambda: None

    def end(self, reason: str) -> None:
        """Has the bot told Goodbye, and then ends the stream."""
        self.farewell = self.farewell or reason
        self.over.set()

    async def say_goodbye(self) -> None:
        """Writes Goodbye when the pen is free; not for long."""
        goodbye = play_pb2.PlayResponse(goodbye=play_pb2.Goodbye(reason=self.farewell))
        is_free = asyncio.Event()
        self.on_idle = is_free.set
        with contextlib.suppress(TimeoutError, grpc.aio.BaseError):
            async with asyncio.timeout(FAREWELL_S):
                if self.pen.is_busy:
                    await is_free.wait()
                await self.context.write(goodbye.SerializeToString())

    def _rest(self) -> None:
        self.on_idle()


class RemoteLine(Line):
    """A line whose bot may be away: what is due then is written all the same, and told when it is back.

    `is_seated` while a table has it. `closed` is set when the bot is gone for good.
    """

    def __init__(
        self,
        greeting: Greeting,
        *,
        now_ns: Callable[[], int],
        round_trips_us: deque[int],
        on_free: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(now_ns=now_ns, preset=None)
        self.greeting.set_result(greeting)
        self.farewell = ""
        self.on_vanish: Callable[[], None] = lambda: None
        self._on_free = on_free
        self._clock = now_ns
        self._round_trips_us = round_trips_us
        self._stream: Stream | None = None
        self._idle = _Idle()
        self._starts: dict[int, play_pb2.MatchStart] = {}
        self._turn = play_pb2.Turn()
        self._told_again: set[int] = set()
        self._vanishing: asyncio.TimerHandle | None = None
        self.listener = self._idle
        self.write_with(self)

    @property
    def is_here(self) -> bool:
        """Whether a stream of the bot stands."""
        return self._stream is not None

    @property
    def is_seated(self) -> bool:
        """Whether a table has it."""
        return self.listener is not self._idle

    @property
    def is_busy(self) -> bool:
        """Whether a message is on its way out."""
        return self._stream is not None and self._stream.pen.is_busy

    def write(self, message: bytes) -> None:
        """Sends a message, or keeps what must be told of it while the bot is away."""
        response = play_pb2.PlayResponse.FromString(message)
        if response.WhichOneof("message") == "turn":
            self._remember(response.turn)
        if self._stream is not None:
            self._stream.pen.write(message)

    async def ride(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Serves the bot on this stream, which has its Welcome, until it ends or another takes its place."""
        stream = Stream(context)
        self._attach(stream)
        reading = asyncio.create_task(self._read(stream))
        ended = asyncio.create_task(stream.over.wait())
        try:
            await asyncio.wait((reading, ended), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await stream.say_goodbye()
        finally:
            ended.cancel()
            reading.add_done_callback(_forget)  # never cancelled: it ends with the stream
            self._detach(stream)

    def release(self) -> None:
        """The table is over: the bot hears how it ended, and waits for the next."""
        self.listener = self._idle
        self.on_vanish = lambda: None
        self.asked.clear()
        self.starting.clear()
        self.asks_due.clear()
        self.starts_due.clear()
        self._starts.clear()
        self._turn = play_pb2.Turn()
        if self.strays > STRAYS_ALLOWED:
            self.expel(f"a flood: more than {STRAYS_ALLOWED} messages that nobody waited for")
        self.strays = 0
        self.wake()
        self._on_free()

    def expel(self, reason: str) -> None:
        """The bot is gone for good, as far as this line goes: a table that has it forfeits its seat."""
        if self.closed.is_set():
            return
        self.farewell = reason
        self.closed.set()
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.end(reason)
        if self.listener is not None:
            self.listener.lost(self)

    # Streams come and go

    def _attach(self, stream: Stream) -> None:
        old, self._stream = self._stream, stream
        if old is not None:
            old.end("another stream of this bot has taken the place of this one")
        if self._vanishing is not None:
            self._vanishing.cancel()
        stream.on_idle = self.wake_at_once
        again = self._what_to_tell_again()
        if again is not None:
            stream.pen.write(play_pb2.PlayResponse(turn=again).SerializeToString())
        self.wake()

    def _detach(self, stream: Stream) -> None:
        stream.on_idle = lambda: None
        if self._stream is not stream:
            return
        self._stream = None
        if self.is_seated and self._is_before_start:
            self._vanishing = asyncio.get_running_loop().call_later(RETURN_S, self._look_whether_back)
        self._on_free()

    @property
    def _is_before_start(self) -> bool:
        return bool(self.starting or self.starts_due)

    def _look_whether_back(self) -> None:
        if self._stream is None and self._is_before_start:
            self.on_vanish()

    # What the bot must be told

    def _remember(self, turn: play_pb2.Turn) -> None:
        for ended in turn.match_ends:
            self._starts.pop(ended.match_id, None)
        for start in turn.match_starts:
            self._starts[start.match_id] = start
        self._turn = turn

    def _what_to_tell_again(self) -> play_pb2.Turn | None:
        """The matches in play, and of the last Turn what is not answered; None when that is nothing."""
        over = {ended.match_id for ended in self.match_ends}
        starts = [start for wire_id, start in self._starts.items() if wire_id not in over]
        asks = [self._with_time_left(ask) for ask in self._turn.asks if ask.ask_id in self.asked]
        if not starts and not asks:
            return None
        self._told_again = {start.match_id for start in starts} - set(self.starting)
        again = play_pb2.Turn(match_starts=starts, asks=asks)
        if asks or any(start.match_id in self.starting for start in self._turn.match_starts):
            again.round_ends.extend(self._turn.round_ends)
            again.match_ends.extend(self._turn.match_ends)
        return again

    def _with_time_left(self, ask: play_pb2.Ask) -> play_pb2.Ask:
        """The ask with what is left of its time: it is the same ask, and its clock went on."""
        left = play_pb2.Ask()
        left.CopyFrom(ask)
        gone_ns = self._clock() - self.sent_ns
        limit_ns, bank_ns = ask.limit.ToNanoseconds(), ask.bank_left.ToNanoseconds()
        left.limit.FromNanoseconds(max(0, limit_ns - gone_ns))
        left.bank_left.FromNanoseconds(max(0, bank_ns - max(0, gone_ns - limit_ns)))
        return left

    # What the bot says

    async def _read(self, stream: Stream) -> None:
        while (payload := await next_message(stream.context)) is not None:
            now_ns = self._clock()
            if self._stream is not stream or self.listener is None:
                continue
            if len(payload) > MESSAGE_LIMIT:
                trouble = f"a message of {len(payload)} bytes; at most {MESSAGE_LIMIT} are read"
                self.listener.garbled(self, trouble, now_ns)
                continue
            try:
                request = read_request(payload)
            except Malformed as trouble:
                self.listener.garbled(self, str(trouble), now_ns)
                continue
            self._hear(request, now_ns, self.listener)

    def _hear(self, request: play_pb2.PlayRequest, now_ns: int, listener: LineListener) -> None:
        if request.WhichOneof("message") == "ready" and self._told_again:
            told = [wire_id for wire_id in request.ready.match_ids if wire_id not in self._told_again]
            self._told_again.difference_update(request.ready.match_ids)
            if not told:
                return
            request = play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=told))
        if any(answer.ask_id in self.asked for answer in request.answers.answers):
            self._round_trips_us.append((now_ns - self.sent_ns) // 1000)
        listener.heard(self, request, now_ns)


class _Idle:
    """Listens to a bot that is at no table: nobody waits for what it says, and little of it is heard."""

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        self._count(line)

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        self._count(line)

    def due(self, line: Line) -> bytes | None:
        """How the last table ended."""
        notices = line.take_notices()
        return turn_bytes(notices, ()) if notices else None

    def lost(self, line: Line) -> None:
        pass

    def _count(self, line: Line) -> None:
        line.strays += 1
        if line.strays > STRAYS_ALLOWED and isinstance(line, RemoteLine):
            line.expel(f"a flood: more than {STRAYS_ALLOWED} messages that nobody waited for")


class RemoteGuest:
    """A `Guest` of the floor that dials in from elsewhere."""

    def __init__(
        self, find: Callable[[], RemoteLine | None], *, name: str, on_gone: Callable[[str], None]
    ) -> None:
        """`find` gives the line on which the bot is connected now.

        `on_gone` hears, with the reason, that it went away before its match had begun and stays away.
        """
        self._find = find
        self._line: RemoteLine | None = None
        self._name = name
        self._on_gone = on_gone

    async def start(self) -> Line:
        """Its line; NoContest when it is not connected."""
        line = self._find()
        if line is None or not line.is_here or line.is_seated:
            raise NoContest(f"{self._name} was not connected when the table was to begin")
        self._line = line
        line.strays = 0
        line.on_vanish = self._vanish
        return line

    async def end(self, reason: str) -> None:
        """It stays connected, for its next table."""
        if self._line is not None and self._line.is_seated:
            self._line.release()

    async def cause_of_death(self) -> Loss:
        """Why its line is closed."""
        farewell = self._line.farewell if self._line is not None else ""
        return Loss(FaultKind.CRASHED, farewell or "its stream ended")

    def keep_output(self, label: str) -> Path | None:
        """What it prints stays on its author's machine."""
        return None

    def _vanish(self) -> None:
        self._on_gone(f"{self._name} went away before its match had begun")


def _forget(reading: asyncio.Task[None]) -> None:
    """Takes note of how reading a stream ended that is over."""
    if not reading.cancelled():
        reading.exception()
