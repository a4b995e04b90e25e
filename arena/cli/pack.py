"""Owns `arena pack`: the bundle that `arena submit` sends, and its hash."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.group import ArenaCommand
from arena.errors import ArenaError

__all__ = ["command"]


@click.command(
    "pack",
    cls=ArenaCommand,
    example="arena pack mybot\narena pack mybot --out mybot.tar",
    help=(
        "Print the SHA-256 of the bundle that `arena submit` sends: the same for the same files, whatever"
        " their times, owners and order. With --out the bundle is written too; it is a plain tar."
    ),
)
@click.argument("bot", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Where to write the bundle.")
def command(*, bot: Path, out: Path | None) -> None:
    """See the help text."""
    from arena.bots.archive import bundle_hash, pack
    from arena.cli.output import print_lines, say

    data = pack(bot)
    if out is not None:
        try:
            out.write_bytes(data)
        except OSError as error:
            raise ArenaError(f"{out}: cannot be written: {error.strerror}") from error
        say(f"{out}: {len(data)} bytes")
    print_lines([bundle_hash(data)])
