"""Answers every message on a gRPC stream with the same bytes: `echo_client.py ADDRESS ANSWER_IN_HEX`.

It keeps its stream as `arena.sdk.stream` does, with the asyncio client, and reads no message.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

import grpc
import grpc.aio

METHOD = "/arena.bench.Echo/Play"


async def answer_all(address: str, answer: bytes) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        stream: grpc.aio.StreamStreamCall[bytes, bytes] = channel.stream_stream(METHOD)()
        await stream.write(b"hello")
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while await stream.read() is not grpc.aio.EOF:
                await stream.write(answer)


if __name__ == "__main__":
    asyncio.run(answer_all(sys.argv[1], bytes.fromhex(sys.argv[2])))
