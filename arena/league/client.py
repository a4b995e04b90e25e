"""Owns how a program reaches a league: the channel, the token, and errors in one line.

An author needs nothing but the arena itself for this: it must not import what only a server needs.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from arena.errors import ArenaError
from arena.v1 import league_pb2

__all__ = ["CHANNEL_OPTIONS", "Server", "found_token", "mistake_of"]

SERVICE = league_pb2.DESCRIPTOR.services_by_name["LeagueService"]
CALL_S = 15.0
CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 5_000),
)


@dataclass(frozen=True, slots=True)
class Server:
    """Where a league is and how to talk to it. `roots` are the certificates to trust, None the usual ones."""

    address: str
    is_secure: bool
    roots: bytes | None = field(default=None, repr=False)
    token: str = field(default="", repr=False)

    @classmethod
    def of(
        cls, address: str, *, token: str = "", ca: Path | None = None, is_insecure: bool = False
    ) -> Server:
        """The server at `HOST:PORT`, with TLS unless it is on this machine or `is_insecure`.

        `https://HOST:PORT` is TLS in any case, and so is a `ca`. Raises ArenaError for what is no address.
        """
        scheme, _, rest = address.rpartition("://")
        if scheme not in ("", "http", "https", "grpc", "grpcs"):
            raise ArenaError(f"--server {address}: unknown scheme; give HOST:PORT or https://HOST:PORT")
        target = rest.rstrip("/")
        host, colon, port = target.rpartition(":")
        if not colon or not host or not port.isdecimal():
            raise ArenaError(f"--server {address}: give HOST:PORT, such as league.example.org:7878")
        is_secure = ca is not None or scheme in ("https", "grpcs") or not (is_insecure or _is_here(host))
        return cls(target, is_secure, None if ca is None else _read(ca), token)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with each call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    @property
    def credentials(self) -> grpc.ChannelCredentials | None:
        """For a channel with TLS; None for one without."""
        return grpc.ssl_channel_credentials(self.roots) if self.is_secure else None

    def channel(self) -> grpc.Channel:
        """A blocking channel; the caller closes it."""
        if (credentials := self.credentials) is not None:
            return grpc.secure_channel(self.address, credentials, CHANNEL_OPTIONS)
        return grpc.insecure_channel(self.address, CHANNEL_OPTIONS)

    def aio_channel(self) -> grpc.aio.Channel:
        """One for asyncio."""
        if (credentials := self.credentials) is not None:
            return grpc.aio.secure_channel(self.address, credentials, CHANNEL_OPTIONS)
        return grpc.aio.insecure_channel(self.address, CHANNEL_OPTIONS)


def method(channel: Any, name: str) -> Any:
    """A method of LeagueService on a channel of either kind."""
    described = SERVICE.methods_by_name[name]
    kinds = {
        (False, False): "unary_unary",
        (False, True): "unary_stream",
        (True, True): "stream_stream",
    }
    kind = kinds[described.client_streaming, described.server_streaming]
    return getattr(channel, kind)(
        f"/{SERVICE.full_name}/{name}",
        request_serializer=getattr(league_pb2, described.input_type.name).SerializeToString,
        response_deserializer=getattr(league_pb2, described.output_type.name).FromString,
    )


def found_token(text: str | None, file: Path | None) -> str:
    """The token that was given, else that of the file, else ARENA_TOKEN's. ArenaError when there is none."""
    if text is not None and file is not None:
        raise ArenaError("--token and --token-file: give one of them")
    found = text if text is not None else _read(file).decode("utf-8", "replace") if file else ""
    found = (found or os.environ.get("ARENA_TOKEN", "")).strip()
    if not found:
        raise ArenaError("a league wants a token: --token, --token-file, or ARENA_TOKEN in the environment")
    if not found.isascii() or not found.isprintable() or " " in found:
        raise ArenaError("this is no token: one looks like cb_0123abcd.SECRET, in one line")
    return found


def mistake_of(server: Server, error: grpc.RpcError | grpc.aio.AioRpcError) -> ArenaError:
    """What went wrong with a call, in one line for whoever made it."""
    code, words = error.code(), error.details() or "no reason given"
    if code is grpc.StatusCode.UNAVAILABLE and "failed to connect" in words.lower():
        how = "with TLS" if server.is_secure else "without TLS"
        return ArenaError(f"{server.address}: no league can be reached there {how}: {words}")
    return ArenaError(f"{server.address}: {words} ({code.name})")


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ArenaError(f"{file}: cannot be read: {error.strerror}") from error
