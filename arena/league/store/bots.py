"""Owns bots, their versions, and what their processes printed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from arena.bots.manifest import refuse_bad_name
from arena.league.model import Author, Bot, TableState, Version
from arena.league.schema import bots, entries, logs, tables, versions
from arena.league.store.database import Database, Part
from arena.league.store.errors import NotFound, Taken
from arena.league.store.people import author_id_of
from arena.league.store.rows import all_bots, bot_of, select_bots, version_of
from arena.league.store.seasons import change, enter, leave, lock_current

__all__ = ["PERSON", "Bots", "bot_of_name", "claim_name", "comes_back", "new_version"]

PERSON = "person"
"""The name under which a person sits at a table; no bot can have it."""
HOUSE = "house"
MOST_LOG_BYTES = 64 * 1024

VERSION = tuple(versions.c)


class Bots(Part):
    """Bots and versions."""

    def bots(self, *, with_retired: bool = False) -> list[Bot]:
        """By name."""
        with self._database.reading() as connection:
            found = all_bots(connection).values()
        return sorted(
            (bot for bot in found if with_retired or bot.retired_unix_us is None),
            key=lambda bot: bot.name.casefold(),
        )

    def bot(self, name: str) -> Bot:
        """NotFound when there is none. Upper and lower case count as one."""
        with self._database.reading() as connection:
            return bot_of_name(connection, name)

    def versions(self, bot: Bot) -> list[Version]:
        """Newest first."""
        query = select(*VERSION).where(versions.c.bot_id == bot.bot_id).order_by(versions.c.number.desc())
        with self._database.reading() as connection:
            return [version_of(row) for row in connection.execute(query)]

    def version(self, version_id: int) -> Version:
        """NotFound when there is none."""
        with self._database.reading() as connection:
            return _version(connection, version_id)

    def matches_of_versions(self, bot: Bot) -> dict[int, int]:
        """Rated matches of all seasons by version id."""
        query = (
            select(versions.c.version_id, func.coalesce(func.sum(entries.c.matches), 0).label("matches"))
            .join(entries, isouter=True)
            .where(versions.c.bot_id == bot.bot_id)
            .group_by(versions.c.version_id)
        )
        with self._database.reading() as connection:
            return {row.version_id: int(row.matches) for row in connection.execute(query)}

    def retire(self, bot: Bot) -> None:
        """Takes it out of play in the open season, voids tables that wait for it; its history stays."""
        with self._database.writing() as connection:
            season = lock_current(connection)
            here = (bots.c.bot_id == bot.bot_id) & bots.c.retired_unix_us.is_(None)
            now_us = self._database.now_us(connection)
            connection.execute(update(bots).where(here).values(retired_unix_us=now_us))
            _void_waiting(connection, bot)
            if season is not None:
                leave(connection, season, bot.bot_id)
                change(connection, season)

    def remote_bot(self, author: Author, name: str, *, label: str, language: str) -> Bot:
        """The author's remote bot of that name; made with version 1, or given a new one when `label` changed.

        It enters the open season, also after it was retired. Taken when the name is another author's, or a
        submitted bot's; ArenaError for a name that no bot may have.
        """
        with self._database.writing() as connection:
            season = lock_current(connection)
            bot = claim_name(self._database, connection, name, author, is_remote=True)
            is_known = bot.newest is not None and bot.newest.label == label
            if is_known and bot.retired_unix_us is None and _is_entered(connection, season, bot):
                return bot
            if not is_known:
                new_version(self._database, connection, bot, label=label, language=language)
            comes_back(connection, bot)
            bot = bot_of_name(connection, name)
            assert bot.newest is not None
            enter(connection, season, bot.bot_id, bot.newest.version_id)
        return bot

    def person(self) -> Version:
        """What stands for a person among a table's versions: called `person`, in no season and no list."""
        with self._database.writing() as connection:
            found = connection.scalar(select(bots.c.bot_id).where(bots.c.name_folded == PERSON))
            if found is None:
                author_id = author_id_of(self._database, connection, HOUSE)
                row = {"name": PERSON, "author_id": author_id, "is_remote": True, "is_person": True}
                self._database.insert_unless_there(
                    connection, bots, {**row, "name_folded": PERSON, "versions": 0}
                )
            bot = _bot(connection, PERSON)
            if bot.newest is None:
                new_version(self._database, connection, bot, label="1", language="")
            newest = _bot(connection, PERSON).newest
        assert newest is not None
        return newest

    def set_log(self, version_id: int, text: str) -> None:
        """Keeps the last 64 KiB of what the version's processes printed."""
        kept = text.encode("utf-8", "replace")[-MOST_LOG_BYTES:].decode("utf-8", "ignore")
        with self._database.writing() as connection:
            _version(connection, version_id)
            here = logs.c.version_id == version_id
            if not connection.execute(update(logs).where(here).values(text=kept)).rowcount:
                row = {"version_id": version_id, "text": kept}
                self._database.insert_unless_there(connection, logs, row)

    def log(self, version_id: int) -> str:
        """Empty when it printed nothing."""
        with self._database.reading() as connection:
            return connection.scalar(select(logs.c.text).where(logs.c.version_id == version_id)) or ""


