"""Owns the limits of the arena's stream: bare gRPC and bare sockets with the bytes of real asks and answers.

A message goes to a client process and one comes back, one at a time, to one client or to four in turn as in a
match. Nobody decides anything.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import grpc

from benchmarks.asking import stream_messages
from benchmarks.children import Meter, programs
from benchmarks.sample import Effort, Sample

__all__ = ["measure_echo", "measure_socket"]

SERVICE = "arena.bench.Echo"
"""What `programs/echo_client.py` calls; its method is Play."""

_OPTIONS = (("grpc.so_reuseport", 0),)
_WARM_UP_SHARE = 0.2


def measure_socket(clients: int, effort: Effort) -> Sample:
    """Over Unix sockets, blocking on both sides."""
    turns, answer = stream_messages()
    with ExitStack() as held:
        path = str(Path(held.enter_context(tempfile.TemporaryDirectory(prefix="arena-bench-"))) / "echo")
        door = held.enter_context(socket.socket(socket.AF_UNIX))
        door.bind(path)
        door.listen()
        running = held.enter_context(programs("socket_client", [[path, answer.hex()]] * clients))
        lines = [held.enter_context(door.accept()[0]) for _ in running]
        _ping(lines, turns, effort.seconds * _WARM_UP_SHARE)
        meter = Meter(running)
        return meter.sample(_ping(lines, turns, effort.seconds))


def _ping(lines: Sequence[socket.socket], turns: Sequence[bytes], seconds: float) -> int:
    asks, done = itertools.cycle(turns), 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for line in lines:
            line.sendall(next(asks))
            line.recv(4096)
        done += len(lines)
    return done


def measure_echo(clients: int, effort: Effort) -> Sample:
    """Over one gRPC stream a client, each with a server of its own as in the arena, asyncio on both sides."""
    return asyncio.run(_echo(clients, effort))


async def _echo(clients: int, effort: Effort) -> Sample:
    turns, answer = stream_messages()
    over = asyncio.Event()
    streams: asyncio.Queue[grpc.aio.ServicerContext[bytes, bytes]] = asyncio.Queue()

    async def play(_requests: object, stream: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await stream.read()  # the client's first word
        streams.put_nowait(stream)
        await over.wait()

    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        addresses = [f"unix://{folder}/{number}" for number in range(clients)]
        servers = [await _serve(address, play) for address in addresses]
        with programs("echo_client", [[address, answer.hex()] for address in addresses]) as running:
            lines = [await streams.get() for _ in running]
            await _exchange(lines, turns, effort.seconds * _WARM_UP_SHARE)
            meter = Meter(running)
            sample = meter.sample(await _exchange(lines, turns, effort.seconds))
            over.set()
            await asyncio.gather(*(server.stop(grace=1) for server in servers))
    return sample


async def _serve(address: str, play: object) -> grpc.aio.Server:
    server = grpc.aio.server(options=_OPTIONS)
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)  # type: ignore[arg-type]
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
    server.add_insecure_port(address)
    await server.start()
    return server


async def _exchange(
    lines: Sequence[grpc.aio.ServicerContext[bytes, bytes]], turns: Sequence[bytes], seconds: float
) -> int:
    asks, done = itertools.cycle(turns), 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for line in lines:
            await line.write(next(asks))
            await line.read()
        done += len(lines)
    return done
