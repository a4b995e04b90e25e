"""Owns how rows of the database become the league's values."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, select

from arena.league.model import Author, Bot, Replays, Season, SeasonState, Version
from arena.league.schema import authors, bots, versions

__all__ = ["AUTHOR", "all_bots", "author_of", "bot_of", "season_of", "select_bots", "version_of"]

AUTHOR = (authors.c.author_id, authors.c.name.label("author_name"), authors.c.is_organiser)


def author_of(row: Any) -> Author:
    """The author in a row that has the columns AUTHOR."""
    return Author(row.author_id, row.author_name, row.is_organiser)


def version_of(row: Any) -> Version:
    """The version in a row that has the columns of `versions`."""
    return Version(
        version_id=row.version_id,
        bot_id=row.bot_id,
        number=row.number,
        label=row.label,
        language=row.language,
        content_hash=row.content_hash,
        bundle_sha256=row.bundle_sha256,
        admitted_unix_us=row.admitted_unix_us,
    )


def select_bots() -> Select[Any]:
    """Bots with their authors and their newest versions."""
    newest = (versions.c.bot_id == bots.c.bot_id) & (versions.c.number == bots.c.versions)
    columns = (bots.c.bot_id, bots.c.name, bots.c.is_remote, bots.c.retired_unix_us, bots.c.versions)
    newest_columns = [column for column in versions.c if column.name != "bot_id"]
    return select(*columns, *AUTHOR, *newest_columns).join(authors).outerjoin(versions, newest)


def bot_of(row: Any) -> Bot:
    """The bot in a row of `select_bots`."""
    return Bot(
        bot_id=row.bot_id,
        name=row.name,
        author=author_of(row),
        is_remote=row.is_remote,
        retired_unix_us=row.retired_unix_us,
        newest=version_of(row) if row.version_id is not None else None,
    )


def all_bots(connection: Connection) -> dict[int, Bot]:
    """Every bot by its id, retired ones too."""
    return {row.bot_id: bot_of(row) for row in connection.execute(select_bots().where(~bots.c.is_person))}


def season_of(row: Any) -> Season:
    """The season in a row of `seasons`."""
    return Season(
        season_id=row.season_id,
        name=row.name,
        ruleset=row.ruleset,
        time_control=row.time_control,
        strikes=row.strikes,
        seed_text=row.seed_text,
        commitment=row.commitment,
        replays=Replays(row.replays),
        state=SeasonState(row.state),
        began_unix_us=row.began_unix_us,
        ended_unix_us=row.ended_unix_us,
        revision=row.revision,
    )
