"""Owns `arena submit`: sends a bot to a league and follows it to the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import server_of, server_options

if TYPE_CHECKING:
    from arena.league.sending import Progress

__all__ = ["command"]

REFUSED = 1


@click.command(
    "submit",
    cls=ArenaCommand,
    example=(
        "arena submit mybot --server 127.0.0.1:7878 --token-file token.txt\n"
        "ARENA_TOKEN=cb_... arena submit mybot --server league.example.org:7878"
    ),
    help=(
        "Pack a bot, send it to a league, and follow it until it is admitted or refused. The league goes on"
        " with what it has acknowledged even when the connection is lost. Exit status 1 when the bot is"
        " refused."
    ),
)
@click.argument("bot", type=click.Path(path_type=Path))
@server_options
def command(
    *, bot: Path, server: str, token: str | None, token_file: Path | None, tls_ca: Path | None, insecure: bool
) -> int:
    """See the help text."""
    from arena.bots.archive import bundle_hash, pack
    from arena.bots.manifest import load_bot
    from arena.cli.output import print_lines, say
    from arena.league.sending import submit

    there = server_of(server, token=token, token_file=token_file, tls_ca=tls_ca, is_insecure=insecure)
    entrant = load_bot(bot)
    bundle = pack(bot)
    say(f"{entrant.name} {entrant.version}: {len(bundle)} bytes, SHA-256 {bundle_hash(bundle)}")
    progress: Progress | None = None
    for progress in submit(there, bundle, name=entrant.name, on_away=_away):
        if not progress.is_final:
            say(_line(progress))
    assert progress is not None
    print_lines(_lines(progress))
    return 0 if progress.is_admitted else REFUSED


def _away(submission_id: str, reason: str) -> None:
    from arena.cli.output import say
    from arena.reports.text import harmless

    say(
        f"the connection is lost ({harmless(reason)}); submission {submission_id} goes on without it: waiting"
    )


def _line(progress: Progress) -> str:
    from arena.reports.text import harmless

    return f"{progress.word}: {harmless(progress.detail) or f'submission {progress.submission_id}'}"


def _lines(progress: Progress) -> list[str]:
    """The verdict; what the bot or its build said last is indented below it."""
    from arena.reports.text import harmless

    first, *others = progress.detail.split("\n")
    return [f"{progress.word}: {harmless(first, longest=2000)}", *(f"  {harmless(line)}" for line in others)]
