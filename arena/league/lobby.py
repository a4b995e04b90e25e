"""Owns who is connected: remote bots dial in here with a token, and wait for a table.

It must not know tables: whoever makes them asks for a guest.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version as distribution_version
from typing import NoReturn, Protocol

import grpc

from arena.bots.codec import PROTOCOL, Greeting, Malformed, greeting_of, read_request
from arena.bots.line import MESSAGE_LIMIT, Refused, next_message
from arena.bots.manifest import refuse_bad_name
from arena.errors import ArenaError
from arena.league.model import Author, Bot, Season, Token
from arena.league.remote import ROUND_TRIPS, RemoteGuest, RemoteLine
from arena.league.store import NotFound, Taken
from arena.referee.faults import FaultKind
from arena.v1 import play_pb2

__all__ = ["HELLO_S", "Lobby"]

HELLO_S = 10.0
"""How long a stream may stand without its Hello."""

CLOSE_S = 3.0
"""How long the streams may take to end when the lobby closes."""

HOUR_NS = 3600 * 1_000_000_000

Authenticate = Callable[[str], Awaitable[Token | None]]


class RemoteStore(Protocol):
    """What the lobby needs of the store."""

    def current_season(self) -> Season | None: ...

    def bot(self, name: str) -> Bot: ...

    def remote_bot(self, author: Author, name: str, *, label: str, language: str) -> Bot: ...


@dataclass(eq=False, slots=True)
class _Seat:
    """A remote bot that is connected, or away from a table that has it."""

    bot: Bot
    version_id: int
    token_id: str
    line: RemoteLine


class Lobby:
    """The remote bots of a league. Belongs to the server's event loop."""

    def __init__(
        self,
        store: RemoteStore,
        *,
        authenticate: Authenticate,
        now_ns: Callable[[], int],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`authenticate` finds a Hello's token; `on_change` hears that a bot has come, gone or is free."""
        self._store = store
        self._authenticate = authenticate
        self._now_ns = now_ns
        self.on_change = on_change
        self._seats: dict[int, _Seat] = {}  # by bot
        self._round_trips_us: dict[int, deque[int]] = {}  # by bot
        self._arriving: list[tuple[str, int]] = []  # token and bot of those on their way to a seat
        self._brought_ns: dict[str, deque[int]] = {}  # by token, when it brought new versions
        self._streams: set[asyncio.Task[object]] = set()
        self._closing = ""

    @property
    def connected(self) -> frozenset[int]:
        """Version ids of the bots whose stream stands; matchmaking leaves out all others."""
        return frozenset(seat.version_id for seat in self._seats.values() if seat.line.is_here)

    def is_connected(self, bot_id: int) -> bool:
        """Whether a stream of this bot stands."""
        return bot_id in self._seats and self._seats[bot_id].line.is_here

    def latency_us(self, bot_id: int) -> list[int]:
        """Its last 50 round trips, oldest first, in microseconds: from the ask's sending to its answer."""
        return list(self._round_trips_us.get(bot_id, ()))

    def guest(self, version_id: int, *, name: str, on_gone: Callable[[str], None]) -> RemoteGuest:
        """The bot as a guest at one match; `on_gone` as RemoteGuest has it."""
        return RemoteGuest(lambda: self._line_of(version_id), name=name, on_gone=on_gone)

    def expel(self, token_id: str, reason: str) -> None:
        """Ends the streams of a token that no longer stands."""
        for bot_id, seat in tuple(self._seats.items()):
            if seat.token_id == token_id:
                del self._seats[bot_id]
                seat.line.expel(reason)

    @property
    def token_ids(self) -> frozenset[str]:
        """Tokens with which bots are connected."""
        return frozenset(seat.token_id for seat in self._seats.values())

    async def close(self, reason: str) -> None:
        """Says Goodbye to everybody; no stream is left, and none is accepted any more."""
        self._closing = reason
        for seat in self._seats.values():
            seat.line.expel(reason)
        self._seats.clear()
        if self._streams:
            await asyncio.wait(self._streams, timeout=CLOSE_S)

    # Dialling in

    async def play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """The gRPC handler of `ArenaService.Play`, of bytes to bytes: lives as long as the stream."""
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)
        try:
            await self._serve(context)
        finally:
            self._streams.discard(task)

    async def _serve(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        try:
            if self._closing:
                await context.abort(grpc.StatusCode.UNAVAILABLE, self._closing)
            greeting = await self._greeting(context)
            token = await self._token_of(greeting)
            bot = await self._bot_of(greeting, token)
            self._check_streams(bot, token)
        except Refused as refusal:
            await _reject(context, refusal)
        except ArenaError as trouble:
            await context.abort(grpc.StatusCode.UNAVAILABLE, f"the league cannot look it up now: {trouble}")
        self._arriving.append((token.token_id, bot.bot_id))
        try:
            await self._welcome(context)
        finally:
            self._arriving.remove((token.token_id, bot.bot_id))
        seat = self._place(bot, token, greeting)
        asyncio.get_running_loop().call_soon(self.on_change)  # once the stream is its line's
        try:
            await seat.line.ride(context)
        finally:
            self._forget(seat)

    async def _welcome(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        welcome = play_pb2.Welcome(
            protocol=PROTOCOL,
            arena_version=distribution_version("callbreak-arena"),
            max_parallel_matches=1,
        )
        await context.write(play_pb2.PlayResponse(welcome=welcome).SerializeToString())

    async def _greeting(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> Greeting:
        reading = asyncio.create_task(next_message(context))
        await asyncio.wait((reading,), timeout=HELLO_S)
        if not reading.done():
            reading.add_done_callback(lambda task: task.cancelled() or task.exception())
            raise Refused(FaultKind.NEVER_READY, f"no Hello within {HELLO_S:g} s")
        payload = reading.result()
        if payload is None:
            raise Refused(FaultKind.CRASHED, "the stream ended before Hello")
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
        return greeting_of(request.hello)

    async def _token_of(self, greeting: Greeting) -> Token:
        token = await self._authenticate(greeting.token) if greeting.token else None
        if token is None:
            words = "is not valid here" if greeting.token else "is empty"
            raise _Unknown(
                FaultKind.MALFORMED, f"Hello.token {words}: the organiser issues tokens (`arena token issue`)"
            )
        return token

    async def _bot_of(self, greeting: Greeting, token: Token) -> Bot:
        """The bot that says Hello, as the store has it now; raises Refused where it may not play."""
        season = await asyncio.to_thread(self._store.current_season)
        preset = season.ruleset.partition("+")[0] if season is not None else None
        if (refusal := greeting.refusal(preset)) is not None:
            raise Refused(FaultKind.VERSION, refusal)
        try:
            refuse_bad_name(greeting.name)
        except ArenaError as trouble:
            raise Refused(FaultKind.MALFORMED, str(trouble)) from None
        label = greeting.version or "1"
        await self._check_novelty(greeting.name, label, token)
        try:
            bot = await asyncio.to_thread(
                self._store.remote_bot, token.author, greeting.name, label=label, language=""
            )
        except Taken as trouble:
            raise Refused(FaultKind.MALFORMED, str(trouble)) from None
        if bot.newest is None or bot.retired_unix_us is not None:
            raise Refused(FaultKind.MALFORMED, f"{bot.name} is retired and plays no more")
        return bot

    async def _check_novelty(self, name: str, label: str, token: Token) -> None:
        """Lets a token bring as many new versions an hour as it may submit bundles; raises Refused."""
        with contextlib.suppress(NotFound):
            known = await asyncio.to_thread(self._store.bot, name)
            if known.newest is not None and known.newest.label == label:
                return
        now_ns = self._now_ns()
        brought = self._brought_ns.setdefault(token.token_id, deque())
        while brought and now_ns - brought[0] > HOUR_NS:
            brought.popleft()
        if len(brought) >= token.submissions_per_hour:
            raise _TooMany(
                FaultKind.RESOURCE,
                f"this token may bring {token.submissions_per_hour} new versions an hour, and has",
            )
        brought.append(now_ns)

    def _check_streams(self, bot: Bot, token: Token) -> None:
        seats = [(seat.token_id, seat.bot.bot_id) for seat in self._seats.values() if seat.line.is_here]
        others = {bot_id for token_id, bot_id in seats + self._arriving if token_id == token.token_id}
        if len(others - {bot.bot_id}) >= token.streams:
            raise _TooMany(
                FaultKind.RESOURCE, f"this token may have {token.streams} bots connected at once, and has"
            )

    def _place(self, bot: Bot, token: Token, greeting: Greeting) -> _Seat:
        """The newest stream wins: in the middle of a match it goes on where the last one was."""
        assert bot.newest is not None
        version_id = bot.newest.version_id
        old = self._seats.get(bot.bot_id)
        if old is not None and old.version_id == version_id and old.line.is_seated:
            old.token_id = token.token_id
            return old
        line = RemoteLine(
            greeting,
            now_ns=self._now_ns,
            round_trips_us=self._round_trips_us.setdefault(bot.bot_id, deque(maxlen=ROUND_TRIPS)),
            on_free=lambda: self._freed(bot.bot_id),
        )
        self._seats[bot.bot_id] = seat = _Seat(bot, version_id, token.token_id, line)
        if old is not None:
            is_same = old.version_id == version_id
            what = "another stream" if is_same else f"version {greeting.version or '1'}"
            old.line.expel(f"{what} of this bot has taken the place of this one")
        return seat

    def _line_of(self, version_id: int) -> RemoteLine | None:
        found = (seat.line for seat in self._seats.values() if seat.version_id == version_id)
        return next(found, None)

    def _freed(self, bot_id: int) -> None:
        seat = self._seats.get(bot_id)
        if seat is not None:
            self._forget(seat)
        self.on_change()

    def _forget(self, seat: _Seat) -> None:
        """Lets go of a bot that is neither connected nor at a table."""
        is_needed = seat.line.is_here or seat.line.is_seated
        if not is_needed and self._seats.get(seat.bot.bot_id) is seat:
            del self._seats[seat.bot.bot_id]
            seat.line.expel("its stream ended")


class _Unknown(Refused):
    """The token is not known."""


class _TooMany(Refused):
    """The token has as many streams as it may."""


async def _reject(context: grpc.aio.ServicerContext[bytes, bytes], refusal: Refused) -> NoReturn:
    """Says why as bots hear it, and then as any gRPC client does."""
    rejection = play_pb2.Rejection(reason=str(refusal), kind=refusal.kind.value)  # type: ignore[arg-type]
    await context.write(play_pb2.PlayResponse(rejection=rejection).SerializeToString())
    code = grpc.StatusCode.INVALID_ARGUMENT
    if isinstance(refusal, _Unknown):
        code = grpc.StatusCode.UNAUTHENTICATED
    elif isinstance(refusal, _TooMany):
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
    await context.abort(code, str(refusal))
    raise AssertionError
