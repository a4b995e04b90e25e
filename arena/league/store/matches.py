"""Owns stored matches and all that follows from one: seats, sums, ratings. Each is stored once, whole."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from arena.errors import ArenaError
from arena.league.model import MatchSeat, Season, StoredMatch, Table, TableKind, TableState
from arena.league.schema import (
    authors,
    bots,
    entries,
    fault_counts,
    match_seats,
    matches,
    rating_history,
    records,
    seasons,
    tables,
    versions,
)
from arena.league.store.bots import bot_of_name
from arena.league.store.database import Database, Part
from arena.league.store.errors import NotFound
from arena.league.store.seasons import lock_season
from arena.league.store.tables import SEATS, is_leased_as, lock_table, lost, table_of
from arena.ratings.online import OnlineState, advance
from arena.ratings.results import MatchRow, Results
from arena.referee.record import timeless_bytes
from arena.store.rows import MatchRows, rows_of
from arena.store.totals import BotTotals
from arena.v1 import record_pb2

__all__ = ["DRAW_PROBABILITY", "MOST_A_PAGE", "Matches", "Page"]

DRAW_PROBABILITY = 0.002
"""What ratings assume while matches come in; the final fit measures it. Fixed, so that what a match does to
its bots follows from them and the match alone."""
MOST_A_PAGE = 200


@dataclass(frozen=True, slots=True)
class Page:
    """A page of matches, newest first; `next_token` asks for the next and is empty on the last."""

    matches: tuple[StoredMatch, ...]
    next_token: str


class Matches(Part):
    """Stored matches."""

    def add_records(self, table: Table, new: Sequence[record_pb2.MatchRecord]) -> int:
        """Stores records and everything that follows from them (seats, faults, ratings of a RATED table,
        totals, revision) in one transaction; how many were new.

        The same record again (but for its times) is no error and changes nothing; a different one under a
        stored id is an ArenaError, and so is one that is not of this table. Ratings are updated in the order
        of storing. When all four are stored the table is DONE. LeaseLost unless the table is leased as
        `table` says, so that of two arenas that think they play it one is refused.
        """
        with self._database.writing() as connection:
            season = lock_season(connection, _season_of(connection, table))
            row = lock_table(connection, table)
            seating = _Seating.of(connection, table_of(row))
            fresh = _fresh(connection, seating, new)
            if not fresh:
                return 0
            if not is_leased_as(row, table):
                raise lost(row)
            for record in fresh:
                _insert(self._database, connection, seating, record)
            is_done = _stored(connection, row.table_id) == SEATS
            if is_done:
                done = {"state": TableState.DONE, "owner": ""}
                connection.execute(update(tables).where(tables.c.table_id == row.table_id).values(done))
            if row.kind == TableKind.RATED:
                _rate(self._database, connection, seating, fresh, is_done=is_done)
            _count(connection, season, len(fresh))
        return len(fresh)

    def matches(
        self,
        season: Season,
        *,
        bot: str = "",
        page_size: int = 50,
        page_token: str = "",
        with_unrated: bool = True,
    ) -> Page:
        """Newest first; keyset paging, so that a page costs the same however many came before it.

        At most 200 a page. Those of submissions' first tables are never among them. NotFound for an unknown
        bot, ArenaError for a token that no page gave.
        """
        if page_size < 1:
            raise ArenaError(f"a page of {page_size} matches; allowed: 1 to {MOST_A_PAGE}")
        size = min(page_size, MOST_A_PAGE)
        with self._database.reading() as connection:
            number, query = _listed(connection, season, bot)
            if page_token:
                query = query.where(number < _number_of(page_token))
            unlisted = [] if with_unrated else [TableKind.SCRIMMAGE, TableKind.PERSON]
            query = query.where(matches.c.kind.not_in([TableKind.QUALIFYING, *unlisted]))
            rows = connection.execute(query.order_by(number.desc()).limit(size + 1)).all()
            found = _stored_matches(connection, rows[:size])
        has_more = len(rows) > size
        return Page(tuple(found), str(rows[size - 1].match_number) if has_more else "")

    def match(self, match_id: str) -> StoredMatch:
        """NotFound when there is none."""
        with self._database.reading() as connection:
            rows = connection.execute(select(matches).where(matches.c.match_id == match_id)).all()
            found = _stored_matches(connection, rows)
        if not found:
            raise NotFound(f"there is no match {match_id}")
        return found[0]

    def record(self, match_id: str) -> record_pb2.MatchRecord:
        """NotFound when there is none. Whether it may be shown is the caller's business."""
        query = select(records.c.record, matches.c.record_sha256).join(matches)
        with self._database.reading() as connection:
            row = connection.execute(query.where(matches.c.match_id == match_id)).one_or_none()
        if row is None:
            raise NotFound(f"there is no match {match_id}")
        return _parsed(row, match_id)


