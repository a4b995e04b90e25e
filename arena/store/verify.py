"""Owns the check that a run's results follow from its plan, its seed and the rules, and nothing else.

Everything is computed again: schedule, deals, legality, scores, places, the rows and totals that are kept,
and the ratings. The first thing that differs is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.ratings.instalments import next_tables
from arena.referee.check import RecordError, check_record
from arena.referee.clocks import TimeControl
from arena.referee.record import ruleset_message, time_control_message
from arena.store.contest import Contest
from arena.store.reader import StoredMatch, StoreReader
from arena.store.rows import FaultRow, MatchRows, SeatRow, rows_of
from arena.store.standings import figures_of, is_as_sure, planned_matches
from arena.store.totals import BotTotals, Histogram
from arena.tournament.plan import ADDED_FILE, Plan, check_plan, plan_digest, read_plan, schedule_of
from arena.tournament.schedule import MATCHES_A_SET, SETS_ADDED, Schedule, Seats
from arena.v1 import record_pb2

__all__ = ["Mismatch", "Verified", "verify"]

SANDBOXES = {"none": record_pb2.SANDBOX_NONE, "bwrap": record_pb2.SANDBOX_BWRAP}


class Mismatch(Exception):
    """Something stored is not what it must be; the message says what, where, found and expected."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked and found right."""

    matches: int
    planned: int
    has_ratings: bool


def verify(folder: Path, *, on_match: Callable[[int, int], None] = lambda done, planned: None) -> Verified:
    """Checks the run in `folder`; raises Mismatch at the first thing wrong, ArenaError if there is no run.

    `on_match` is called with (checked, planned) matches as the check goes on.
    """
    plan = read_plan(folder)
    with StoreReader.open(folder) as store:
        try:
            store.check(plan_digest(folder))
            check_plan(plan)
            return _Check(plan, store).run(on_match)
        except (ArenaError, RecordError) as trouble:
            raise Mismatch(str(trouble)) from None


