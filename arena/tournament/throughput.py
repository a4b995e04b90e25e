"""Owns the measure of this machine: decisions a second, with real referee, transport, processes, records.

One cell is four trivial bots and the process that referees them; a machine is measured with a cell a core.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

from arena.bots.codec import MOST_PARALLEL_MATCHES
from arena.bots.floor import Chair, FinishedMatch, Floor, Seating
from arena.bots.heartbeat import Heartbeat
from arena.bots.house import HOUSE_BOTS
from arena.bots.line import Line
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import load_bot
from arena.referee.clocks import TimeControl
from arena.referee.record import record_of
from arena.referee.setup import MatchSetup, SeatSetup
from arena.rules import CALLBREAK, Seed

__all__ = ["BENCH_BOT", "Throughput", "bench_setup", "cpu_ns", "measure_cell", "measure_cells"]

BENCH_BOT = "house-lowest"
_SEED = Seed.parse("1")
_TIME = TimeControl.parse("5+60")
_STARTUP_S = 60.0


@dataclass(frozen=True, slots=True)
class Throughput:
    """What was measured: all cells together, start-up of the bots left out.

    `seconds` is from the first match's begin to the last one's end, in the slowest cell. Processor time is
    user and system together; that of the bots is 0 where the system does not tell it.
    """

    cells: int
    in_flight: int
    matches: int
    decisions: int
    seconds: float
    arena_cpu_s: float
    bots_cpu_s: float

    @property
    def decisions_per_s(self) -> float:
        """Decisions that were asked and answered, a second."""
        return self.decisions / self.seconds

    @property
    def matches_per_s(self) -> float:
        """Matches a second."""
        return self.matches / self.seconds


def measure_cell(*, in_flight: int, matches: int, bot: Path = HOUSE_BOTS[BENCH_BOT]) -> Throughput:
    """Plays `matches` matches, `in_flight` at once, in this process and four of `bot`."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        cell = _Cell(in_flight=in_flight, bot=bot, folder=Path(folder))
        asyncio.run(cell.play(matches))
    return cell.measured()


def measure_cells(
    cells: int,
    *,
    in_flight: int,
    matches: int,
    bot: Path = HOUSE_BOTS[BENCH_BOT],
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Throughput:
    """The same in `cells` processes at once; the slowest one's time counts for all.

    `environment` is added to this process'.
    """
    program = [sys.executable, "-m", __name__, str(in_flight), str(matches), str(bot)]
    variables = os.environ | environment
    running = [subprocess.Popen(program, stdout=subprocess.PIPE, env=variables) for _ in range(cells)]
    done = [Throughput(**json.loads(cell.communicate()[0])) for cell in running]
    return Throughput(
        cells=cells,
        in_flight=in_flight,
        matches=sum(one.matches for one in done),
        decisions=sum(one.decisions for one in done),
        seconds=max(one.seconds for one in done),
        arena_cpu_s=sum(one.arena_cpu_s for one in done),
        bots_cpu_s=sum(one.bots_cpu_s for one in done),
    )


def cpu_ns(pid: int) -> int:
    """Processor time of a process of this machine and its threads; 0 where the system does not tell it."""
    if not sys.platform.startswith("linux"):
        return 0
    return time.clock_gettime_ns(~pid << 3 | 2)  # how Linux numbers the clock of another process


def bench_setup(number: int) -> MatchSetup:
    """Match `number` of a measurement, each with deals of its own."""
    first, second, third, fourth = (SeatSetup(f"{BENCH_BOT}-{seat}", "", "") for seat in range(4))
    return MatchSetup(
        match_id=f"bench-{number}",
        seats=(first, second, third, fourth),
        time_control=_TIME,
        position=number,
        set_number=number,
        seed=_SEED,
    )


class _Cell:
    """Four bots and their floor, in this process; keeps the times that count."""

    def __init__(self, *, in_flight: int, bot: Path, folder: Path) -> None:
        self._in_flight = in_flight
        self._bot = load_bot(bot)
        self._folder = folder
        self._planned = 0
        self._matches = 0
        self._decisions = 0
        self._began_ns = 1 << 62
        self._ended_ns = 0
        self._cpu_from_ns = 0
        self._arena_cpu_ns = 0
        self._bots_cpu_ns = 0

    async def play(self, matches: int) -> None:
        """Plays, from the start of the bots to their end."""
        self._planned = matches
        async with Heartbeat(time.monotonic_ns) as heartbeat:
            first, second, third, fourth = (Chair(f"bench-{seat}", self._guest()) for seat in range(4))
            chairs = (first, second, third, fourth)
            floor = Floor(
                chairs,
                heartbeat=heartbeat,
                now_ns=time.monotonic_ns,
                startup_s=_STARTUP_S,
                on_finished=self._finish,
            )
            await floor.play([Seating(bench_setup(number), chairs) for number in range(matches)])

    def measured(self) -> Throughput:
        """What was measured."""
        return Throughput(
            cells=1,
            in_flight=self._in_flight,
            matches=self._matches,
            decisions=self._decisions,
            seconds=(self._ended_ns - self._began_ns) / 1e9,
            arena_cpu_s=self._arena_cpu_ns / 1e9,
            bots_cpu_s=self._bots_cpu_ns / 1e9,
        )

    def _guest(self) -> LocalBot:
        guest = _MeteredBot(
            self._bot,
            folder=self._folder,
            preset=CALLBREAK.name,
            startup_s=_STARTUP_S,
            now_ns=time.monotonic_ns,
            most_parallel=min(self._in_flight, MOST_PARALLEL_MATCHES),
        )
        guest.cell = self
        return guest

    def start(self, pid: int) -> None:
        """A bot is ready: what was used before does not count."""
        self._bots_cpu_ns -= cpu_ns(pid)
        self._cpu_from_ns = time.process_time_ns()

    def end(self, pid: int) -> None:
        """A bot is about to be ended."""
        self._bots_cpu_ns += cpu_ns(pid)

    def _finish(self, finished: FinishedMatch) -> None:
        record_of(finished.match, started_unix_us=0, duration_us=0).SerializeToString()
        self._matches += 1
        self._decisions += sum(sum(kept.asked) for kept in finished.match.notes)
        self._began_ns = min(self._began_ns, finished.began_ns)
        self._ended_ns = finished.ended_ns
        if self._matches == self._planned:  # reading this clock each time would be measured too
            self._arena_cpu_ns = time.process_time_ns() - self._cpu_from_ns


class _MeteredBot(LocalBot):
    """A bot that tells its cell when it is ready, and before it is ended."""

    cell: _Cell

    async def start(self) -> Line:
        line = await super().start()
        if self.process is not None:
            self.cell.start(self.process.pid)
        return line

    async def end(self, reason: str) -> None:
        if self.process is not None:
            self.cell.end(self.process.pid)
        await super().end(reason)


if __name__ == "__main__":
    measured = measure_cell(in_flight=int(sys.argv[1]), matches=int(sys.argv[2]), bot=Path(sys.argv[3]))
    json.dump(asdict(measured), sys.stdout)
