"""Owns the league's database: everything that survives a restart, on SQLite or PostgreSQL.

Calls block and may come from any thread. Each is one transaction: done, or not done at all. Several arenas
may use one PostgreSQL; what is played is leased, so that none plays another's table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from arena.errors import ArenaError
from arena.league.model import (
    Author,
    Bot,
    Entry,
    NewToken,
    Replays,
    Season,
    StoredMatch,
    Submission,
    SubmissionState,
    Table,
    TableKind,
    Token,
    Version,
)
from arena.v1 import record_pb2

__all__ = ["LeagueStore", "NotFound", "Page", "Taken"]


class NotFound(ArenaError):
    """There is nothing of that name; the message says what was looked for."""


class Taken(ArenaError):
    """The name belongs to somebody else, or is in use."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of matches, newest first; `next_token` asks for the next and is empty on the last."""

    matches: tuple[StoredMatch, ...]
    next_token: str


class LeagueStore:
    """The league's database."""

    @classmethod
    def open(cls, url: str) -> Self:
        """Opens `sqlite:///FILE` or `postgresql+psycopg://...`, creates or migrates it (under a lock).

        Raises ArenaError in one line: cannot be reached, is of a newer arena, is no league's.
        """
        raise NotImplementedError

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Closes all connections."""
        raise NotImplementedError

    def ping(self) -> None:
        """Raises ArenaError when the database does not answer."""
        raise NotImplementedError

    # Authors and tokens.

    def author(self, name: str, *, is_organiser: bool = False) -> Author:
        """The author of that name, made when missing."""
        raise NotImplementedError

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
        raise NotImplementedError

    def tokens(self) -> list[Token]:
        """All tokens, oldest first."""
        raise NotImplementedError

    def revoke_token(self, token_id: str) -> Token:
        """Revokes it; NotFound when there is none."""
        raise NotImplementedError

    def token_of(self, text: str) -> Token | None:
        """The token that this is, if it stands; compared in constant time; notes its use (once a minute)."""
        raise NotImplementedError

    # Bots, bundles, submissions.

    def bots(self, *, with_retired: bool = False) -> list[Bot]:
        """By name."""
        raise NotImplementedError

    def bot(self, name: str) -> Bot:
        """NotFound when there is none."""
        raise NotImplementedError

    def versions(self, bot: Bot) -> list[Version]:
        """Newest first."""
        raise NotImplementedError

    def matches_of_versions(self, bot: Bot) -> dict[int, int]:
        """Matches of all seasons by version id."""
        raise NotImplementedError

    def retire(self, bot: Bot) -> None:
        """Takes it out of play in every open season; its history stays."""
        raise NotImplementedError

    def receive(self, author: Author, bundle: bytes) -> Submission:
        """Stores the bundle (by its SHA-256, once) and the submission, RECEIVED: it is not lost from now on."""
        raise NotImplementedError

    def advance(self, submission_id: str, state: SubmissionState, detail: str, *, bot: str = "") -> Submission:
        """Notes progress. REFUSED also removes the bundle when nothing else has it."""
        raise NotImplementedError

    def admit(self, submission_id: str, *, bot: str, label: str, language: str, content_hash: str) -> Version:
        """ADMITTED: makes the bot or its next version, and its entry in the open season (new mu, sigma).

        Taken when the name is another author's, or a remote bot's.
        """
        raise NotImplementedError

    def remote_bot(self, author: Author, name: str, *, label: str, language: str) -> Bot:
        """The author's remote bot of that name; made with version 1, or given a new one when `label` changed.

        It enters the open season. Taken when the name is another author's, or a submitted bot's.
        """
        raise NotImplementedError

    def claim_submission(self, owner: str) -> Submission | None:
        """The oldest one that is not final and that no living arena works on, leased to `owner`; None for none."""
        raise NotImplementedError

    def submission(self, submission_id: str) -> Submission:
        """NotFound when there is none."""
        raise NotImplementedError

    def submissions_of(self, author: Author, *, bot: str = "", limit: int = 20) -> list[Submission]:
        """Newest first."""
        raise NotImplementedError

    def submissions_since(self, token: Token, since_unix_us: int) -> int:
        """How many the token's author has sent since then."""
        raise NotImplementedError

    def bundle(self, sha256: str) -> bytes:
        """NotFound when there is none."""
        raise NotImplementedError

    def set_log(self, version_id: int, text: str) -> None:
        """Keeps the last 64 KiB of what the version's processes printed."""
        raise NotImplementedError

    def log(self, version_id: int) -> str:
        """Empty when it printed nothing."""
        raise NotImplementedError

    # Seasons.

    def open_season(
        self, name: str, *, ruleset: str, time_control: str, strikes: int, replays: Replays
    ) -> Season:
        """Begins a season with a new random seed; all bots that are not retired enter it.

        Taken when one of that name exists, ArenaError when one is open.
        """
        raise NotImplementedError

    def current_season(self) -> Season | None:
        """The one that is open or frozen."""
        raise NotImplementedError

    def season(self, name: str) -> Season:
        """NotFound when there is none; the empty name is the current one, else the newest."""
        raise NotImplementedError

    def seasons(self) -> list[Season]:
        """Newest first."""
        raise NotImplementedError

    def freeze_season(self, season: Season) -> Season:
        """No new tables and no new versions; waiting tables are void."""
        raise NotImplementedError

    def end_season(self, season: Season) -> Season:
        """Ends a frozen season when no table is in play (else ArenaError): keeps the final standings, which are
        those of the order-free fit over all its rated matches, and reveals the seed.
        """
        raise NotImplementedError

    def revision(self, season: Season) -> int:
        """Grows with every change of what the standings show; cheap."""
        raise NotImplementedError

    def entries(self, season: Season, *, with_inactive: bool = False) -> list[Entry]:
        """In the order of the table: by mu - 3 sigma; of an ended season by its final standings."""
        raise NotImplementedError

    def rating_history(self, season: Season, version_id: int) -> list[tuple[int, float, float]]:
        """After each of its sets: rated matches so far, mu, sigma."""
        raise NotImplementedError

    # Tables and matches.

    def add_table(
        self,
        season: Season,
        version_ids: Sequence[int],
        *,
        kind: TableKind,
        is_fresh: bool,
        owner: str = "",
        requested_by: Author | None = None,
    ) -> Table:
        """A table with positions, set numbers and match ids of its own; with an `owner` it is leased at once."""
        raise NotImplementedError

    def claim_table(self, owner: str, *, kinds: Collection[TableKind], version_ids: Collection[int]) -> Table | None:
        """The oldest WAITING table of these kinds all of whose versions are in `version_ids`, leased; else None."""
        raise NotImplementedError

    def table(self, table_id: int) -> Table:
        """NotFound when there is none."""
        raise NotImplementedError

    def tables_in_play(self, season: Season) -> list[Table]:
        """Waiting and playing ones."""
        raise NotImplementedError

    def stored_match_ids(self, table: Table) -> set[str]:
        """Those of the table's matches that are stored."""
        raise NotImplementedError

    def add_records(self, table: Table, records: Sequence[record_pb2.MatchRecord]) -> int:
        """Stores records and everything that follows from them (seats, faults, ratings of a RATED table,
        totals, revision) in one transaction; how many were new.

        The same record again is no error and changes nothing; a different one under a stored id is an
        ArenaError. Ratings are updated in the order of storing. When all four are stored the table is DONE.
        """
        raise NotImplementedError

    def requeue(self, table: Table, reason: str) -> Table:
        """Gives the lease back: WAITING again, or VOID with the reason after five tries."""
        raise NotImplementedError

    def matches(
        self, season: Season, *, bot: str = "", page_size: int = 50, page_token: str = "", with_unrated: bool = True
    ) -> Page:
        """Newest first; keyset paging, so that a page costs the same however many came before it."""
        raise NotImplementedError

    def match(self, match_id: str) -> StoredMatch:
        """NotFound when there is none."""
        raise NotImplementedError

    def record(self, match_id: str) -> record_pb2.MatchRecord:
        """NotFound when there is none. Whether it may be shown is the caller's business."""
        raise NotImplementedError

    # Arenas.

    def heartbeat(self, owner: str) -> None:
        """Says that the arena `owner` lives: its leases stand for 30 more seconds."""
        raise NotImplementedError

    def recover(self, owner: str) -> int:
        """Gives back everything leased by `owner` or by arenas whose leases ran out; how many things."""
        raise NotImplementedError

    def counts(self) -> dict[str, int]:
        """For metrics: bots, matches, tables_waiting, tables_playing, submissions_waiting."""
        raise NotImplementedError
