"""Owns a line that somebody listens in on: what the bot is told, answers and prints, as it happens.

Listening changes nothing for the bot: what it is told is shown before its clock starts, and what it answers
after its clock has stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from arena.bots.line import Line, LineListener
from arena.v1 import play_pb2

__all__ = ["LineWatcher", "WatchedLine"]


class LineWatcher(Protocol):
    """Who listens in."""

    def told(self, turn: play_pb2.Turn) -> None:
        """This is sent to the bot now."""
        ...

    def answered(self, request: play_pb2.PlayRequest, took_ns: int) -> None:
        """This came from the bot, so long after it was sent the last Turn."""
        ...

    def garbled(self, trouble: str) -> None:
        """Something came that is no message."""
        ...

    def printed(self, piece: bytes) -> None:
        """The bot wrote this to its standard output or error."""
        ...

    def lost(self) -> None:
        """The bot's stream ended."""
        ...


class WatchedLine(Line):
    """A line that tells `watcher` what goes over it.

    `drain` takes in what the bot has printed, so that it is told before the answer that it came before.
    """

    def __init__(self, watcher: LineWatcher, **conditions: Any) -> None:
        self._watcher = watcher
        self._relay: _Relay | None = None
        self.drain: Callable[[], object] = lambda: None
        super().__init__(**conditions)

    @property
    def listener(self) -> LineListener | None:
        """Who handles what the bot says, behind one who tells the watcher first."""
        return self._relay

    @listener.setter
    def listener(self, listener: LineListener | None) -> None:
        self._relay = None if listener is None else _Relay(listener, self._watcher, self)

    def say_goodbye(self, reason: str) -> None:
        """Sends what is left to tell and Goodbye."""
        self._watcher.told(play_pb2.Turn.FromString(self.notices()))
        super().say_goodbye(reason)


class _Relay:
    """A listener that tells a watcher first and then the listener proper."""

    def __init__(self, listener: LineListener, watcher: LineWatcher, line: WatchedLine) -> None:
        self._listener = listener
        self._watcher = watcher
        self._line = line

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        self._line.drain()
        self._watcher.answered(request, now_ns - line.sent_ns)
        self._listener.heard(line, request, now_ns)

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        self._line.drain()
        self._watcher.garbled(trouble)
        self._listener.garbled(line, trouble, now_ns)

    def due(self, line: Line) -> bytes | None:
        payload = self._listener.due(line)
        if payload is not None:
            self._watcher.told(play_pb2.PlayResponse.FromString(payload).turn)
        return payload

    def lost(self, line: Line) -> None:
        self._line.drain()
        self._watcher.lost()
        self._listener.lost(line)
