"""Owns what an observation is, column by column: all that a seat may see, as one flat row of int8.

Seats are relative: 0 is the seat that observes, 1 the next in turn, 3 the one before it. Cards are in the
order of their actions. No column can hold another seat's hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.env.actions import CARDS
from arena.rules.rulesets import RANGES

__all__ = ["LAYOUT", "OBSERVATION_SIZE", "Field", "bounds", "rows_of"]

TRICKS: Final = 13
MOST_CALLED: Final = RANGES["call_max"][1]
HIGHEST: Final = int(np.iinfo(np.int8).max)


@dataclass(frozen=True, slots=True)
class Field:
    """Columns of an observation: `size` of them from `start` on, each with a value from `low` to `high`."""

    start: int
    size: int
    low: int
    high: int
    meaning: str

    @property
    def columns(self) -> slice:
        """The columns, to index a row with."""
        return slice(self.start, self.start + self.size)


def _laid_out(*fields: tuple[str, int, int, int, str]) -> Mapping[str, Field]:
    layout: dict[str, Field] = {}
    start = 0
    for name, size, low, high, meaning in fields:
        layout[name] = Field(start, size, low, high, meaning)
        start += size
    return MappingProxyType(layout)


# Name, columns, lowest and highest value, meaning.
LAYOUT: Final = _laid_out(
    ("hand", CARDS, 0, 1, "cards in hand"),
    ("trick", 4 * CARDS, 0, 1, "cards of the trick in play: 52 columns for each relative seat"),
    ("played", 4 * CARDS, 0, 1, "cards of the round's finished tricks: 52 columns for each relative seat"),
    ("trick_number", CARDS, 0, TRICKS, "the finished trick that the card fell in, from 1; 0 for none"),
    ("trick_leader", 4, 0, 1, "1 for the relative seat that leads the trick in play"),
    ("dealer", 4, 0, 1, "1 for the relative seat that dealt"),
    ("calls", 4, 0, MOST_CALLED, "calls by relative seat; 0 for not yet called"),
    ("tricks_won", 4, 0, TRICKS, "tricks won in the round, by relative seat"),
    ("points", 4, -HIGHEST, HIGHEST, "whole points of the finished rounds, by relative seat; cut off"),
    ("tenths", 4, -9, 9, "tenths beside the whole points, of the same sign: -3.1 is -3 and -1"),
    ("round_number", 1, 1, HIGHEST, "round of the match, from 1; cut off"),
    ("rounds_left", 1, 0, HIGHEST, "rounds that follow this one; cut off"),
    ("is_calling", 1, 0, 1, "1 when calls are due, 0 when cards are"),
)
"""The fields of an observation, in the order of their columns."""

OBSERVATION_SIZE: Final = sum(field.size for field in LAYOUT.values())
"""Columns of an observation."""


def bounds() -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The lowest and the highest value of each column."""
    sizes = [field.size for field in LAYOUT.values()]
    lows = np.repeat([field.low for field in LAYOUT.values()], sizes)
    highs = np.repeat([field.high for field in LAYOUT.values()], sizes)
    return lows.astype(np.int8), highs.astype(np.int8)


def rows_of(values: Mapping[str, ArrayLike], *, size: int) -> NDArray[np.int8]:
    """The observations with these values of each field: shape (size, OBSERVATION_SIZE).

    A value has the shape (size, columns of the field) or one that broadcasts to it. One that goes past the
    bounds of its field is cut off there.
    """
    rows = np.empty((size, OBSERVATION_SIZE), np.int8)
    for name, field in LAYOUT.items():
        value = values[name]
        rows[:, field.columns] = np.clip(value, field.low, field.high) if field.high == HIGHEST else value
    return rows
