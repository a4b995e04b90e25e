"""Owns time: the clock that is passed in, the time control of a match, and how both are written."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Protocol, TypeVar

from arena.errors import ArenaError

__all__ = ["Clock", "SystemClock", "TimeControl"]

NS_PER_S = 1_000_000_000
_LONGEST_S = 24 * 3600

T = TypeVar("T")


class Clock(Protocol):
    """What the referee needs of time, so that a test can bring its own."""

    def now_ns(self) -> int:
        """Monotonic nanoseconds since an arbitrary point."""
        ...

    async def within(self, decision: Awaitable[T], allowed_ns: int) -> T:
        """The result of `decision`; raises TimeoutError when it takes longer than `allowed_ns`."""
        ...


class SystemClock:
    """The machine's monotonic clock."""

    def now_ns(self) -> int:
        """Monotonic nanoseconds."""
        return time.monotonic_ns()

    async def within(self, decision: Awaitable[T], allowed_ns: int) -> T:
        """The result of `decision`; raises TimeoutError after `allowed_ns`."""
        return await asyncio.wait_for(decision, allowed_ns / NS_PER_S)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time of a bot: `limit_ns` for each decision, `bank_ns` beyond the limits for a whole match."""

    limit_ns: int
    bank_ns: int

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The time control written as `LIMIT+BANK` in seconds, as in `0.5+10`, or `LIMIT` alone.

        Raises ArenaError when a part is no number, the limit is not above 0, the bank is negative or
        either is above a day.
        """
        limit_text, plus, bank_text = text.partition("+")
        if plus and not bank_text:
            raise _bad_time(text)
        limit_ns, bank_ns = _seconds_ns(limit_text, text), _seconds_ns(bank_text or "0", text)
        if limit_ns <= 0:
            raise _bad_time(text)
        return cls(limit_ns, bank_ns)

    def __str__(self) -> str:
        return f"{_seconds_text(self.limit_ns)}+{_seconds_text(self.bank_ns)}"


def _seconds_ns(text: str, whole: str) -> int:
    try:
        seconds = Decimal(text)
    except InvalidOperation:
        raise _bad_time(whole) from None
    if not seconds.is_finite() or not 0 <= seconds <= _LONGEST_S:
        raise _bad_time(whole)
    return int(seconds * NS_PER_S)


def _seconds_text(ns: int) -> str:
    return f"{(Decimal(ns) / NS_PER_S).normalize():f}"


def _bad_time(text: str) -> ArenaError:
    return ArenaError(
        f"time {text!r} is no time control: expected LIMIT+BANK in seconds, as in 0.5+10, "
        f"with a limit above 0 and both at most {_LONGEST_S}"
    )
