"""Owns a league's worker process: it plays tables of local bots that come in, away from the server's loop.

It ends by itself, and its bots with it, when its input ends. It must not know the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from pathlib import Path
from typing import Any

from arena.bots.bubblewrap import choose_sandbox
from arena.bots.heartbeat import Heartbeat
from arena.bots.sandbox import Sandbox
from arena.bots.scratch import scratch_folder
from arena.league.tables import TablePlan, local_guest, play_table, seen_of
from arena.referee.refereed import RefereedMatch
from arena.referee.setup import Isolation
from arena.tournament.frames import Kind, pack, pack_json, read_frame
from arena.tournament.worker import entrant_of, run_worker
from arena.v1 import record_pb2

__all__ = ["main"]


class _Frames:
    """Tells what happens at a table in frames."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def seen(self, rotation: int, match: RefereedMatch) -> None:
        rounds = [[seen.dealer, seen.calls, seen.plays] for seen in seen_of(match)]
        self._news("seen", rotation=rotation, rounds=rounds)

    def finished(self, rotation: int, record: record_pb2.MatchRecord) -> None:
        self._writer.write(pack(Kind.RECORD, record.SerializeToString()))

    def printed(self, version_id: int, text: str) -> None:
        self._news("printed", version_id=version_id, text=text)

    def lost(self, bot: str, kind: str, detail: str) -> None:
        self._news("lost", bot=bot, kind=kind, detail=detail)

    def _news(self, what: str, **fields: Any) -> None:
        self._writer.write(pack_json(Kind.NEWS, {"what": what, **fields}))


async def _play(job: dict[str, Any], sandbox: Sandbox, writer: asyncio.StreamWriter) -> None:
    plan = TablePlan.of_document(job["plan"])
    with scratch_folder() as folder:
        log_dir = folder / "logs"
        log_dir.mkdir()
        guests = {
            int(version_id): local_guest(
                entrant_of(entrant), plan=plan, folder=folder, log_dir=log_dir, sandbox=sandbox
            )
            for version_id, entrant in job["entrants"].items()
        }
        async with Heartbeat(time.monotonic_ns) as heartbeat:
            await play_table(
                plan,
                guests=guests,
                heartbeat=heartbeat,
                isolation=Isolation[sandbox.name.upper()],
                watcher=_Frames(writer),
                log_dir=Path(log_dir),
            )
    writer.write(pack_json(Kind.DONE, {"table_id": plan.table_id}))


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Plays the tables that come in until a stop or the end of the input, which also ends one in play."""
    first = await read_frame(reader)
    if first is None:
        return
    sandbox, _ = choose_sandbox(json.loads(first[1])["sandbox"])
    coming = asyncio.create_task(read_frame(reader))
    while (frame := await coming) is not None and frame[0] is Kind.JOB:
        coming = asyncio.create_task(read_frame(reader))
        playing = asyncio.create_task(_play(json.loads(frame[1]), sandbox, writer))
        await asyncio.wait((playing, coming), return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing
            return
        playing.result()


def main() -> None:
    """The process."""
    run_worker(_serve)


if __name__ == "__main__":
    main()
