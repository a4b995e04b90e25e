"""Owns how gRPC waits for its sockets: settled before gRPC is loaded, for the life of the process."""

from __future__ import annotations

import os
from importlib.metadata import version

__all__ = ["choose_poller", "poller_settings", "settings_for"]

_OLDEST, _NEWEST = (1, 80), (1, 85)
_SETTING = "GRPC_EXPERIMENTS"


def choose_poller() -> None:
    """Has this process' gRPC wait as `poller_settings` says; call it before `grpc` is imported."""
    os.environ.update(poller_settings())


def poller_settings() -> dict[str, str]:
    """What `settings_for` says of the gRPC here; nothing where GRPC_EXPERIMENTS is set already."""
    return {} if _SETTING in os.environ else settings_for(version("grpcio"))


def settings_for(grpc_version: str) -> dict[str, str]:
    """Environment variables with which a message costs a third less processor time.

    From 1.80 on gRPC for Python hands what its sockets bring through a pool of threads, which pays for many
    connections and costs for one. Where a version still can, it is told to poll as it did up to 1.79: the
    thread that waits for messages waits for the socket.
    """
    major, minor = grpc_version.split(".")[:2]
    if not _OLDEST <= (int(major), int(minor)) <= _NEWEST:
        return {}
    return {_SETTING: "-event_engine_client,-event_engine_listener"}
