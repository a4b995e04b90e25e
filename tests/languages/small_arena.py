"""Owns an arena of a few lines: it welcomes one bot, puts recorded views to it and keeps the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from arena.bots.launcher import Exit, launch
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.sdk.messages import PLAY_METHOD
from arena.v1 import play_pb2

TIME_S = 60.0
ADDRESSES = ("unix", "tcp")
WELCOME = play_pb2.PlayResponse(
    welcome=play_pb2.Welcome(protocol=1, arena_version="test", max_parallel_matches=64)
)
GOODBYE = play_pb2.PlayResponse(goodbye=play_pb2.Goodbye(reason="no more matches"))


@dataclass
class Heard:
    """What a bot said, and how it ended."""

    hello: play_pb2.Hello = field(default_factory=play_pb2.Hello)
    ready: list[int] = field(default_factory=list)
    answers: list[play_pb2.Answer] = field(default_factory=list)
    messages_with_answers: int = 0
    exit: Exit | None = None
    output: str = ""


class SmallArena:
    """Speaks the protocol with the bot that dials; subclass or replace `converse` for another talk."""

    def __init__(
        self, starts: Sequence[play_pb2.MatchStart] = (), turns: Iterable[play_pb2.Turn] = ()
    ) -> None:
        self.heard = Heard()
        self._starts = starts
        self._turns = turns

    async def converse(self, stream: Any) -> None:
        """Hello, Welcome, the matches' starts, their turns, their ends, Goodbye."""
        self.heard.hello.CopyFrom((await stream.read()).hello)
        await stream.write(WELCOME)
        await stream.write(turn(play_pb2.Turn(match_starts=self._starts)))
        self.heard.ready.extend((await stream.read()).ready.match_ids)
        for due in self._turns:
            await stream.write(turn(due))
            await self._take_answers(stream, len(due.asks))
        ends = [play_pb2.MatchEnd(match_id=start.match_id) for start in self._starts]
        await stream.write(turn(play_pb2.Turn(match_ends=ends)))
        await stream.write(GOODBYE)
        with suppress(asyncio.CancelledError):
            await stream.read()

    async def _take_answers(self, stream: Any, wanted: int) -> None:
        while wanted > 0:
            answers = (await stream.read()).answers.answers
            self.heard.answers.extend(answers)
            self.heard.messages_with_answers += 1
            wanted -= len(answers)


def turn(due: play_pb2.Turn) -> play_pb2.PlayResponse:
    """A turn as it is sent."""
    return play_pb2.PlayResponse(turn=due)


async def meet(
    arena: SmallArena,
    bot: Entrant,
    folder: Path,
    *,
    address: str,
    token: str | None = None,
    sandbox: Sandbox | None = None,
) -> Heard:
    """Serves `arena` at a Unix socket or a TCP port to `bot`, until the bot's process has ended."""

    async def handle(_requests: Any, stream: Any) -> None:
        await arena.converse(stream)

    service, _, method = PLAY_METHOD.removeprefix("/").partition("/")
    handler = grpc.stream_stream_rpc_method_handler(
        handle, play_pb2.PlayRequest.FromString, play_pb2.PlayResponse.SerializeToString
    )
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    wanted = f"unix://{folder}/arena.sock" if address == "unix" else "127.0.0.1:0"
    port = server.add_insecure_port(wanted)
    await server.start()
    try:
        dialled = wanted.replace(":0", f":{port}")
        async with launch(bot, address=dialled, token=token, sandbox=sandbox) as process:
            try:
                async with asyncio.timeout(TIME_S):
                    arena.heard.exit = await process.wait()
            finally:
                arena.heard.output = process.output.cut("test").decode(errors="replace")
    finally:
        await server.stop(0)
    return arena.heard