@dataclass(frozen=True, slots=True)
class _Seating:
    """A table, and by version id the name and the id of its bot."""

    table: Table
    names: Mapping[int, str]
    bot_ids: Mapping[int, int]

    @classmethod
    def of(cls, connection: Connection, table: Table) -> _Seating:
        query = select(versions.c.version_id, bots.c.name, bots.c.bot_id).join(bots)
        rows = connection.execute(query.where(versions.c.version_id.in_(table.version_ids))).all()
        return cls(
            table,
            names={row.version_id: row.name for row in rows},
            bot_ids={row.version_id: row.bot_id for row in rows},
        )

    def check(self, record: record_pb2.MatchRecord) -> None:
        """ArenaError unless the record is of one of the table's matches."""
        table, rotation = self.table, record.rotation
        if rotation >= SEATS or record.match_id != table.match_ids[rotation]:
            raise ArenaError(
                f"match {record.match_id} (rotation {rotation}) is none of table {table.table_id}"
            )
        expected = [self.names[version_id] for version_id in table.seats(rotation)]
        found = [seat.bot for seat in record.seats]
        if found != expected:
            raise ArenaError(f"match {record.match_id}: seats are {found}, the table has {expected}")
        numbers = (table.first_position + rotation, table.set_numbers[rotation])
        if (record.position, record.set) != numbers:
            raise ArenaError(
                f"match {record.match_id}: position and set are {record.position} and {record.set}, "
                f"the table has {numbers[0]} and {numbers[1]}"
            )


def _fresh(
    connection: Connection, seating: _Seating, new: Iterable[record_pb2.MatchRecord]
) -> list[record_pb2.MatchRecord]:
    """Those of `new` that are not stored, each once, in their order; ArenaError for what cannot be stored."""
    query = select(matches.c.match_id, records.c.record, matches.c.record_sha256).join(records)
    rows = connection.execute(query.where(matches.c.table_id == seating.table.table_id)).all()
    known = {row.match_id: _parsed(row, row.match_id) for row in rows}
    fresh = []
    for record in new:
        seating.check(record)
        if record.match_id not in known:
            known[record.match_id] = record
            fresh.append(record)
        elif timeless_bytes(known[record.match_id]) != timeless_bytes(record):
            raise ArenaError(f"match {record.match_id}: another result of it is stored already")
    return fresh


def _insert(
    database: Database, connection: Connection, seating: _Seating, record: record_pb2.MatchRecord
) -> None:
    """Inserts a match, its record and its seats."""
    table, packed = seating.table, record.SerializeToString()
    match = {
        "match_id": record.match_id,
        "season_id": table.season_id,
        "table_id": table.table_id,
        "kind": table.kind,
        "rotation": record.rotation,
        "stored_unix_us": database.now_us(connection),
        "record_sha256": hashlib.sha256(packed).digest(),
    }
    made = connection.execute(insert(matches).values(match)).inserted_primary_key
    assert made is not None
    connection.execute(insert(records).values(match_number=made[0], record=packed))
    seats = [
        {
            "match_number": made[0],
            "seat": seat,
            "season_id": table.season_id,
            "bot_id": seating.bot_ids[version_id],
            "version_id": version_id,
            "total_tenths": record.total_tenths[seat],
            "place": record.places[seat],
            "forfeited": record.seats[seat].forfeited,
            "faults": sum(fault.seat == seat for fault in record.faults),
        }
        for seat, version_id in enumerate(table.seats(record.rotation))
    ]
    connection.execute(insert(match_seats), seats)


