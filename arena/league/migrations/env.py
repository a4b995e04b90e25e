"""Run by Alembic for each upgrade: hands it the connection that `configuration` was given."""

from __future__ import annotations

from alembic import context

from arena.league import schema

context.configure(connection=context.config.attributes["connection"], target_metadata=schema.metadata)
with context.begin_transaction():
    context.run_migrations()
