"""Owns `arena token`: the organiser issues, lists and revokes tokens, on the league's database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand, ArenaSubgroup
from arena.cli.options import league_options, opened_league
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.league.model import Token

__all__ = ["command"]

MOST_NAME = 64


@click.group(
    "token",
    cls=ArenaSubgroup,
    example=(
        "arena token issue ada --data league/\n"
        "arena token list --data league/\n"
        "arena token revoke 0123456789ab --data league/"
    ),
    help=(
        "Issue, list or revoke the tokens of a league. Only a hash is kept: what `issue` prints is shown"
        " once. It works on the database itself, so the server may run or not."
    ),
)
def command() -> None:
    """See the help text."""


@command.command(
    "issue",
    cls=ArenaCommand,
    example=(
        "arena token issue ada --data league/\n"
        "arena token issue ada --data league/ --label laptop --streams 20"
    ),
    help="Issue a token to an author and print it. Bots belong to the author, whichever token sent them.",
)
@click.argument("author")
@league_options
@click.option("--label", default="", help="What it is for, to tell tokens apart.")
@click.option("--organiser", is_flag=True, help="Make the author an organiser, who may do everything.")
@click.option("--submissions-per-hour", type=click.IntRange(0), default=20, show_default=True)
@click.option("--streams", type=click.IntRange(0), default=8, show_default=True, help="Remote bots at once.")
@click.option("--calls-per-minute", type=click.IntRange(1), default=600, show_default=True)
def issue(
    *,
    author: str,
    data: Path | None,
    database: str | None,
    label: str,
    organiser: bool,
    submissions_per_hour: int,
    streams: int,
    calls_per_minute: int,
) -> None:
    """See the help text."""
    from arena.cli.output import print_lines, say
    from arena.reports.text import harmless

    if not author.strip() or len(author) > MOST_NAME or not author.isprintable() or author == "house":
        raise ArenaError(
            f"{harmless(author)!r} cannot be an author's name: 1 to {MOST_NAME} visible characters, not house"
        )
    with opened_league(data, database) as store:
        new = store.issue_token(
            store.author(author, is_organiser=organiser),
            label=label,
            submissions_per_hour=submissions_per_hour,
            streams=streams,
            calls_per_minute=calls_per_minute,
        )
    say(f"token {new.token.token_id} for {author}; it is shown this once, and only its hash is kept")
    print_lines([new.text])


@command.command(
    "list",
    cls=ArenaCommand,
    example="arena token list --data league/",
    help="List the tokens, oldest first, without their secrets.",
)
@league_options
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def list_(*, data: Path | None, database: str | None, is_json: bool) -> None:
    """See the help text."""
    from arena.cli.output import print_json, print_lines

    with opened_league(data, database) as store:
        tokens = store.tokens()
    if is_json:
        print_json([_document(token) for token in tokens])
    else:
        print_lines([_line(token) for token in tokens])


@command.command(
    "revoke",
    cls=ArenaCommand,
    example="arena token revoke 0123456789ab --data league/",
    help=(
        "Revoke a token by the id that `list` shows. The next call with it is refused, and a running server"
        " ends its streams within seconds."
    ),
)
@click.argument("token_id")
@league_options
def revoke(*, token_id: str, data: Path | None, database: str | None) -> None:
    """See the help text."""
    from arena.cli.output import print_lines

    wanted = token_id.removeprefix("cb_").partition(".")[0]
    with opened_league(data, database) as store:
        token = store.revoke_token(wanted)
    print_lines([_line(token)])


def _line(token: Token) -> str:
    from arena.reports.text import harmless

    label = f" ({harmless(token.label)})" if token.label else ""
    role = ", organiser" if token.author.is_organiser else ""
    use = f"used {_day(token.last_used_unix_us)}"
    state = f"revoked {_day(token.revoked_unix_us)}" if token.revoked_unix_us else use
    limits = (
        f"{token.submissions_per_hour} submissions an hour, {token.streams} streams, "
        f"{token.calls_per_minute} calls a minute"
    )
    issued = f"issued {_day(token.created_unix_us)}"
    return f"{token.token_id}  {harmless(token.author.name)}{label}{role}: {issued}, {state}; {limits}"


def _day(unix_us: int | None) -> str:
    return "never" if unix_us is None else f"{datetime.fromtimestamp(unix_us / 1e6, tz=UTC):%Y-%m-%d %H:%M}"


def _document(token: Token) -> dict[str, object]:
    return {
        "token_id": token.token_id,
        "author": token.author.name,
        "is_organiser": token.author.is_organiser,
        "label": token.label,
        "created_unix_us": token.created_unix_us,
        "last_used_unix_us": token.last_used_unix_us,
        "revoked_unix_us": token.revoked_unix_us,
        "submissions_per_hour": token.submissions_per_hour,
        "streams": token.streams,
        "calls_per_minute": token.calls_per_minute,
    }