def _stored(connection: Connection, table_id: int) -> int:
    return len(connection.execute(select(matches.c.rotation).where(matches.c.table_id == table_id)).all())


def _rate(
    database: Database,
    connection: Connection,
    seating: _Seating,
    fresh: Sequence[record_pb2.MatchRecord],
    *,
    is_done: bool,
) -> None:
    """Updates the entries of the table's four versions, and of no other."""
    table = seating.table
    here = (entries.c.season_id == table.season_id) & entries.c.version_id.in_(table.version_ids)
    before = {row.version_id: row for row in connection.execute(select(entries).where(here))}
    rated = _rated(before, seating, fresh)
    for version_id, sums in _sums(seating, fresh).items():
        row = before[version_id]
        mu, variance = rated[version_id]
        after = {
            "mu": mu,
            "variance": variance,
            "matches": row.matches + sums.totals.matches,
            "sets": row.sets + is_done,
            "wins_twelfths": row.wins_twelfths + sums.totals.wins_twelfths,
            "places_doubled": row.places_doubled + sums.totals.places_doubled,
            "total_tenths": row.total_tenths + sums.totals.total_tenths,
            "faults": row.faults + sum(sums.faults.values()),
        }
        own = (entries.c.season_id == table.season_id) & (entries.c.version_id == version_id)
        connection.execute(update(entries).where(own).values(after))
        _add_faults(database, connection, table.season_id, version_id, sums.faults)
        if is_done:
            key = {"season_id": table.season_id, "version_id": version_id, "sets": after["sets"]}
            point = {**key, "matches": after["matches"], "mu": mu, "sigma": math.sqrt(variance)}
            connection.execute(insert(rating_history).values(point))


def _rated(
    before: Mapping[int, Row[Any]], seating: _Seating, fresh: Sequence[record_pb2.MatchRecord]
) -> dict[int, tuple[float, float]]:
    """(mu, variance) by version id after the matches `fresh`, in their order."""
    numbers = list(before)
    state = OnlineState(
        bots=tuple(map(str, numbers)),
        mu=tuple(before[number].mu for number in numbers),
        variance=tuple(before[number].variance for number in numbers),
        matches=0,
        draw_probability=DRAW_PROBABILITY,
    )
    played = [
        MatchRow(
            bots=[str(version_id) for version_id in seating.table.seats(record.rotation)],
            places=list(record.places),
            total_tenths=list(record.total_tenths),
            set_id=0,
            forfeited=[seat for seat, kept in enumerate(record.seats) if kept.forfeited],
        )
        for record in fresh
    ]
    after = advance(state, Results.of(played, bots=state.bots))
    return dict(zip(numbers, zip(after.mu, after.variance, strict=True), strict=True))


@dataclass(frozen=True, slots=True)
class _Sums:
    """What a version's seats in some matches add up to."""

    totals: BotTotals
    faults: dict[str, int]


def _sums(seating: _Seating, fresh: Sequence[record_pb2.MatchRecord]) -> dict[int, _Sums]:
    sums = {version_id: _Sums(BotTotals(), {}) for version_id in seating.table.version_ids}
    for rows in map(rows_of, fresh):
        places = tuple(seat.place for seat in rows.seats)
        seats = seating.table.seats(rows.match.rotation)
        for seat, version_id in zip(rows.seats, seats, strict=True):
            before = sums[version_id]
            totals = before.totals.plus(seat, places=places)
            sums[version_id] = replace(before, totals=totals)
        _count_faults(sums, seats, rows)
    return sums


