"""Owns how a league's database becomes one of this arena: the steps in `versions`, in their order.

A new step: change `arena/league/schema.py`, add a file to `versions` that does the same, and let the tests
compare the two on both databases.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from arena.errors import ArenaError

__all__ = ["configuration", "revisions", "upgrade"]

VERSION_TABLE = "alembic_version"
OURS = {"authors", "seasons"}


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for `connection`, whose transaction the steps then belong to."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def revisions(config: Config) -> list[str]:
    """Every revision that this arena knows, the newest first."""
    return [step.revision for step in ScriptDirectory.from_config(config).walk_revisions()]


def upgrade(connection: Connection, *, name: str) -> None:
    """Makes the tables, or brings them up to date; ArenaError when they are not a league's, or newer."""
    config = configuration(connection)
    tables = set(inspect(connection).get_table_names())
    if not tables:
        command.upgrade(config, "head")
        return
    if VERSION_TABLE not in tables or not tables >= OURS:
        raise ArenaError(f"{name}: is no league's database; it has {_listed(tables)}")
    known = revisions(config)
    found = MigrationContext.configure(connection).get_current_revision()
    if found not in known:
        raise ArenaError(
            f"{name}: was made by a newer arena (revision {found}); this one knows {known[0]} and older: "
            "install the newer one"
        )
    if found != known[0]:
        command.upgrade(config, "head")


def _listed(tables: set[str]) -> str:
    names = sorted(tables)
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
