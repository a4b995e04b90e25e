"""Owns the server process that tests kill: `python -m tests.league.engine.under_fire DATABASE FOLDER JOBS`.

It plays the league of the database with the quickest house bot in the place of every bot, until SIGTERM. The
season, the bots and remote bots' tokens are the test's business. The address for remote bots is written to
FOLDER/address.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import replace
from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.league.model import Version
from arena.league.store import LeagueStore
from tests.league.engine.arenas import arena_at_work


class Anybody:
    """Installed bots: all of them play alike."""

    async def entrant(self, version: Version) -> Entrant:
        """The quickest house bot, under the name of the bot asked for."""
        name = bytes.fromhex(version.content_hash).decode()
        return replace(load_bot(HOUSE_BOTS["house-lowest"]), name=name)


async def main(url: str, folder: Path, jobs: int) -> None:
    """Plays until SIGTERM, then drains."""
    is_over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, is_over.set)
    with LeagueStore.open(url) as store:
        async with arena_at_work(store, Anybody(), folder, owner="under-fire", jobs=jobs) as arena:
            draft = folder / "address.draft"
            await asyncio.to_thread(draft.write_text, arena.address)
            await asyncio.to_thread(draft.rename, folder / "address")
            await is_over.wait()
            await arena.engine.drain()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
