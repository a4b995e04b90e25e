"""Bots in processes of their own, against an arena of a few lines: what they say, and how they end."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from arena.sdk.messages import PLAY_METHOD
from arena.v1 import play_pb2
from tests.sdk.bots import call_ask, match_start, play_ask

ROOT = Path(__file__).parent.parent.parent
Script = Callable[[Any], Awaitable[None]]

LOWEST = """
    from arena.sdk import Bot, run

    class Lowest(Bot):
        def call(self, view):
            return view.legal_calls[0]

        def play(self, view):
            return view.legal_cards[0]

    run(Lowest())
"""
WELCOME = play_pb2.PlayResponse(welcome=play_pb2.Welcome(protocol=1, max_parallel_matches=1))
GOODBYE = play_pb2.PlayResponse(goodbye=play_pb2.Goodbye(reason="no more matches"))


@dataclass(frozen=True)
class Ended:
    """How the bot's process ended."""

    status: int
    output: str
    errors: str


async def play(script: Script, source: str, folder: Path, *, token: str = "", tcp: bool = False) -> Ended:
    """Serve `script` to a bot with this source until its process ends."""

    async def handle(_requests: Any, stream: Any) -> None:
        await script(stream)

    service, _, method = PLAY_METHOD.removeprefix("/").partition("/")
    handler = grpc.stream_stream_rpc_method_handler(
        handle, play_pb2.PlayRequest.FromString, play_pb2.PlayResponse.SerializeToString
    )
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    address = "127.0.0.1:0" if tcp else f"unix://{folder}/arena.sock"
    port = server.add_insecure_port(address)
    await server.start()
    try:
        return await start(source, folder, address.replace(":0", f":{port}"), token=token)
    finally:
        await server.stop(0)


async def start(source: str, folder: Path, address: str | None, *, token: str = "") -> Ended:
    """Run a bot with this source until its process ends."""
    (folder / "bot.py").write_text(textwrap.dedent(source))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    environment |= {"PYTHONPATH": str(ROOT)}
    environment |= {"ARENA_ADDRESS": address} if address is not None else {}
    environment |= {"ARENA_TOKEN": token} if token else {}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "bot.py", cwd=folder, env=environment, stdout=-1, stderr=-1
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), 20)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Ended(process.returncode, output.decode(), errors.decode())


def turn(**due: Any) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(turn=play_pb2.Turn(**due))


class Arena:
    """A script that plays one short match and keeps what the bot says."""

    def __init__(self) -> None:
        self.heard: list[play_pb2.PlayRequest] = []

    async def __call__(self, stream: Any) -> None:
        self.heard.append(await stream.read())
        await stream.write(WELCOME)
        await stream.write(turn(match_starts=[match_start(4)]))
        self.heard.append(await stream.read())
        await stream.write(turn(asks=[call_ask(71, match_id=4), play_ask(72, match_id=4)]))
        self.heard.append(await stream.read())
        await stream.write(turn(match_ends=[play_pb2.MatchEnd(match_id=4)]))
        await stream.write(GOODBYE)


async def test_bot_plays_a_match_and_ends_well_on_goodbye(tmp_path: Path) -> None:
    arena = Arena()

    ended = await play(arena, LOWEST, tmp_path)

    assert ended == Ended(0, "", "")
    assert [request.WhichOneof("message") for request in arena.heard] == ["hello", "ready", "answers"]
    assert [answer.ask_id for answer in arena.heard[2].answers.answers] == [71, 72]


async def test_bot_plays_over_tcp_and_gives_its_token(tmp_path: Path) -> None:
    arena = Arena()

    ended = await play(arena, LOWEST, tmp_path, token="a secret", tcp=True)

    assert ended == Ended(0, "", "")
    assert arena.heard[0].hello.token == "a secret"


async def test_printing_does_no_harm(tmp_path: Path) -> None:
    ended = await play(Arena(), LOWEST.replace("return", "print('thinking'); return"), tmp_path)

    assert ended == Ended(0, "thinking\nthinking\n", "")


async def test_rejected_bot_says_why_in_one_line(tmp_path: Path) -> None:
    async def reject(stream: Any) -> None:
        await stream.read()
        await stream.write(play_pb2.PlayResponse(rejection=play_pb2.Rejection(reason="speak version 2")))

    ended = await play(reject, LOWEST, tmp_path)

    assert ended == Ended(1, "", "the arena rejects Lowest: speak version 2\n")


