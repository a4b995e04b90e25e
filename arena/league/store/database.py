"""Owns the connection to the league's database, and all that SQLite and PostgreSQL do differently.

Every call of the store is one transaction. On SQLite one writes at a time: threads wait for a lock, processes
for the file. On PostgreSQL rows are locked, a season's row before anything else of it.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, InterfaceError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from arena.errors import ArenaError
from arena.league import migrations

__all__ = ["Clock", "Database", "Part"]

SQLITE = "sqlite"
POSTGRESQL = "postgresql+psycopg"
BUSY_MS = 30_000
CONNECT_S = 10
MIGRATION_LOCK = 0x63616C6C  # any number, the same in every arena

Clock = Callable[[], int]
"""Microseconds since 1970."""


class Database:
    """A league's database, migrated to what this arena knows."""

    def __init__(self, engine: Engine, *, name: str, clock: Clock | None) -> None:
        self.name = name  # for messages: the URL without its password
        self._engine = engine
        self._clock = clock
        self._writer = threading.Lock()
        self.is_sqlite = engine.dialect.name == SQLITE

    @classmethod
    def open(cls, url: str, *, clock: Clock | None = None) -> Self:
        """The database at `url`, made or migrated; see `LeagueStore.open`."""
        address = _address(url)
        name = address.render_as_string(hide_password=True)
        database = cls(_engine(address), name=name, clock=clock)
        try:
            database._migrate()
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self._in_words(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept when the block ends, and undone when it raises."""
        if not self.is_sqlite:
            with self.reading() as connection:
                yield connection
            return
        with self._writer, self._in_words(), self._engine.connect() as connection:
            connection.execution_options(arena_writes=True)
            with connection.begin():
                yield connection

    def now_us(self, connection: Connection) -> int:
        """Microseconds since 1970, by one clock for all arenas: PostgreSQL's own where they share one."""
        if self._clock is not None:
            return self._clock()
        if self.is_sqlite:
            return time.time_ns() // 1000
        query = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
        return int(connection.execute(query).scalar_one())

    def insert_unless_there(self, connection: Connection, table: Table, row: dict[str, Any]) -> bool:
        """Inserts the row unless one of its key is there, also when another arena inserts it just now."""
        insert = sqlite.insert if self.is_sqlite else postgresql.insert
        statement = insert(table).values(row).on_conflict_do_nothing()
        return connection.execute(statement, execution_options={"preserve_rowcount": True}).rowcount == 1

    def _migrate(self) -> None:
        with self.writing() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            migrations.upgrade(connection, name=self.name)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Says in one line what is wrong with the database; what is wrong with a statement is our bug."""
        try:
            yield
        except (IntegrityError, ProgrammingError):
            raise
        except (DatabaseError, InterfaceError) as trouble:
            raise ArenaError(f"{self.name}: {_first_line(trouble.orig)}") from trouble
        except PoolTimeout:
            raise ArenaError(f"{self.name}: all connections are in use") from None


class Part:
    """What the parts of the store have in common: the database."""

    def __init__(self, database: Database) -> None:
        self._database = database


def _address(url: str) -> URL:
    allowed = f"{SQLITE}:///FILE or {POSTGRESQL}://USER:PASSWORD@HOST/NAME"
    try:
        address = make_url(url)
    except ArgumentError:
        raise ArenaError(f"{url!r} is no address of a database; allowed: {allowed}") from None
    if address.drivername not in {SQLITE, POSTGRESQL}:
        raise ArenaError(f"{address.drivername}: no league is kept in such a database; allowed: {allowed}")
    if address.drivername == SQLITE:
        _check_file(address)
    return address


def _check_file(address: URL) -> None:
    if not address.database or address.database == ":memory:":
        raise ArenaError(f"{address}: a league is kept in a file; allowed: {SQLITE}:///FILE")
    file = Path(address.database).absolute()
    if not file.parent.is_dir():
        raise ArenaError(f"{address}: there is no folder {file.parent}")
    try:
        file.touch(mode=0o600)  # seeds are in it: for its owner alone, as what SQLite puts beside it then is
    except OSError as trouble:
        raise ArenaError(f"{address}: {trouble.strerror}") from None


def _engine(address: URL) -> Engine:
    if address.drivername == POSTGRESQL:
        return create_engine(
            address,
            pool_pre_ping=True,  # PostgreSQL may have been started anew
            pool_size=5,
            max_overflow=15,
            connect_args={"connect_timeout": CONNECT_S},
        )
    engine = create_engine(
        address,
        pool_size=5,
        max_overflow=35,
        connect_args={"timeout": BUSY_MS / 1000, "isolation_level": None},  # `_begin` begins
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    """A commit is on disk when it returns: neither `kill -9` nor a power cut loses what was acknowledged."""
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    """A writer takes the file's lock at once: one that began by reading could not wait for it later."""
    writes = connection.get_execution_options().get("arena_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _first_line(trouble: object) -> str:
    return str(trouble).strip().partition("\n")[0]
