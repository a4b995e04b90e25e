"""Promises of a league's database as it is opened: made, migrated, or refused in one line."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, NullPool, create_engine, inspect, text

from arena.errors import ArenaError
from arena.league import migrations, schema
from arena.league.store import LeagueStore
from tests.league.store.postgres import Server


def engine(url: str) -> Engine:
    return create_engine(url, poolclass=NullPool)


def structure(connection: Connection) -> dict[str, Any]:
    """Tables, columns, keys and indexes, as the database itself tells them."""
    inspector = inspect(connection)
    return {
        name: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in inspector.get_columns(name)
            },
            "key": inspector.get_pk_constraint(name),
            "foreign": sorted(inspector.get_foreign_keys(name), key=str),
            "unique": sorted(inspector.get_unique_constraints(name), key=str),
            "indexes": sorted(inspector.get_indexes(name), key=str),
        }
        for name in inspector.get_table_names()
        if name != migrations.VERSION_TABLE
    }


def structure_at(url: str) -> dict[str, Any]:
    with engine(url).connect() as connection:
        return structure(connection)


def test_migrated_tables_are_those_of_the_schema(empty_url: str) -> None:
    LeagueStore.open(empty_url).close()

    with engine(empty_url).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []


def test_migrated_tables_are_to_a_column_those_that_the_schema_makes(empty_url: str) -> None:
    with engine(empty_url).begin() as connection:
        schema.metadata.create_all(connection)
        made = structure(connection)
        schema.metadata.drop_all(connection)
    LeagueStore.open(empty_url).close()

    assert structure_at(empty_url) == made


def test_revisions_make_one_line(empty_url: str) -> None:
    with engine(empty_url).connect() as connection:
        found = migrations.revisions(migrations.configuration(connection))

    assert len(found) == len(list((Path(migrations.__file__).parent / "versions").glob("r*.py")))


def test_database_is_opened_again_as_it_was(empty_url: str) -> None:
    with LeagueStore.open(empty_url) as store:
        store.author("ann")

    with LeagueStore.open(empty_url) as store:
        token = store.issue_token(store.author("ann"), label="laptop").token
        assert token.author.author_id == 1


def test_database_of_a_newer_arena_is_refused_in_one_line(empty_url: str) -> None:
    LeagueStore.open(empty_url).close()
    with engine(empty_url).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(ArenaError, match=r"newer arena \(revision 9999\)") as refused:
        LeagueStore.open(empty_url)

    assert "\n" not in str(refused.value)


def test_database_of_something_else_is_refused_and_left_alone(empty_url: str) -> None:
    with engine(empty_url).begin() as connection:
        connection.execute(text("CREATE TABLE cakes (name VARCHAR)"))
    before = structure_at(empty_url)

    with pytest.raises(ArenaError, match="is no league's database; it has cakes"):
        LeagueStore.open(empty_url)

    assert structure_at(empty_url) == before


def test_failed_migration_leaves_nothing(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: Connection, *, name: str) -> None:
        upgrade(connection, name=name)
        raise ArenaError("the machine went down")

    upgrade = migrations.upgrade
    monkeypatch.setattr(migrations, "upgrade", fail)
    with pytest.raises(ArenaError):
        LeagueStore.open(empty_url)

    assert structure_at(empty_url) == {}


def test_arenas_that_start_at_once_make_the_tables_once(empty_url: str) -> None:
    opened: list[LeagueStore] = []
    threads = [Thread(target=lambda: opened.append(LeagueStore.open(empty_url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({store.author("ann").author_id for store in opened}) == 1
    assert len(opened) == 4
    for store in opened:
        store.close()


def test_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    """The seeds of deals to come are in it."""
    with LeagueStore.open(f"sqlite:///{tmp_path / 'league.sqlite3'}") as store:
        store.author("ann")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}

    assert set(modes) == {"league.sqlite3", "league.sqlite3-wal", "league.sqlite3-shm"}
    assert set(modes.values()) == {0o600}


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("milk, eggs\n" * 100)

    with pytest.raises(ArenaError, match="file is not a database"):
        LeagueStore.open(f"sqlite:///{file}")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("sqlite:////no/such/folder/league.sqlite3", "there is no folder /no/such/folder"),
        ("sqlite://", "a league is kept in a file"),
        ("mysql://db/league", "mysql: no league is kept in such a database"),
        ("league.sqlite3", "is no address of a database"),
        ("postgresql+psycopg://ann:secret@127.0.0.1:1/league", "onnection"),
    ],
)
def test_address_that_leads_nowhere_is_refused_in_one_line(url: str, why: str) -> None:
    with pytest.raises(ArenaError, match=why) as refused:
        LeagueStore.open(url)

    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.needs_postgres
def test_lost_connections_are_made_anew(server: Server) -> None:
    name = server.make()
    with LeagueStore.open(server.url(name)) as store:
        store.author("ann")
        server.kick(name)

        store.ping()
    server.drop(name)


@pytest.mark.needs_postgres
def test_database_that_went_away_is_one_line(server: Server) -> None:
    name = server.make()
    with LeagueStore.open(server.url(name)) as store:
        server.drop(name)

        with pytest.raises(ArenaError, match=f'database "{name}" does not exist') as refused:
            store.ping()

    assert "\n" not in str(refused.value)