async def test_exception_of_the_bot_ends_it_with_its_traceback(tmp_path: Path) -> None:
    ended = await play(Arena(), LOWEST.replace("return view.legal_cards[0]", "return view.hnad"), tmp_path)

    assert ended.status == 1
    assert ended.errors.rstrip().endswith("AttributeError: 'AskView' object has no attribute 'hnad'")
    assert 'bot.py", line 9, in play' in ended.errors


async def test_bot_ends_when_the_arena_hangs_up(tmp_path: Path) -> None:
    async def hang_up(stream: Any) -> None:
        await stream.read()
        await stream.write(WELCOME)

    ended = await play(hang_up, LOWEST, tmp_path)

    assert ended == Ended(1, "", "the arena ended the stream without a Goodbye\n")


async def test_bot_ends_when_the_arena_hangs_up_while_it_thinks(tmp_path: Path) -> None:
    async def hang_up(stream: Any) -> None:
        await stream.read()
        await stream.write(WELCOME)
        await stream.write(turn(match_starts=[match_start(4)]))
        await stream.read()
        await stream.write(turn(asks=[call_ask(71, match_id=4)]))

    thinker = LOWEST.replace("return view.legal_calls[0]", "import time; time.sleep(0.3); return 1")

    ended = await play(hang_up, thinker, tmp_path)

    assert ended.status == 1
    assert re.fullmatch("the arena ended the stream .*\n", ended.errors)


async def test_bot_ends_when_the_arena_dies(tmp_path: Path) -> None:
    source = f"""
        import asyncio, os, sys
        sys.path.insert(0, {str(ROOT)!r})
        import grpc
        from arena.sdk.messages import PLAY_METHOD

        async def handle(requests, stream):
            await stream.read()
            os._exit(9)

        async def main():
            server = grpc.aio.server()
            service, _, method = PLAY_METHOD[1:].partition("/")
            handler = grpc.stream_stream_rpc_method_handler(handle)
            handlers = grpc.method_handlers_generic_handler(service, {{method: handler}})
            server.add_generic_rpc_handlers((handlers,))
            server.add_insecure_port(sys.argv[1])
            await server.start()
            print(flush=True)
            await server.wait_for_termination()

        asyncio.run(main())
    """
    address = f"unix://{tmp_path}/arena.sock"
    arena = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(source), address, stdout=-1
    )
    assert arena.stdout is not None
    await arena.stdout.readline()

    ended = await start(LOWEST, tmp_path, address)

    await arena.wait()
    assert ended.status == 1
    assert ended.errors.startswith("the arena went away: UNAVAILABLE")


async def test_bot_without_an_address_says_so(tmp_path: Path) -> None:
    ended = await start(LOWEST, tmp_path, None)

    assert ended.status == 2
    assert ended.errors == (
        "ARENA_ADDRESS is not set: the arena sets it (without an arena, use arena.sdk.local)\n"
    )


async def test_bot_that_finds_no_arena_says_so(tmp_path: Path) -> None:
    impatient = LOWEST.replace("run(", "import arena.sdk.stream; arena.sdk.stream.DIAL_S = 0.2; run(")

    ended = await start(impatient, tmp_path, f"unix://{tmp_path}/nobody.sock")

    assert ended.status == 1
    assert ended.errors == f"no arena answers at unix://{tmp_path}/nobody.sock within 0.2 s\n"


async def test_many_asks_at_once_are_all_answered(tmp_path: Path) -> None:
    answered: set[int] = set()

    async def flood(stream: Any) -> None:
        await stream.read()
        await stream.write(WELCOME)
        await stream.write(turn(match_starts=[match_start(4)]))
        await stream.read()
        await stream.write(turn(asks=[play_ask(ask_id, match_id=4) for ask_id in range(5000)]))
        while len(answered) < 5000:
            answered.update(answer.ask_id for answer in (await stream.read()).answers.answers)
        await stream.write(GOODBYE)

    ended = await play(flood, LOWEST, tmp_path)

    assert ended == Ended(0, "", "")
