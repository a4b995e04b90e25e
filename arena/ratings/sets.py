"""Owns results added up by set, the unit of every interval: matches of one set share their cards.

Two matches of a set are not two independent pieces of evidence; two sets are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.results import SEATS, Results, shared_places

__all__ = ["Sets", "sets_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """One row a set. `tables` [sets, 4] names its bots, ascending; other columns [sets, 4] go by those.

    `matches` [sets] counts the matches that were played (four, unless the set is incomplete); `points` and
    `places` are sums over them. `set_of` [matches] is the row of each match, `column` [matches, 4] each
    seat's column there.
    """

    bots: tuple[str, ...]
    tables: Ints
    matches: Ints
    points: Floats
    places: Floats
    set_of: Ints
    column: Ints

    def __len__(self) -> int:
        return len(self.tables)

    def per_bot(self, values: Floats | Ints) -> Floats:
        """Sum over sets of `values` [sets, 4] (or [sets], for each of the four) for each bot."""
        each = values if values.ndim > 1 else np.broadcast_to(values[:, None], self.tables.shape)
        sums = np.bincount(self.tables.ravel(), weights=each.ravel(), minlength=len(self.bots))
        return sums.astype(np.float64)

    def add_up(self, by_seat: Floats) -> Floats:
        """Sum [sets, 4] of a figure that is given by match and seat."""
        where = self.set_of[:, None] * SEATS + self.column
        sums = np.bincount(where.ravel(), weights=by_seat.ravel(), minlength=self.tables.size)
        return sums.astype(np.float64).reshape(self.tables.shape)


def sets_of(results: Results) -> Sets:
    """`results` by set. Matches that share a set number but not their four bots are sets of their own."""
    column = results.seats.argsort(axis=1).argsort(axis=1)
    tables = np.sort(results.seats, axis=1).astype(np.int64)
    _, first, set_of = np.unique(results.set_ids, return_index=True, return_inverse=True)
    if (tables != tables[first][set_of]).any():
        keys = np.column_stack([results.set_ids, tables])
        _, first, set_of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        set_of = set_of.ravel()
    empty = Sets(
        bots=results.bots,
        tables=tables[first],
        matches=np.bincount(set_of, minlength=len(first)),
        points=np.zeros((len(first), SEATS)),
        places=np.zeros((len(first), SEATS)),
        set_of=set_of,
        column=column,
    )
    points, places = empty.add_up(results.total_tenths / 10), empty.add_up(shared_places(results.places))
    return Sets(empty.bots, empty.tables, empty.matches, points, places, set_of, column)
