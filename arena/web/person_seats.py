"""Owns which seats people have taken: one at a time for each author, forgotten some time after the match."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.league.model import Author
from arena.league.person import PersonSeat

__all__ = ["PersonSeats", "TakenSeat"]

KEPT_S: Final = 3600.0
"""How long a match that is over can still be looked at."""
MOST_KEPT: Final = 200


@dataclass(slots=True)
class TakenSeat:
    """A seat and who sits there; `may_replay` as the season said when it was taken."""

    seat: PersonSeat
    author: Author
    may_replay: bool
    looked_at_s: float


class PersonSeats:
    """All seats of people in this server, by their unguessable ids."""

    def __init__(self, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._seats: dict[str, TakenSeat] = {}

    def add(self, seat: PersonSeat, author: Author, *, may_replay: bool) -> None:
        """Remembers a seat."""
        self._forget_old()
        self._seats[seat.seat_id] = TakenSeat(seat, author, may_replay, self._now_s())

    def of(self, author: Author) -> PersonSeat | None:
        """The seat at which the author is playing now."""
        return next((one.seat for one in self._seats.values() if one.author == author and _is_on(one)), None)

    def find(self, seat_id: str, author: Author) -> TakenSeat | None:
        """The seat of that id, when it is the author's."""
        found = self._seats.get(seat_id)
        if found is None or found.author.author_id != author.author_id:
            return None
        found.looked_at_s = self._now_s()
        return found

    def __len__(self) -> int:
        """How many people are playing."""
        return sum(map(_is_on, self._seats.values()))

    def _forget_old(self) -> None:
        now_s = self._now_s()
        over = [key for key, one in self._seats.items() if not _is_on(one)]
        for key in over:
            if now_s - self._seats[key].looked_at_s > KEPT_S or len(self._seats) >= MOST_KEPT:
                del self._seats[key]


def _is_on(one: TakenSeat) -> bool:
    return one.seat.state in ("waiting", "playing")
