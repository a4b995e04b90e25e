"""Owns how figures and names of the league read on its pages, and how they stand in an address."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

from arena.league.model import Entry, Season, TableKind
from arena.reports.site.field import Interval
from arena.reports.text import NOTHING, harmless, number, points

__all__ = [
    "bot_address",
    "kind_words",
    "match_address",
    "may_replay",
    "mean_place",
    "moment",
    "name_text",
    "points_a_match",
    "rating_of",
    "season_address",
    "skill_of",
    "wins_text",
]

REACH_95 = 1.959964
KINDS = {
    TableKind.RATED: "rated",
    TableKind.SCRIMMAGE: "scrimmage",
    TableKind.PERSON: "with a person",
    TableKind.QUALIFYING: "qualifying",
}


def name_text(text: str, longest: int = 60) -> str:
    """A name that came from a stranger, in one line without anything that hides or reorders."""
    return harmless(text, longest=longest)


def bot_address(name: str) -> str:
    """The page of a bot."""
    return f"/bots/{quote(name, safe='')}"


def match_address(match_id: str) -> str:
    """The page of a match."""
    return f"/matches/{quote(match_id, safe='')}"


def season_address(season: Season, page: str = "/") -> str:
    """A page of that season."""
    return f"{page}?season={quote(season.name, safe='')}"


def moment(unix_us: int) -> datetime:
    """A time of the store."""
    return datetime.fromtimestamp(unix_us / 1_000_000, tz=UTC)


def kind_words(kind: str) -> str:
    """Why a match was played, in a word or two."""
    return KINDS[TableKind(kind)]


def may_replay(season: Season) -> bool:
    """Whether the records of the season may be seen now."""
    return season.has_public_records


def skill_of(entry: Entry) -> Interval:
    """TrueSkill's mu with the 95 % interval that its sigma claims; unknown before the first match."""
    if not entry.matches:
        return Interval(None)
    reach = REACH_95 * entry.sigma
    return Interval(entry.mu, entry.mu - reach, entry.mu + reach)


def rating_of(entry: Entry) -> str:
    """mu - 3 sigma: what the table is ordered by."""
    return number(entry.mu - 3 * entry.sigma if entry.matches else None, decimals=1)


def points_a_match(entry: Entry) -> str:
    """The mean score of its matches."""
    return points(round(entry.total_tenths / entry.matches)) if entry.matches else NOTHING


def mean_place(entry: Entry) -> str:
    """From 1.00 to 4.00."""
    return number(entry.places_doubled / 2 / entry.matches if entry.matches else None, decimals=2)


def wins_text(entry: Entry) -> str:
    """Wins, shared ones in part: 19, 19.5."""
    wins = entry.wins_twelfths / 12
    return number(wins, decimals=0 if wins.is_integer() else 1) if entry.matches else NOTHING
