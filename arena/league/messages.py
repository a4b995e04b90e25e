"""Owns how what the store holds looks on the wire: model values in, messages of league.proto out. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from google.protobuf.timestamp_pb2 import Timestamp

from arena.league.model import (
    Bot,
    Entry,
    Season,
    SeasonState,
    StoredMatch,
    Submission,
    SubmissionState,
    TableKind,
    Version,
)
from arena.v1 import league_pb2

__all__ = [
    "bot_message",
    "progress_message",
    "standings_message",
    "submission_message",
    "summary_message",
    "version_message",
]

_STATES: dict[SubmissionState, league_pb2.SubmissionState] = {
    state: getattr(league_pb2, f"SUBMISSION_STATE_{state.name}") for state in SubmissionState
}


def bot_message(bot: Bot, *, connected: Collection[int]) -> league_pb2.LeagueBot:
    """A bot; `connected` has the version ids of remote bots whose stream stands."""
    newest = bot.newest
    return league_pb2.LeagueBot(
        name=bot.name,
        author=bot.author.name,
        is_remote=bot.is_remote,
        is_connected=bot.is_remote and newest is not None and newest.version_id in connected,
        is_retired=bot.retired_unix_us is not None,
        version=newest.number if newest else 0,
        version_label=newest.label if newest else "",
        language=newest.language if newest else "",
    )


def version_message(version: Version, *, matches: int) -> league_pb2.BotVersion:
    """A version of a bot."""
    return league_pb2.BotVersion(
        number=version.number,
        label=version.label,
        content_hash=version.content_hash,
        admitted=_time(version.admitted_unix_us),
        matches=matches,
    )


def submission_message(submission: Submission) -> league_pb2.Submission:
    """A submission as its author sees it."""
    return league_pb2.Submission(
        submission_id=submission.submission_id,
        state=_STATES[submission.state],
        detail=submission.detail,
        received=_time(submission.received_unix_us),
    )


def progress_message(submission: Submission, *, version: int = 0) -> league_pb2.SubmitBotResponse:
    """How far a submission got."""
    return league_pb2.SubmitBotResponse(
        submission_id=submission.submission_id,
        state=_STATES[submission.state],
        detail=submission.detail,
        bot=submission.bot,
        version=version,
    )


def summary_message(match: StoredMatch, *, is_public: bool) -> league_pb2.MatchSummary:
    """A match in a list."""
    return league_pb2.MatchSummary(
        match_id=match.match_id,
        stored=_time(match.stored_unix_us),
        bots=[seat.bot for seat in match.seats],
        total_tenths=[seat.total_tenths for seat in match.seats],
        places=[seat.place for seat in match.seats],
        is_rated=match.kind is TableKind.RATED,
        is_public=is_public,
    )


def standings_message(
    season: Season, entries: Sequence[Entry], *, matches: int, connected: Collection[int]
) -> league_pb2.LeagueStandings:
    """A season's table. `entries` are in its order; `connected` as for `bot_message`."""
    table = league_pb2.LeagueStandings(
        season=season.name,
        is_final=season.state is SeasonState.ENDED,
        matches=matches,
        revision=season.revision,
    )
    rank, last = 0, None
    for place, entry in enumerate(entries, start=1):
        rating = entry.mu - 3 * entry.sigma
        if rating != last:
            rank, last = place, rating
        table.rows.append(_row(entry, rank=rank, connected=connected))
    return table


def _row(entry: Entry, *, rank: int, connected: Collection[int]) -> league_pb2.LeagueStanding:
    is_here = not entry.bot.is_remote or entry.version.version_id in connected
    played = max(1, entry.matches)
    return league_pb2.LeagueStanding(
        rank=rank,
        bot=entry.bot.name,
        author=entry.bot.author.name,
        version=entry.version.number,
        mu_milli=round(1000 * entry.mu),
        sigma_milli=round(1000 * entry.sigma),
        matches=entry.matches,
        wins_twelfths=entry.wins_twelfths,
        points_hundredths=round(10 * entry.total_tenths / played),
        place_milli=round(500 * entry.places_doubled / played),
        faults=entry.faults,
        is_active=entry.is_active and is_here,
    )


def _time(unix_us: int) -> Timestamp:
    return Timestamp(seconds=unix_us // 1_000_000, nanos=unix_us % 1_000_000 * 1000)
