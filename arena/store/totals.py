"""Owns what is added up of a bot over its matches, decision times included; knows no database."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from arena.store.rows import SeatRow

__all__ = ["BotTotals", "Histogram"]

COUNTS_DTYPE = np.dtype("<i8")


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often a decision took how long, in buckets 4 % wide from a microsecond to over an hour.

    A quantile read from it is within 2 % of the true one.
    """

    counts: NDArray[np.int64]

    BUCKETS_A_FACTOR_E = 25
    BUCKETS = 556

    @classmethod
    def of(cls, times_us: NDArray[np.int64]) -> Self:
        """The histogram of these times, in microseconds."""
        logs = np.log(np.maximum(times_us, 1)) * cls.BUCKETS_A_FACTOR_E
        buckets = np.minimum(logs.astype(np.int64), cls.BUCKETS - 1)
        return cls(np.bincount(buckets, minlength=cls.BUCKETS))

    @classmethod
    def empty(cls) -> Self:
        """Of no time at all."""
        return cls(np.zeros(cls.BUCKETS, dtype=np.int64))

    @classmethod
    def from_bytes(cls, packed: bytes) -> Self:
        """What `to_bytes` made."""
        counts = np.frombuffer(packed, dtype=COUNTS_DTYPE).astype(np.int64)
        return cls(np.pad(counts, (0, cls.BUCKETS - len(counts))))

    def to_bytes(self) -> bytes:
        """Little-endian 64-bit counts, without the empty buckets at the end."""
        return np.trim_zeros(self.counts, "b").astype(COUNTS_DTYPE).tobytes()

    def __add__(self, other: Histogram) -> Histogram:
        return Histogram(self.counts + other.counts)

    def quantile_us(self, share: float) -> float | None:
        """The time that `share` of the decisions did not exceed; None when there is none."""
        total = int(self.counts.sum())
        if not total:
            return None
        bucket = int(np.searchsorted(np.cumsum(self.counts), share * total))
        return float(np.exp((bucket + 0.5) / self.BUCKETS_A_FACTOR_E))


@dataclass(frozen=True, slots=True, eq=False)
class BotTotals:
    """Sums over the matches of one bot. Whole numbers, so that no order of adding changes them."""

    matches: int = 0
    wins_twelfths: int = 0  # a win shared by k bots counts 12 / k
    places_doubled: int = 0  # level seats take the mean of the places they fill: 1, 1, 3 is 1.5, 1.5, 3
    total_tenths: int = 0
    rounds: int = 0
    calls: int = 0
    tricks: int = 0
    calls_made: int = 0
    forfeits: int = 0
    decisions: int = 0
    decision_us: int = 0
    times: Histogram = field(default_factory=Histogram.empty)

    def plus(self, row: SeatRow, *, places: tuple[int, ...]) -> BotTotals:
        """These totals and one more match, its times left out; `places` are those of its four seats."""
        level = places.count(row.place)
        won = row.place == 1 and not row.forfeited
        return replace(
            self,
            matches=self.matches + 1,
            wins_twelfths=self.wins_twelfths + (12 // level if won else 0),
            places_doubled=self.places_doubled + 2 * row.place + level - 1,
            total_tenths=self.total_tenths + row.total_tenths,
            rounds=self.rounds + row.rounds,
            calls=self.calls + row.calls,
            tricks=self.tricks + row.tricks,
            calls_made=self.calls_made + row.calls_made,
            forfeits=self.forfeits + row.forfeited,
            decisions=self.decisions + row.decisions,
            decision_us=self.decision_us + row.decision_us,
        )

    def with_times(self, times: Histogram) -> BotTotals:
        """These totals and the times of more decisions."""
        return replace(self, times=self.times + times)

    def sums(self) -> dict[str, int]:
        """The whole numbers by name, without the histogram."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "times"}
