"""Owns the ways in which others ask their bots, with the arena's referee: HTTP, and lines of JSON over pipes.

HTTP is how Call Break and Battlesnake bots are asked, lines over pipes how chess programs are.
"""

from __future__ import annotations

import http.client
import importlib.util
import itertools
import json
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence

from benchmarks.asking import JsonMatch
from benchmarks.children import Meter, first_line, programs
from benchmarks.sample import Effort, Sample, Unavailable

__all__ = ["measure_http", "measure_lines"]

_WARM_UP_SHARE = 0.2
_JSON = {"Content-Type": "application/json"}
_PIPE_BYTES = 1 << 16


def measure_http(
    program: str, arguments: Sequence[str], *, needs: str, in_flight: int, effort: Effort
) -> Sample:
    """Four bots behind HTTP, each match in a thread with kept-alive connections of its own."""
    if importlib.util.find_spec(needs) is None:
        raise Unavailable(f"{needs} is not installed: pip install {needs}")
    with programs(program, [arguments] * 4) as running:
        ports = [int(first_line(one)) for one in running]
        numbers = itertools.count()
        _post_all(ports, numbers, in_flight, effort.seconds * _WARM_UP_SHARE)
        meter = Meter(running)
        return meter.sample(_post_all(ports, numbers, in_flight, effort.seconds))


def _post_all(ports: Sequence[int], numbers: Iterator[int], in_flight: int, seconds: float) -> int:
    done: list[int] = []
    until = time.perf_counter() + seconds
    threads = [
        threading.Thread(target=lambda: done.append(_post(ports, numbers, until))) for _ in range(in_flight)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(done) != in_flight:
        raise RuntimeError("a match over HTTP broke off: see above")
    return sum(done)


def _post(ports: Sequence[int], numbers: Iterator[int], until: float) -> int:
    """Plays match after match; the decisions made."""
    bots = [http.client.HTTPConnection("127.0.0.1", port) for port in ports]
    done = 0
    while time.perf_counter() < until:
        match = JsonMatch(next(numbers))
        while not match.is_over and time.perf_counter() < until:
            bot, asked_ns = bots[match.seat], time.monotonic_ns()
            bot.request("POST", "/decide", match.question(), _JSON)
            said = json.loads(bot.getresponse().read())
            match.answer(said, took_ns=time.monotonic_ns() - asked_ns)
            done += 1
    for bot in bots:
        bot.close()
    return done


def measure_lines(decider: str, *, in_flight: int, effort: Effort) -> Sample:
    """Four bots on pipes; whatever is due for one is written at once."""
    with programs("lines_bot", [[decider]] * 4) as running:
        for one in running:
            first_line(one)
        table = _PipeTable(running, in_flight)
        table.play(effort.seconds * _WARM_UP_SHARE)
        meter = Meter(running)
        return meter.sample(table.play(effort.seconds))


class _PipeTable:
    """So many matches at once between four bots on pipes."""

    def __init__(self, bots: Sequence[subprocess.Popen[bytes]], in_flight: int) -> None:
        self._numbers = itertools.count()
        self._matches = {number: JsonMatch(number) for number in itertools.islice(self._numbers, in_flight)}
        self._pipes = [(bot.stdin, bot.stdout) for bot in bots]
        self._due = [b""] * 4
        self._heard = [b""] * 4
        self._asked_ns = [0] * 4
        self._selector = selectors.DefaultSelector()
        for seat, (_, said) in enumerate(self._pipes):
            assert said is not None
            self._selector.register(said, selectors.EVENT_READ, seat)
        for match in self._matches.values():
            self._due[match.seat] += match.question() + b"\n"

    def play(self, seconds: float) -> int:
        """Plays on for so long; the decisions made."""
        until = time.perf_counter() + seconds
        done = 0
        while time.perf_counter() < until:
            self._ask()
            for key, _ in self._selector.select():
                done += self._hear(key.data, os.read(key.fd, _PIPE_BYTES))
        return done

    def _ask(self) -> None:
        for seat, due in enumerate(self._due):
            if due:
                to_bot = self._pipes[seat][0]
                assert to_bot is not None
                self._asked_ns[seat] = time.monotonic_ns()
                to_bot.write(due)
                self._due[seat] = b""

    def _hear(self, seat: int, data: bytes) -> int:
        if not data:
            raise RuntimeError("a bot on a pipe ended")
        now_ns = time.monotonic_ns()
        *lines, self._heard[seat] = (self._heard[seat] + data).split(b"\n")
        for line in lines:
            self._go_on(json.loads(line), now_ns - self._asked_ns[seat])
        return len(lines)

    def _go_on(self, said: dict[str, int], took_ns: int) -> None:
        match = self._matches[said["match"]]
        match.answer(said, took_ns=took_ns)
        if match.is_over:
            del self._matches[match.number]
            match = JsonMatch(next(self._numbers))
            self._matches[match.number] = match
        self._due[match.seat] += match.question() + b"\n"
