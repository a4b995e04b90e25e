"""Owns a part of the records as the site needs it: its replay files written, and what pages count of it.

Parts are read apart, by whichever process is free, and joined in order. Results are taken from the records so
that pages and replays speak of the same matches even while a tournament goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.ratings.results import MatchRow, Results
from arena.reports.site.entries import file_text, match_entry, time_words
from arena.reports.site.tallies import Tallies
from arena.store.reader import StoredMatch
from arena.v1 import record_pb2

__all__ = ["Part", "read_part", "whole_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some matches in schedule order: numbers of their replay files, positions, counts and results."""

    files: list[int]
    positions: list[int]
    tallies: Tallies
    results: Results


def read_part(folder: Path, bots: Sequence[str], files: Sequence[tuple[int, Sequence[StoredMatch]]]) -> Part:
    """Writes the replay files (number, matches) into `folder`; `bots` are named in the order of the plan."""
    numbers = {bot: number for number, bot in enumerate(bots)}
    tallies = Tallies(bots=bots)
    positions, rows = [], []
    for number, matches in files:
        records = [stored.parse() for stored in matches]
        tallies.add(records, [[numbers[seat.bot] for seat in record.seats] for record in records])
        entries = [
            match_entry(record, numbers=numbers, times=times)
            for record, times in zip(records, time_words(records), strict=True)
        ]
        (folder / f"{number:05d}.js").write_text(file_text(number, entries), encoding="ascii")
        positions += [stored.row.position for stored in matches]
        rows += [_row(record) for record in records]
    return Part([number for number, _ in files], positions, tallies, Results.of(rows, bots=bots))


def whole_of(parts: Sequence[Part], bots: Sequence[str]) -> Part:
    """All parts, in order, as one."""
    tallies = Tallies(bots=bots)
    for part in parts:
        tallies.merge(part.tallies)
    results = [part.results for part in parts] or [Results.of([], bots=bots)]
    return Part(
        files=[number for part in parts for number in part.files],
        positions=[position for part in parts for position in part.positions],
        tallies=tallies,
        results=Results(
            bots=tuple(bots),
            seats=np.concatenate([one.seats for one in results]),
            places=np.concatenate([one.places for one in results]),
            total_tenths=np.concatenate([one.total_tenths for one in results]),
            set_ids=np.concatenate([one.set_ids for one in results]),
            forfeited=np.concatenate([one.forfeited for one in results]),
        ),
    )


def _row(record: record_pb2.MatchRecord) -> MatchRow:
    return MatchRow(
        bots=[seat.bot for seat in record.seats],
        places=list(record.places),
        total_tenths=list(record.total_tenths),
        set_id=record.set,
        forfeited=[seat for seat, kept in enumerate(record.seats) if kept.forfeited],
    )
