"""Owns the measure of the arena's own lateness: nobody is charged for time in which the arena itself stood
still.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType

__all__ = ["Heartbeat"]

BEAT_NS = 10_000_000
"""Nanoseconds between two beats: how late a timeout can be noticed, not how exactly it is charged."""

TOLERANCE_NS = 15_000_000
"""Lateness of a beat that is ordinary scheduling and no stall."""

_REMEMBERED = 4096


class Heartbeat:
    """Beats on the event loop; where a beat comes late, the loop was stalled from when it was due.

    `on_beat` is called at each beat with the time: the place to look for decisions that are overdue.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._stalls: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED)
        self._due_ns = 0
        self._handle: asyncio.TimerHandle | None = None
        self._on_beat: list[Callable[[int], None]] = []

    async def __aenter__(self) -> Heartbeat:
        self._due_ns = self._now_ns() + BEAT_NS
        self._handle = asyncio.get_running_loop().call_later(BEAT_NS / 1e9, self._beat)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            self._handle.cancel()

    def watch(self, on_beat: Callable[[int], None]) -> None:
        """Calls `on_beat(now_ns)` at every beat from now on."""
        self._on_beat.append(on_beat)

    def unwatch(self, on_beat: Callable[[int], None]) -> None:
        """Ends what `watch` began."""
        self._on_beat.remove(on_beat)

    def stalled_ns(self, since_ns: int, until_ns: int) -> int:
        """Nanoseconds between `since_ns` and `until_ns` in which the arena was stalled, one going on now
        included.
        """
        lost = 0
        if until_ns > self._due_ns + TOLERANCE_NS:
            lost = until_ns - max(self._due_ns, since_ns)
        for began_ns, ended_ns in reversed(self._stalls):
            if ended_ns <= since_ns:
                break
            lost += max(0, min(ended_ns, until_ns) - max(began_ns, since_ns))
        return lost

    def stalls_between(self, since_ns: int, until_ns: int) -> list[tuple[int, int]]:
        """(began_ns, ended_ns) of the stalls that touch the interval, oldest first."""
        return [stall for stall in self._stalls if stall[1] > since_ns and stall[0] < until_ns]

    def _beat(self) -> None:
        now_ns = self._now_ns()
        if now_ns > self._due_ns + TOLERANCE_NS:
            self._stalls.append((self._due_ns, now_ns))
        self._due_ns = now_ns + BEAT_NS
        self._handle = asyncio.get_running_loop().call_later(BEAT_NS / 1e9, self._beat)
        for on_beat in tuple(self._on_beat):
            on_beat(now_ns)
