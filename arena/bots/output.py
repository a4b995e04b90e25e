"""Owns what is kept of a bot's standard output and error; must not know why anyone wants to read it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

__all__ = ["HEAD_BYTES", "LOG_BYTES", "TAIL_BYTES", "Excerpt", "Output"]

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 64 * 1024
_READ_BYTES = 64 * 1024
_WINDOW_S = 0.01
_WINDOW_BYTES = 1024 * 1024
LOG_BYTES = 4 * 1024 * 1024
"""Of what one process prints, at most this much is kept in its log."""


class Excerpt:
    """The first and the last of a stream of bytes, of bounded size however long the stream was."""

    __slots__ = ("_beyond_head", "_head", "_head_bytes", "_tail", "_tail_bytes")

    def __init__(self, *, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._beyond_head = 0

    def feed(self, piece: bytes) -> None:
        """Adds what came next."""
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._beyond_head += len(piece)
        self._tail += piece
        if len(self._tail) > 2 * self._tail_bytes:
            del self._tail[: -self._tail_bytes]

    def __bytes__(self) -> bytes:
        """Head, a line that says how much is missing if any is, and tail."""
        tail = bytes(self._tail[-self._tail_bytes :])
        left_out = self._beyond_head - len(tail)
        if not left_out:
            return bytes(self._head) + tail
        return bytes(self._head) + f"\n... {left_out} bytes left out ...\n".encode() + tail


class Output:
    """Drains a bot's output pipe on the event loop, always, and keeps head and tail of each section.

    A bot that writes faster than 100 MB/s waits on its own pipe, so that a flood cannot slow the arena down.
    A `listener` is handed every piece as it comes. With a `log` path every section that is not empty is
    appended to it as it is cut, up to 4 MiB in all; `log_failure` tells in words why the file could not be
    written (a full disk does not end a match).
    """

    def __init__(self, pipe_r: int, *, log: Path | None = None) -> None:
        os.set_blocking(pipe_r, False)
        self.log = log
        self.log_failure: str | None = None
        self.total_bytes = 0
        self.listener: Callable[[bytes], None] | None = None
        self._logged = 0
        self._pipe_r = pipe_r
        self._loop = asyncio.get_running_loop()
        self._section = Excerpt()
        self._window_bytes = 0
        self._window_start_s = 0.0
        self._resume: asyncio.TimerHandle | None = None
        self._is_open = True
        self._loop.add_reader(pipe_r, self._read_ready)

    def cut(self, label: str) -> bytes:
        """What came since the last cut (head and tail of it); `label` names the section in the log."""
        self._read_what_is_there()
        section = bytes(self._section)
        self._section = Excerpt()
        if section:
            self._write_log(label, section)
        return section

    def peek(self) -> bytes:
        """What came since the last cut, without cutting."""
        self._read_what_is_there()
        return bytes(self._section)

    def close(self) -> None:
        """Takes what is left in the pipe and lets go of it."""
        self._read_what_is_there()
        self._stop()

    def _read_ready(self) -> None:
        if not self._read_once() or not self._is_open:
            return
        now_s = self._loop.time()
        if now_s - self._window_start_s > _WINDOW_S:
            self._window_start_s, self._window_bytes = now_s, 0
        if self._window_bytes > _WINDOW_BYTES:
            self._loop.remove_reader(self._pipe_r)
            self._resume = self._loop.call_later(_WINDOW_S, self._resume_reading)

    def _resume_reading(self) -> None:
        self._window_bytes = 0
        self._loop.add_reader(self._pipe_r, self._read_ready)

    def _read_what_is_there(self) -> None:
        for _ in range(_WINDOW_BYTES // _READ_BYTES):
            if not self._is_open or not self._read_once():
                return

    def _read_once(self) -> bool:
        try:
            piece = os.read(self._pipe_r, _READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return False
        if not piece:
            self._stop()
            return False
        self.total_bytes += len(piece)
        self._window_bytes += len(piece)
        self._section.feed(piece)
        if self.listener is not None:
            self.listener(piece)
        return True

    def _stop(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        if self._resume:
            self._resume.cancel()
        self._loop.remove_reader(self._pipe_r)
        os.close(self._pipe_r)

    def _write_log(self, label: str, section: bytes) -> None:
        room = LOG_BYTES - self._logged
        if self.log is None or room <= 0:
            return
        entry = (f"==== {label}\n".encode() + section.rstrip(b"\n") + b"\n")[:room]
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("ab") as file:
                file.write(entry)
            self._logged += len(entry)
        except OSError as error:
            self.log_failure = f"{self.log}: {error.strerror}"
