"""How tests run a league: `arena serve` in a process of its own, that is asked over gRPC and killed."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import grpc

from arena.league.client import Server, method
from arena.league.store import LeagueStore
from arena.v1 import league_pb2

T = TypeVar("T")

MAIN = "from arena.cli import main; main()"
PATIENCE_S = 120.0
"""How long a test waits for what must come; it takes as long as it takes."""


def command(*arguments: object) -> list[str]:
    """An arena command as a process."""
    return [sys.executable, "-c", MAIN, *(str(argument) for argument in arguments)]


def environment(**more: str) -> dict[str, str]:
    """What such a process needs."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **more}


def run(*arguments: object, token: str = "") -> subprocess.CompletedProcess[str]:
    """Runs an arena command to its end."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env=environment(ARENA_TOKEN=token),
    )


def until(found: Callable[[], T | None], what: str) -> T:
    """What `found` finds at last; AssertionError when it does not."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        if (one := found()) is not None:
            return one
        time.sleep(0.1)
    raise AssertionError(f"never: {what}")


class Process:
    """A command that runs, and the lines that it has said so far."""

    def __init__(self, arguments: Sequence[str], *, token: str = "") -> None:
        self.process = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(ARENA_TOKEN=token),
        )
        self.out: list[str] = []
        self.err: list[str] = []
        self._news: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.out)),
            threading.Thread(target=self._read, args=(self.process.stderr, self.err)),
        ]
        for reader in self._readers:
            reader.start()

    def line(self, words: str) -> str:
        """The first line with these words, on either stream; waits for it."""
        return until(
            lambda: next((line for line in (*self.out, *self.err) if words in line), None),
            f"{words!r} in {self.out + self.err}",
        )

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal and waits for the end; the exit status."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        status = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGKILL)

    def _read(self, stream: Any, lines: list[str]) -> None:
        lines.extend(iter(stream.readline, ""))


class League:
    """A league in a folder. `process` serves it, from one start to the next."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.folder = folder
        self.options = options
        self.process: Process | None = None
        self.address = ""
        self.http = ""

    def start(self, *, port: int = 0) -> dict[str, Any]:
        """Serves; what it says of its start."""
        self.process = Process(
            command(
                *("serve", "--data", self.folder, "--grpc", f"127.0.0.1:{port}", "--http", "127.0.0.1:0"),
                *("--log", "json", "--jobs", "1", *self.options),
            )
        )
        started = dict(json.loads(self.process.line('"event": "start"')))
        self.address, self.http = started["grpc"], started["http"]
        return started

    @property
    def port(self) -> int:
        """Where it listens for gRPC."""
        return int(self.address.rpartition(":")[2])

    def kill(self) -> None:
        """SIGKILL."""
        assert self.process is not None
        assert self.process.end(signal.SIGKILL) == -signal.SIGKILL
        self.process = None

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        assert self.process is not None
        process, self.process = self.process, None
        return process.end()

    def events(self, what: str) -> list[dict[str, Any]]:
        """What was logged of a kind."""
        assert self.process is not None
        found = [json.loads(line) for line in self.process.err if line.startswith("{")]
        return [one for one in found if one["event"] == what]

    def token(self, author: str = "ann", *options: object) -> str:
        """A new token."""
        issued = run("token", "issue", author, "--data", self.folder, *options)
        assert issued.returncode == 0, issued.stderr
        return issued.stdout.strip()

    def store(self) -> LeagueStore:
        """Its database, which the caller closes."""
        return LeagueStore.open(f"sqlite:///{self.folder / 'league.sqlite3'}")

    def ask(self, name: str, /, *, token: str = "", ca: Path | None = None, **request: Any) -> Any:
        """The answer to a call."""
        server = Server.of(self.address, token=token, ca=ca)
        with server.channel() as channel:
            request_class = getattr(league_pb2, f"{name}Request")
            return method(channel, name)(
                request_class(**request), metadata=server.metadata, timeout=PATIENCE_S
            )

    def code(self, name: str, /, *, token: str = "", **request: Any) -> grpc.StatusCode:
        """How a call is refused."""
        try:
            answer = self.ask(name, token=token, **request)
        except grpc.RpcError as error:
            return error.code()
        raise AssertionError(f"{name} was answered: {answer}")


@contextlib.contextmanager
def league(folder: Path, *options: object, starts: bool = True) -> Iterator[League]:
    """A league that is served while the context lasts, and leaves no process."""
    served = League(folder, *options)
    try:
        if starts:
            served.start()
        yield served
    finally:
        if served.process is not None:
            served.process.end(signal.SIGKILL)