class _Check:
    """One pass over all stored matches, adding up what the kept totals should be."""

    def __init__(self, plan: Plan, store: StoreReader) -> None:
        self._plan = plan
        self._store = store
        self._seed = plan.seed
        self._fault_count = 0
        self._schedule: Schedule = schedule_of(plan)
        self._totals = {bot.bot: BotTotals() for bot in store.bots}
        self._numbers = {bot.name: bot.bot for bot in store.bots}
        self._times: dict[int, list[NDArray[np.int64]]] = {bot.bot: [] for bot in store.bots}
        self._ruleset = ruleset_message(plan.ruleset)
        control = TimeControl.parse(plan.time_control)
        self._time_control = time_control_message(control.limit_ns, control.bank_ns)

    def run(self, on_match: Callable[[int, int], None]) -> Verified:
        planned = planned_matches(self._plan, self._store)
        _expect("bots", [(b.name, b.version) for b in self._store.bots], self._entrants())
        checked = 0
        for chunk in self._store.chunks():
            first, last = chunk[0].row.position, chunk[-1].row.position
            seats, faults = self._store.seats_between(first, last), self._store.faults_between(first, last)
            for stored in chunk:
                position = stored.row.position
                self._check_match(stored, seats.get(position, []), faults.get(position, []))
                checked += 1
                on_match(checked, planned)
            self._add_times()
        self._check_counts(checked)
        self._check_totals()
        self._check_length()
        return Verified(checked, planned, self._check_ratings(checked))

    def _entrants(self) -> list[tuple[str, str]]:
        return [(entrant.name, entrant.version) for entrant in self._plan.entrants]

    def _check_match(self, stored: StoredMatch, seats: Sequence[SeatRow], faults: Sequence[FaultRow]) -> None:
        record = stored.parse()
        self._check_place(stored, record)
        self._check_conditions(record)
        check_record(record, self._seed)
        rows = rows_of(record)
        where = f"match {record.match_id}"
        _expect_rows(f"{where}, table match_seats", seats, rows.seats)
        _expect_rows(f"{where}, table faults", faults, rows.faults)
        self._fault_count += len(faults)
        self._add(rows)

    def _check_place(self, stored: StoredMatch, record: record_pb2.MatchRecord) -> None:
        """The row and the record stand where the schedule has this match, with its bots on its seats."""
        where = f"match {stored.row.match_id}"
        if stored.row.position >= self._schedule.match_count:
            raise Mismatch(f"{where}: position {stored.row.position} is not in the schedule")
        planned = self._schedule.match_at(stored.row.position)
        _expect(f"{where}, table matches: match_id", stored.row.match_id, planned.match_id)
        place = (planned.match_id, planned.position, planned.table, planned.set_number, planned.rotation)
        row = stored.row
        kept = (row.match_id, row.position, row.table_number, row.set_number, row.rotation)
        _expect(f"{where}, table matches: id, position, table, set, rotation", kept, place)
        written = (record.match_id, record.position, record.table, record.set, record.rotation)
        _expect(f"{where}, record: id, position, table, set, rotation", written, place)
        _expect(f"{where}, record: seats", len(record.seats), 4)
        entrants = [self._plan.entrants[number] for number in planned.seats]
        for seat, (found, entrant) in enumerate(zip(record.seats, entrants, strict=True)):
            expected = (entrant.name, entrant.version, entrant.content_hash)
            told = (found.bot, found.version, found.content_hash)
            _expect(f"{where}, record, seat {seat}: bot, version, hash", told, expected)

    def _check_conditions(self, record: record_pb2.MatchRecord) -> None:
        """It was played under the rules, the clock, the strikes and the sandbox of the plan."""
        where = f"match {record.match_id}, record"
        _expect(f"{where}: ruleset", record.ruleset, self._ruleset)
        _expect(f"{where}: time control", record.time_control, self._time_control)
        _expect(f"{where}: strikes allowed", record.strikes_allowed, self._plan.strikes)
        _expect(f"{where}: sandbox", record.sandbox, SANDBOXES[self._plan.sandbox])
        _expect(f"{where}: freeze", record.freeze, self._plan.freeze)

    def _add(self, rows: MatchRows) -> None:
        places = tuple(seat.place for seat in rows.seats)
        for seat, times_us in zip(rows.seats, rows.times_us, strict=True):
            bot = self._numbers[seat.bot]
            self._totals[bot] = self._totals[bot].plus(seat, places=places)
            self._times[bot].append(times_us)

    def _add_times(self) -> None:
        """Adds the decision times of the matches since the last call: all of a bot's at once."""
        for bot, times_us in self._times.items():
            if times_us:
                times = Histogram.of(np.concatenate(times_us))
                self._totals[bot] = self._totals[bot].with_times(times)
                times_us.clear()

    def _check_counts(self, checked: int) -> None:
        """Nothing is kept of a match that is not there."""
        seats, faults = self._store.row_counts()
        _expect("table match_seats: rows", seats, 4 * checked)
        _expect("table faults: rows", faults, self._fault_count)

    def _check_totals(self) -> None:
        kept = self._store.totals()
        _expect("table bot_totals: bots", sorted(kept), sorted(self._totals))
        for bot in self._store.bots:
            found, expected = kept[bot.bot], self._totals[bot.bot]
            for name, value in expected.sums().items():
                _expect(f"table bot_totals, bot {bot.name}: {name}", found.sums()[name], value)
            times = (found.times.to_bytes(), expected.times.to_bytes())
            if times[0] != times[1]:
                raise Mismatch(f"table bot_totals, bot {bot.name}: decision_times differ from the records")

    def _check_length(self) -> None:
        """What was added, and that the run ended, follows from the plan's rule and the results before."""
        if self._plan.until_separated:
            self._check_added()
        if self._plan.comparison is not None and self._store.has_ended():
            first, second = (entrant.name for entrant in self._plan.entrants[:2])
            contest = Contest(self._plan.comparison, (first, second))
            contest.add_results(self._store.results())
            _expect("table run: ended, a verdict", contest.is_decided, True)

    def _check_added(self) -> None:
        results, stored = self._store.results(), list(self._store.positions())
        base = replace(self._schedule, added=()).match_count
        instalments: list[tuple[Seats, ...]] = [*self._plan.added, *([()] if self._store.has_ended() else [])]
        for look, tables in enumerate(instalments, start=1):
            before = base + sum(map(len, self._plan.added[: look - 1])) * SETS_ADDED * MATCHES_A_SET
            where = f"{ADDED_FILE}, look {look}"
            _expect(f"{where}: matches stored before it", stored[:before], list(range(before)))
            most = (self._plan.until_separated - before) // (SETS_ADDED * MATCHES_A_SET)
            expected = next_tables(results.take(slice(0, before)), look=look, most=most)
            _expect(f"{where}: tables", list(tables), expected)

    def _check_ratings(self, checked: int) -> bool:
        """Whether ratings of all these matches are kept; then they must come out again to the last bit."""
        kept = self._store.ratings()
        if kept is None or kept.matches < checked:
            return False
        expected = figures_of(self._plan, self._store)
        _expect("ratings: matches", kept.matches, expected.matches)
        _expect("ratings: draw probability", kept.draw_probability, expected.draw_probability)
        for bot in self._store.bots:
            found = kept.by_bot.get(bot.bot)
            _expect(f"ratings, bot {bot.name}: (mu, sigma)", found, expected.by_bot[bot.bot])
        if kept.sureness and not is_as_sure(kept.sureness, expected.sureness):
            raise Mismatch("table run: sureness does not follow from the results")
        return True


def _expect_rows(where: str, found: Iterable[object], expected: Iterable[object]) -> None:
    """Compares rows field by field, so that the message names the column."""
    found, expected = list(found), list(expected)
    _expect(f"{where}: rows", len(found), len(expected))
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        for name in other.__slots__:  # type: ignore[attr-defined]
            _expect(f"{where}, row {number}, {name}", getattr(one, name), getattr(other, name))


def _expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Mismatch(f"{what}: found {_shown(found)}, expected {_shown(expected)}")


def _shown(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else f"{text[:200]}..."
