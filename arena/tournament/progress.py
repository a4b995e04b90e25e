"""Owns what is told on standard error while a run goes on: how far it is and who leads so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from arena.v1 import record_pb2

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["LiveProgress", "PlainProgress", "Tally", "duration_text"]

LINE_EVERY_S = 5.0
LEADERS = 3


class Tally:
    """Counts of a run, and the figures that follow; `before` are (matches, tenths) by bot from earlier."""

    def __init__(
        self,
        planned: int,
        *,
        stored: int = 0,
        before: Mapping[str, tuple[int, int]] | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.planned = planned
        self.stored = stored
        self.played = 0
        self.faults = 0
        self.lost_workers = 0
        self._now_s = now_s
        self._began_s = now_s()
        self._sums = dict(before or {})

    def add(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        """Counts matches that were stored."""
        self.stored += len(records)
        self.played += len(records)
        for record in records:
            self.faults += len(record.faults)
            for seat, tenths in zip(record.seats, record.total_tenths, strict=True):
                matches, total = self._sums.get(seat.bot, (0, 0))
                self._sums[seat.bot] = (matches + 1, total + tenths)

    def rate(self) -> float:
        """Matches a second, since this run began."""
        return self.played / max(self._now_s() - self._began_s, 1e-9)

    def left_s(self) -> float | None:
        """Seconds to go at that rate; None before the first match."""
        return (self.planned - self.stored) / self.rate() if self.played else None

    def leaders(self) -> list[tuple[str, float]]:
        """The best so far by points a match, best first."""
        means = [(bot, total / matches / 10) for bot, (matches, total) in self._sums.items()]
        return sorted(means, key=lambda one: (-one[1], one[0]))[:LEADERS]

    def line(self) -> str:
        """Everything in one line."""
        parts = [f"{self.stored}/{self.planned} matches", f"{self.rate():.1f} matches/s"]
        left_s = self.left_s()
        if left_s is not None and self.stored < self.planned:
            parts.append(f"{duration_text(left_s)} left")
        parts.append("no faults" if not self.faults else f"{self.faults} fault{'s'[: self.faults > 1]}")
        if self.lost_workers:
            parts.append(f"{self.lost_workers} lost worker{'s'[: self.lost_workers > 1]}")
        return ", ".join(parts)

    def leaders_line(self) -> str:
        """Who leads; empty before the first match."""
        leaders = ", ".join(f"{bot} {_points(mean)}" for bot, mean in self.leaders())
        return f"leading so far, points a match: {leaders}" if leaders else ""


class PlainProgress:
    """A line every few seconds, where standard error is no terminal."""

    def __init__(self, tally: Tally, say: Callable[[str], None]) -> None:
        self._tally = tally
        self._say = say
        self._said_s = time.monotonic()

    def stored(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        """See runner.Watcher."""
        self._tally.add(records)
        if time.monotonic() - self._said_s >= LINE_EVERY_S:
            self._said_s = time.monotonic()
            self._say(f"{self._tally.line()}; {self._tally.leaders_line()}")

    def lost(self, job_id: str, *, exit_status: int, log: str) -> None:
        """See runner.Watcher."""
        self._tally.lost_workers += 1
        self._say(f"a worker was lost (exit status {exit_status}) during job {job_id}, which goes on: {log}")

    def stopping(self) -> None:
        """See runner.Watcher."""
        self._say("stopping; what is stored is kept (once more to stop at once)")

    def close(self) -> None:
        """See runner.Watcher."""


class LiveProgress:
    """A bar and the leaders, redrawn in place on a terminal, gone when the run is over."""

    def __init__(self, tally: Tally, console: Console) -> None:
        from rich.live import Live

        self._tally = tally
        self._is_stopping = False
        self._live = Live(get_renderable=self._picture, console=console, transient=True)
        self._live.start()

    def stored(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        """See runner.Watcher."""
        self._tally.add(records)

    def lost(self, job_id: str, *, exit_status: int, log: str) -> None:
        """See runner.Watcher."""
        self._tally.lost_workers += 1

    def stopping(self) -> None:
        """See runner.Watcher."""
        self._is_stopping = True

    def close(self) -> None:
        """See runner.Watcher."""
        self._live.stop()

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        tally = self._tally
        told = "stopping; what is stored is kept" if self._is_stopping else tally.leaders_line()
        first = Table.grid(padding=(0, 1, 0, 0))
        first.add_row(
            ProgressBar(total=tally.planned, completed=tally.stored, width=20),
            Text(tally.line(), no_wrap=True, overflow="ellipsis"),
        )
        return Group(first, Text(told, style="dim", no_wrap=True, overflow="ellipsis"))


def _points(mean: float) -> str:
    return f"{mean:.1f}".replace("-", "−")


def duration_text(seconds: float) -> str:
    """A length of time as people read it: `0.42 s`, `4.2 s`, `42 s`, `3 min 05 s`, `2 h 10 min`."""
    if seconds < 9.95:
        return f"{seconds:.{1 if seconds >= 1 else 2}f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
