"""Owns what remote bots cost a league's server: matches a second, processor, memory, what bots are charged.

    python -m benchmarks.league_bots                      200 bots, 60 seconds
    python -m benchmarks.league_bots --bots 20

The server is a process of its own (`tests.league.engine.under_fire`: lobby, engine, a SQLite database), on
the loopback; the bots are gRPC streams of this process, which answer at once and share the machine with it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Final

from arena.league.store import LeagueStore
from arena.v1 import record_pb2
from benchmarks import report
from tests.league.engine.arenas import matches_of, new_season
from tests.league.engine.strangers import Stranger

PATIENCE_S: Final = 60.0
SAMPLED: Final = 200
"""Records that are looked into, evenly over the run."""
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured; `grown_kb` is the server's memory between the middle and the end."""

    seconds: float
    decisions: int
    matches: int
    processor_s: float
    resident_kb: int
    grown_kb: int
    drained_s: float
    records: Sequence[record_pb2.MatchRecord]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; the status to leave with."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.league_bots", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        run = asyncio.run(_measure(Path(folder), bots=given.bots, seconds=given.seconds))
    print("\n".join(_lines(run, given.bots)))
    return 0


async def _measure(folder: Path, *, bots: int, seconds: float) -> Run:
    url = f"sqlite:///{folder / 'league.sqlite3'}"
    with LeagueStore.open(url) as store:
        new_season(store, rounds=5, time_control="0.5+10")
        authors = [store.author(f"author-{number}") for number in range(bots)]
        tokens = [store.issue_token(author, label="benchmark").text for author in authors]
        with _server(url, folder) as server:
            address = await asyncio.to_thread(_address, folder / "address", server)
            players = [Stranger(address, token, name=f"bot-{number}") for number, token in enumerate(tokens)]
            for player in players:
                await player.dial()
            playing = [asyncio.create_task(_play(player)) for player in players]
            used_s, began_s = _processor_s(server.pid), time.perf_counter()
            await asyncio.sleep(seconds / 2)
            middle_kb = _resident_kb(server.pid)
            await asyncio.sleep(seconds / 2)
            took_s, used_s = time.perf_counter() - began_s, _processor_s(server.pid) - used_s
            decisions, end_kb = sum(player.answered for player in players), _resident_kb(server.pid)
            matches = store.counts()["matches"]
            ended_s = time.perf_counter()
            server.send_signal(signal.SIGTERM)
            await asyncio.to_thread(server.wait, PATIENCE_S)
            drained_s = time.perf_counter() - ended_s
            await asyncio.gather(*playing)
        stored = matches_of(store)
        sample = stored[:: max(1, len(stored) // SAMPLED)]
        return Run(
            seconds=took_s,
            decisions=decisions,
            matches=matches,
            processor_s=used_s,
            resident_kb=end_kb,
            grown_kb=end_kb - middle_kb,
            drained_s=drained_s,
            records=[store.record(match.match_id) for match in sample],
        )


async def _play(player: Stranger) -> None:
    """Plays until Goodbye; what was heard is not kept."""

    def forget(_: object) -> bool:
        player.heard.clear()
        return False

    await player.play(until=forget)
    await player.hang_up()


@contextmanager
def _server(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server that plays tables of remote bots only; it is gone when the context ends."""
    program = [sys.executable, "-m", "tests.league.engine.under_fire", url, str(folder), "0"]
    with subprocess.Popen(program) as process:
        try:
            yield process
        finally:
            process.kill()


def _address(file: Path, server: subprocess.Popen[bytes]) -> str:
    deadline_s = time.monotonic() + PATIENCE_S
    while not file.exists():
        assert server.poll() is None, "the server has ended"
        assert time.monotonic() < deadline_s, "the server does not start"
        time.sleep(0.05)
    return file.read_text()


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def _resident_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError(f"process {pid} tells no VmRSS")


def _lines(run: Run, bots: int) -> list[str]:
    charged_us = [
        took_us
        for record in run.records
        for times in record.timing.rounds
        for took_us, is_asked in zip(times.decision_us, times.asked, strict=True)
        if is_asked
    ]
    cuts = [cut / 1000 for cut in quantiles(charged_us, n=100)]
    resident_mb, grown_mb = run.resident_kb / 1024, run.grown_kb / 1024
    faults = sum(len(record.faults) for record in run.records)
    late_ms = [stall.late_us / 1000 for record in run.records for stall in record.timing.stalls]
    return [
        *report.machine(),
        "",
        f"{bots} remote bots connected, {run.seconds:.0f} s, {run.matches} matches stored",
        "",
        "| | |",
        "|---|---|",
        f"| matches a second | {run.matches / run.seconds:.1f} |",
        f"| decisions a second | {run.decisions / run.seconds:.0f} |",
        f"| charged for a decision: median, 99th of 100 | {cuts[49]:.1f} ms, {cuts[98]:.1f} ms |",
        f"| faults in {len(run.records)} matches looked into | {faults} |",
        f"| longest stall of the server, charged to nobody | {max(late_ms, default=0.0):.0f} ms |",
        f"| server's processor | {run.processor_s / run.seconds:.0%} of a core |",
        f"| server's memory, and its growth in the second half | {resident_mb:.0f} MB, {grown_mb:.1f} MB |",
        f"| from SIGTERM until all tables were over | {run.drained_s:.1f} s |",
    ]


if __name__ == "__main__":
    sys.exit(main())
