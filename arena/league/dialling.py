"""Owns `arena play`: a bot on this machine that plays in a league elsewhere, over streams that may break.

The bot keeps one stream to a door of its own here; what it says goes to the league and back. When the league
is away the bot stays, and hears what is asked again when the league is back. It must not import what only a
server needs.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from arena.bots.gateway import open_door
from arena.bots.launcher import BotProcess, launch
from arena.bots.line import next_message
from arena.bots.local_bot import last_words
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError
from arena.league.client import CALL_S, Server, method, mistake_of
from arena.v1 import league_pb2, play_pb2

__all__ = ["PLAY_METHOD", "Books", "Played", "Remote", "play"]

PLAY_METHOD = f"/{play_pb2.DESCRIPTOR.services_by_name['ArenaService'].full_name}/Play"
REACH_S = 15.0
"""How long the league may take to answer at first."""

HELLO_S = 60.0
AGAIN_S = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Pauses before dialling again, the last one over and over."""

DEATHS_ALLOWED = 3
"""Ends of the bot's process in a row, without a match between them, until it is given up."""

TAKEN = "has taken the place of this one"
"""What Goodbye says to a stream that another one of the same bot has replaced."""

_FATAL = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
)


@dataclass(frozen=True, slots=True)
class Played:
    """A match that ended: places and totals by seat, the bot's own seat, and its last round trips."""

    number: int
    seat: int
    places: tuple[int, ...]
    totals_tenths: tuple[int, ...]
    faults: int
    latency_us: tuple[int, ...]

    def __str__(self) -> str:
        told = [f"match {self.number}: forfeited"]
        if self.places:
            points = f"{self.totals_tenths[self.seat] / 10:.1f} points"
            told = [f"match {self.number}: place {self.places[self.seat]}, {points}"]
        if self.faults:
            told.append(f"{self.faults} fault{'s' if self.faults > 1 else ''}")
        if self.latency_us:
            middle, worst = statistics.median(self.latency_us) / 1000, max(self.latency_us) / 1000
            told.append(f"round trip {middle:.1f} ms, {worst:.1f} ms at most")
        return ", ".join(told)


async def play(
    entrant: Entrant,
    server: Server,
    *,
    folder: Path,
    sandbox: Sandbox,
    stop: asyncio.Event,
    say: Callable[[str], None],
    on_played: Callable[[Played], None],
) -> None:
    """Plays with the bot until `stop` is set; then a match in play is finished first.

    `folder` is for the socket. Raises ArenaError when the league does not want the bot, or the bot does not
    stay.
    """
    await Remote(entrant, server, folder, sandbox, stop, say, on_played).run()


class _Died(Exception):
    """The bot's process ended, or its stream did."""


class _BotEnd:
    """The door's side of the bot's stream: bytes in, bytes out, nothing understood."""

    token = ""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes | None] = asyncio.Queue(64)
        self._context: grpc.aio.ServicerContext[bytes, bytes] | None = None
        self._over = asyncio.Event()

    async def serve(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """The handler of the bot's stream."""
        if self._context is not None:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "this address has its stream already")
        self._context = context
        reading = asyncio.create_task(self._read(context))
        over = asyncio.create_task(self._over.wait())
        await asyncio.wait((reading, over), return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        reading.add_done_callback(_forget)  # never cancelled: it ends with the stream

    async def _read(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        while (payload := await next_message(context)) is not None:
            await self.heard.put(payload)
        await self.heard.put(None)

    async def tell(self, message: play_pb2.PlayResponse) -> None:
        """Sends to the bot. Raises _Died when it is gone."""
        if self._context is None:
            raise _Died
        try:
            await self._context.write(message.SerializeToString())
        except grpc.aio.BaseError:
            raise _Died from None

    def hang_up(self) -> None:
        """Ends the stream."""
        self._over.set()


class Books:
    """What the league asked on this connection, and what the bot still owes: answers go to who asked only."""

    def __init__(self) -> None:
        self.asked: set[int] = set()
        self.starting: set[int] = set()
        self.in_play: dict[int, int] = {}
        self.is_free = asyncio.Event()
        self.is_free.set()
        self.owed: set[int] = set()
        self.is_idle = asyncio.Event()
        self.is_idle.set()

    def dial(self) -> None:
        """A new connection: nothing was asked on it yet."""
        self.asked.clear()
        self.starting.clear()
        self.in_play.clear()
        self.is_free.set()

    def told(self, turn: play_pb2.Turn) -> None:
        """This goes to the bot."""
        self.starting |= {start.match_id for start in turn.match_starts}
        self.in_play |= {start.match_id: start.seat for start in turn.match_starts}
        if self.in_play:
            self.is_free.clear()
        self.asked |= {ask.ask_id for ask in turn.asks}
        self.owed |= {ask.ask_id for ask in turn.asks}
        if self.owed:
            self.is_idle.clear()

    def over(self, match_id: int) -> int | None:
        """The match has ended: the bot's seat in it; None for one that was none of its."""
        seat = self.in_play.pop(match_id, None)
        if not self.in_play:
            self.is_free.set()
        return seat

    def heard(self, request: play_pb2.PlayRequest) -> play_pb2.PlayRequest | None:
        """What of the bot's message the league waits for; None for nothing."""
        kind = request.WhichOneof("message")
        if kind == "ready":
            wanted = [one for one in request.ready.match_ids if one in self.starting]
            self.starting.difference_update(wanted)
            return play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=wanted)) if wanted else None
        if kind == "answers":
            answers = request.answers.answers
            wanted_answers = [one for one in answers if one.ask_id in self.asked]
            ids = {one.ask_id for one in answers}
            self.asked -= ids
            self.owed -= ids
            if not self.owed:
                self.is_idle.set()
            answered = play_pb2.Answers(answers=wanted_answers)
            return play_pb2.PlayRequest(answers=answered) if wanted_answers else None
        return request


