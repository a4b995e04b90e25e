"""Owns the tables of a league's database, the same on SQLite and PostgreSQL. Must not know how they are used.

A change here needs a migration in `arena/league/migrations/versions` that makes the same change; a test
compares the two. The records are the truth of what was played: seats, ratings and sums follow from them, and
are kept so that the table of a league with a million matches is read in a moment.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
)

__all__ = [
    "arenas",
    "authors",
    "bots",
    "bundles",
    "entries",
    "fault_counts",
    "logs",
    "match_seats",
    "matches",
    "metadata",
    "rating_history",
    "records",
    "seasons",
    "submissions",
    "tables",
    "tokens",
    "versions",
]


class Text(TypeDecorator[str]):
    """Text as PostgreSQL, too, can keep it: bots print NUL bytes, and halves of surrogate pairs."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """What is written: NUL and lone surrogates replaced."""
        if value is None:
            return None
        return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


# SQLite numbers rows by itself only in an INTEGER column, which has 64 bits there.
Number = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

authors = Table(
    "authors",
    metadata,
    Column("author_id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("is_organiser", Boolean, nullable=False),
    Column("created_unix_us", BigInteger, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("token_id", Text, primary_key=True),
    Column("author_id", Integer, ForeignKey("authors.author_id"), nullable=False),
    Column("label", Text, nullable=False),
    Column("secret_sha256", LargeBinary(32), nullable=False),
    Column("created_unix_us", BigInteger, nullable=False),
    Column("last_used_unix_us", BigInteger),
    Column("revoked_unix_us", BigInteger),
    Column("submissions_per_hour", Integer, nullable=False),
    Column("streams", Integer, nullable=False),
    Column("calls_per_minute", Integer, nullable=False),
)

bots = Table(
    "bots",
    metadata,
    Column("bot_id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_folded", Text, nullable=False, unique=True),  # upper and lower case count as one
    Column("author_id", Integer, ForeignKey("authors.author_id"), nullable=False),
    Column("is_remote", Boolean, nullable=False),
    Column("is_person", Boolean, nullable=False),  # stands for whoever sits in a browser; no bot at all
    Column("retired_unix_us", BigInteger),
    Column("versions", Integer, nullable=False),  # the number of the newest; 0 before the first
)

versions = Table(
    "versions",
    metadata,
    Column("version_id", Integer, primary_key=True),
    Column("bot_id", Integer, ForeignKey("bots.bot_id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("label", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("bundle_sha256", Text, nullable=False, index=True),
    Column("admitted_unix_us", BigInteger, nullable=False),
    UniqueConstraint("bot_id", "number"),
)

logs = Table(
    "logs",
    metadata,
    Column("version_id", Integer, ForeignKey("versions.version_id"), primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
)

bundles = Table(
    "bundles",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("bundle", LargeBinary, nullable=False),
    Column("stored_unix_us", BigInteger, nullable=False),
)

# `bundle_sha256` is no foreign key: a refused submission outlives its bundle.
submissions = Table(
    "submissions",
    metadata,
    Column("submission_id", Integer, primary_key=True),
    Column("author_id", Integer, ForeignKey("authors.author_id"), nullable=False),
    Column("bot", Text, nullable=False),
    Column("bundle_sha256", Text, nullable=False, index=True),
    Column("state", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("received_unix_us", BigInteger, nullable=False),
    Column("changed_unix_us", BigInteger, nullable=False),
    Column("owner", Text, nullable=False),  # the arena that works on it
    Index(None, "author_id", "received_unix_us"),
    Index(None, "state", "submission_id"),
)

seasons = Table(
    "seasons",
    metadata,
    Column("season_id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("current", Integer, unique=True),  # 1 until it has ended, then NULL: at most one is current
    Column("ruleset", Text, nullable=False),
    Column("time_control", Text, nullable=False),
    Column("strikes", Integer, nullable=False),
    Column("seed_text", Text, nullable=False),
    Column("commitment", Text, nullable=False),
    Column("replays", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("began_unix_us", BigInteger, nullable=False),
    Column("ended_unix_us", BigInteger),
    Column("revision", BigInteger, nullable=False),
    Column("next_position", BigInteger, nullable=False),
    Column("next_set", BigInteger, nullable=False),
    Column("matches", BigInteger, nullable=False),  # stored, of every kind
)

entries = Table(
    "entries",
    metadata,
    Column("season_id", Integer, ForeignKey("seasons.season_id"), primary_key=True, autoincrement=False),
    Column("version_id", Integer, ForeignKey("versions.version_id"), primary_key=True, autoincrement=False),
    Column("is_active", Boolean, nullable=False),
    Column("mu", Float(53), nullable=False),
    Column("variance", Float(53), nullable=False),  # sigma squared, as the rating is computed
    Column("matches", Integer, nullable=False),
    Column("sets", Integer, nullable=False),
    Column("wins_twelfths", BigInteger, nullable=False),
    Column("places_doubled", BigInteger, nullable=False),
    Column("total_tenths", BigInteger, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("last_table_unix_us", BigInteger),
    # The final standings, once the season has ended.
    Column("final_rank", Integer),
    Column("final_mu", Float(53)),
    Column("final_sigma", Float(53)),
)

rating_history = Table(
    "rating_history",
    metadata,
    Column("season_id", Integer, primary_key=True, autoincrement=False),
    Column("version_id", Integer, primary_key=True, autoincrement=False),
    Column("sets", Integer, primary_key=True, autoincrement=False),
    Column("matches", Integer, nullable=False),
    Column("mu", Float(53), nullable=False),
    Column("sigma", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

fault_counts = Table(
    "fault_counts",
    metadata,
    Column("season_id", Integer, ForeignKey("seasons.season_id"), primary_key=True, autoincrement=False),
    Column("version_id", Integer, ForeignKey("versions.version_id"), primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("faults", Integer, nullable=False),
)

tables = Table(
    "tables",
    metadata,
    Column("table_id", Integer, primary_key=True),
    Column("season_id", Integer, ForeignKey("seasons.season_id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("is_fresh", Boolean, nullable=False),
    Column("version_0", Integer, ForeignKey("versions.version_id"), nullable=False),
    Column("version_1", Integer, ForeignKey("versions.version_id"), nullable=False),
    Column("version_2", Integer, ForeignKey("versions.version_id"), nullable=False),
    Column("version_3", Integer, ForeignKey("versions.version_id"), nullable=False),
    Column("first_position", BigInteger, nullable=False),
    Column("first_set", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("requested_by", Integer, ForeignKey("authors.author_id")),
    Column("made_unix_us", BigInteger, nullable=False),
    UniqueConstraint("season_id", "first_position"),
    Index(None, "state", "table_id"),
)

# Numbered in the order of storing, which is the order of rating.
matches = Table(
    "matches",
    metadata,
    Column("match_number", Number, primary_key=True),
    Column("match_id", Text, nullable=False, unique=True),
    Column("season_id", Integer, ForeignKey("seasons.season_id"), nullable=False),
    Column("table_id", Integer, ForeignKey("tables.table_id"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("stored_unix_us", BigInteger, nullable=False),
    Column("record_sha256", LargeBinary(32), nullable=False),
    Index(None, "season_id", "match_number"),
)

# Apart from `matches`, so that reading the small columns does not read the large one.
records = Table(
    "records",
    metadata,
    Column("match_number", Number, ForeignKey("matches.match_number"), primary_key=True, autoincrement=False),
    Column("record", LargeBinary, nullable=False),  # an arena.v1.MatchRecord
)

# `season_id` and `bot_id` follow from the rest; they are here for the index that pages a bot's matches.
match_seats = Table(
    "match_seats",
    metadata,
    Column("match_number", Number, ForeignKey("matches.match_number"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("season_id", Integer, nullable=False),
    Column("bot_id", Integer, nullable=False),
    Column("version_id", Integer, ForeignKey("versions.version_id"), nullable=False),
    Column("total_tenths", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    Column("faults", Integer, nullable=False),
    Index(None, "season_id", "bot_id", "match_number"),
    sqlite_with_rowid=False,
)

# Arenas that are at work. What they lease is theirs until then.
arenas = Table(
    "arenas",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("alive_until_unix_us", BigInteger, nullable=False),
)
