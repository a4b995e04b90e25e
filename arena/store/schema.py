"""Owns the tables of the results database. Must not know any one database's dialect.

The records are the truth. `match_seats`, `faults`, `bot_totals` and `ratings` follow from them, are kept so
that a table of a million matches is read in a moment, and are recomputed by `arena verify`.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

__all__ = [
    "SCHEMA_VERSION",
    "bot_totals",
    "bots",
    "faults",
    "lost_workers",
    "match_seats",
    "matches",
    "metadata",
    "ratings",
    "records",
    "run",
]

SCHEMA_VERSION = 1

metadata = MetaData()

# What the file belongs to: `schema`, `plan` (SHA-256 of plan.json), and what the ratings were computed from;
# `ended`, with why, once a run is over whose length follows from its results.
run = Table(
    "run",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)

bots = Table(
    "bots",
    metadata,
    Column("bot", Integer, primary_key=True, autoincrement=False),  # the entrant's number in the plan
    Column("name", String, nullable=False, unique=True),
    Column("version", String, nullable=False),
)

matches = Table(
    "matches",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=False),  # in the schedule, from 0
    Column("match_id", String, nullable=False, unique=True),
    Column("table_number", Integer, nullable=False),
    Column("set_number", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("record_sha256", LargeBinary(32), nullable=False),
    Column("stored_unix_us", BigInteger, nullable=False),
)

# Apart from `matches`, so that reading the small columns does not read the large one.
records = Table(
    "records",
    metadata,
    Column("position", Integer, ForeignKey("matches.position"), primary_key=True, autoincrement=False),
    Column("record", LargeBinary, nullable=False),  # an arena.v1.MatchRecord
)

match_seats = Table(
    "match_seats",
    metadata,
    Column("position", Integer, ForeignKey("matches.position"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("bot", Integer, ForeignKey("bots.bot"), nullable=False),
    Column("total_tenths", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("calls", Integer, nullable=False),  # sum over the rounds
    Column("tricks", Integer, nullable=False),  # sum over the rounds
    Column("calls_made", Integer, nullable=False),  # rounds in which the call was made
    Column("decisions", Integer, nullable=False),  # that were asked
    Column("decision_us", BigInteger, nullable=False),  # sum over those
    sqlite_with_rowid=False,
)

faults = Table(
    "faults",
    metadata,
    Column("position", Integer, ForeignKey("matches.position"), primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),  # within the match, from 0
    Column("seat", Integer, nullable=False),
    Column("bot", Integer, ForeignKey("bots.bot"), nullable=False),
    Column("kind", String, nullable=False),
    Column("round", Integer, nullable=False),
    Column("trick", Integer, nullable=False),
    Column("decision", Integer, nullable=False),
    Column("answer", String, nullable=False),
    Column("replaced_by", String, nullable=False),
    Column("detail", String, nullable=False),
    Column("forfeits", Boolean, nullable=False),
)

bot_totals = Table(
    "bot_totals",
    metadata,
    Column("bot", Integer, ForeignKey("bots.bot"), primary_key=True, autoincrement=False),
    Column("matches", Integer, nullable=False),
    Column("wins_twelfths", BigInteger, nullable=False),
    Column("places_doubled", BigInteger, nullable=False),
    Column("total_tenths", BigInteger, nullable=False),
    Column("rounds", BigInteger, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("tricks", BigInteger, nullable=False),
    Column("calls_made", BigInteger, nullable=False),
    Column("forfeits", Integer, nullable=False),
    Column("decisions", BigInteger, nullable=False),
    Column("decision_us", BigInteger, nullable=False),
    Column("decision_times", LargeBinary, nullable=False),  # see totals.Histogram
)

ratings = Table(
    "ratings",
    metadata,
    Column("bot", Integer, ForeignKey("bots.bot"), primary_key=True, autoincrement=False),
    Column("mu", Float(53), nullable=False),
    Column("sigma", Float(53), nullable=False),
)

lost_workers = Table(
    "lost_workers",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("lost_unix_us", BigInteger, nullable=False),
    Column("job_id", String, nullable=False),
    Column("exit_status", Integer, nullable=False),
    Column("log", String, nullable=False),
)