def _count_faults(sums: Mapping[int, _Sums], seats: Sequence[int], rows: MatchRows) -> None:
    for fault in rows.faults:
        faults = sums[seats[fault.seat]].faults
        faults[fault.kind] = faults.get(fault.kind, 0) + 1


def _add_faults(
    database: Database, connection: Connection, season_id: int, version_id: int, faults: Mapping[str, int]
) -> None:
    column = fault_counts.c
    for kind, count in faults.items():
        key = {"season_id": season_id, "version_id": version_id, "kind": kind}
        database.insert_unless_there(connection, fault_counts, {**key, "faults": 0})
        here = (column.season_id == season_id) & (column.version_id == version_id) & (column.kind == kind)
        connection.execute(update(fault_counts).where(here).values(faults=column.faults + count))


def _count(connection: Connection, season: Row[Any], fresh: int) -> None:
    more = {"revision": season.revision + 1, "matches": season.matches + fresh}
    connection.execute(update(seasons).where(seasons.c.season_id == season.season_id).values(more))


def _season_of(connection: Connection, table: Table) -> Row[Any]:
    query = select(seasons).join(tables, tables.c.season_id == seasons.c.season_id)
    row = connection.execute(query.where(tables.c.table_id == table.table_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no table {table.table_id}")
    return row


def _listed(connection: Connection, season: Season, bot: str) -> tuple[Any, Select[Any]]:
    """The column that orders the matches of a season, or of a bot in it, and the query for them."""
    if not bot:
        return matches.c.match_number, select(matches).where(matches.c.season_id == season.season_id)
    bot_id = bot_of_name(connection, bot).bot_id
    own = (match_seats.c.season_id == season.season_id) & (match_seats.c.bot_id == bot_id)
    return match_seats.c.match_number, select(matches).join(match_seats).where(own)


def _number_of(page_token: str) -> int:
    if not (page_token.isascii() and page_token.isdigit() and len(page_token) < 19):
        raise ArenaError(f"page token {page_token!r} was given by no page")
    return int(page_token)


def _stored_matches(connection: Connection, rows: Sequence[Row[Any]]) -> list[StoredMatch]:
    numbers = [row.match_number for row in rows]
    query = (
        select(match_seats, bots.c.name, versions.c.number, authors.c.name.label("author"))
        .join(versions, versions.c.version_id == match_seats.c.version_id)
        .join(bots, bots.c.bot_id == versions.c.bot_id)
        .join(authors, authors.c.author_id == bots.c.author_id)
        .where(match_seats.c.match_number.in_(numbers))
        .order_by(match_seats.c.match_number, match_seats.c.seat)
    )
    seats: dict[int, list[MatchSeat]] = {}
    for row in connection.execute(query):
        seat = MatchSeat(
            bot=row.name,
            version=row.number,
            total_tenths=row.total_tenths,
            place=row.place,
            forfeited=row.forfeited,
            faults=row.faults,
            author=row.author,
        )
        seats.setdefault(row.match_number, []).append(seat)
    return [_stored_match(row, seats[row.match_number]) for row in rows]


def _stored_match(row: Row[Any], seats: Sequence[MatchSeat]) -> StoredMatch:
    first, second, third, fourth = seats
    return StoredMatch(
        match_id=row.match_id,
        season_id=row.season_id,
        table_id=row.table_id,
        kind=TableKind(row.kind),
        rotation=row.rotation,
        stored_unix_us=row.stored_unix_us,
        seats=(first, second, third, fourth),
    )


def _parsed(row: Any, match_id: str) -> record_pb2.MatchRecord:
    packed = bytes(row.record)
    if hashlib.sha256(packed).digest() != bytes(row.record_sha256):
        raise ArenaError(f"match {match_id}: the record's bytes do not have their SHA-256")
    return record_pb2.MatchRecord.FromString(packed)
