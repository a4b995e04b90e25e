"""Owns the measure of this machine: decisions a second, with real referee, transport, processes, records.

One cell is four trivial bots and the process that referees them; a machine is measured with a cell a core.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import load_bot
from arena.rules import CALLBREAK, Seed, commitment
from arena.tournament.plan import PLAN_FORMAT, Job, Plan, PlannedEntrant
from arena.tournament.schedule import PlannedMatch, ScheduleOptions, match_id_of, seats_of
from arena.tournament.table import play_job
from arena.v1 import record_pb2

__all__ = ["Throughput", "measure_cell", "measure_cells"]

_SEED = Seed.parse("1")
_BOT = "house-lowest"


@dataclass(frozen=True, slots=True)
class Throughput:
    """What was measured: all cells together, start-up of the bots left out."""

    cells: int
    in_flight: int
    matches: int
    decisions: int
    seconds: float

    @property
    def decisions_per_s(self) -> float:
        """Decisions that were asked and answered, a second."""
        return self.decisions / self.seconds

    @property
    def matches_per_s(self) -> float:
        """Matches a second."""
        return self.matches / self.seconds


def measure_cell(*, in_flight: int, matches: int) -> Throughput:
    """Plays `matches` matches, `in_flight` at once, in this process and four bots."""
    records: list[record_pb2.MatchRecord] = []
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        asyncio.run(
            play_job(
                _job(matches),
                plan=_plan(),
                entrants=dict.fromkeys(range(4), load_bot(HOUSE_BOTS[_BOT])),
                on_record=records.append,
                log_dir=Path(folder),
                most_parallel=in_flight,
            )
        )
    began_us = min(record.timing.started_unix_us for record in records)
    ended_us = max(record.timing.started_unix_us + record.timing.duration_us for record in records)
    decisions = sum(sum(round_.asked) for record in records for round_ in record.timing.rounds)
    return Throughput(1, in_flight, len(records), decisions, (ended_us - began_us) / 1e6)


def measure_cells(cells: int, *, in_flight: int, matches: int) -> Throughput:
    """The same in `cells` processes at once; the slowest one's time counts for all."""
    program = [sys.executable, "-m", __name__, str(in_flight), str(matches)]
    running = [subprocess.Popen(program, stdout=subprocess.PIPE) for _ in range(cells)]
    done = [Throughput(**json.loads(cell.communicate()[0])) for cell in running]
    return Throughput(
        cells,
        in_flight,
        sum(one.matches for one in done),
        sum(one.decisions for one in done),
        max(one.seconds for one in done),
    )


def _job(matches: int) -> Job:
    seats = seats_of((0, 1, 2, 3), order=0, rotation=0)
    planned = (
        PlannedMatch(match_id_of(0, number, 0), number, 0, number, 0, seats) for number in range(matches)
    )
    return Job("bench", 0, (0, 1, 2, 3), tuple(planned))


def _plan() -> Plan:
    entrants = [PlannedEntrant(f"{_BOT}-{seat}", "", "", _BOT, "python", "grpc", True) for seat in range(4)]
    return Plan(
        format=PLAN_FORMAT,
        arena_version="",
        name="bench",
        ruleset=CALLBREAK,
        time_control="5+60",
        strikes=3,
        startup_s=30.0,
        sandbox="none",
        freeze=False,
        seed_text=_SEED.text,
        seed_commitment=commitment(_SEED).hex(),
        is_practice=True,
        entrants=tuple(entrants),
        schedule=ScheduleOptions(format="round-robin", sets_per_table=1),
        schedule_digest="",
    )


if __name__ == "__main__":
    measured = measure_cell(in_flight=int(sys.argv[1]), matches=int(sys.argv[2]))
    json.dump(asdict(measured), sys.stdout)
