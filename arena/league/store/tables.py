"""Owns tables: who sits at them, what they are numbered, and which arena plays them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from arena.errors import ArenaError
from arena.league.model import Author, NoContest, Season, SeasonState, Table, TableKind, TableState
from arena.league.schema import bots, entries, matches, seasons, tables, versions
from arena.league.store.database import Part
from arena.league.store.errors import LeaseLost, NotFound
from arena.league.store.leases import give_back, lease
from arena.league.store.seasons import lock_season

__all__ = ["SEATS", "Tables", "is_leased_as", "lock_table", "lost", "table_of"]

SEATS = 4
VERSIONS = (tables.c.version_0, tables.c.version_1, tables.c.version_2, tables.c.version_3)
IN_PLAY = (TableState.WAITING, TableState.PLAYING)


class Tables(Part):
    """Tables of four."""

    def add_table(
        self,
        season: Season,
        version_ids: Sequence[int],
        *,
        kind: TableKind,
        is_fresh: bool,
        owner: str = "",
        requested_by: Author | None = None,
    ) -> Table:
        """A table with positions, set numbers and match ids of its own; with an `owner` it is leased at once.

        ArenaError unless the season is open and the versions are of four bots, that are in the season if
        the table is RATED.
        """
        with self._database.writing() as connection:
            row = lock_season(connection, season)
            if row.state != SeasonState.OPEN:
                raise ArenaError(f"season {row.name} is {row.state}: no new tables")
            _check_versions(connection, row, version_ids, kind)
            now_us = self._database.now_us(connection)
            if owner:
                lease(self._database, connection, owner)
            table_id = _insert(
                connection,
                row,
                is_fresh=is_fresh,
                values={
                    "kind": kind,
                    **dict(zip((column.name for column in VERSIONS), version_ids, strict=True)),
                    "state": TableState.PLAYING if owner else TableState.WAITING,
                    "owner": owner,
                    "tries": 1 if owner else 0,
                    "requested_by": None if requested_by is None else requested_by.author_id,
                    "made_unix_us": now_us,
                },
            )
            if kind is TableKind.RATED:
                here = (entries.c.season_id == row.season_id) & entries.c.version_id.in_(version_ids)
                connection.execute(update(entries).where(here).values(last_table_unix_us=now_us))
            return _table(connection, table_id)

    def claim_table(
        self, owner: str, *, kinds: Collection[TableKind], version_ids: Collection[int]
    ) -> Table | None:
        """The oldest WAITING table of these kinds, all its versions in `version_ids`, leased; else None."""
        query = select(tables.c.table_id).where(
            tables.c.state == TableState.WAITING,
            tables.c.kind.in_(kinds),
            *(column.in_(version_ids) for column in VERSIONS),
        )
        oldest = query.order_by(tables.c.table_id).limit(1).with_for_update(skip_locked=True)
        with self._database.writing() as connection:
            table_id = connection.scalar(oldest)
            if table_id is None:
                return None
            lease(self._database, connection, owner)
            leased = {"state": TableState.PLAYING, "owner": owner, "tries": tables.c.tries + 1}
            connection.execute(update(tables).where(tables.c.table_id == table_id).values(leased))
            return _table(connection, table_id)

    def table(self, table_id: int) -> Table:
        """NotFound when there is none."""
        with self._database.reading() as connection:
            return _table(connection, table_id)

    def tables_in_play(self, season: Season) -> list[Table]:
        """Waiting and playing ones, oldest first."""
        here = (tables.c.season_id == season.season_id) & tables.c.state.in_(IN_PLAY)
        with self._database.reading() as connection:
            found = connection.execute(select(tables).where(here).order_by(tables.c.table_id))
            return [table_of(row) for row in found]

    def recent_tables(self, season: Season, most: int) -> list[tuple[int, int, int, int]]:
        """The version ids of the last rated tables, at most so many, oldest first; void ones aside."""
        here = (tables.c.season_id == season.season_id) & (tables.c.kind == TableKind.RATED)
        query = select(*VERSIONS).where(here, tables.c.state != TableState.VOID)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(tables.c.table_id.desc()).limit(most)).all()
        return [(row.version_0, row.version_1, row.version_2, row.version_3) for row in reversed(rows)]

    def no_contests(self, season: Season, most: int) -> tuple[int, list[NoContest]]:
        """How many rated tables and scrimmages were given up, and the last of them, newest first."""
        given_up = (
            (tables.c.season_id == season.season_id)
            & (tables.c.state == TableState.VOID)
            & tables.c.kind.in_((TableKind.RATED, TableKind.SCRIMMAGE))
        )
        with self._database.reading() as connection:
            count = connection.scalar(select(func.count()).select_from(tables).where(given_up))
            query = select(tables).where(given_up).order_by(tables.c.table_id.desc()).limit(most)
            rows = connection.execute(query).all()
            ids = {row._mapping[column] for row in rows for column in VERSIONS}
            named = (
                select(versions.c.version_id, bots.c.name).join(bots).where(versions.c.version_id.in_(ids))
            )
            names = {row.version_id: row.name for row in connection.execute(named)}
        return int(count or 0), [_no_contest(row, names) for row in rows]

    def stored_match_ids(self, table: Table) -> set[str]:
        """Those of the table's matches that are stored."""
        query = select(matches.c.match_id).where(matches.c.table_id == table.table_id)
        with self._database.reading() as connection:
            return set(connection.scalars(query))

    def requeue(self, table: Table, reason: str) -> Table:
        """Gives the lease back: WAITING again, or VOID with the reason after five tries.

        A PERSON or QUALIFYING table is VOID at once. Of a lease that was lost before nothing changes.
        """
        with self._database.writing() as connection:
            row = lock_table(connection, table)
            if is_leased_as(row, table):
                give_back(connection, row, reason)
            return _table(connection, table.table_id)

    def void(self, table: Table, reason: str) -> Table:
        """Gives the table up: VOID with the reason. LeaseLost when it is another arena's, or over."""
        with self._database.writing() as connection:
            row = lock_table(connection, table)
            if row.state != TableState.WAITING and not is_leased_as(row, table):
                raise lost(row)
            values = {"state": TableState.VOID, "owner": "", "reason": reason}
            connection.execute(update(tables).where(tables.c.table_id == row.table_id).values(values))
            return _table(connection, table.table_id)


