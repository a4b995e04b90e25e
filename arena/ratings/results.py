"""Owns the columnar form of results that every rating reads; knows no database, file or message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SEATS", "MatchRow", "Results"]

SEATS = 4

IntArray = NDArray[np.int32]
PlaceArray = NDArray[np.int8]
BoolArray = NDArray[np.bool_]


class MatchRow(NamedTuple):
    """One rated match: who sat where, and what came of it. A match that an arena fault spoiled has no row."""

    bots: Sequence[str]
    places: Sequence[int]
    total_tenths: Sequence[int]
    set_id: int
    forfeited: Sequence[int] = ()
    """Seat numbers that were forfeited."""


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Matches in schedule order, one row a match and one column a seat.

    `seats` holds indices into `bots`; `places` are competition ranks from 1 (1, 1, 3, 4); rows that share a
    `set_ids` value replayed one sequence of deals with the bots on other seats.
    """

    bots: tuple[str, ...]
    seats: IntArray
    places: PlaceArray
    total_tenths: IntArray
    set_ids: IntArray
    forfeited: BoolArray

    def __post_init__(self) -> None:
        """Raise ValueError when the columns do not fit together."""
        matches = len(self.seats)
        shapes = {
            "seats": self.seats.shape,
            "places": self.places.shape,
            "total_tenths": self.total_tenths.shape,
            "forfeited": self.forfeited.shape,
            "set_ids": (*self.set_ids.shape, SEATS),
        }
        for name, shape in shapes.items():
            if shape != (matches, SEATS):
                raise ValueError(f"results: column {name} does not fit {matches} matches of {SEATS} seats")
        if len(set(self.bots)) != len(self.bots):
            raise ValueError("results: two bots have one name")
        _check_values(self)

    def __len__(self) -> int:
        return len(self.seats)

    @classmethod
    def of(cls, rows: Iterable[MatchRow], *, bots: Sequence[str] = ()) -> Results:
        """Results of `rows`, in their order; bots not named in `bots` follow in order of first appearance."""
        index = {name: number for number, name in enumerate(bots)}
        seats, places, totals, set_ids, forfeited = [], [], [], [], []
        for row in rows:
            seats.append([index.setdefault(name, len(index)) for name in row.bots])
            places.append(list(row.places))
            totals.append(list(row.total_tenths))
            set_ids.append(row.set_id)
            forfeited.append([seat in row.forfeited for seat in range(SEATS)])
        return cls(
            bots=tuple(index),
            seats=np.array(seats, dtype=np.int32).reshape(-1, SEATS),
            places=np.array(places, dtype=np.int8).reshape(-1, SEATS),
            total_tenths=np.array(totals, dtype=np.int32).reshape(-1, SEATS),
            set_ids=np.array(set_ids, dtype=np.int32),
            forfeited=np.array(forfeited, dtype=np.bool_).reshape(-1, SEATS),
        )

    def take(self, rows: NDArray[np.integer] | BoolArray | slice) -> Results:
        """The matches that `rows` (indices, a mask or a slice) picks, in that order; the same bots."""
        return Results(
            bots=self.bots,
            seats=self.seats[rows],
            places=self.places[rows],
            total_tenths=self.total_tenths[rows],
            set_ids=self.set_ids[rows],
            forfeited=self.forfeited[rows],
        )

    def matches_per_bot(self) -> NDArray[np.int64]:
        """How many of the matches each bot sat in."""
        return np.bincount(self.seats.ravel(), minlength=len(self.bots)).astype(np.int64)

    def mean_points(self) -> NDArray[np.float64]:
        """Points a match of each bot, as scored; nan for a bot without a match."""
        return self._mean(self.total_tenths) / 10

    def mean_places(self) -> NDArray[np.float64]:
        """Mean place of each bot, level seats take the mean of theirs; nan for one without a match."""
        return self._mean(shared_places(self.places))

    def _mean(self, values: NDArray[np.integer] | NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(self.seats.ravel(), weights=values.ravel(), minlength=len(self.bots))
        counts = self.matches_per_bot()
        means: NDArray[np.float64] = np.divide(
            sums, counts, out=np.full(len(self.bots), np.nan), where=counts > 0
        )
        return means


def shared_places(places: PlaceArray) -> NDArray[np.float64]:
    """Places from 1 where seats that are level take the mean of the places they fill: 1, 1, 3 is 1.5, 1.5, 3.

    The places of a match then always add up to 10.
    """
    level = (places[:, :, None] == places[:, None, :]).sum(axis=2)
    shared: NDArray[np.float64] = places + (level - 1) / 2
    return shared


def _check_values(results: Results) -> None:
    if not len(results):
        return
    if results.seats.min() < 0 or results.seats.max() >= len(results.bots):
        raise ValueError(f"results: seats holds an index that is not one of the {len(results.bots)} bots")
    if results.places.min() < 1 or results.places.max() > SEATS:
        raise ValueError(f"results: places holds a place outside 1..{SEATS}")
    ordered = np.sort(results.seats, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        raise ValueError(f"results: in match {twice[0]} one bot sits on two seats")
