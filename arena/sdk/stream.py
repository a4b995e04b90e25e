"""Owns the bot's stream to the arena: dialling, keeping it, and ending the process well."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any, NoReturn

import grpc
import grpc.aio

from arena.sdk.bot import Bot
from arena.sdk.messages import PLAY_METHOD, Messages, messages
from arena.sdk.session import Rejected, Session

__all__ = ["run"]

DIAL_S = 30.0
_LOOPBACK = ("127.", "localhost", "[::1]", "unix:")


class _GoneAway(Exception):
    """The arena cannot be reached, or ended the stream without a Goodbye."""


def run(bot: Bot) -> None:
    """Play for `bot` on the arena at ARENA_ADDRESS until the arena says Goodbye.

    Leaves the process with status 2 when there is no address, 1 when the arena rejects the bot or goes away;
    an exception of the bot itself comes through with its traceback.
    """
    address = os.environ.get("ARENA_ADDRESS", "")
    if not address:
        _leave(2, "ARENA_ADDRESS is not set: the arena sets it (without an arena, use arena.sdk.local)")
    try:
        asyncio.run(_play(bot, address, messages(), os.environ.get("ARENA_TOKEN", "")))
    except Rejected as rejection:
        _leave(1, f"the arena rejects {bot.name or type(bot).__name__}: {rejection}")
    except _GoneAway as gone:
        _leave(1, str(gone))
    except KeyboardInterrupt:
        sys.exit(130)


def _leave(status: int, line: str) -> NoReturn:
    print(line, file=sys.stderr)
    sys.exit(status)


async def _play(bot: Bot, address: str, known: Messages, token: str) -> None:
    session = Session(bot, known, token=token)
    async with grpc.aio.insecure_channel(address, options=_options(address)) as channel:
        try:
            await asyncio.wait_for(channel.channel_ready(), DIAL_S)
        except TimeoutError:
            raise _GoneAway(f"no arena answers at {address} within {DIAL_S:g} s") from None
        stream = channel.stream_stream(
            PLAY_METHOD,
            request_serializer=known.play_request.SerializeToString,
            response_deserializer=known.play_response.FromString,
        )()
        await _converse(session, stream)


async def _converse(session: Session, stream: Any) -> None:
    await _write(stream, session.hello())
    while not session.is_over:
        response = await _read(stream)
        for request in session.replies(response):
            await _write(stream, request)
    await stream.done_writing()


async def _read(stream: Any) -> Any:
    try:
        response = await stream.read()
    except grpc.aio.AioRpcError as error:
        raise _GoneAway(f"the arena went away: {error.code().name}: {error.details()}") from None
    if response is grpc.aio.EOF:
        raise _GoneAway("the arena ended the stream without a Goodbye")
    return response


async def _write(stream: Any, request: Any) -> None:
    try:
        await stream.write(request)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        raise _GoneAway("the arena ended the stream before the bot had answered") from None


def _options(address: str) -> list[tuple[str, Any]]:
    options: list[tuple[str, Any]] = [("grpc.max_receive_message_length", -1)]
    if address.startswith(_LOOPBACK):
        options.append(("grpc.enable_http_proxy", 0))
    return options
