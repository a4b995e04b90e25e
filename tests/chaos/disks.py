"""Owns disks of the tests' own, which can be full or read-only: mounts that only one process tree sees.

They take user and mount namespaces, which most Linux machines give to everybody; where one does not, there
are no such disks.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.commands import TALKATIVE, Said

__all__ = ["Disk", "NoDisk", "disk_at"]

ROOT = Path(__file__).parents[2]


class NoDisk(Exception):
    """This machine gives us none: why."""


class Disk:
    """A small disk at `place`, seen by what `run` and `arena` start and by nobody else."""

    def __init__(self, holder: int, place: Path) -> None:
        self._enter = ["nsenter", "--target", str(holder), "--user", "--mount", "--preserve-credentials"]
        self.place = place

    def arena(self, *arguments: object) -> Said:
        """Runs a command of the arena, to its end."""
        with self.start(*arguments) as playing:
            out, err = playing.communicate()
        return Said(playing.returncode, out, err)

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Starts a command of the arena that tells every batch of results; it is the process returned."""
        return subprocess.Popen(
            [*self._enter, sys.executable, "-c", TALKATIVE, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def change(self, options: str) -> None:
        """Mounts it again with these options: `ro`, `size=20m`."""
        done = self.run("mount", "-o", f"remount,{options}", str(self.place))
        assert done.returncode == 0, done.stderr

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs any command where the disk is seen."""
        return subprocess.run([*self._enter, *command], capture_output=True, text=True, check=False)


@contextmanager
def disk_at(place: Path, *, size: str) -> Iterator[Disk]:
    """An empty disk of that size, gone with the context. Raises NoDisk."""
    mounted = f'mount -t tmpfs -o size={size} tmpfs "$0" && echo mounted && exec cat'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted, str(place)]
    try:
        holder = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise NoDisk(f"no disk of our own: {error}") from None
    with holder:
        assert holder.stdout is not None
        assert holder.stderr is not None
        if holder.stdout.readline() != "mounted\n":
            raise NoDisk(f"no disk of our own: {holder.stderr.read().strip()}")
        yield Disk(holder.pid, place)
