"""Owns the child processes of a measurement: none outlives it, and their processor time can be read."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.tournament.throughput import cpu_ns
from benchmarks.sample import Sample

__all__ = ["Meter", "first_line", "programs"]

FOLDER = Path(__file__).parent / "programs"
_END_S = 5.0


@contextlib.contextmanager
def programs(name: str, arguments: Sequence[Sequence[str]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Runs `programs/<name>.py` once for each list of arguments, until the context is left.

    A program ends when its standard input does, so that none is left when this process is killed.
    """
    root = FOLDER.parent.parent
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with contextlib.ExitStack() as held:
        yield [
            held.enter_context(_running([sys.executable, str(FOLDER / f"{name}.py"), *given], environment))
            for given in arguments
        ]


def first_line(program: subprocess.Popen[bytes]) -> str:
    """What a program says first; it says it once it is ready."""
    assert program.stdout is not None
    line = program.stdout.readline().decode().strip()
    if not line:
        raise RuntimeError(f"{program.args!r} ended before it was ready")
    return line


@contextlib.contextmanager
def _running(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    program = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
    )
    try:
        yield program
    finally:
        _end(program)


def _end(program: subprocess.Popen[bytes]) -> None:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.close()
    try:
        program.wait(_END_S)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    program.stdout.close()


class Meter:
    """Time and processor time from its making on, of this process and of `children`."""

    def __init__(self, children: Sequence[subprocess.Popen[bytes]] = ()) -> None:
        self._pids = [child.pid for child in children]
        self._bots_ns = self._bots_now_ns()
        self._arena_ns = time.process_time_ns()
        self._began_ns = time.perf_counter_ns()

    def sample(self, decisions: int) -> Sample:
        """What was measured, if so many decisions were made since."""
        seconds = (time.perf_counter_ns() - self._began_ns) / 1e9
        arena_ns = time.process_time_ns() - self._arena_ns
        bots_ns = self._bots_now_ns() - self._bots_ns
        return Sample(decisions, seconds, arena_ns / 1e9, bots_ns / 1e9)

    def _bots_now_ns(self) -> int:
        return sum(cpu_ns(pid) for pid in self._pids)
