"""Owns writing a run's results: each match once, by its id, whole or not at all.

One process writes; any number may read meanwhile. Must not know how matches are run or shown.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, bindparam, insert, update
from sqlalchemy.exc import DatabaseError, OperationalError

from arena.referee.record import timeless_bytes
from arena.store import schema, sqlite
from arena.store.reader import (
    READ_AT_A_TIME,
    KeptRatings,
    StoreError,
    StoreReader,
    stored_match_of,
    stored_matches,
)
from arena.store.rows import FaultRow, MatchRows, SeatRow, as_dict, rows_of
from arena.store.totals import BotTotals, Histogram
from arena.v1 import record_pb2

__all__ = ["StoreWriter"]


class StoreWriter(StoreReader):
    """The results of one run, to write and to read, by the one process that plays it."""

    _CANNOT = "cannot be written"

    def __init__(self, engine: Engine, where: Path) -> None:
        super().__init__(engine, where)
        self._totals: dict[int, BotTotals] = {}
        self._numbers: dict[str, int] = {}

    @classmethod
    def create(cls, folder: Path, *, plan_digest: str, bots: Sequence[tuple[str, str]]) -> Self:
        """An empty store for the plan with that digest; `bots` are the entrants' (name, version)."""
        file = folder / sqlite.RESULTS_FILE
        if file.exists():
            raise StoreError(f"{file}: is there already")
        # Whole or not at all: an arena that is killed meanwhile leaves nothing that `open` stumbles over.
        draft = folder / f".{sqlite.RESULTS_FILE}.draft"
        with _writing(folder):
            sqlite.remove(draft)
            engine = sqlite.open_for_writing(draft)
            with engine.begin() as connection:
                _begin(connection, plan_digest=plan_digest, bots=bots)
            sqlite.settle(engine)
            sqlite.move(draft, file)
        return cls.open(folder, plan_digest=plan_digest)

    @staticmethod
    def _engine_for(file: Path) -> Engine:
        if not file.is_file():
            raise StoreError(f"{file.parent}: no results there ({file.name} is missing)")
        return sqlite.open_for_writing(file)

    def _read_bots(self) -> None:
        super()._read_bots()
        self._totals = self.totals()
        self._numbers = {bot.name: bot.bot for bot in self.bots}

    def settle(self) -> None:
        """After the last result: leaves one plain file without a log beside it."""
        try:
            sqlite.settle(self._engine)
        except OperationalError:  # somebody is reading, or the disk is full: the log stays, which is as good
            self._engine.dispose()

    def add(self, records: Iterable[record_pb2.MatchRecord]) -> int:
        """Stores matches in one transaction, all or none; returns how many were new.

        A match stored before (the same but for its times) is passed over; a different one of the same id is
        a StoreError.
        """
        fresh = self._fresh(records)
        if not fresh:
            return 0
        totals = self._added(fresh)
        with _writing(self.folder):
            self._insert(fresh, totals)
        self._totals.update(totals)
        return len(fresh)

    def keep_ratings(self, kept: KeptRatings) -> None:
        """Keeps ratings, so that the table need not be computed again while no match is added."""
        rows = [{"bot": bot, "mu": mu, "sigma": sigma} for bot, (mu, sigma) in kept.by_bot.items()]
        source = {
            "rated_matches": str(kept.matches),
            "draw_probability": repr(kept.draw_probability),
            "sureness": kept.sureness,
        }
        with _writing(self.folder), self._engine.begin() as connection:
            connection.execute(schema.ratings.delete())
            connection.execute(schema.run.delete().where(schema.run.c.key.in_(source)))
            _insert(connection, schema.ratings, rows)
            _insert(connection, schema.run, [{"key": key, "value": value} for key, value in source.items()])

    def note_end(self, why: str) -> None:
        """Keeps that the run is over, by the plan's own rule, though more could be played."""
        with _writing(self.folder), self._engine.begin() as connection:
            connection.execute(schema.run.delete().where(schema.run.c.key == "ended"))
            _insert(connection, schema.run, [{"key": "ended", "value": why}])

    def note_lost_worker(self, job_id: str, *, exit_status: int, log: str) -> None:
        """Keeps that a worker died during a job, whose missing matches are played again."""
        row = {"lost_unix_us": _now_us(), "job_id": job_id, "exit_status": exit_status, "log": log}
        with _writing(self.folder), self._engine.begin() as connection:
            _insert(connection, schema.lost_workers, [row])

    def _fresh(self, records: Iterable[record_pb2.MatchRecord]) -> list[tuple[MatchRows, bytes]]:
        """Rows and bytes of the records that are not stored yet, each once."""
        by_position: dict[int, record_pb2.MatchRecord] = {}
        for record in records:
            _refuse_change(by_position.setdefault(record.position, record), record)
        column = schema.matches.c
        for start in range(0, len(by_position), READ_AT_A_TIME):
            wanted = list(by_position)[start : start + READ_AT_A_TIME]
            with self._engine.connect() as connection:
                found = (
                    connection.execute(stored_matches().where(column.position.in_(wanted))).mappings().all()
                )
            for row in found:
                stored = stored_match_of(row)
                _refuse_change(stored.parse(), by_position.pop(stored.row.position))
        return [(rows_of(record), record.SerializeToString()) for record in by_position.values()]

    def _insert(self, fresh: Sequence[tuple[MatchRows, bytes]], totals: Mapping[int, BotTotals]) -> None:
        with self._engine.begin() as connection:
            _insert(connection, schema.matches, [_match_columns(rows, packed) for rows, packed in fresh])
            _insert(
                connection,
                schema.records,
                [{"position": rows.match.position, "record": packed} for rows, packed in fresh],
            )
            _insert(
                connection, schema.match_seats, self._by_number(seat for r, _ in fresh for seat in r.seats)
            )
            _insert(connection, schema.faults, self._by_number(fault for r, _ in fresh for fault in r.faults))
            _write_totals(connection, totals)

    def _added(self, fresh: Iterable[tuple[MatchRows, bytes]]) -> dict[int, BotTotals]:
        """The new totals of the bots that sat in these matches."""
        totals: dict[int, BotTotals] = {}
        times: dict[int, list[NDArray[np.int64]]] = {}
        for rows, _ in fresh:
            places = tuple(seat.place for seat in rows.seats)
            for seat, times_us in zip(rows.seats, rows.times_us, strict=True):
                bot = self._number_of(seat.bot)
                before = totals.get(bot) or self._totals[bot]
                totals[bot] = before.plus(seat, places=places)
                times.setdefault(bot, []).append(times_us)
        return {
            bot: added.with_times(Histogram.of(np.concatenate(times[bot]))) for bot, added in totals.items()
        }

    def _by_number(self, rows: Iterable[SeatRow | FaultRow]) -> list[dict[str, object]]:
        return [{**as_dict(row), "bot": self._number_of(row.bot)} for row in rows]

    def _number_of(self, name: str) -> int:
        bot = self._numbers.get(name)
        if bot is None:
            raise StoreError(f"{self.folder}: bot {name} is no entrant of this tournament")
        return bot


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Says in one line what keeps the database from being written: a full disk, a read-only folder."""
    try:
        yield
    except DatabaseError as trouble:
        raise StoreError(f"{folder}: results cannot be written: {trouble.orig}") from None
    except OSError as trouble:
        raise StoreError(f"{folder}: results cannot be written: {trouble.strerror}") from None


def _begin(connection: Connection, *, plan_digest: str, bots: Sequence[tuple[str, str]]) -> None:
    """Makes the tables, and fills in what is known before the first match."""
    schema.metadata.create_all(connection)
    source = {"schema": str(schema.SCHEMA_VERSION), "plan": plan_digest}
    _insert(connection, schema.run, [{"key": key, "value": value} for key, value in source.items()])
    _insert(
        connection,
        schema.bots,
        [{"bot": bot, "name": name, "version": version} for bot, (name, version) in enumerate(bots)],
    )
    _insert(connection, schema.bot_totals, [_totals_columns(bot, BotTotals()) for bot in range(len(bots))])


def _refuse_change(stored: record_pb2.MatchRecord, offered: record_pb2.MatchRecord) -> None:
    if stored is not offered and timeless_bytes(stored) != timeless_bytes(offered):
        raise StoreError(
            f"match {offered.match_id} (position {offered.position}): another result is stored already, "
            f"of match {stored.match_id}"
        )


def _insert(connection: Connection, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _match_columns(rows: MatchRows, packed: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(packed).digest()
    return {**as_dict(rows.match), "record_sha256": digest, "stored_unix_us": _now_us()}


def _totals_columns(bot: int, totals: BotTotals) -> dict[str, Any]:
    return {"bot": bot, **totals.sums(), "decision_times": totals.times.to_bytes()}


def _write_totals(connection: Connection, totals: Mapping[int, BotTotals]) -> None:
    rows = [_totals_columns(bot, kept) for bot, kept in totals.items()]
    changes: dict[str, Any] = {name: bindparam(name) for name in rows[0] if name != "bot"}
    statement = (
        update(schema.bot_totals).where(schema.bot_totals.c.bot == bindparam("of_bot")).values(changes)
    )
    connection.execute(statement, [{**row, "of_bot": row["bot"]} for row in rows])


def _now_us() -> int:
    return time.time_ns() // 1000
