"""Owns the choice of what to play next where it is not known who is better: a rule that can be recomputed.

Bots are ordered by mu of the order-free fit. Neighbours of whom it is not known which is better are
undecided, and play more sets at one table. Who looks often finds a difference by chance: at the k-th look a
pair counts as decided only when the chance of an error is below 0.05 * 6 / (pi k)^2, and those add up to
5 % however often one looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from arena.ratings.intervals import Figure, uncertainty
from arena.ratings.results import SEATS, Results

__all__ = ["next_tables", "ranking", "tables_for", "undecided"]

ERROR = 0.05

Table = tuple[int, int, int, int]


def next_tables(results: Results, *, look: int, most: int) -> list[Table]:
    """Tables to add to `results`, at most `most`; none when all is known. See `tables_for`."""
    return tables_for(uncertainty(results).rating, look=look, most=most)


def tables_for(figure: Figure, *, look: int, most: int) -> list[Table]:
    """Tables of bots (numbers, ascending) that would tell more, at most `most`; none when all is known.

    `look` counts from 1 how often this was asked. Each stretch of undecided neighbours is covered by tables
    of four that stand next to each other in the order, and each table comes `look` times, so that there are
    few looks.
    """
    order = ranking(figure)
    pairs = undecided(figure, order, look=look)
    tables = [_table(order[start : start + SEATS]) for start in _windows(pairs, len(order))]
    return [table for _ in range(look) for table in tables][:most]


def ranking(figure: Figure) -> list[int]:
    """Bots from the best down; of two that are level the first."""
    return [int(bot) for bot in np.argsort(-figure.sign * figure.value, kind="stable")]


def undecided(figure: Figure, order: Sequence[int], *, look: int) -> list[int]:
    """Places in `order` of bots of which it is not known whether they are better than the next."""
    allowed = ERROR * 6 / (math.pi * look) ** 2
    better = np.nan_to_num(figure.better(), nan=0.5)
    return [
        place for place, (one, other) in enumerate(pairwise(order)) if 1 - better[one, other] > allowed / 2
    ]


def _windows(pairs: Sequence[int], bots: int) -> Iterator[int]:
    """Where the tables start: each stretch of places is covered, with three pairs of neighbours a table."""
    for first, last in _stretches(pairs):
        width = last + 2 - first  # bots in the stretch
        if width <= SEATS:
            yield max(0, min(first - (SEATS - width) // 2, bots - SEATS))
        else:
            yield from (min(start, last + 2 - SEATS) for start in range(first, last + 1, SEATS - 1))


def _stretches(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of places that follow each other."""
    first = last = None
    for place in places:
        if first is None or last is None or place != last + 1:
            if first is not None and last is not None:
                yield first, last
            first = place
        last = place
    if first is not None and last is not None:
        yield first, last


def _table(bots: Sequence[int]) -> Table:
    first, second, third, fourth = sorted(bots)
    return first, second, third, fourth
