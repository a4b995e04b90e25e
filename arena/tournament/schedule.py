"""Owns who meets whom, in which order and on which seats: pure values, recomputed from a few options.

It must not know bots, files or results: an entrant is a number here, its place in the plan's list.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CIRCULAR_ORDERS", "PlannedMatch", "match_id_of", "seats_of"]

CIRCULAR_ORDERS: tuple[tuple[int, int, int, int], ...] = (
    (0, 1, 2, 3),
    (0, 1, 3, 2),
    (0, 2, 1, 3),
    (0, 2, 3, 1),
    (0, 3, 1, 2),
    (0, 3, 2, 1),
)


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match of the schedule; `seats` are entrants (numbers) by seat."""

    match_id: str
    position: int
    table: int
    set_number: int
    rotation: int
    seats: tuple[int, int, int, int]


def match_id_of(table: int, set_number: int, rotation: int) -> str:
    """The name of a match, which follows from its place in the plan."""
    return f"t{table:03d}-s{set_number:05d}-r{rotation}"


def seats_of(
    table_entrants: tuple[int, int, int, int], *, order: int, rotation: int
) -> tuple[int, int, int, int]:
    """Entrants by seat: the i-th of the circular order sits on seat (i + rotation) % 4."""
    around = [table_entrants[i] for i in CIRCULAR_ORDERS[order]]
    first, second, third, fourth = (around[(seat - rotation) % 4] for seat in range(4))
    return first, second, third, fourth
