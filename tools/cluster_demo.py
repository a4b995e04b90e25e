"""Owns `make cluster-demo`: a tournament on a Ray cluster of two nodes, which begins and ends with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.ray_nodes import ray_nodes

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Plays `arena tournament` with the given options on the cluster; its exit status."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    each = max(1, cores // 2)
    with ray_nodes(2, processors=each) as nodes:
        print(f"a Ray cluster of 2 nodes with {each} processor(s) each: {nodes.address}", file=sys.stderr)
        arena = (sys.executable, "-P", "-c", "from arena.cli import main; main()")
        played = subprocess.run(
            [*arena, "tournament", "--executor", "ray", *sys.argv[1:]],
            env={**os.environ, "RAY_ADDRESS": nodes.address, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    return played.returncode


if __name__ == "__main__":
    sys.exit(main())
