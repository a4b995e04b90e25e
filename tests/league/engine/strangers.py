"""Owns how tests dial in as strangers do: a plain gRPC stream of bytes, and a lobby behind a real server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self

import grpc

from arena.bots.gateway import SERVICE
from arena.league.lobby import Lobby
from arena.league.model import Token
from arena.league.store import LeagueStore
from arena.v1 import play_pb2

PLAY = f"/{SERVICE}/Play"
DEADLINE_S = 20.0


@asynccontextmanager
async def open_lobby(store: LeagueStore) -> AsyncIterator[tuple[Lobby, str]]:
    """A lobby behind a gRPC server on a loopback port, and its address."""

    async def authenticate(text: str) -> Token | None:
        return await asyncio.to_thread(store.token_of, text)

    lobby = Lobby(store, authenticate=authenticate, now_ns=time.monotonic_ns)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(lobby.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": play}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield lobby, f"127.0.0.1:{port}"
    finally:
        await lobby.close("the test is over")
        await server.stop(grace=0)


class Stranger:
    """A remote bot made of nothing but gRPC and the messages; it plays the first legal card."""

    def __init__(self, address: str, token: str, *, name: str = "tortoise", version: str = "1") -> None:
        self.address = address
        self.hello = play_pb2.Hello(protocol_min=1, protocol_max=1, name=name, version=version, token=token)
        self.heard: list[play_pb2.PlayResponse] = []
        self.answered = 0
        self._channel: Any = None
        self._stream: Any = None

    async def __aenter__(self) -> Self:
        await self.dial()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.hang_up()

    async def dial(self) -> play_pb2.PlayResponse:
        """Opens a stream and says Hello; the arena's answer."""
        self._channel = grpc.aio.insecure_channel(self.address)
        self._stream = self._channel.stream_stream(PLAY)()
        await self._stream.write(play_pb2.PlayRequest(hello=self.hello).SerializeToString())
        return await self.read()

    async def hang_up(self) -> None:
        """Cuts the connection, without a word."""
        if self._channel is not None:
            self._stream.cancel()
            await self._channel.close()
            self._channel = None

    async def read(self) -> play_pb2.PlayResponse:
        """The next message; EOFError at the end of the stream."""
        async with asyncio.timeout(DEADLINE_S):
            payload = await self._stream.read()
        if not isinstance(payload, bytes):
            raise EOFError
        response = play_pb2.PlayResponse.FromString(payload)
        self.heard.append(response)
        return response

    async def say(self, request: play_pb2.PlayRequest | bytes) -> None:
        """Sends a message."""
        await self._stream.write(request if isinstance(request, bytes) else request.SerializeToString())

    async def code(self) -> grpc.StatusCode:
        """How the stream ended."""
        found: grpc.StatusCode = await self._stream.code()
        return found

    async def reply(self, turn: play_pb2.Turn) -> None:
        """What a bot says to a Turn."""
        if turn.match_starts:
            ready = play_pb2.Ready(match_ids=[start.match_id for start in turn.match_starts])
            await self.say(play_pb2.PlayRequest(ready=ready))
        if turn.asks:
            answers = [answer_to(ask) for ask in turn.asks]
            self.answered += len(answers)
            await self.say(play_pb2.PlayRequest(answers=play_pb2.Answers(answers=answers)))

    async def play(self, *, until: Callable[[play_pb2.PlayResponse], bool] = lambda _: False) -> None:
        """Plays until Goodbye, the end of the stream, or a message that is answered no more."""
        while True:
            try:
                response = await self.read()
            except (EOFError, grpc.aio.AioRpcError):
                return
            if response.HasField("goodbye") or until(response):
                return
            await self.reply(response.turn)


def answer_to(ask: play_pb2.Ask) -> play_pb2.Answer:
    """The lowest call, the first legal card."""
    if ask.legal_calls:
        return play_pb2.Answer(ask_id=ask.ask_id, call=ask.legal_calls[0])
    return play_pb2.Answer(ask_id=ask.ask_id, card=ask.legal_cards[0])
