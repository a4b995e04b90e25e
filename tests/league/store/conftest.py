"""Fixtures of the store's tests: every test that takes `url` or `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.league import schema
from arena.league.store import LeagueStore
from tests.conftest import find_program
from tests.league.store.league import Clock
from tests.league.store.postgres import Server, running

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.needs_postgres)]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL."""
    initdb = find_program("initdb")
    assert initdb is not None
    with running(initdb) as server:
        yield server


@pytest.fixture(scope="session")
def migrated(server: Server) -> str:
    """A database with the league's tables, which tests share one after the other."""
    name = server.make()
    LeagueStore.open(server.url(name)).close()
    return name


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without any table."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'league.sqlite3'}"
        return
    server: Server = request.getfixturevalue("server")
    name = server.make()
    yield server.url(name)
    server.drop(name)


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a league's database that nobody has written to."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'league.sqlite3'}"
        return
    server: Server = request.getfixturevalue("server")
    name: str = request.getfixturevalue("migrated")
    yield server.url(name)
    server.empty(name, schema.metadata)


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until it is moved."""
    return Clock()


@pytest.fixture
def store(url: str, clock: Clock) -> Iterator[LeagueStore]:
    """An empty league."""
    with LeagueStore.open(url, clock=clock) as store:
        yield store
