"""Owns the connection to a Ray cluster: an existing one, or one of this machine alone. Imports Ray late.

Ray reads some of its environment once, when it is imported: what it is to find there is set before.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from typing import Any

from arena.errors import ArenaError

__all__ = ["connected", "processors"]

KNOCK_S = 10.0
TOKEN_BYTES = 32
OWN_STORE_BYTES = 128 * 1024 * 1024


@contextlib.contextmanager
def connected(address: str | None, *, own_processors: int) -> Iterator[str]:
    """Connects to a cluster while the context lasts; yields in words which.

    `address` is `ray://HOST:PORT` of a cluster's client server. Without one it is the cluster that
    RAY_ADDRESS names; where that is not set, one of this machine alone is started, with `own_processors`, and
    ended again. Raises ArenaError when Ray is not installed, or nobody answers.
    """
    named = address or os.environ.get("RAY_ADDRESS") or None
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns of graphics cards
    with contextlib.ExitStack() as held:
        if named is None:
            held.enter_context(_surroundings_of_its_own())
        try:
            import ray
        except ImportError:
            raise ArenaError(
                "--executor ray: Ray is not installed; pip install 'callbreak-arena[cluster]'"
            ) from None
        held.callback(ray.shutdown)
        if named is None:
            _start(own_processors)
        else:
            _join(named)
        yield named or "a cluster of this machine alone"


def processors() -> int:
    """The processors of all nodes that are in the cluster now."""
    import ray

    return int(ray.cluster_resources().get("CPU", 0))


@contextlib.contextmanager
def _surroundings_of_its_own() -> Iterator[None]:
    """What a cluster that is started here finds in its environment: a folder that goes with it, and a token.

    Its servers listen to the network: only who has the token may talk to them.
    """
    # Not TMPDIR: the path of a socket has room for about a hundred letters.
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        os.environ.update(
            RAY_TMPDIR=folder, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(TOKEN_BYTES)
        )
        os.environ.setdefault("RAY_worker_niceness", "0")  # bots have clocks
        yield


def _start(own_processors: int) -> None:
    import ray

    ray.init(
        "local",
        num_cpus=own_processors,
        object_store_memory=OWN_STORE_BYTES,
        include_dashboard=False,
        **_quiet(),
    )


def _join(address: str) -> None:
    import ray
    from ray.exceptions import RayError

    try:
        _knock(address)
        ray.init(address, **_quiet())
    except (OSError, RuntimeError, ValueError, RayError) as trouble:
        raise ArenaError(f"no Ray cluster at {address}: {' '.join(str(trouble).split())}") from None


def _knock(address: str) -> None:
    """Raises OSError when nobody is at HOST:PORT, which Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK_S).close()


def _quiet() -> dict[str, Any]:
    """Ray's own notices are not the arena's."""
    return {"log_to_driver": False, "logging_level": "error"}
