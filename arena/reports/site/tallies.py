"""Owns what the pages need of every match and the database does not add up: one pass over the records.

It must not know how a page looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena.referee.faults import FaultKind
from arena.v1 import record_pb2

__all__ = ["FAULTS_SHOWN", "BotFault", "Tallies"]

Ints = NDArray[np.int64]

SEATS = 4
MOST = 14
"""Calls and tricks are below this."""
FAULTS_SHOWN = 25
"""Faults of one bot and kind that are kept."""


@dataclass(frozen=True, slots=True)
class BotFault:
    """A fault and the decision in which it happened; `round` and `trick` as in the record."""

    match_id: str
    kind: FaultKind
    round: int
    trick: int
    decision: int
    answer: str
    replaced_by: str
    detail: str
    forfeits: bool

    @classmethod
    def of(cls, record: record_pb2.MatchRecord, fault: record_pb2.FaultRecord) -> BotFault:
        """A fault of the record."""
        return cls(
            match_id=record.match_id,
            kind=FaultKind(fault.kind),
            round=fault.round,
            trick=fault.trick,
            decision=fault.decision,
            answer=fault.answer,
            replaced_by=fault.replaced_by,
            detail=fault.detail,
            forfeits=fault.forfeits,
        )


@dataclass(slots=True, eq=False)
class Tallies:
    """Sums that grow with `add`. `grid` [bots, calls, tricks] counts rounds."""

    bots: Sequence[str]
    grid: Ints = field(init=False)
    faults: dict[int, dict[FaultKind, list[BotFault]]] = field(default_factory=dict)
    first_unix_us: int = 0
    last_unix_us: int = 0
    stalls: int = 0
    longest_stall_us: int = 0

    def __post_init__(self) -> None:
        self.grid = np.zeros((len(self.bots), MOST, MOST), dtype=np.int64)

    def add(self, records: Sequence[record_pb2.MatchRecord], numbers: Sequence[Sequence[int]]) -> None:
        """Counts these matches too; `numbers` are the bots of each by seat."""
        self._add_calls(records, numbers)
        for record, bots in zip(records, numbers, strict=True):
            for fault in record.faults:
                self._add_fault(record, bots[fault.seat], fault)
            for stall in record.timing.stalls:
                self.stalls += 1
                self.longest_stall_us = max(self.longest_stall_us, stall.late_us)
            timing = record.timing
            self._span(timing.started_unix_us, timing.started_unix_us + timing.duration_us)

    def merge(self, later: Tallies) -> None:
        """Counts what `later` counted, which must be of later matches."""
        self.grid += later.grid
        for bot, kinds in later.faults.items():
            for kind, faults in kinds.items():
                kept = self.faults.setdefault(bot, {}).setdefault(kind, [])
                kept += faults[: FAULTS_SHOWN - len(kept)]
        self.stalls += later.stalls
        self.longest_stall_us = max(self.longest_stall_us, later.longest_stall_us)
        self._span(later.first_unix_us, later.last_unix_us)

    def _add_calls(self, records: Sequence[record_pb2.MatchRecord], numbers: Sequence[Sequence[int]]) -> None:
        calls = [call for record in records for played in record.rounds for call in played.calls]
        tricks = [won for record in records for played in record.rounds for won in played.tricks_won]
        bots = [
            bot for record, four in zip(records, numbers, strict=True) for bot in [*four] * len(record.rounds)
        ]
        cells = (np.array(bots, dtype=np.int64) * MOST + calls) * MOST + tricks
        self.grid += np.bincount(cells, minlength=self.grid.size).reshape(self.grid.shape)

    def _add_fault(self, record: record_pb2.MatchRecord, bot: int, fault: record_pb2.FaultRecord) -> None:
        kind = FaultKind(fault.kind)
        kept = self.faults.setdefault(bot, {}).setdefault(kind, [])
        if len(kept) < FAULTS_SHOWN:
            kept.append(BotFault.of(record, fault))

    def _span(self, first_unix_us: int, last_unix_us: int) -> None:
        if first_unix_us:
            self.first_unix_us = min(self.first_unix_us or first_unix_us, first_unix_us)
        self.last_unix_us = max(self.last_unix_us, last_unix_us)