class Remote:
    """One bot that plays in a league from here."""

    def __init__(
        self,
        entrant: Entrant,
        server: Server,
        folder: Path,
        sandbox: Sandbox,
        stop: asyncio.Event,
        say: Callable[[str], None],
        on_played: Callable[[Played], None],
    ) -> None:
        self._entrant = entrant
        self._server = server
        self._folder = folder
        self._sandbox = sandbox
        self._stop = stop
        self._say = say
        self._on_played = on_played
        self._matches = 0
        self._failures = 0
        self._call: Any = None
        self._telling: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """See `play`."""
        async with self._server.aio_channel() as channel:
            await self._check(channel)
            deaths = 0
            while not self._stop.is_set():
                before = self._matches
                try:
                    await self._live(channel)
                except _Died as death:
                    deaths = 1 if self._matches > before else deaths + 1
                    if deaths >= DEATHS_ALLOWED:
                        raise ArenaError(f"{self._entrant.name} does not stay: {death}") from None
                    self._say(f"{self._entrant.name} ended ({death}); it is started again")
            await asyncio.gather(*self._telling)

    async def _check(self, channel: grpc.aio.Channel) -> None:
        """Finds out whether there is a league that knows the token, before anything is started."""
        try:
            async with asyncio.timeout(REACH_S):
                await channel.channel_ready()
            request = league_pb2.GetBotRequest(name=self._entrant.name)
            await method(channel, "GetBot")(request, metadata=self._server.metadata, timeout=CALL_S)
        except TimeoutError:
            how = "with TLS" if self._server.is_secure else "without TLS"
            words = f"no league answers there {how} within {REACH_S:.0f} s"
            raise ArenaError(f"{self._server.address}: {words}") from None
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise mistake_of(self._server, error) from None

    async def _live(self, channel: grpc.aio.Channel) -> None:
        """One life of the bot's process, over as many connections as it takes."""
        end = _BotEnd()
        async with open_door(end, folder=self._folder) as door:
            leftovers = (door.socket_path,) if door.socket_path else ()
            async with launch(
                self._entrant, address=door.address, sandbox=self._sandbox, leftovers=leftovers
            ) as process:
                try:
                    await self._converse(channel, end, process)
                except _Died:
                    raise _Died(await _cause(process)) from None
                finally:
                    with contextlib.suppress(_Died):
                        await end.tell(play_pb2.PlayResponse(goodbye=play_pb2.Goodbye(reason="the end")))
                    end.hang_up()

    async def _converse(self, channel: grpc.aio.Channel, end: _BotEnd, process: BotProcess) -> None:
        """Until `stop`; raises _Died when the bot is gone, ArenaError when the league does not want it."""
        hello = await self._hello(end, process)
        books = Books()
        self._call = None
        async with _together(
            self._connections(channel, end, books, hello), self._listen(end, books), self._stopped(books)
        ) as first:
            await first

    async def _connections(
        self, channel: grpc.aio.Channel, end: _BotEnd, books: Books, hello: play_pb2.PlayRequest
    ) -> None:
        """One stream to the league after the other, for ever."""
        is_welcome = False
        while True:
            try:
                reason = await self._connection(channel, end, books, hello, is_welcome=is_welcome)
                is_welcome = True
            except grpc.aio.AioRpcError as error:
                if error.code() in _FATAL:
                    raise mistake_of(self._server, error) from None
                reason = error.details() or error.code().name
            finally:
                is_welcome, self._call = is_welcome or self._call is not None, None
            pause_s = AGAIN_S[min(self._failures, len(AGAIN_S) - 1)]
            self._failures += 1
            self._say(f"{self._server.address}: {reason}; dialling again in {pause_s:g} s")
            await asyncio.sleep(pause_s)

    async def _hello(self, end: _BotEnd, process: BotProcess) -> play_pb2.PlayRequest:
        """The bot's Hello, with the token and the name that the league knows it by."""
        payload = await _first_of(end.heard.get(), process, timeout_s=HELLO_S)
        try:
            request = play_pb2.PlayRequest.FromString(payload or b"")
        except ValueError:
            request = play_pb2.PlayRequest()
        if request.WhichOneof("message") != "hello":
            raise ArenaError(f"{self._entrant.name}: its first message is no Hello; `arena check` says more")
        request.hello.token = self._server.token
        request.hello.name, request.hello.version = self._entrant.name, self._entrant.version
        return request

    async def _connection(
        self,
        channel: grpc.aio.Channel,
        end: _BotEnd,
        books: Books,
        hello: play_pb2.PlayRequest,
        *,
        is_welcome: bool,
    ) -> str:
        """One stream to the league, until it ends; why it did. The bot hears the first Welcome only."""
        await books.is_idle.wait()  # what it was asked before would be taken for an answer to what comes
        books.dial()
        call = channel.stream_stream(
            PLAY_METHOD,
            request_serializer=play_pb2.PlayRequest.SerializeToString,
            response_deserializer=play_pb2.PlayResponse.FromString,
        )()
        try:
            await call.write(hello)
            first: Any = await call.read()
            if first is grpc.aio.EOF:
                return await call.details() or "it ended the stream"
            if first.WhichOneof("message") == "rejection":
                raise ArenaError(f"{self._server.address}: {first.rejection.reason}")
            self._say(f"connected to {self._server.address} as {self._entrant.name} {self._entrant.version}")
            self._failures = 0
            if not is_welcome:
                await end.tell(first)
            self._call = call
            return await self._hear_out(channel, call, end, books)
        finally:
            call.cancel()

    async def _hear_out(self, channel: grpc.aio.Channel, call: Any, end: _BotEnd, books: Books) -> str:
        """Tells the bot what the league says, until the stream ends; why it did."""
        while (message := await call.read()) is not grpc.aio.EOF:
            kind = message.WhichOneof("message")
            if kind == "goodbye":
                if TAKEN in message.goodbye.reason:
                    raise ArenaError(f"{self._server.address}: {message.goodbye.reason}")
                return str(message.goodbye.reason)
            if kind == "turn":
                books.told(message.turn)
            await end.tell(message)
            for ended in message.turn.match_ends:
                seat = books.over(ended.match_id)
                if seat is not None:
                    self._matches += 1
                    task = asyncio.create_task(self._tell(channel, ended, seat, self._matches))
                    self._telling.add(task)
                    task.add_done_callback(self._telling.discard)
        return await call.details() or "it ended the stream"

    async def _listen(self, end: _BotEnd, books: Books) -> None:
        """Takes what the bot says to the league, while there is a connection; raises _Died at its end."""
        while (payload := await end.heard.get()) is not None:
            try:
                request = books.heard(play_pb2.PlayRequest.FromString(payload))
            except ValueError:
                raise _Died from None
            if request is not None and self._call is not None:
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await self._call.write(request)
        raise _Died

    async def _stopped(self, books: Books) -> None:
        await self._stop.wait()
        if books.in_play:
            self._say("the match in play is finished first; once more to leave at once")
        await books.is_free.wait()

    async def _tell(
        self, channel: grpc.aio.Channel, ended: play_pb2.MatchEnd, seat: int, number: int
    ) -> None:
        """Says how a match went, with the round trips as the league measured them."""
        latency: tuple[int, ...] = ()
        with contextlib.suppress(grpc.aio.AioRpcError):
            request = league_pb2.GetBotRequest(name=self._entrant.name)
            call = method(channel, "GetBot")
            latency = tuple((await call(request, metadata=self._server.metadata, timeout=CALL_S)).latency_us)
        self._on_played(
            Played(
                number=number,
                seat=seat,
                places=tuple(ended.places),
                totals_tenths=tuple(ended.total_tenths),
                faults=len(ended.faults),
                latency_us=latency,
            )
        )


