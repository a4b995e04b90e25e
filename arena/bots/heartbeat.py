"""Owns the measure of the arena's own lateness: nobody is charged for time in which the arena stood still."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType

__all__ = ["BEAT_NS", "TOLERANCE_NS", "Heartbeat", "Stalls"]

BEAT_NS = 10_000_000
"""Nanoseconds between two beats: how late a timeout can be noticed, not how exactly it is charged."""

TOLERANCE_NS = 15_000_000
"""Lateness of a beat that is ordinary scheduling and no stall."""

_REMEMBERED = 4096


class Stalls:
    """When the arena stood still, told by beats that came late: from when a beat was due until it came."""

    def __init__(self, now_ns: int) -> None:
        self._due_ns = now_ns + BEAT_NS
        self._stalls: deque[tuple[int, int]] = deque(maxlen=_REMEMBERED)

    def beat(self, now_ns: int) -> None:
        """A beat came; the next is due one beat later."""
        if now_ns > self._due_ns + TOLERANCE_NS:
            self._stalls.append((self._due_ns, now_ns))
        self._due_ns = now_ns + BEAT_NS

    def stalled_ns(self, since_ns: int, until_ns: int) -> int:
        """Nanoseconds of the interval in which the arena stood still, a stall that goes on now included."""
        lost = 0
        if until_ns > self._due_ns + TOLERANCE_NS:
            lost = until_ns - max(self._due_ns, since_ns)
        for began_ns, ended_ns in reversed(self._stalls):
            if ended_ns <= since_ns:
                break
            lost += max(0, min(ended_ns, until_ns) - max(began_ns, since_ns))
        return lost

    def between(self, since_ns: int, until_ns: int) -> list[tuple[int, int]]:
        """(began_ns, ended_ns) of the stalls that touch the interval, oldest first."""
        return [stall for stall in self._stalls if stall[1] > since_ns and stall[0] < until_ns]


class Heartbeat:
    """Beats on the event loop while its context lasts, and tells `on_beat` callbacks the time of each beat.

    They are the place to look for decisions that are overdue.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._handle: asyncio.TimerHandle | None = None
        self._on_beat: list[Callable[[int], None]] = []
        self.stalls = Stalls(now_ns())

    async def __aenter__(self) -> Heartbeat:
        self.stalls = Stalls(self._now_ns())
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

    async def sleep(self, duration_ns: int) -> None:
        """Returns after so many nanoseconds in which the arena did not stand still."""
        began_ns = self._now_ns()
        is_over = asyncio.get_running_loop().create_future()

        def look(now_ns: int) -> None:
            passed_ns = now_ns - began_ns - self.stalls.stalled_ns(began_ns, now_ns)
            if passed_ns > duration_ns and not is_over.done():
                is_over.set_result(None)

        self.watch(look)
        try:
            await is_over
        finally:
            self.unwatch(look)

    def _beat(self) -> None:
        now_ns = self._now_ns()
        self.stalls.beat(now_ns)
        self._handle = asyncio.get_running_loop().call_later(BEAT_NS / 1e9, self._beat)
        for on_beat in tuple(self._on_beat):
            on_beat(now_ns)