def lock_table(connection: Connection, table: Table) -> Row[Any]:
    """The table's row, locked; NotFound when there is none."""
    query = select(tables).where(tables.c.table_id == table.table_id).with_for_update(key_share=True)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"there is no table {table.table_id}")
    return row


def is_leased_as(row: Row[Any], table: Table) -> bool:
    """Whether the lease under which `table` was handed out still stands."""
    return bool(row.state == TableState.PLAYING and (row.owner, row.tries) == (table.owner, table.tries))


def lost(row: Row[Any]) -> LeaseLost:
    """The error for a table that is not leased as its player thinks."""
    holder = f", leased to {row.owner}" if row.owner else ""
    return LeaseLost(f"table {row.table_id} is {row.state}{holder}: its lease was lost")


def table_of(row: Any) -> Table:
    """The table in a row of `tables`."""
    ids = [f"s{row.season_id}-t{row.table_id:05d}-r{rotation}" for rotation in range(SEATS)]
    sets = [row.first_set + rotation * row.is_fresh for rotation in range(SEATS)]
    return Table(
        table_id=row.table_id,
        season_id=row.season_id,
        kind=TableKind(row.kind),
        is_fresh=row.is_fresh,
        version_ids=(row.version_0, row.version_1, row.version_2, row.version_3),
        first_position=row.first_position,
        set_numbers=(sets[0], sets[1], sets[2], sets[3]),
        match_ids=(ids[0], ids[1], ids[2], ids[3]),
        state=TableState(row.state),
        owner=row.owner,
        tries=row.tries,
        reason=row.reason,
    )


def _no_contest(row: Any, names: Mapping[int, str]) -> NoContest:
    first, second, third, fourth = (names[row._mapping[column]] for column in VERSIONS)
    return NoContest(row.table_id, row.made_unix_us, (first, second, third, fourth), row.reason)


def _table(connection: Connection, table_id: int) -> Table:
    row = connection.execute(select(tables).where(tables.c.table_id == table_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no table {table_id}")
    return table_of(row)


def _insert(connection: Connection, season: Row[Any], *, is_fresh: bool, values: dict[str, Any]) -> int:
    """Inserts a table with the next numbers of the locked season; its id."""
    numbers = {
        "season_id": season.season_id,
        "first_position": season.next_position,
        "first_set": season.next_set,
        "is_fresh": is_fresh,
        "reason": "",
    }
    following = {
        "next_position": season.next_position + SEATS,
        "next_set": season.next_set + (SEATS if is_fresh else 1),
    }
    connection.execute(update(seasons).where(seasons.c.season_id == season.season_id).values(following))
    made = connection.execute(insert(tables).values(**numbers, **values)).inserted_primary_key
    assert made is not None
    return int(made[0])


def _check_versions(
    connection: Connection, season: Row[Any], version_ids: Sequence[int], kind: TableKind
) -> None:
    if len(version_ids) != SEATS:
        raise ArenaError(f"a table has four seats, not {len(version_ids)}")
    query = select(versions.c.version_id, bots.c.name, bots.c.is_person).join(bots)
    found = connection.execute(query.where(versions.c.version_id.in_(version_ids))).all()
    missing = set(version_ids) - {row.version_id for row in found}
    if missing:
        raise NotFound(f"there is no version {min(missing)}")
    if len({row.name for row in found}) != SEATS:
        names = ", ".join(sorted(row.name for row in found))
        raise ArenaError(f"a table needs four different bots; these are {names}")
    if any(row.is_person for row in found) and kind is not TableKind.PERSON:
        raise ArenaError(f"a person sits only at tables of kind {TableKind.PERSON}, not {kind}")
    if kind is TableKind.RATED:
        _check_entered(connection, season, version_ids)


def _check_entered(connection: Connection, season: Row[Any], version_ids: Sequence[int]) -> None:
    here = (entries.c.season_id == season.season_id) & entries.c.version_id.in_(version_ids)
    strangers = set(version_ids) - set(connection.scalars(select(entries.c.version_id).where(here)))
    if strangers:
        raise ArenaError(f"version {min(strangers)} is not in season {season.name}")
