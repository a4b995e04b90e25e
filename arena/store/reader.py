"""Owns reading a run's results, also while the run goes on. Must not change a byte of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Table, func, select
from sqlalchemy.exc import DatabaseError

from arena.errors import ArenaError
from arena.ratings.results import Results
from arena.store import schema, sqlite
from arena.store.rows import FaultRow, MatchRow, SeatRow
from arena.store.totals import BotTotals, Histogram
from arena.v1 import record_pb2

__all__ = ["KeptRatings", "StoreError", "StoreReader", "StoredBot", "StoredMatch"]

SEATS = 4
READ_AT_A_TIME = 2_000

R = TypeVar("R", FaultRow, SeatRow)


class StoreError(ArenaError):
    """Results that do not fit what is stored already, or a file that is not a run's results."""


@dataclass(frozen=True, slots=True)
class StoredBot:
    """An entrant, by its number in the plan."""

    bot: int
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as it lies in the database."""

    row: MatchRow
    record_sha256: bytes
    record: bytes

    def parse(self) -> record_pb2.MatchRecord:
        """The record; StoreError when its bytes are not the ones that were stored."""
        if hashlib.sha256(self.record).digest() != self.record_sha256:
            raise StoreError(f"match {self.row.match_id}: the record's bytes do not have their SHA-256")
        return record_pb2.MatchRecord.FromString(self.record)


@dataclass(frozen=True, slots=True)
class KeptRatings:
    """Ratings (mu, sigma) by bot, and the matches and the draw probability they were computed from.

    `sureness` says how sure the table of these matches is, in the words of `arena.store.standings`.
    """

    by_bot: Mapping[int, tuple[float, float]]
    matches: int
    draw_probability: float
    sureness: str = ""


class StoreReader:
    """The results of one run, to read. Use it in a `with` block, which closes it."""

    _CANNOT = "cannot be read"

    def __init__(self, engine: Engine, where: Path) -> None:
        self._engine = engine
        self.folder = where
        self.bots: tuple[StoredBot, ...] = ()

    @classmethod
    def open(cls, folder: Path, *, plan_digest: str | None = None) -> Self:
        """The results in `folder`, checked to be of the plan with that digest; StoreError if they are not."""
        store = cls(cls._engine_for(folder / sqlite.RESULTS_FILE), folder)
        try:
            store.check(plan_digest)
            store._read_bots()
        except DatabaseError as trouble:
            raise StoreError(f"{folder / sqlite.RESULTS_FILE}: {cls._CANNOT}: {trouble.orig}") from None
        return store

    @staticmethod
    def _engine_for(file: Path) -> Engine:
        return sqlite.open_for_reading(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; nothing can be read afterwards."""
        self._engine.dispose()

    def count(self) -> int:
        """Matches stored."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.matches)) or 0

    def positions(self) -> Iterator[int]:
        """Positions of the stored matches, ascending."""
        query = select(schema.matches.c.position).order_by(schema.matches.c.position)
        with self._engine.connect() as connection:
            yield from connection.scalars(query)

    def totals(self) -> dict[int, BotTotals]:
        """What is added up of each bot."""
        with self._engine.connect() as connection:
            found = connection.execute(select(schema.bot_totals)).mappings().all()
        return {row["bot"]: _totals_of(row) for row in found}

    def ratings(self) -> KeptRatings | None:
        """The ratings that are kept; None when none were computed yet."""
        with self._engine.connect() as connection:
            kept = _run_values(connection)
            if "rated_matches" not in kept:
                return None
            rows = connection.execute(select(schema.ratings)).all()
        by_bot = {row.bot: (row.mu, row.sigma) for row in rows}
        draw_probability = float(kept["draw_probability"])
        return KeptRatings(by_bot, int(kept["rated_matches"]), draw_probability, kept.get("sureness", ""))

    def has_ended(self) -> bool:
        """Whether a run ended before or beyond its first plan, by the plan's own rule."""
        with self._engine.connect() as connection:
            return "ended" in _run_values(connection)

    def fault_counts(self) -> dict[int, dict[str, int]]:
        """Faults of each bot by kind, bots and kinds without one left out."""
        column = schema.faults.c
        query = select(column.bot, column.kind, func.count()).group_by(column.bot, column.kind)
        counts: dict[int, dict[str, int]] = {}
        with self._engine.connect() as connection:
            for bot, kind, count in connection.execute(query.order_by(column.bot, column.kind)):
                counts.setdefault(bot, {})[kind] = count
        return counts

    def lost_worker_count(self) -> int:
        """How often a worker died."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.lost_workers)) or 0

    def first_fault(self, bot: int, kind: str) -> FaultRow | None:
        """The first fault of that kind in schedule order; its `bot` is the bot's name."""
        column = schema.faults.c
        query = select(schema.faults).where(column.bot == bot, column.kind == kind)
        with self._engine.connect() as connection:
            found = (
                connection.execute(query.order_by(column.position, column.number).limit(1)).mappings().first()
            )
        return FaultRow(**{**found, "bot": self.bots[bot].name}) if found else None

    def faults_between(self, first: int, last: int) -> dict[int, list[FaultRow]]:
        """Faults in order, by the position of their match, from `first` to `last`."""
        return self._rows_between(schema.faults, FaultRow, first, last)

    def seats_between(self, first: int, last: int) -> dict[int, list[SeatRow]]:
        """What came of the four seats, by the position of their match, from `first` to `last`."""
        return self._rows_between(schema.match_seats, SeatRow, first, last)

    def row_counts(self) -> tuple[int, int]:
        """Rows of seats and of faults."""
        with self._engine.connect() as connection:
            seats = connection.scalar(select(func.count()).select_from(schema.match_seats)) or 0
            return seats, connection.scalar(select(func.count()).select_from(schema.faults)) or 0

    def match(self, match_id: str) -> StoredMatch | None:
        """One match by its id; None when it is not stored."""
        with self._engine.connect() as connection:
            found = (
                connection.execute(stored_matches().where(schema.matches.c.match_id == match_id))
                .mappings()
                .first()
            )
        return stored_match_of(found) if found else None

    def matches(self) -> Iterator[StoredMatch]:
        """Every stored match in schedule order, some at a time in memory."""
        for chunk in self.chunks():
            yield from chunk

    def match_id_at(self, position: int) -> str:
        """The id of the stored match at that position; KeyError when there is none."""
        query = select(schema.matches.c.match_id).where(schema.matches.c.position == position)
        with self._engine.connect() as connection:
            found = connection.scalar(query)
        if found is None:
            raise KeyError(position)
        return str(found)

    def chunks(self) -> Iterator[list[StoredMatch]]:
        """The same, some at a time."""
        after = -1
        while found := self._matches_after(after):
            yield found
            after = found[-1].row.position

    def results(self) -> Results:
        """All results in schedule order, as the ratings read them."""
        seat = schema.match_seats.c
        query = select(seat.bot, seat.place, seat.total_tenths, seat.forfeited)
        with self._engine.connect() as connection:
            sets = connection.scalars(
                select(schema.matches.c.set_number).order_by(schema.matches.c.position)
            ).all()
            columns = _columns(connection.execute(query.order_by(seat.position, seat.seat)), width=4)
        by_match = columns.reshape(-1, SEATS, 4)
        return Results(
            bots=tuple(bot.name for bot in self.bots),
            seats=by_match[:, :, 0].astype(np.int32),
            places=by_match[:, :, 1].astype(np.int8),
            total_tenths=by_match[:, :, 2].astype(np.int32),
            set_ids=np.array(sets, dtype=np.int32),
            forfeited=by_match[:, :, 3].astype(np.bool_),
        )

    def check(self, plan_digest: str | None) -> None:
        """Raises StoreError unless these are results this arena reads, of the plan with that digest."""
        with self._engine.connect() as connection:
            kept = _run_values(connection)
        if kept.get("schema") != str(schema.SCHEMA_VERSION):
            raise StoreError(
                f"{self.folder}: results of schema {kept.get('schema')}, "
                f"this arena reads {schema.SCHEMA_VERSION}"
            )
        if plan_digest is not None and kept.get("plan") != plan_digest:
            raise StoreError(f"{self.folder}: plan.json was changed after the first match was played")

    def _read_bots(self) -> None:
        with self._engine.connect() as connection:
            rows = connection.execute(select(schema.bots).order_by(schema.bots.c.bot)).mappings().all()
        self.bots = tuple(StoredBot(**row) for row in rows)

    def _rows_between(self, table: Table, kind: type[R], first: int, last: int) -> dict[int, list[R]]:
        names = {bot.bot: bot.name for bot in self.bots}
        columns = [table.c[name] for name in kind.__slots__]
        position, bot = kind.__slots__.index("position"), kind.__slots__.index("bot")
        query = select(*columns).where(table.c.position.between(first, last))
        found: dict[int, list[R]] = {}
        with self._engine.connect() as connection:
            for row in connection.execute(query.order_by(*table.primary_key.columns)):
                values = list(row)
                values[bot] = names.get(values[bot], "?")
                found.setdefault(values[position], []).append(kind(*values))
        return found

    def _matches_after(self, position: int) -> list[StoredMatch]:
        query = (
            stored_matches().where(schema.matches.c.position > position).order_by(schema.matches.c.position)
        )
        with self._engine.connect() as connection:
            return [
                stored_match_of(row) for row in connection.execute(query.limit(READ_AT_A_TIME)).mappings()
            ]


def stored_matches() -> Any:
    return select(schema.matches, schema.records.c.record).join(schema.records)


def stored_match_of(row: Mapping[Any, Any]) -> StoredMatch:
    place = MatchRow(**{name: row[name] for name in MatchRow.__slots__})
    return StoredMatch(place, row["record_sha256"], row["record"])


def _totals_of(row: Mapping[Any, Any]) -> BotTotals:
    sums = {name: row[name] for name in BotTotals().sums()}
    return BotTotals(**sums, times=Histogram.from_bytes(row["decision_times"]))


def _run_values(connection: Connection) -> dict[str, str]:
    return {row.key: row.value for row in connection.execute(select(schema.run))}


def _columns(rows: Any, *, width: int) -> NDArray[np.int64]:
    """Rows of whole numbers as an array, without holding them all as Python objects."""
    parts = [np.array([tuple(row) for row in part], dtype=np.int64) for part in rows.partitions(50_000)]
    return np.concatenate(parts) if parts else np.zeros((0, width), dtype=np.int64)
