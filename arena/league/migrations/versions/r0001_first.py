"""The tables of the first league."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes every table."""
    op.create_table(
        "arenas",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("alive_until_unix_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name="pk_arenas"),
    )
    op.create_table(
        "authors",
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_organiser", sa.Boolean(), nullable=False),
        sa.Column("created_unix_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("author_id", name="pk_authors"),
        sa.UniqueConstraint("name", name="uq_authors_name"),
    )
    op.create_table(
        "bundles",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("bundle", sa.LargeBinary(), nullable=False),
        sa.Column("stored_unix_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_bundles"),
    )
    op.create_table(
        "rating_history",
        sa.Column("season_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sets", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(precision=53), nullable=False),
        sa.Column("sigma", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("season_id", "version_id", "sets", name="pk_rating_history"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seasons",
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("current", sa.Integer(), nullable=True),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("time_control", sa.String(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.Column("seed_text", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("replays", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("began_unix_us", sa.BigInteger(), nullable=False),
        sa.Column("ended_unix_us", sa.BigInteger(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("next_position", sa.BigInteger(), nullable=False),
        sa.Column("next_set", sa.BigInteger(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("season_id", name="pk_seasons"),
        sa.UniqueConstraint("current", name="uq_seasons_current"),
        sa.UniqueConstraint("name", name="uq_seasons_name"),
    )
    op.create_table(
        "bots",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_folded", sa.String(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("is_remote", sa.Boolean(), nullable=False),
        sa.Column("is_person", sa.Boolean(), nullable=False),
        sa.Column("retired_unix_us", sa.BigInteger(), nullable=True),
        sa.Column("versions", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["authors.author_id"], name="fk_bots_author_id"),
        sa.PrimaryKeyConstraint("bot_id", name="pk_bots"),
        sa.UniqueConstraint("name_folded", name="uq_bots_name_folded"),
    )
    op.create_table(
        "submissions",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("bundle_sha256", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("received_unix_us", sa.BigInteger(), nullable=False),
        sa.Column("changed_unix_us", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["authors.author_id"], name="fk_submissions_author_id"),
        sa.PrimaryKeyConstraint("submission_id", name="pk_submissions"),
    )
    op.create_index(
        "ix_submissions_author_id_received_unix_us",
        "submissions",
        ["author_id", "received_unix_us"],
        unique=False,
    )
    op.create_index("ix_submissions_bundle_sha256", "submissions", ["bundle_sha256"], unique=False)
    op.create_index(
        "ix_submissions_state_submission_id", "submissions", ["state", "submission_id"], unique=False
    )
    op.create_table(
        "tokens",
        sa.Column("token_id", sa.String(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("secret_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created_unix_us", sa.BigInteger(), nullable=False),
        sa.Column("last_used_unix_us", sa.BigInteger(), nullable=True),
        sa.Column("revoked_unix_us", sa.BigInteger(), nullable=True),
        sa.Column("submissions_per_hour", sa.Integer(), nullable=False),
        sa.Column("streams", sa.Integer(), nullable=False),
        sa.Column("calls_per_minute", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["authors.author_id"], name="fk_tokens_author_id"),
        sa.PrimaryKeyConstraint("token_id", name="pk_tokens"),
    )
    op.create_table(
        "versions",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("bundle_sha256", sa.String(), nullable=False),
        sa.Column("admitted_unix_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.bot_id"], name="fk_versions_bot_id"),
        sa.PrimaryKeyConstraint("version_id", name="pk_versions"),
        sa.UniqueConstraint("bot_id", "number", name="uq_versions_bot_id_number"),
    )
    op.create_index("ix_versions_bundle_sha256", "versions", ["bundle_sha256"], unique=False)
    op.create_table(
        "entries",
        sa.Column("season_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("mu", sa.Float(precision=53), nullable=False),
        sa.Column("variance", sa.Float(precision=53), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("wins_twelfths", sa.BigInteger(), nullable=False),
        sa.Column("places_doubled", sa.BigInteger(), nullable=False),
        sa.Column("total_tenths", sa.BigInteger(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("last_table_unix_us", sa.BigInteger(), nullable=True),
        sa.Column("final_rank", sa.Integer(), nullable=True),
        sa.Column("final_mu", sa.Float(precision=53), nullable=True),
        sa.Column("final_sigma", sa.Float(precision=53), nullable=True),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.season_id"], name="fk_entries_season_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.version_id"], name="fk_entries_version_id"),
        sa.PrimaryKeyConstraint("season_id", "version_id", name="pk_entries"),
    )
    op.create_table(
        "fault_counts",
        sa.Column("season_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.season_id"], name="fk_fault_counts_season_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.version_id"], name="fk_fault_counts_version_id"),
        sa.PrimaryKeyConstraint("season_id", "version_id", "kind", name="pk_fault_counts"),
    )
    op.create_table(
        "logs",
        sa.Column("version_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.version_id"], name="fk_logs_version_id"),
        sa.PrimaryKeyConstraint("version_id", name="pk_logs"),
    )
    op.create_table(
        "tables",
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("is_fresh", sa.Boolean(), nullable=False),
        sa.Column("version_0", sa.Integer(), nullable=False),
        sa.Column("version_1", sa.Integer(), nullable=False),
        sa.Column("version_2", sa.Integer(), nullable=False),
        sa.Column("version_3", sa.Integer(), nullable=False),
        sa.Column("first_position", sa.BigInteger(), nullable=False),
        sa.Column("first_set", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("requested_by", sa.Integer(), nullable=True),
        sa.Column("made_unix_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["requested_by"], ["authors.author_id"], name="fk_tables_requested_by"),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.season_id"], name="fk_tables_season_id"),
        sa.ForeignKeyConstraint(["version_0"], ["versions.version_id"], name="fk_tables_version_0"),
        sa.ForeignKeyConstraint(["version_1"], ["versions.version_id"], name="fk_tables_version_1"),
        sa.ForeignKeyConstraint(["version_2"], ["versions.version_id"], name="fk_tables_version_2"),
        sa.ForeignKeyConstraint(["version_3"], ["versions.version_id"], name="fk_tables_version_3"),
        sa.PrimaryKeyConstraint("table_id", name="pk_tables"),
        sa.UniqueConstraint("season_id", "first_position", name="uq_tables_season_id_first_position"),
    )
    op.create_index("ix_tables_state_table_id", "tables", ["state", "table_id"], unique=False)
    op.create_table(
        "matches",
        sa.Column("match_number", NUMBER, nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("stored_unix_us", sa.BigInteger(), nullable=False),
        sa.Column("record_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.season_id"], name="fk_matches_season_id"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.table_id"], name="fk_matches_table_id"),
        sa.PrimaryKeyConstraint("match_number", name="pk_matches"),
        sa.UniqueConstraint("match_id", name="uq_matches_match_id"),
    )
    op.create_index(
        "ix_matches_season_id_match_number", "matches", ["season_id", "match_number"], unique=False
    )
    op.create_index("ix_matches_table_id", "matches", ["table_id"], unique=False)
    op.create_table(
        "match_seats",
        sa.Column("match_number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("total_tenths", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("forfeited", sa.Boolean(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_number"], ["matches.match_number"], name="fk_match_seats_match_number"
        ),
        sa.ForeignKeyConstraint(["version_id"], ["versions.version_id"], name="fk_match_seats_version_id"),
        sa.PrimaryKeyConstraint("match_number", "seat", name="pk_match_seats"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_match_seats_season_id_bot_id_match_number",
        "match_seats",
        ["season_id", "bot_id", "match_number"],
        unique=False,
    )
    op.create_table(
        "records",
        sa.Column("match_number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_number"], ["matches.match_number"], name="fk_records_match_number"),
        sa.PrimaryKeyConstraint("match_number", name="pk_records"),
    )
