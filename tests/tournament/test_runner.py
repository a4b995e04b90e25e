"""A run plays what is missing, once, whatever happens to those who play it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.store.reader import StoreError
from arena.store.writer import StoreWriter
from arena.tournament.executor import LostWorker, OnRecord
from arena.tournament.plan import Job, Plan, schedule_of, write_plan
from arena.tournament.runner import Outcome, locked, play
from arena.v1 import record_pb2
from tests.store.played import all_played, new_store, plan_of, played

PLAN = plan_of(sets=2)
Before = Callable[[Job, LostWorker], None]


class InProcess:
    """An executor that plays by itself; `before` is called with each job first."""

    def __init__(self, plan: Plan, before: Before = lambda job, on_lost: None) -> None:
        self._plan = plan
        self._before = before
        self.positions: list[int] = []

    async def play(self, jobs: Iterator[Job], *, on_record: OnRecord, on_lost: LostWorker) -> None:
        for job in jobs:
            self._before(job, on_lost)
            for match in job.matches:
                await asyncio.sleep(0)
                self.positions.append(match.position)
                on_record(played(self._plan, match))


class Heard:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.stored_ids: list[str] = []
        self.lost_jobs: list[str] = []
        self.is_stopping = False

    def stored(self, records: Sequence[record_pb2.MatchRecord]) -> None:
        self.stored_ids += [record.match_id for record in records]

    def lost(self, job_id: str, *, exit_status: int, log: str) -> None:
        self.lost_jobs.append(f"{job_id} {exit_status} {log}")

    def stopping(self) -> None:
        self.is_stopping = True

    def close(self) -> None:
        pass


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StoreWriter]:
    write_plan(PLAN, tmp_path)
    with new_store(tmp_path, PLAN) as store:
        yield store


def run(store: StoreWriter, executor: InProcess, watcher: Heard | None = None) -> Outcome:
    return play(
        schedule_of(PLAN),
        stored=list(store.positions()),
        executor=executor,
        workers=2,
        results=store,
        watcher=watcher or Heard(),
    )


def test_every_match_is_played_and_stored_once(store: StoreWriter) -> None:
    executor, watcher = InProcess(PLAN), Heard()

    outcome = run(store, executor, watcher)

    assert (outcome.played, outcome.stored, outcome.planned) == (40, 40, 40)
    assert not outcome.is_interrupted
    assert sorted(executor.positions) == list(range(40))
    assert [match.parse() for match in store.matches()] == all_played(PLAN)
    assert sorted(watcher.stored_ids) == sorted(match.match_id for match in schedule_of(PLAN).matches())


def test_only_what_is_missing_is_played(store: StoreWriter) -> None:
    store.add(all_played(PLAN)[3:31])
    executor = InProcess(PLAN)

    outcome = run(store, executor)

    assert sorted(executor.positions) == [0, 1, 2, *range(31, 40)]
    assert (outcome.played, outcome.stored) == (12, 40)


def test_interrupted_run_keeps_what_was_played_and_goes_on_to_the_same_results(store: StoreWriter) -> None:
    def interrupt(job: Job, on_lost: LostWorker) -> None:
        if job.table == 2:
            os.kill(os.getpid(), signal.SIGINT)

    watcher = Heard()
    outcome = run(store, InProcess(PLAN, interrupt), watcher)

    assert outcome.is_interrupted
    assert watcher.is_stopping
    assert 0 < outcome.stored < 40
    assert store.count() == outcome.stored
    run(store, InProcess(PLAN))
    assert [match.parse() for match in store.matches()] == all_played(PLAN)


def test_run_ends_early_once_it_is_enough(store: StoreWriter) -> None:
    class PlaysThreeJobs:
        async def play(self, jobs: Iterator[Job], *, on_record: OnRecord, on_lost: LostWorker) -> None:
            for job in islice(jobs, 3):
                for match in job.matches:
                    on_record(played(PLAN, match))
            await asyncio.Event().wait()

    outcome = play(
        schedule_of(PLAN),
        stored=[],
        executor=PlaysThreeJobs(),
        workers=1,
        results=store,
        watcher=Heard(),
        is_enough=lambda: store.count() >= 16,
    )

    assert not outcome.is_interrupted
    assert outcome.stored == store.count() == 24


def test_lost_worker_is_noted_and_told(store: StoreWriter) -> None:
    def lose(job: Job, on_lost: LostWorker) -> None:
        if job.table == 1:
            on_lost(job.job_id, exit_status=-9, log="logs/worker-0.log")

    watcher = Heard()
    run(store, InProcess(PLAN, lose), watcher)

    assert watcher.lost_jobs == ["t001-s00001-00006 -9 logs/worker-0.log"]
    assert store.lost_worker_count() == 1


def test_a_job_that_cannot_be_finished_ends_the_run_and_keeps_the_rest(store: StoreWriter) -> None:
    def fail(job: Job, on_lost: LostWorker) -> None:
        if job.table == 3:
            raise ArenaError("job t003: its worker was lost 3 times")

    with pytest.raises(ArenaError, match="t003"):
        run(store, InProcess(PLAN, fail))

    assert store.count() == 24


def test_a_result_that_cannot_be_stored_ends_the_run(store: StoreWriter) -> None:
    other = all_played(PLAN)[5]
    other.total_tenths[0] += 10
    store.add([other])

    with pytest.raises(StoreError, match="another result"):
        play(
            schedule_of(PLAN),
            stored=[],
            executor=InProcess(PLAN),
            workers=1,
            results=store,
            watcher=Heard(),
        )


def test_two_arenas_cannot_play_in_one_folder(tmp_path: Path) -> None:
    write_plan(PLAN, tmp_path)

    with locked(tmp_path), pytest.raises(ArenaError, match="another arena"), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass
