"""Owns authors and their tokens. A token's secret is known to its author alone; here lies its hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

from sqlalchemy import Connection, Select, insert, select, update

from arena.league.model import Author, NewToken, Token
from arena.league.schema import authors, tokens
from arena.league.store.database import Database, Part
from arena.league.store.errors import NotFound
from arena.league.store.rows import AUTHOR, author_of

__all__ = ["People", "author_id_of"]

PREFIX = "cb_"
NOTED_EVERY_US = 60_000_000


class People(Part):
    """Authors and tokens."""

    def author(self, name: str, *, is_organiser: bool = False) -> Author:
        """The author of that name, made when missing; an organiser from now on if `is_organiser`."""
        with self._database.writing() as connection:
            author_id = author_id_of(self._database, connection, name)
            if is_organiser:
                here = authors.c.author_id == author_id
                connection.execute(update(authors).where(here).values(is_organiser=True))
            row = connection.execute(select(*AUTHOR).where(authors.c.author_id == author_id)).one()
        return author_of(row)

    def issue_token(
        self,
        author: Author,
        *,
        label: str,
        submissions_per_hour: int = 20,
        streams: int = 8,
        calls_per_minute: int = 600,
    ) -> NewToken:
        """A new token `cb_<id>.<secret>`; only the SHA-256 of the secret (256 random bits) is kept."""
        token_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        with self._database.writing() as connection:
            row = {
                "token_id": token_id,
                "author_id": author.author_id,
                "label": label,
                "secret_sha256": _digest(secret),
                "created_unix_us": self._database.now_us(connection),
                "submissions_per_hour": submissions_per_hour,
                "streams": streams,
                "calls_per_minute": calls_per_minute,
            }
            connection.execute(insert(tokens).values(row))
            token = _token(connection, token_id)
        return NewToken(token, text=f"{PREFIX}{token_id}.{secret}")

    def tokens(self) -> list[Token]:
        """All tokens, oldest first."""
        with self._database.reading() as connection:
            query = _tokens().order_by(tokens.c.created_unix_us, tokens.c.token_id)
            return [_token_of(row) for row in connection.execute(query)]

    def revoke_token(self, token_id: str) -> Token:
        """Revokes it; NotFound when there is none. One that was revoked before keeps its time."""
        with self._database.writing() as connection:
            standing = (tokens.c.token_id == token_id) & tokens.c.revoked_unix_us.is_(None)
            now_us = self._database.now_us(connection)
            connection.execute(update(tokens).where(standing).values(revoked_unix_us=now_us))
            return _token(connection, token_id)

    def token_of(self, text: str) -> Token | None:
        """The token that this is, if it stands; compared in constant time; notes its use (once a minute)."""
        token_id, _, secret = text.removeprefix(PREFIX).partition(".")
        query = _tokens().add_columns(tokens.c.secret_sha256).where(tokens.c.token_id == token_id)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
            now_us = self._database.now_us(connection)
        kept = row.secret_sha256 if row is not None else bytes(32)
        is_same = hmac.compare_digest(kept, _digest(secret))
        if not is_same or row is None or row.revoked_unix_us is not None or not text.startswith(PREFIX):
            return None
        token = _token_of(row)
        if (token.last_used_unix_us or 0) + NOTED_EVERY_US <= now_us:
            with self._database.writing() as connection:
                here = tokens.c.token_id == token_id
                connection.execute(update(tokens).where(here).values(last_used_unix_us=now_us))
        return token


def author_id_of(database: Database, connection: Connection, name: str) -> int:
    """The id of the author of that name, made when missing."""
    row = {"name": name, "is_organiser": False, "created_unix_us": database.now_us(connection)}
    query = select(authors.c.author_id).where(authors.c.name == name)
    found = connection.scalar(query)
    if found is None:
        database.insert_unless_there(connection, authors, row)
        found = connection.scalar(query)
    assert found is not None
    return int(found)


def _tokens() -> Select[Any]:
    columns = [column for column in tokens.c if column.name not in {"author_id", "secret_sha256"}]
    return select(*columns, *AUTHOR).join(authors)


def _token(connection: Connection, token_id: str) -> Token:
    row = connection.execute(_tokens().where(tokens.c.token_id == token_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no token {token_id}")
    return _token_of(row)


def _token_of(row: Any) -> Token:
    return Token(
        token_id=row.token_id,
        author=author_of(row),
        label=row.label,
        created_unix_us=row.created_unix_us,
        last_used_unix_us=row.last_used_unix_us,
        revoked_unix_us=row.revoked_unix_us,
        submissions_per_hour=row.submissions_per_hour,
        streams=row.streams,
        calls_per_minute=row.calls_per_minute,
    )


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
