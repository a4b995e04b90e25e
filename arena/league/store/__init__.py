"""Owns the league's database: everything that survives a restart, on SQLite or PostgreSQL.

Calls block and may come from any thread. Each is one transaction: done, or not done at all. Several arenas
may use one PostgreSQL; what is played is leased, so that none plays another's table.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sqlalchemy import text

from arena.league.store.bots import PERSON, Bots
from arena.league.store.database import Clock, Database
from arena.league.store.errors import LeaseLost, NotFound, Taken
from arena.league.store.leases import MOST_TRIES, Leases
from arena.league.store.matches import DRAW_PROBABILITY, MOST_A_PAGE, Matches, Page
from arena.league.store.people import People
from arena.league.store.seasons import Seasons
from arena.league.store.submissions import Submissions
from arena.league.store.tables import Tables

__all__ = [
    "DRAW_PROBABILITY",
    "MOST_A_PAGE",
    "MOST_TRIES",
    "PERSON",
    "LeagueStore",
    "LeaseLost",
    "NotFound",
    "Page",
    "Taken",
]


class LeagueStore(People, Bots, Submissions, Seasons, Tables, Matches, Leases):
    """The league's database. Use it in a `with` block, or close it.

    Every call may raise ArenaError in one line when the database cannot be reached, written or waited for.
    """

    @classmethod
    def open(cls, url: str, *, clock: Clock | None = None) -> Self:
        """Opens `sqlite:///FILE` or `postgresql+psycopg://...`, creates or migrates it (under a lock).

        Raises ArenaError in one line: cannot be reached, is of a newer arena, is no league's. `clock` gives
        microseconds since 1970, for tests.
        """
        return cls(Database.open(url, clock=clock))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections."""
        self._database.close()

    def ping(self) -> None:
        """Raises ArenaError when the database does not answer."""
        with self._database.reading() as connection:
            connection.execute(text("SELECT 1"))
