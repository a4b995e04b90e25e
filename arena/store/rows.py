"""Owns what a match record says in the columns of the database: a pure function of the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.referee.faults import FaultKind
from arena.v1 import record_pb2

__all__ = ["FaultRow", "MatchRow", "MatchRows", "SeatRow", "rows_of"]

SEATS = 4
CALLS = 4
_IN_TURN = np.arange(SEATS)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """Where a match stands in the schedule."""

    position: int
    match_id: str
    table_number: int
    set_number: int
    rotation: int


@dataclass(frozen=True, slots=True)
class SeatRow:
    """What came of one seat; sums go over the rounds and over the decisions that were asked."""

    position: int
    seat: int
    bot: str
    total_tenths: int
    place: int
    forfeited: bool
    rounds: int
    calls: int
    tricks: int
    calls_made: int
    decisions: int
    decision_us: int


@dataclass(frozen=True, slots=True)
class FaultRow:
    """One fault, the `number`-th of its match from 0."""

    position: int
    number: int
    seat: int
    bot: str
    kind: str
    round: int
    trick: int
    decision: int
    answer: str
    replaced_by: str
    detail: str
    forfeits: bool


@dataclass(frozen=True, slots=True, eq=False)
class MatchRows:
    """All rows of one match; `times_us` are the times of the decisions that were asked, by seat."""

    match: MatchRow
    seats: tuple[SeatRow, ...]
    faults: tuple[FaultRow, ...]
    times_us: tuple[NDArray[np.int64], ...]


def rows_of(record: record_pb2.MatchRecord) -> MatchRows:
    """The rows that `record` stands for."""
    times_us, sums = _times_by_seat(record), _Sums.of(record)
    return MatchRows(
        match=MatchRow(record.position, record.match_id, record.table, record.set, record.rotation),
        seats=tuple(_seat_row(record, seat, sums, times_us[seat]) for seat in range(SEATS)),
        faults=tuple(_fault_row(record, number) for number in range(len(record.faults))),
        times_us=times_us,
    )


def as_dict(row: MatchRow | SeatRow | FaultRow) -> dict[str, object]:
    """A row by column; `bot` is still a name."""
    return {name: getattr(row, name) for name in row.__slots__}


@dataclass(frozen=True, slots=True)
class _Sums:
    """Over the rounds, by seat."""

    calls: Sequence[int]
    tricks: Sequence[int]
    calls_made: Sequence[int]

    @classmethod
    def of(cls, record: record_pb2.MatchRecord) -> _Sums:
        rounds = record.rounds
        if not rounds:
            return cls([0] * SEATS, [0] * SEATS, [0] * SEATS)
        return cls(
            calls=[sum(calls) for calls in zip(*(played.calls for played in rounds), strict=True)],
            tricks=[sum(won) for won in zip(*(played.tricks_won for played in rounds), strict=True)],
            calls_made=[
                sum(score > 0 for score in scores)
                for scores in zip(*(played.score_tenths for played in rounds), strict=True)
            ],
        )


def _seat_row(record: record_pb2.MatchRecord, seat: int, sums: _Sums, times_us: NDArray[np.int64]) -> SeatRow:
    return SeatRow(
        position=record.position,
        seat=seat,
        bot=record.seats[seat].bot,
        total_tenths=record.total_tenths[seat],
        place=record.places[seat],
        forfeited=record.seats[seat].forfeited,
        rounds=len(record.rounds),
        calls=sums.calls[seat],
        tricks=sums.tricks[seat],
        calls_made=sums.calls_made[seat],
        decisions=len(times_us),
        decision_us=int(times_us.sum()),
    )


def _fault_row(record: record_pb2.MatchRecord, number: int) -> FaultRow:
    fault = record.faults[number]
    return FaultRow(
        position=record.position,
        number=number,
        seat=fault.seat,
        bot=record.seats[fault.seat].bot,
        kind=FaultKind(fault.kind).name,
        round=fault.round,
        trick=fault.trick,
        decision=fault.decision,
        answer=fault.answer,
        replaced_by=fault.replaced_by,
        detail=fault.detail,
        forfeits=fault.forfeits,
    )


def _times_by_seat(record: record_pb2.MatchRecord) -> tuple[NDArray[np.int64], ...]:
    """Microseconds of the decisions that each seat was asked for, over all rounds."""
    if not record.timing.rounds:
        return tuple(np.zeros(0, dtype=np.int64) for _ in range(SEATS))
    times: list[int] = []
    asked: list[bool] = []
    first: list[int] = []
    for played, timing in zip(record.rounds, record.timing.rounds, strict=True):
        times += timing.decision_us[:]  # a field of a message is slow to iterate
        asked += timing.asked[:]
        first.append(played.dealer + 1)
        first += played.leaders[:]
    deciders = ((np.array(first)[:, None] + _IN_TURN) % SEATS).ravel()
    was_asked = np.array(asked, dtype=np.bool_)
    deciders, times_us = deciders[was_asked], np.array(times, dtype=np.int64)[was_asked]
    return tuple(times_us[deciders == seat] for seat in range(SEATS))
