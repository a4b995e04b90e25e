"""Tables that are added while a tournament goes on: chosen by rule, kept, and found out when they are not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.ratings.instalments import next_tables
from arena.store.reader import StoreReader
from arena.store.standings import standings_of
from arena.store.verify import Mismatch, verify
from arena.store.writer import StoreWriter
from arena.tournament.plan import Plan, plan_digest, read_plan, schedule_of, write_added, write_plan
from tests.store.played import BOTS, new_store, plan_of, played

BASE = 5 * 4
MOST = BASE + 24 * 4
PLAN = plan_of(BOTS, sets=1, until_separated=MOST)


def play_all(folder: Path, plan: Plan = PLAN, *, is_ended: bool = True) -> Plan:
    """What a tournament does, with bots that play at random."""
    write_plan(plan, folder)
    with new_store(folder, plan) as store:
        while True:
            stored = set(store.positions())
            schedule = schedule_of(plan)
            store.add(played(plan, match) for match in schedule.matches() if match.position not in stored)
            look = len(plan.added) + 1
            tables = next_tables(store.results(), look=look, most=(MOST - schedule.match_count) // 24)
            if not tables:
                break
            plan = replace(plan, added=(*plan.added, tuple(tables)))
            write_added(plan, folder)
        if is_ended:
            store.note_end("nothing is to be added")
        store.settle()
    return plan


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    play_all(folder)
    return folder


@pytest.fixture
def copied(run: Path, tmp_path: Path) -> Path:
    for file in run.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_bots_that_are_level_play_up_to_the_maximum(run: Path) -> None:
    plan = read_plan(run)

    assert schedule_of(plan).match_count == MOST
    assert len(plan.added) >= 2
    assert verify(run).matches == MOST


def test_plan_as_it_was_before_the_first_card_is_never_changed(run: Path, tmp_path: Path) -> None:
    write_plan(PLAN, tmp_path)

    assert plan_digest(run) == plan_digest(tmp_path)


def test_tables_that_the_rule_does_not_choose_are_found(copied: Path) -> None:
    added = json.loads((copied / "added.json").read_text())
    other = next(table for table in ([0, 1, 2, 3], [0, 1, 2, 4]) if table != added[-1][-1])
    added[-1][-1] = other
    (copied / "added.json").write_text(json.dumps(added))

    with pytest.raises(Mismatch):
        verify(copied)


def test_a_table_that_is_left_out_is_found(copied: Path) -> None:
    added = json.loads((copied / "added.json").read_text())
    (copied / "added.json").write_text(json.dumps(added[:-1]))

    with pytest.raises(Mismatch, match=r"position \d+ is not in the schedule"):
        verify(copied)


def test_seed_is_told_when_nothing_more_will_be_added(run: Path, tmp_path: Path) -> None:
    going_on = play_all(tmp_path, is_ended=False)

    with StoreReader.open(tmp_path) as store:
        assert standings_of(going_on, store).seed is None
    with StoreReader.open(run) as store:
        assert standings_of(read_plan(run), store).seed == "7"


def test_an_end_before_the_rule_says_so_is_found(tmp_path: Path) -> None:
    write_plan(PLAN, tmp_path)
    with new_store(tmp_path, PLAN) as store:
        store.add(played(PLAN, match) for match in schedule_of(PLAN).matches())
    with StoreWriter.open(tmp_path) as store:
        store.note_end("tired")
        store.settle()

    with pytest.raises(Mismatch, match=r"added.json, look 1: tables: found \[\], expected \[\("):
        verify(tmp_path)
