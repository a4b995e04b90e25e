"""Owns the hard test of the clocks: many tables at once on cores that are busy already.

Every bot answers at once, so each fault is the clock's, not the bot's. By hand:
`python -m tests.chaos.busy --tables 64 --sets 6`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.cli.options import default_jobs
from arena.referee.clocks import TimeControl
from arena.referee.faults import FaultKind
from arena.v1 import record_pb2
from tests.chaos.verdict import records_in

__all__ = ["Clocked", "play_busy"]

ROOT = Path(__file__).parents[2]
BOTS = 8  # which makes 70 tables
TIME = "0.5+10"
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Clocked:
    """What the clocks measured; seconds are of decisions that were asked."""

    matches: int
    decisions: int
    faults: tuple[tuple[str, int], ...]
    longest_s: float
    over_limit: int
    most_bank_s: float
    stalls: int
    took_s: float
    at_once: int

    def __str__(self) -> str:
        faults = ", ".join(f"{count} {kind}" for kind, count in self.faults) or "no faults"
        return (
            f"{self.matches} matches in {self.took_s:.0f} s, up to {self.at_once} tables at once: "
            f"{self.decisions} decisions, {faults}; longest {self.longest_s:.2f} s, "
            f"{self.over_limit} over the limit, most taken from a bank {self.most_bank_s:.2f} s, "
            f"{self.stalls} stalls of the arena that nobody was charged for"
        )


def play_busy(*, tables: int, sets: int, loops: int, bots: int = BOTS) -> Clocked:
    """Plays every table of `bots` quick bots, `tables` at once, beside `loops` processes that never rest."""
    with _busy(loops), tempfile.TemporaryDirectory(prefix="busy-") as place:
        folder, out = Path(place, "bots"), Path(place, "run")
        folder.mkdir()
        for number, source in zip(range(bots), cycle(HOUSE_BOTS.values()), strict=False):
            shutil.copy(source, folder / f"bot-{number}.py")
        began_s = time.monotonic()
        options = ["--jobs", str(tables), "--sets", str(sets), "--rounds", str(ROUNDS), "--seed", "6"]
        options += ["--time", TIME, "--sandbox", "none", "--out", str(out)]
        program = "from arena.cli import main; main()"
        subprocess.run(
            [sys.executable, "-c", program, "tournament", "--bots", str(folder), *options],
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return _clocked(records_in(out), took_s=time.monotonic() - began_s)


@contextlib.contextmanager
def _busy(loops: int) -> Iterator[None]:
    with contextlib.ExitStack() as held:
        for _ in range(loops):
            process = held.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            held.callback(process.kill)
        yield


def _clocked(records: Sequence[record_pb2.MatchRecord], *, took_s: float) -> Clocked:
    limit_s = TimeControl.parse(TIME).limit_ns / 1e9
    kinds = Counter(FaultKind(fault.kind).name for record in records for fault in record.faults)
    taken = [seconds for record in records for seconds in _by_seat(record)]
    return Clocked(
        matches=len(records),
        decisions=sum(map(len, taken)),
        faults=tuple(kinds.most_common()),
        longest_s=max(max(seat, default=0.0) for seat in taken),
        over_limit=sum(one > limit_s for seat in taken for one in seat),
        most_bank_s=max(sum(max(0.0, one - limit_s) for one in seat) for seat in taken),
        stalls=sum(len(record.timing.stalls) for record in records),
        took_s=took_s,
        at_once=_most_at_once(records),
    )


def _by_seat(record: record_pb2.MatchRecord) -> list[list[float]]:
    """Seconds of the decisions that each seat was asked for."""
    seats: list[list[float]] = [[], [], [], []]
    for played, timed in zip(record.rounds, record.timing.rounds, strict=True):
        for decision, (taken_us, was_asked) in enumerate(zip(timed.decision_us, timed.asked, strict=True)):
            trick, turn = divmod(decision - 4, 4)
            first = played.dealer + 1 if decision < 4 else played.leaders[trick]
            if was_asked:
                seats[(first + (decision if decision < 4 else turn)) % 4].append(taken_us / 1e6)
    return seats


def _most_at_once(records: Sequence[record_pb2.MatchRecord]) -> int:
    """Most tables that had a match in play at one moment."""
    moments = []
    for record in records:
        began_us = record.timing.started_unix_us
        moments += [(began_us, 1, record.table), (began_us + record.timing.duration_us, -1, record.table)]
    playing: Counter[int] = Counter()
    most = 0
    for _, change, table in sorted(moments):
        playing[table] += change
        most = max(most, sum(count > 0 for count in playing.values()))
    return most


def main() -> int:
    """Plays, and tells what the clocks measured; status 1 when anybody was charged with anything."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.busy", description=main.__doc__)
    parser.add_argument("--tables", type=int, default=64, help="at once")
    parser.add_argument("--sets", type=int, default=2, help="of each of 70 tables")
    parser.add_argument("--loops", type=int, default=default_jobs(), help="busy loops beside it")
    given = parser.parse_args()
    clocked = play_busy(tables=given.tables, sets=given.sets, loops=given.loops)
    print(clocked)
    return 1 if clocked.faults else 0


if __name__ == "__main__":
    sys.exit(main())
