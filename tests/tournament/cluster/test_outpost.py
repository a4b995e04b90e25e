"""A worker on a node is told everything over its line, and says everything over it; no cluster is needed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bundle import bundle
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, files_of
from arena.tournament.cluster.outpost import Order, Outpost, Parcel, common_of
from arena.tournament.designs import choose_schedule
from arena.tournament.frames import Kind, pack, pack_json
from arena.tournament.plan import schedule_of
from arena.tournament.worker import entrant_document
from arena.v1 import record_pb2
from tests.bots.processes import nobody_works_in, script_bot, until
from tests.store.played import SHORT, plan_of

NAMES = ("ant", "bee", "cat", "dog")
PLAN = plan_of(NAMES, schedule=choose_schedule(4, sets=2), ruleset=SHORT)
LOG = "worker-job.log"
TALKS = """
import signal
print("dog is deaf to", signal.pthread_sigmask(signal.SIG_BLOCK, ()), flush=True)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of the node that is this machine."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def deaf() -> Iterator[None]:
    """Blocks a signal, as Ray does in its processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


@pytest.fixture
def bots(tmp_path: Path) -> list[Entrant]:
    """Four bots that play low and are quick; the last prints a line when it starts, of blocked signals."""
    (tmp_path / "bots").mkdir()
    source = HOUSE_BOTS["house-lowest"].read_text()
    future = "from __future__ import annotations\n"
    talking = source.replace(future, future + TALKS)
    return [script_bot(tmp_path / "bots", talking if name == "dog" else source, name=name) for name in NAMES]


def order_for(bots: list[Entrant]) -> Order:
    return Order(
        entrants={number: entrant_document(bot) for number, bot in enumerate(bots)},
        bundles={bot.content_hash: bundle(files_of(bot.path, has_build=False)) for bot in bots},
        log_name=LOG,
    )


def job() -> bytes:
    positions = [match.position for match in schedule_of(PLAN).matches()]
    return pack_json(Kind.JOB, {"job_id": "job", "positions": positions})


def as_it_is(packed: Any) -> bytes:
    assert isinstance(packed, bytes)
    return packed


def received(outpost: Outpost) -> list[Parcel]:
    """Every parcel to the last; the worker is told to stop when its job is done."""
    parcels = []
    while True:
        parcels.append(outpost.receive())
        if any(kind is Kind.DONE for kind, _ in parcels[-1].frames):
            outpost.send(pack(Kind.STOP))
        if parcels[-1].exit_status is not None:
            return parcels


@pytest.mark.slow
@pytest.mark.usefixtures("deaf")
def test_records_and_logs_come_and_nothing_stays_behind(cache: Path, bots: list[Entrant]) -> None:
    outpost = Outpost(as_it_is)

    outpost.open(common_of(PLAN), order_for(bots))
    outpost.send(job())
    parcels = received(outpost)

    frames = [frame for parcel in parcels for frame in parcel.frames]
    records = [record_pb2.MatchRecord.FromString(body) for kind, body in frames if kind is Kind.RECORD]
    assert sorted(record.position for record in records) == list(range(8))
    assert not any(record.faults for record in records)
    [done] = [body for kind, body in frames if kind is Kind.DONE]
    assert json.loads(done) == {"job_id": "job"}
    assert parcels[-1].exit_status == 0
    logs: dict[str, bytes] = {}
    for parcel in parcels:
        for name, added in parcel.logs:
            logs[name] = logs.get(name, b"") + added
    printed = [name for record in records for name in record.timing.output if name]
    assert printed
    assert {name.removeprefix("logs/") for name in printed} == set(logs)
    assert all(b"dog is deaf to set()" in text for text in logs.values())
    asyncio.run(until(lambda: nobody_works_in(cache)))


@pytest.mark.slow
@pytest.mark.chaos
def test_killed_worker_is_told_by_its_exit_status(cache: Path, bots: list[Entrant]) -> None:
    outpost = Outpost(as_it_is)
    outpost.open(common_of(PLAN), order_for(bots))
    outpost.send(job())

    first = outpost.receive()
    os.kill(child_of(os.getpid()), signal.SIGKILL)
    parcels = received(outpost)

    assert first.exit_status is None
    assert parcels[-1].exit_status == -signal.SIGKILL
    asyncio.run(until(lambda: nobody_works_in(cache)))


def child_of(parent: int) -> int:
    """The worker among the children of a process."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            is_child = int(status.read_text().rpartition(")")[2].split()[1]) == parent
            if is_child and "arena.tournament.worker" in (status.parent / "cmdline").read_text():
                return int(status.parent.name)
        except OSError:
            continue
    raise AssertionError("no worker is running")


def only_parcel(common: dict[str, Any], bots: list[Entrant]) -> Parcel:
    outpost = Outpost(as_it_is)
    outpost.open(common, order_for(bots))
    outpost.send(job())
    return outpost.receive()


def test_node_with_another_arena_plays_nothing_and_says_so(cache: Path, bots: list[Entrant]) -> None:
    parcel = only_parcel({**common_of(PLAN), "arena": "0" * 64}, bots)

    assert (parcel.frames, parcel.exit_status) == ((), 1)
    [(name, said)] = parcel.logs
    assert name == LOG
    assert "has another arena" in said.decode()
    assert not cache.exists()


def test_node_that_cannot_have_a_bot_says_which_and_why(cache: Path, bots: list[Entrant]) -> None:
    cache.mkdir()
    (cache / "callbreak-arena").write_text("not a folder")

    parcel = only_parcel(common_of(PLAN), bots)

    [(_, said)] = parcel.logs
    assert said.startswith(b"node ")
    assert b"cannot keep bots there" in said
    assert parcel.exit_status == 1