def bot_of_name(connection: Connection, name: str) -> Bot:
    """NotFound when there is none."""
    row = connection.execute(
        select_bots().where(bots.c.name_folded == name.casefold(), ~bots.c.is_person)
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no bot called {name}")
    return bot_of(row)


def claim_name(
    database: Database, connection: Connection, name: str, author: Author, *, is_remote: bool
) -> Bot:
    """The author's bot of that name, made when missing and locked; Taken when it cannot be had."""
    refuse_bad_name(name)
    folded = name.casefold()
    if folded == PERSON:
        raise Taken(f"{name}: no bot can have this name, under which people sit at a table")
    row = {"name": name, "name_folded": folded, "author_id": author.author_id, "versions": 0}
    database.insert_unless_there(connection, bots, {**row, "is_remote": is_remote, "is_person": False})
    connection.execute(
        select(bots.c.bot_id).where(bots.c.name_folded == folded).with_for_update(key_share=True)
    )
    bot = _bot(connection, folded)
    if bot.author.author_id != author.author_id:
        raise Taken(f"{name}: another author has a bot of this name; choose another name")
    if bot.is_remote != is_remote:
        way = "plays from its author's machine" if bot.is_remote else "was submitted as a bundle"
        raise Taken(f"{name}: your bot of this name {way}, and cannot be both; choose another name")
    return bot


def new_version(
    database: Database,
    connection: Connection,
    bot: Bot,
    *,
    label: str,
    language: str,
    content_hash: str = "",
    bundle_sha256: str = "",
) -> int:
    """Adds the next version of a bot that is locked; its id."""
    number = 1 if bot.newest is None else bot.newest.number + 1
    row = {
        "bot_id": bot.bot_id,
        "number": number,
        "label": label,
        "language": language,
        "content_hash": content_hash,
        "bundle_sha256": bundle_sha256,
        "admitted_unix_us": database.now_us(connection),
    }
    made = connection.execute(insert(versions).values(row)).inserted_primary_key
    connection.execute(update(bots).where(bots.c.bot_id == bot.bot_id).values(versions=number))
    assert made is not None
    return int(made[0])


def comes_back(connection: Connection, bot: Bot) -> None:
    """Ends the retirement of a bot whose author sends a version of it."""
    if bot.retired_unix_us is not None:
        connection.execute(update(bots).where(bots.c.bot_id == bot.bot_id).values(retired_unix_us=None))


def _bot(connection: Connection, folded: str) -> Bot:
    return bot_of(connection.execute(select_bots().where(bots.c.name_folded == folded)).one())


def _version(connection: Connection, version_id: int) -> Version:
    row = connection.execute(select(*VERSION).where(versions.c.version_id == version_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no version {version_id}")
    return version_of(row)


def _is_entered(connection: Connection, season: Any, bot: Bot) -> bool:
    if season is None or bot.newest is None:
        return season is None
    here = (entries.c.season_id == season.season_id) & (entries.c.version_id == bot.newest.version_id)
    return connection.scalar(select(entries.c.version_id).where(here)) is not None


def _void_waiting(connection: Connection, bot: Bot) -> None:
    own = select(versions.c.version_id).where(versions.c.bot_id == bot.bot_id)
    seats = (tables.c.version_0, tables.c.version_1, tables.c.version_2, tables.c.version_3)
    at_it = seats[0].in_(own) | seats[1].in_(own) | seats[2].in_(own) | seats[3].in_(own)
    waiting = tables.c.state == TableState.WAITING
    gone = {"state": TableState.VOID, "reason": f"{bot.name} was retired"}
    connection.execute(update(tables).where(waiting & at_it).values(gone))
