"""Owns how the league is asked for a person's seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.league.person import PersonSeat

__all__ = ["SeatPerson"]


class SeatPerson(Protocol):
    """Begins an unrated match against three local bots (None: any three) and gives its seat for a person.

    ArenaError in words when that cannot be now.
    """

    async def __call__(self, opponents: Sequence[str] | None) -> PersonSeat: ...
