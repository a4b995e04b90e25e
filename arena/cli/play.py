"""Owns `arena play`: a bot plays in a league from this machine."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import server_of, server_options

if TYPE_CHECKING:
    from arena.bots.manifest import Entrant
    from arena.bots.sandbox import Sandbox
    from arena.league.client import Server

__all__ = ["command"]


@click.command(
    "play",
    cls=ArenaCommand,
    example="arena play mybot --server league.example.org:7878 --token-file token.txt",
    help=(
        "Let a bot play in a league from this machine: its files stay here, its decisions go over the"
        " network. When the league is away it is dialled again. Ctrl-C finishes the match in play and ends; a"
        " second one ends at once."
    ),
)
@click.argument("bot", type=click.Path(path_type=Path))
@server_options
@click.option(
    "--sandbox",
    "sandbox_name",
    type=click.Choice(["bwrap", "none"]),
    default="none",
    show_default=True,
    help="How the bot is confined here.",
)
def command(
    *,
    bot: Path,
    server: str,
    token: str | None,
    token_file: Path | None,
    tls_ca: Path | None,
    insecure: bool,
    sandbox_name: str,
) -> None:
    """See the help text."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.bots.manifest import load_bot
    from arena.bots.scratch import scratch_folder
    from arena.cli.entrants import built

    there = server_of(server, token=token, token_file=token_file, tls_ca=tls_ca, is_insecure=insecure)
    sandbox, _ = choose_sandbox(sandbox_name)
    entrant = built(load_bot(bot), sandbox)
    with scratch_folder() as folder:
        asyncio.run(_play(entrant, there, folder, sandbox))


async def _play(entrant: Entrant, server: Server, folder: Path, sandbox: Sandbox) -> None:
    from arena.cli.output import print_lines, say
    from arena.league.dialling import play
    from arena.reports.text import harmless

    stop = asyncio.Event()
    playing = asyncio.create_task(
        play(
            entrant,
            server,
            folder=folder,
            sandbox=sandbox,
            stop=stop,
            say=lambda line: say(harmless(line)),
            on_played=lambda played: print_lines([str(played)]),
        )
    )

    def interrupted() -> None:
        if stop.is_set():
            playing.cancel()
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted)
    with contextlib.suppress(asyncio.CancelledError):
        await playing