@contextlib.asynccontextmanager
async def _together(*lives: Any) -> AsyncIterator[asyncio.Future[None]]:
    """Runs all, and yields what ends as the first of them does; none is left when the context ends."""
    tasks = [asyncio.ensure_future(life) for life in lives]

    async def first() -> None:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    waiting = asyncio.ensure_future(first())
    try:
        yield waiting
    finally:
        for task in (waiting, *tasks):
            task.cancel()
        await asyncio.gather(waiting, *tasks, return_exceptions=True)


def _forget(reading: asyncio.Task[None]) -> None:
    """Takes note of how reading a stream ended that is over."""
    if not reading.cancelled():
        reading.exception()


async def _first_of(life: Any, process: BotProcess, *, timeout_s: float) -> Any:
    """What comes of `life`; _Died when the process ends first, or nothing comes in time."""
    coming, ended = asyncio.ensure_future(life), asyncio.ensure_future(process.wait())
    try:
        await asyncio.wait((coming, ended), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if not coming.done():
            raise _Died
        return coming.result()
    finally:
        coming.cancel()
        ended.cancel()


async def _cause(process: BotProcess) -> str:
    """How the bot's process ended, and its last words."""
    try:
        async with asyncio.timeout(2.0):
            reason = (await process.wait()).reason
    except TimeoutError:
        reason = "its process goes on without its stream"
    words = last_words(process.output.peek())
    return f"{reason}: {words}" if words else reason
