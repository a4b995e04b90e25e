"""Owns what a tournament's parts cost on this machine in processor time, which `benchmarks.scale` needs."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from arena.bots.house import HOUSE_BOTS
from arena.ratings.fit import fit
from arena.ratings.online import rate_online
from arena.ratings.results import SEATS, Results
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import MatchSetup
from arena.sdk.poller import poller_settings
from arena.store.sqlite import RESULTS_FILE
from arena.store.writer import StoreWriter
from arena.tournament.jobs import jobs_of
from arena.tournament.schedule import ScheduleOptions, build_schedule
from arena.tournament.throughput import BENCH_BOT, bench_setup, measure_cells
from arena.v1 import record_pb2

__all__ = ["Costs", "match_us", "measure_costs", "played_alone"]

_RATED_MATCHES = 20_000
_RATED_BOTS = 200


@dataclass(frozen=True, slots=True)
class Costs:
    """Processor time of each part. Microseconds are a match where nothing else is said."""

    decisions: float  # asked in a match, of all four bots
    decision_us: dict[int, float]  # a decision, arena and bots together, by matches in flight
    start_s: float  # of one bot's process, up to its Hello
    record_bytes: int
    take_us: float  # to read a record that a worker sent
    store_us: float  # to store it, its totals kept
    stored_bytes: float
    schedule_us: float  # to cut the schedule into jobs
    merge_us: float  # to take a match's result from columns that somebody else stored
    online_us: float
    fit_us: float

    def lines(self) -> list[str]:
        """For reading."""
        by_flight = ", ".join(f"{us:.0f} µs with {n} in flight" for n, us in self.decision_us.items())
        return [
            f"a decision, arena and bots: {by_flight}; {self.decisions:.0f} a match",
            f"a bot's start: {self.start_s:.2f} s",
            f"a record: {self.record_bytes:,} bytes, {self.take_us:.0f} µs to read",
            f"a record in the store: {self.stored_bytes:,.0f} bytes, {self.store_us:.0f} µs to write",
            f"a match of the schedule: {self.schedule_us:.1f} µs; of merged columns: {self.merge_us:.2f} µs",
            f"a match in ratings: {self.online_us:.0f} µs in order, {self.fit_us:.0f} µs in the fit of all",
        ]


def measure_costs(*, bots: int, matches: int, in_flight: Sequence[int]) -> Costs:
    """Measures every part, the store with as many `bots`; `matches` are played for it."""
    records = [played_alone(bench_setup(number)) for number in range(matches)]
    payloads = [record.SerializeToString() for record in records]
    store_us, stored_bytes = _storing(records, bots)
    decision_us, asked = _playing(in_flight, matches)
    results = _results(_RATED_MATCHES, _RATED_BOTS)
    return Costs(
        decisions=asked,
        decision_us=decision_us,
        start_s=_starting(),
        record_bytes=sum(map(len, payloads)) // matches,
        take_us=_us(lambda: [record_pb2.MatchRecord.FromString(payload) for payload in payloads]) / matches,
        store_us=store_us,
        stored_bytes=stored_bytes,
        schedule_us=_scheduling(bots),
        merge_us=_us(lambda: _merged([results] * 10)) / (10 * len(results)),
        online_us=_us(lambda: rate_online(results)) / len(results),
        fit_us=_us(lambda: fit(results)) / len(results),
    )


def match_us(*, in_flight: int, matches: int) -> float:
    """Microseconds of processor time, of arena and bots, to play a match with so many in flight."""
    decision_us, asked = _playing([in_flight], matches)
    return decision_us[in_flight] * asked


def _us(work: Callable[[], object]) -> float:
    began_ns = time.process_time_ns()
    work()
    return (time.process_time_ns() - began_ns) / 1000


def played_alone(setup: MatchSetup) -> record_pb2.MatchRecord:
    """The match as the referee alone plays it, calls and cards low."""
    match = RefereedMatch(setup)
    match.begin()
    while match.seat != NOBODY:
        if match.is_calling:
            match.call(1 + match.seat, took_ns=1_000_000)
        else:
            match.play(int(match.game.round.lowest_legal_card()), took_ns=1_000_000)
    return record_of(match, started_unix_us=0, duration_us=1_000_000)


def _playing(in_flight: Sequence[int], matches: int) -> tuple[dict[int, float], float]:
    decision_us, asked = {}, 0.0
    for together in in_flight:
        found = measure_cells(1, in_flight=together, matches=matches, environment=poller_settings())
        decision_us[together] = (found.arena_cpu_s + found.bots_cpu_s) / found.decisions * 1e6
        asked = found.decisions / found.matches
    return decision_us, asked


def _starting() -> float:
    """Imports are what a start costs: this is a house bot that finds no address and leaves."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [sys.executable, str(HOUSE_BOTS[BENCH_BOT])]
    root = Path(__file__).parent.parent
    subprocess.run(program, env={"PYTHONPATH": str(root)}, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _storing(records: Sequence[record_pb2.MatchRecord], bots: int) -> tuple[float, float]:
    seated = [(seat.bot, "") for seat in records[0].seats]
    others = [(f"bot-{number}", "") for number in range(bots - len(seated))]
    half = len(others) // 2
    batch = 200
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        folder = Path(name)
        file, everybody = folder / RESULTS_FILE, [*others[:half], *seated, *others[half:]]
        with StoreWriter.create(folder, plan_digest="", bots=everybody) as store:
            store.settle()
            empty_bytes = file.stat().st_size
            waiting = iter(records)
            us = _us(lambda: [store.add(some) for some in iter(lambda: list(islice(waiting, batch)), [])])
            store.settle()
        return us / len(records), (file.stat().st_size - empty_bytes) / len(records)


def _scheduling(bots: int) -> float:
    options = ScheduleOptions(format="balanced", sets_per_table=6, base_blocks=((0, 1, 4, 9),))
    schedule = build_schedule(options, bots)
    return _us(lambda: list(jobs_of(schedule, workers=2, is_stored=lambda _: False))) / schedule.match_count


def _results(matches: int, bots: int) -> Results:
    random = np.random.default_rng(1)
    seats = np.argsort(random.random((matches, bots)), axis=1)[:, :SEATS].astype(np.int32)
    totals = np.round(random.normal(seats % 10, 8)).astype(np.int32)
    places = (1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)).astype(np.int8)
    return Results(
        bots=tuple(f"bot-{number}" for number in range(bots)),
        seats=seats,
        places=places,
        total_tenths=totals,
        set_ids=np.arange(matches, dtype=np.int32) // SEATS,
        forfeited=np.zeros((matches, SEATS), dtype=np.bool_),
    )


def _merged(parts: Sequence[Results]) -> Results:
    return Results(
        bots=parts[0].bots,
        seats=np.concatenate([part.seats for part in parts]),
        places=np.concatenate([part.places for part in parts]),
        total_tenths=np.concatenate([part.total_tenths for part in parts]),
        set_ids=np.concatenate([part.set_ids for part in parts]),
        forfeited=np.concatenate([part.forfeited for part in parts]),
    )
