"""Owns all that is particular to SQLite: how the file is opened, and how much of a commit must be on disk.

A result counts once its transaction is on disk, so that neither `kill -9` nor a power cut loses or doubles
one: write-ahead log, and `synchronous` FULL, which makes every commit wait for the disk. Results are stored
some at a time in one transaction, so that this costs little.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event

from arena.errors import ArenaError

__all__ = ["RESULTS_FILE", "move", "open_for_reading", "open_for_writing", "remove", "settle"]

RESULTS_FILE = "results.sqlite3"
BUSY_MS = 10_000
SETTLE_MS = 200


def open_for_writing(file: Path) -> Engine:
    """An engine for the run's only writer; makes the file if there is none."""
    engine = create_engine(f"sqlite:///{file}", connect_args={"timeout": BUSY_MS / 1000})
    event.listen(engine, "connect", _prepare_writer)
    return engine


def open_for_reading(file: Path) -> Engine:
    """An engine that changes nothing, also while a run writes; ArenaError when there is no file."""
    if not file.is_file():
        raise ArenaError(f"{file.parent}: no results there ({file.name} is missing)")
    return create_engine("sqlite://", creator=lambda: _connect_read_only(file))


def settle(engine: Engine) -> None:
    """Leaves one plain file, without a log beside it, that can be read from a read-only folder.

    OperationalError when somebody is reading, or when the disk is full.
    """
    with engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {SETTLE_MS}")
        connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
    engine.dispose()


def remove(file: Path) -> None:
    """Removes a database and whatever SQLite keeps beside it; nothing when there is none."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def move(file: Path, target: Path) -> None:
    """Gives a settled database its name, on disk when this returns."""
    file.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _prepare_writer(connection: sqlite3.Connection, _record: object) -> None:
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _connect_read_only(file: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(file.absolute()))}?mode=ro"
    connection = _connect(address)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError as trouble:
        # A database whose last writer left no log, in a folder where SQLite may not make one: nobody can
        # write there, so it may be read as it lies.
        connection.close()
        if trouble.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or _has_log(file):
            raise
        connection = _connect(f"{address}&immutable=1")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _has_log(file: Path) -> bool:
    return file.with_name(f"{file.name}-wal").exists()


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, timeout=BUSY_MS / 1000, check_same_thread=False)
