"""Owns leases: which arenas live, and what becomes of the work of one that does not."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from arena.league.model import SubmissionState, TableKind, TableState
from arena.league.schema import arenas, bots, seasons, submissions, tables
from arena.league.store.database import Database, Part

__all__ = ["MOST_TRIES", "Leases", "give_back", "lease", "living"]

LEASE_US = 30_000_000
MOST_TRIES = 5

ASKED_FOR_AGAIN = (TableKind.PERSON, TableKind.QUALIFYING)
"""Tables that end with the arena that played them: the person is gone, the submission gets a new one."""


class Leases(Part):
    """Arenas at work."""

    def heartbeat(self, owner: str) -> None:
        """Says that the arena `owner` lives: its leases stand for 30 more seconds."""
        with self._database.writing() as connection:
            lease(self._database, connection, owner)

    def recover(self, owner: str) -> int:
        """Gives back everything leased by `owner` or by arenas whose leases ran out; how many things.

        With an empty `owner` only of the latter.

        Tables wait again, or are void after five tries, as with `requeue`; those with a person or of a
        submission are void at once. An arena calls it with its own name when it starts, before it claims.
        """
        with self._database.writing() as connection:
            playing = select(tables).where(tables.c.state == TableState.PLAYING).order_by(tables.c.table_id)
            at_work = select(submissions).where(submissions.c.owner != "")
            rows = connection.execute(playing.with_for_update(skip_locked=True)).all()
            claims = connection.execute(at_work.with_for_update(skip_locked=True)).all()
            others = living(self._database, connection) - {owner}
            lost = [row for row in rows if row.owner not in others]
            for row in lost:
                who = "the arena" if row.owner == owner else f"the arena {row.owner}"
                give_back(connection, row, f"{who} that played it is gone")
            free = [row.submission_id for row in claims if row.owner not in others]
            orphans = submissions.c.submission_id.in_(free)
            connection.execute(update(submissions).where(orphans).values(owner=""))
            connection.execute(delete(arenas).where(arenas.c.owner.not_in(others)))
        return len(lost) + len(free)

    def counts(self) -> dict[str, int]:
        """For metrics: bots, matches, tables_waiting, tables_playing, submissions_waiting."""
        final = (SubmissionState.ADMITTED, SubmissionState.REFUSED)
        queries = {
            "bots": select(func.count()).where(bots.c.retired_unix_us.is_(None), ~bots.c.is_person),
            "matches": select(func.coalesce(func.sum(seasons.c.matches), 0)),
            "tables_waiting": select(func.count()).where(tables.c.state == TableState.WAITING),
            "tables_playing": select(func.count()).where(tables.c.state == TableState.PLAYING),
            "submissions_waiting": select(func.count()).where(submissions.c.state.not_in(final)),
        }
        with self._database.reading() as connection:
            return {name: int(connection.scalar(query) or 0) for name, query in queries.items()}


def lease(database: Database, connection: Connection, owner: str) -> None:
    """Has the leases of `owner` stand for 30 seconds from now."""
    until_us = database.now_us(connection) + LEASE_US
    here = arenas.c.owner == owner
    if not connection.execute(update(arenas).where(here).values(alive_until_unix_us=until_us)).rowcount:
        row = {"owner": owner, "alive_until_unix_us": until_us}
        database.insert_unless_there(connection, arenas, row)


def living(database: Database, connection: Connection) -> set[str]:
    """The arenas whose leases stand. Ask after the rows in question are locked, or one may be missing."""
    alive = arenas.c.alive_until_unix_us > database.now_us(connection)
    return set(connection.scalars(select(arenas.c.owner).where(alive)))


def give_back(connection: Connection, row: Any, reason: str) -> None:
    """Takes a locked table from the arena that plays it: it waits for another try, or is void."""
    is_void = row.tries >= MOST_TRIES or row.kind in ASKED_FOR_AGAIN
    state = TableState.VOID if is_void else TableState.WAITING
    here = tables.c.table_id == row.table_id
    connection.execute(update(tables).where(here).values(state=state, owner="", reason=reason))
