"""What the store promises a run: each match once, whole, whatever happens."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.store.reader import StoreError, StoreReader
from arena.store.standings import rate
from arena.store.writer import StoreWriter
from arena.tournament.plan import plan_digest, write_plan
from arena.v1 import record_pb2
from tests.store.played import all_played, new_store, plan_of, run_in

PLAN = plan_of()
RECORDS = all_played(PLAN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_plan(PLAN, tmp_path)
    return tmp_path


def test_stored_matches_come_back_in_schedule_order_byte_for_byte(folder: Path) -> None:
    with new_store(folder, PLAN) as store:
        store.add(reversed(RECORDS))

    with StoreReader.open(folder) as store:
        assert [stored.record for stored in store.matches()] == [r.SerializeToString() for r in RECORDS]


def test_match_stored_twice_is_kept_once_with_its_first_times(folder: Path) -> None:
    again = record_pb2.MatchRecord.FromString(RECORDS[0].SerializeToString())
    again.timing.duration_us += 1
    with new_store(folder, PLAN) as store:
        assert store.add(RECORDS[:3]) == 3
        assert store.add([again, RECORDS[3]]) == 1

        assert store.count() == 4
        assert next(store.matches()).parse() == RECORDS[0]


def test_another_result_of_a_stored_match_is_refused_and_nothing_of_its_batch_kept(folder: Path) -> None:
    other = record_pb2.MatchRecord.FromString(RECORDS[0].SerializeToString())
    other.total_tenths[0] += 10
    with new_store(folder, PLAN) as store:
        store.add(RECORDS[:1])
        with pytest.raises(StoreError, match="another result is stored already"):
            store.add([RECORDS[1], other])

        assert store.count() == 1


def test_results_that_cannot_be_written_are_one_line(folder: Path) -> None:
    with new_store(folder, PLAN) as store:
        with sqlite3.connect(folder / "results.sqlite3") as connection:
            connection.execute("DROP TABLE faults")
            connection.execute("ALTER TABLE match_seats RENAME TO lost")
        connection.close()

        with pytest.raises(StoreError, match="results cannot be written: no such table") as found:
            store.add(RECORDS[:1])

        assert "\n" not in str(found.value)
        assert store.count() == 0


def test_a_bot_that_is_no_entrant_is_refused(folder: Path) -> None:
    stranger = record_pb2.MatchRecord.FromString(RECORDS[0].SerializeToString())
    stranger.seats[2].bot = "fox"
    with new_store(folder, PLAN) as store, pytest.raises(StoreError, match="bot fox is no entrant"):
        store.add([stranger])


def test_totals_do_not_depend_on_the_order_or_the_batches_of_storing(tmp_path: Path) -> None:
    run_in(tmp_path / "whole", PLAN, RECORDS)
    run_in(tmp_path / "piecemeal", PLAN, [])
    with StoreWriter.open(tmp_path / "piecemeal") as store:
        for record in reversed(RECORDS):
            store.add([record])

    with StoreReader.open(tmp_path / "whole") as one, StoreReader.open(tmp_path / "piecemeal") as other:
        for bot, totals in one.totals().items():
            assert totals.sums() == other.totals()[bot].sums()
            assert totals.times.to_bytes() == other.totals()[bot].times.to_bytes()


def test_results_read_back_are_those_of_the_records(folder: Path) -> None:
    with new_store(folder, PLAN) as store:
        store.add(RECORDS)
        results = store.results()

    for row, record in enumerate(RECORDS):
        assert [results.bots[seat] for seat in results.seats[row]] == [seat.bot for seat in record.seats]
        assert list(results.places[row]) == list(record.places)
        assert list(results.total_tenths[row]) == list(record.total_tenths)
        assert results.set_ids[row] == record.set


def test_faults_are_kept_with_bot_and_kind(folder: Path) -> None:
    def bee_errs_once(match: RefereedMatch) -> FaultKind | None:
        is_bee = match.setup.seats[match.seat].bot == "bee"
        return FaultKind.MALFORMED if is_bee and not match.strikes[match.seat] else None

    with new_store(folder, PLAN) as store:
        store.add(all_played(PLAN, bee_errs_once))
        bee = PLAN.entrants[1]

        assert store.fault_counts() == {1: {"MALFORMED": 16}}
        fault = store.first_fault(1, "MALFORMED")
        assert fault is not None
        assert (fault.bot, fault.answer, fault.forfeits) == (bee.name, "ff", False)


def test_ratings_that_are_kept_are_read_back_to_the_last_bit(folder: Path) -> None:
    with new_store(folder, PLAN) as store:
        store.add(RECORDS)
        rated = rate(store.results())
        store.keep_ratings(rated)

        assert store.ratings() == rated


def test_store_of_another_plan_is_refused(folder: Path) -> None:
    new_store(folder, PLAN).close()
    write_plan(plan_of(seed="8"), folder)

    with pytest.raises(StoreError, match=r"plan\.json was changed"):
        StoreReader.open(folder, plan_digest=plan_digest(folder))


def test_a_file_that_is_no_database_is_named_in_one_line(folder: Path) -> None:
    (folder / "results.sqlite3").write_bytes(b"not a database, certainly not one of ours" * 100)

    with pytest.raises(StoreError, match=r"results\.sqlite3: cannot be read"):
        StoreReader.open(folder)


def test_reading_goes_on_while_a_run_writes(folder: Path) -> None:
    with new_store(folder, PLAN) as store:
        store.add(RECORDS[:2])
        with StoreReader.open(folder) as reader:
            assert reader.count() == 2
            store.add(RECORDS[2:5])
            assert reader.count() == 5


def test_settled_results_are_one_file_that_a_read_only_folder_lets_read(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "run", PLAN, RECORDS)

    assert sorted(path.name for path in folder.iterdir()) == ["plan.json", "results.sqlite3"]
    folder.chmod(0o500)
    try:
        with StoreReader.open(folder) as store:
            assert store.count() == len(RECORDS)
    finally:
        folder.chmod(0o700)


WRITES_UNTIL_KILLED = """
import sys
from pathlib import Path
from tests.store.played import all_played, plan_of
from arena.store.writer import StoreWriter
with StoreWriter.open(Path(sys.argv[1])) as store:
    for record in all_played(plan_of()):
        store.add([record])
        print(record.match_id, flush=True)
"""


def test_what_was_counted_before_a_kill_is_there_after_it(folder: Path) -> None:
    new_store(folder, PLAN).close()
    command = [sys.executable, "-c", WRITES_UNTIL_KILLED, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as writer:
        assert writer.stdout is not None
        counted = [writer.stdout.readline().strip() for _ in range(7)]
        os.kill(writer.pid, signal.SIGKILL)

    with StoreReader.open(folder) as store:
        stored = [match.row.match_id for match in store.matches()]
        assert stored[:7] == counted
        assert all(match.parse() in RECORDS for match in store.matches())
