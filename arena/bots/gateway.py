"""Owns the door: a gRPC server of its own for each bot, on a socket that only that bot is given.

The socket is the identity: whoever speaks on it is that bot, whatever it says. Where Unix sockets are
missing, a loopback port and a secret take their place.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH_SERVICE  # type: ignore[import-not-found,unused-ignore]
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection  # type: ignore[attr-defined,unused-ignore]

from arena.v1 import play_pb2

__all__ = ["HAS_UNIX_SOCKETS", "Door", "Doorway", "open_door"]

HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")

SERVICE = play_pb2.DESCRIPTOR.services_by_name["ArenaService"].full_name

_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    ("grpc.max_concurrent_streams", 8),
)


class Doorway(Protocol):
    """Who stands behind a door: a `Line`, or whoever else serves a bot's stream of bytes."""

    token: str

    async def serve(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """The gRPC handler of `ArenaService.Play`: lives as long as the stream."""
        ...


@dataclass(frozen=True, slots=True)
class Door:
    """Where a bot dials in: its address as ARENA_ADDRESS has it, its socket's path, its secret if it needs
    one.
    """

    address: str
    socket_path: Path | None
    token: str

    def shut(self) -> None:
        """Lets nobody else in; the stream that stands goes on."""
        if self.socket_path is not None:
            self.socket_path.chmod(0)


@contextlib.asynccontextmanager
async def open_door(line: Doorway, *, folder: Path | None, port: int = 0) -> AsyncIterator[Door]:
    """Serves `line` on a socket in `folder`; if None, on a loopback port, for whoever has the line's token.

    `port` 0 is any that is free.

    gRPC's standard health and reflection services stand beside it, so that any gRPC tool can look in.
    """
    server = grpc.aio.server(options=_OPTIONS)
    play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(line.serve)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": play}),))
    status = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    reflection.enable_server_reflection((SERVICE, HEALTH_SERVICE, reflection.SERVICE_NAME), server)
    door = _bind(server, folder, port, line.token)
    await server.start()
    for name in ("", SERVICE):
        await status.set(name, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield door
    finally:
        await server.stop(grace=0)
        if door.socket_path is not None:
            door.socket_path.unlink(missing_ok=True)


def _bind(server: grpc.aio.Server, folder: Path | None, port: int, token: str) -> Door:
    if folder is not None:
        path = folder / f"{secrets.token_hex(4)}.sock"
        server.add_insecure_port(f"unix://{path}")
        return Door(f"unix://{path}", path, token)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    return Door(f"127.0.0.1:{bound}", None, token)
