"""The plan's file: whole, private, readable, and read back as it was."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.rules import PRESETS, with_rules
from arena.tournament.designs import choose_schedule
from arena.tournament.jobs import jobs_of, sets_per_job
from arena.tournament.plan import (
    Comparison,
    check_plan,
    plan_digest,
    read_plan,
    schedule_of,
    write_added,
    write_plan,
)
from arena.tournament.schedule import Schedule, build_schedule
from tests.store.played import plan_of


@pytest.mark.parametrize("preset", PRESETS)
def test_plan_is_read_back_as_it_was_written(tmp_path: Path, preset: str) -> None:
    plan = plan_of(
        [f"bot{i}" for i in range(40)],
        schedule=choose_schedule(40),
        ruleset=with_rules(PRESETS[preset], {"rounds": "2", "undertrump": "forced"}),
    )

    write_plan(plan, tmp_path)

    assert read_plan(tmp_path) == plan
    check_plan(read_plan(tmp_path))


def test_plan_is_private_because_it_holds_the_seed(tmp_path: Path) -> None:
    write_plan(plan_of(), tmp_path)

    assert stat.S_IMODE((tmp_path / "plan.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_what_was_added_is_kept_beside_the_plan(tmp_path: Path) -> None:
    question = Comparison(points0=0.0, points1=0.5, alpha=0.05, beta=0.1)
    plan = plan_of(until_separated=500, comparison=question)
    write_plan(plan, tmp_path)
    digest = plan_digest(tmp_path)
    grown = replace(plan, added=(((0, 1, 2, 3),), ((1, 2, 3, 4), (0, 1, 2, 4))))

    write_added(grown, tmp_path)

    assert read_plan(tmp_path) == grown
    assert plan_digest(tmp_path) == digest
    assert schedule_of(grown).match_count == schedule_of(plan).match_count + 3 * 24
    check_plan(grown)


def test_plan_of_an_arena_that_added_nothing_is_read(tmp_path: Path) -> None:
    write_plan(plan_of(), tmp_path)
    file = tmp_path / "plan.json"
    document = json.loads(file.read_text())
    del document["comparison"], document["until_separated"]
    file.write_text(json.dumps(document))

    assert read_plan(tmp_path) == plan_of()


def test_what_was_added_must_be_tables_of_four(tmp_path: Path) -> None:
    write_plan(plan_of(), tmp_path)
    (tmp_path / "added.json").write_text("[[[0, 1, 2]]]")

    with pytest.raises(ArenaError, match="cannot be read as a plan"):
        read_plan(tmp_path)


def test_missing_folder_and_missing_plan_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no such folder"):
        read_plan(tmp_path / "nowhere")
    with pytest.raises(ArenaError, match="no tournament there"):
        read_plan(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2, this arena reads 1"),
        ({"strikez": 3}, "strikez"),
        ({"ruleset": {"name": "callbreak"}}, "ruleset: unknown or missing"),
        ({"entrants": [{"name": "ant"}]}, "missing"),
    ],
)
def test_plan_that_cannot_be_understood_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    write_plan(plan_of(), tmp_path)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))

    with pytest.raises(ArenaError, match=message):
        read_plan(tmp_path)


def test_broken_json_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{")

    with pytest.raises(ArenaError, match="cannot be read as a plan") as found:
        read_plan(tmp_path)
    assert "\n" not in str(found.value)


def test_schedule_that_is_not_the_planned_one_is_refused() -> None:
    with pytest.raises(ArenaError, match="schedule comes out with digest"):
        check_plan(replace(plan_of(), schedule_digest="0" * 64))


@given(
    entrants=st.integers(4, 9),
    sets=st.integers(1, 60),
    workers=st.integers(1, 16),
    stored=st.sets(st.integers(0, 300)),
)
def test_jobs_hold_every_missing_match_once_and_nothing_else(
    entrants: int, sets: int, workers: int, stored: set[int]
) -> None:
    schedule = build_schedule(choose_schedule(entrants, sets=sets), entrants)

    jobs = list(jobs_of(schedule, workers=workers, is_stored=stored.__contains__))

    positions = sorted(match.position for job in jobs for match in job.matches)
    assert positions == [p for p in range(schedule.match_count) if p not in stored]
    assert len({job.job_id for job in jobs}) == len(jobs)
    assert all(match.table == job.table for job in jobs for match in job.matches)


@pytest.mark.parametrize("workers", [1, 2, 8, 64])
def test_jobs_are_long_but_leave_work_for_every_worker(workers: int) -> None:
    schedule = Schedule(tables=((0, 1, 2, 3), (0, 1, 2, 4)), sets_per_table=600)

    length = sets_per_job(schedule, workers)

    assert 6 <= length <= 24
    assert schedule.set_count / length >= min(workers, schedule.set_count / 6)


def test_schedule_of_a_plan_follows_from_its_options() -> None:
    plan = plan_of(sets=3)

    assert schedule_of(plan).match_count == 5 * 3 * 4
