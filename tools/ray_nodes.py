"""Owns a Ray cluster of several nodes on this machine: small, on the loopback address, gone without a trace.

Each node has a cache folder of its own, as it would on its own machine. `python -m tools.ray_nodes` is the
cluster as a process, for tests: it prints a line of JSON for the cluster and one for each node that it is
told to add or to kill, and ends the cluster when its input ends.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["ADD", "KILL", "Node", "Nodes", "ray_nodes"]

LOOPBACK = "127.0.0.1"
LOCALHOST = (
    "LOCALHOST"  # in capitals Ray leaves it alone; else it takes an address where these nodes do not listen
)
STORE_BYTES = 80 * 1024 * 1024
ADD = "add"
KILL = "kill"  # the node that was last to join

# Nothing is reported to anybody, workers are as important as what else runs here, and Ray kills none of them
# for the memory that other programs use.
SURROUNDINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    "RAY_memory_monitor_refresh_ms": "0",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the cluster: the process that everything on it dies with, and where its bots are kept."""

    raylet_pid: int
    cache: str


class Nodes:
    """A running cluster. `address` is for who is on this machine, `client_address` for who need not be."""

    def __init__(self, folder: Path, *, processors: int) -> None:
        from ray.cluster_utils import Cluster

        self._folder = folder
        self._processors = processors
        self._added = 0
        self._started: list[Any] = []
        self._cluster: Any = Cluster()
        self.nodes = [self._add()]
        self.address: str = self._cluster.address.replace(LOOPBACK, LOCALHOST)
        port = free_port()
        self.client_address = f"ray://{LOOPBACK}:{port}"
        server = (*(sys.executable, "-m", "ray.util.client.server", "--mode", "legacy"), "--host", LOOPBACK)
        self._client_server = subprocess.Popen(
            [*server, "--port", str(port), "--address", self.address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def add(self) -> Node:
        """Has one more node join."""
        node = self._add()
        self.nodes.append(node)
        return node

    def kill(self) -> Node:
        """Ends the node that was last to join as when its power goes: it says nothing to anybody."""
        self._cluster.remove_node(self._started.pop(), allow_graceful=False)
        return self.nodes.pop()

    def shut_down(self) -> None:
        """Ends all nodes."""
        self._client_server.kill()
        self._client_server.wait()
        self._cluster.shutdown()

    def _add(self) -> Node:
        self._added += 1
        cache = self._folder / f"cache-{self._added}"
        started = self._cluster.add_node(
            num_cpus=self._processors,
            object_store_memory=STORE_BYTES,
            include_dashboard=False,
            node_ip_address=LOOPBACK,
            env_vars={"XDG_CACHE_HOME": str(cache)},
        )
        self._started.append(started)
        [raylet] = started.all_processes["raylet"]
        return Node(raylet.process.pid, str(cache))


@contextmanager
def ray_nodes(count: int, *, processors: int) -> Iterator[Nodes]:
    """A cluster of `count` nodes, each with so many processors, while the context lasts."""
    # Short: a path to a socket has room for about a hundred letters. For the same reason not TMPDIR.
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    os.environ.update(SURROUNDINGS, RAY_TMPDIR=str(folder))
    try:
        nodes = Nodes(folder, processors=processors)
        try:
            for _ in range(count - 1):
                nodes.add()
            yield nodes
        finally:
            nodes.shut_down()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """A port of the loopback address on which nobody listens."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        return port


def main() -> None:
    """Serves until the input ends."""
    with ray_nodes(2, processors=1) as nodes:
        _tell(
            {
                "address": nodes.address,
                "client_address": nodes.client_address,
                "nodes": [asdict(node) for node in nodes.nodes],
            }
        )
        for line in sys.stdin:
            if line.strip() == ADD:
                _tell(asdict(nodes.add()))
            elif line.strip() == KILL:
                _tell(asdict(nodes.kill()))


def _tell(document: Any) -> None:
    print(json.dumps(document), flush=True)


if __name__ == "__main__":
    main()
