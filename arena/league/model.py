"""Owns the words of the league: what its store hands out and takes. Plain values, no database, no network."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = [
    "Author",
    "Bot",
    "Entry",
    "MatchSeat",
    "NewToken",
    "NoContest",
    "Replays",
    "Season",
    "SeasonState",
    "StoredMatch",
    "Submission",
    "SubmissionState",
    "Table",
    "TableKind",
    "TableState",
    "Token",
    "Version",
]


class SubmissionState(StrEnum):
    """Where a submission stands; the last two are final."""

    RECEIVED = "received"
    UNPACKED = "unpacked"
    BUILT = "built"
    CHECKED = "checked"
    QUALIFIED = "qualified"
    ADMITTED = "admitted"
    REFUSED = "refused"


class SeasonState(StrEnum):
    """An open season plays; an ended one has final standings and a revealed seed."""

    OPEN = "open"
    FROZEN = "frozen"  # no new versions and no new tables; what is in play is finished
    ENDED = "ended"


class Replays(StrEnum):
    """When the records of a season may be seen."""

    AT_ONCE = "at-once"
    AFTER_SEASON = "after-season"
    NEVER = "never"


class TableKind(StrEnum):
    """Why a table is played; only RATED counts."""

    RATED = "rated"
    SCRIMMAGE = "scrimmage"
    PERSON = "person"  # a person in a browser sits at it
    QUALIFYING = "qualifying"  # a submission's first match, against house bots; never listed


class TableState(StrEnum):
    """PLAYING tables are leased to the arena that plays them."""

    WAITING = "waiting"
    PLAYING = "playing"
    DONE = "done"
    VOID = "void"  # given up: a no contest, with the reason


@dataclass(frozen=True, slots=True)
class Author:
    """Who submits bots. An organiser may do everything."""

    author_id: int
    name: str
    is_organiser: bool


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret. Times are microseconds since 1970; None: never."""

    token_id: str  # the public part; stands before the dot of the token itself
    author: Author
    label: str
    created_unix_us: int
    last_used_unix_us: int | None
    revoked_unix_us: int | None
    submissions_per_hour: int
    streams: int  # remote bots connected at once
    calls_per_minute: int


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token as it is shown once: `text` is the secret, of which only a hash is kept."""

    token: Token
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a bot. `number` counts from 1 within the bot; `content_hash` is empty for a remote bot."""

    version_id: int
    bot_id: int
    number: int
    label: str
    language: str
    content_hash: str
    bundle_sha256: str  # names the stored bundle; empty for a remote bot
    admitted_unix_us: int


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot of the league with its newest version, which is the one that plays; None before the first."""

    bot_id: int
    name: str
    author: Author
    is_remote: bool
    retired_unix_us: int | None
    newest: Version | None


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of a bundle. `bot` is empty until bot.toml was read."""

    submission_id: str
    author: Author
    bot: str
    bundle_sha256: str
    state: SubmissionState
    detail: str
    received_unix_us: int
    changed_unix_us: int


@dataclass(frozen=True, slots=True)
class Season:
    """A season. `seed_text` (64 hexadecimal digits) is a secret until it has ended; `commitment` never was.

    `ruleset` is a preset's name with its changes, as `arena.rules.with_rules` and a plan have it.
    """

    season_id: int
    name: str
    ruleset: str
    time_control: str
    strikes: int
    seed_text: str = field(repr=False)
    commitment: str
    replays: Replays
    state: SeasonState
    began_unix_us: int
    ended_unix_us: int | None
    revision: int  # grows with every stored match and every change of a bot

    @property
    def has_public_records(self) -> bool:
        """Whether anybody may see its records now."""
        if self.replays is Replays.AFTER_SEASON:
            return self.state is SeasonState.ENDED
        return self.replays is Replays.AT_ONCE


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot's newest version in a season: the row that matchmaking and the table are made of.

    `mu` and `sigma` are TrueSkill's, updated match by match with tau 0, so they move only when the bot plays.
    Versions of one bot have entries of their own; `is_active` is True for the newest of a bot that is not
    retired. Whether a remote bot is connected is not the store's to know.
    """

    season_id: int
    version: Version
    bot: Bot
    is_active: bool
    mu: float
    sigma: float
    matches: int
    sets: int
    wins_twelfths: int
    places_doubled: int  # sum of twice the places, level seats sharing theirs
    total_tenths: int
    faults: int
    last_table_unix_us: int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Four versions that play a set, or four matches on fresh deals where one of them is remote.

    `first_position` and `set_numbers` are unique in the season: rotation r is the match at
    `first_position + r` on the deals of `set_numbers[r]` (the same four times unless `is_fresh`), and
    `match_ids[r]` its id. Rotation r seats `version_ids[(seat + r) % 4]`.
    """

    table_id: int
    season_id: int
    kind: TableKind
    is_fresh: bool
    version_ids: tuple[int, int, int, int]
    first_position: int
    set_numbers: tuple[int, int, int, int]
    match_ids: tuple[str, str, str, str]
    state: TableState
    owner: str  # the arena that plays it; empty while it waits
    tries: int
    reason: str  # why it is void, or was tried again

    def seats(self, rotation: int) -> tuple[int, int, int, int]:
        """Version ids by seat in the match of that rotation, 0 to 3."""
        first, second, third, fourth = (self.version_ids[(seat + rotation) % 4] for seat in range(4))
        return first, second, third, fourth


@dataclass(frozen=True, slots=True)
class NoContest:
    """A rated table or scrimmage that was given up: what is missing of it counts for nobody, and why."""

    table_id: int
    made_unix_us: int
    bots: tuple[str, str, str, str]
    reason: str


@dataclass(frozen=True, slots=True)
class MatchSeat:
    """One seat of a stored match."""

    bot: str
    version: int
    total_tenths: int
    place: int
    forfeited: bool
    faults: int
    author: str


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A stored match without its record."""

    match_id: str
    season_id: int
    table_id: int
    kind: TableKind
    rotation: int
    stored_unix_us: int
    seats: tuple[MatchSeat, MatchSeat, MatchSeat, MatchSeat]

    @property
    def same_author(self) -> tuple[str, ...]:
        """The bots, by seat, whose author has another one at the table: whoever reads the result is told."""
        authors = [seat.author for seat in self.seats]
        return tuple(seat.bot for seat in self.seats if authors.count(seat.author) > 1)
