"""A real PostgreSQL for the tests: a server of its own in a temporary folder, ended when they are."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import MetaData

USER = "arena"
STOP_S = 30
UNPRIVILEGED = ("postgres", "nobody")
"""Whom the server runs as when the tests run as root, for whom it refuses to run; the first there is."""
SETTINGS = {"listen_addresses": "", "fsync": "off", "full_page_writes": "off", "autovacuum": "off"}


class Server:
    """A running server, reached by a socket in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = count()

    def url(self, database: str) -> str:
        """The address of a database, as `--db` has it."""
        return f"postgresql+psycopg://{USER}@/{database}?host={self.folder}"

    def make(self) -> str:
        """A new, empty database; its name."""
        name = f"league_{next(self._numbers)}"
        self._run("CREATE DATABASE {}", name)
        return name

    def drop(self, name: str) -> None:
        """Removes a database, whoever is connected."""
        self._run("DROP DATABASE {} WITH (FORCE)", name)

    def empty(self, name: str, metadata: MetaData) -> None:
        """Deletes every row of these tables and has their numbers begin anew: faster than a new database."""
        deletes = [sql.SQL("DELETE FROM {}").format(sql.Identifier(table)) for table in metadata.tables]
        with self._connect(name) as connection:
            connection.execute("SET session_replication_role = replica")  # no foreign key is looked at
            connection.execute(sql.SQL(";").join(deletes))
            connection.execute("SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'")

    def kick(self, name: str) -> None:
        """Ends every connection to a database, as a server that is started anew does."""
        ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        with self._connect() as connection:
            connection.execute(ends, [name])

    def _run(self, statement: str, name: str) -> None:
        with self._connect() as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))

    def _connect(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(host=str(self.folder), user=USER, dbname=database, autocommit=True)


@contextmanager
def running(initdb: str) -> Iterator[Server]:
    """A server made with `initdb` and the programs beside it, for as long as the block lasts."""
    programs = Path(initdb).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    data = f"{folder}/data"
    try:
        as_user = _as_user(folder)
        make = [f"{programs}/initdb", "-D", data, "-U", USER, "--auth=trust", "--no-sync", "--locale=C"]
        subprocess.run([*as_user, *make, "-E", "UTF8"], check=True, capture_output=True, cwd=folder)
        options = [f"--{name}={value}" for name, value in SETTINGS.items()]
        start = [f"{programs}/postgres", "-D", data, "-k", str(folder), *options]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen([*as_user, *start], stdout=log, stderr=log, cwd=folder)
        try:
            _wait(process, folder, ask=[f"{programs}/pg_isready", "--quiet", "--host", str(folder)])
            yield Server(folder)
        finally:
            process.send_signal(signal.SIGINT)  # ends without waiting for who is connected
            process.wait(STOP_S)
    finally:
        shutil.rmtree(folder)


def _as_user(folder: Path) -> list[str]:
    """How to begin a command line that must not run as root; the folder is made that user's.

    The server ends with the tests also when those are killed.
    """
    bound = ["setpriv", "--pdeathsig", "INT"]
    if os.geteuid() != 0:
        return bound
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = next(names[name] for name in UNPRIVILEGED if name in names)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return [*bound, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _wait(process: subprocess.Popen[bytes], folder: Path, *, ask: Sequence[str]) -> None:
    while subprocess.run(ask, check=False).returncode:
        assert process.poll() is None, (folder / "log").read_text()
