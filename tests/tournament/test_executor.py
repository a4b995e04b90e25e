"""Jobs on real worker processes: what is handed over, and what happens when a worker dies."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import load_bot
from arena.errors import ArenaError
from arena.tournament.designs import choose_schedule
from arena.tournament.executor import LocalExecutor
from arena.tournament.jobs import jobs_of
from arena.tournament.plan import LOG_FOLDER, Job, Plan, schedule_of
from arena.tournament.worker import WorkerSetup
from arena.v1 import record_pb2
from tests.bots.processes import nobody_works_in, until
from tests.store.played import SHORT, plan_of

pytestmark = pytest.mark.slow

NAMES = ("ant", "bee", "cat", "dog")
PLAN = plan_of(NAMES, schedule=choose_schedule(4, sets=2), ruleset=SHORT)


@pytest.fixture
def setup(tmp_path: Path) -> WorkerSetup:
    """A run's folder, and four bots that play low and are quick."""
    bots = tmp_path / "bots"
    bots.mkdir()
    for name in NAMES:
        shutil.copy(HOUSE_BOTS["house-lowest"], bots / f"{name}.py")
    run = tmp_path / "run"
    run.mkdir()
    found = [load_bot(bots / f"{name}.py") for name in NAMES]
    return WorkerSetup(PLAN, run / LOG_FOLDER, dict(enumerate(found)))


def jobs(plan: Plan = PLAN) -> Iterator[Job]:
    return jobs_of(schedule_of(plan), workers=1, is_stored=lambda position: False)


def nobody_is_lost(job_id: str, *, exit_status: int, log: str) -> None:
    raise AssertionError(f"{job_id}: {exit_status}, {log}")


def bots_of(setup: WorkerSetup) -> Path:
    return setup.entrants[0].folder


async def test_every_match_of_a_job_is_handed_over_and_nothing_stays_behind(setup: WorkerSetup) -> None:
    records: list[record_pb2.MatchRecord] = []

    executor = LocalExecutor(setup, workers=2)
    await executor.play(jobs(), on_record=records.append, on_lost=nobody_is_lost)

    assert sorted(record.position for record in records) == list(range(8))
    assert not any(record.faults for record in records)
    assert nobody_works_in(bots_of(setup))
    assert not list(setup.log_dir.iterdir())


@pytest.mark.chaos
async def test_killed_worker_is_replaced_and_only_what_is_missing_played_again(setup: WorkerSetup) -> None:
    records: list[record_pb2.MatchRecord] = []
    lost: list[tuple[str, int]] = []

    def kill_at_the_third(record: record_pb2.MatchRecord) -> None:
        records.append(record)
        if len(records) == 3:
            os.kill(worker_of(setup), signal.SIGKILL)

    def lose(job_id: str, *, exit_status: int, log: str) -> None:
        lost.append((job_id, exit_status))

    executor = LocalExecutor(setup, workers=1)
    await executor.play(jobs(), on_record=kill_at_the_third, on_lost=lose)

    assert lost == [("t000-s00000-00001", -signal.SIGKILL)]
    assert sorted(record.position for record in records) == list(range(8))
    await until(lambda: nobody_works_in(bots_of(setup)))


@pytest.mark.chaos
async def test_worker_that_is_killed_again_and_again_is_not_given_up_while_matches_come(
    setup: WorkerSetup,
) -> None:
    records: list[record_pb2.MatchRecord] = []
    killed: list[int] = []
    lost: list[str] = []

    def kill_at_its_first(record: record_pb2.MatchRecord) -> None:
        records.append(record)
        if len(killed) == len(lost):
            killed.append(worker_of(setup))
            os.kill(killed[-1], signal.SIGKILL)

    def lose(job_id: str, *, exit_status: int, log: str) -> None:
        lost.append(job_id)

    executor = LocalExecutor(setup, workers=1)
    await executor.play(jobs(), on_record=kill_at_its_first, on_lost=lose)

    assert len(lost) > 3
    assert sorted(record.position for record in records) == list(range(8))


def worker_of(setup: WorkerSetup) -> int:
    """The one child of this process that is a worker."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_text()
        except OSError:
            continue
        if parent == os.getpid() and "arena.tournament.worker" in command:
            return int(stat.parent.name)
    raise AssertionError("no worker is running")


async def test_worker_that_cannot_work_is_given_up_after_three_tries_and_its_log_named(
    setup: WorkerSetup,
) -> None:
    lost: list[str] = []
    setup = replace(setup, plan=replace(PLAN, sandbox="tent"))

    def lose(job_id: str, *, exit_status: int, log: str) -> None:
        lost.append(f"{exit_status} {log}")

    executor = LocalExecutor(setup, workers=1)
    with pytest.RaisesGroup(
        pytest.RaisesExc(ArenaError, match=r"lost 3 times in a row; .*tent.*worker-0\.log")
    ):
        await executor.play(jobs(), on_record=lambda record: None, on_lost=lose)

    assert lost == ["1 logs/worker-0.log"] * 3


async def test_cancelled_executor_ends_workers_and_bots(setup: WorkerSetup) -> None:
    has_begun = asyncio.Event()

    def begin(record: record_pb2.MatchRecord) -> None:
        has_begun.set()

    executor = LocalExecutor(setup, workers=1)
    playing = asyncio.create_task(executor.play(jobs(), on_record=begin, on_lost=nobody_is_lost))
    await has_begun.wait()
    playing.cancel()
    await asyncio.wait((playing,))

    assert playing.cancelled()
    await until(lambda: nobody_works_in(bots_of(setup)))
