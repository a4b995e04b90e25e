"""A comparison of two versions: the same hands, the same opponents, the same verdict in whatever order."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from arena.ratings.sequential import Verdict, set_differences
from arena.store.contest import Contest
from arena.store.reader import StoreReader
from arena.store.standings import planned_matches, standings_of
from arena.store.verify import Mismatch, verify
from arena.store.writer import StoreWriter
from arena.tournament.plan import Comparison, Plan, plan_digest
from arena.tournament.schedule import PAIRED, ScheduleOptions
from tests.store.played import all_played, plan_of, run_in

SETS = 24
QUESTION = Comparison(points0=0.0, points1=0.5, alpha=0.05, beta=0.05)
BOTS = ("new", "old", "ant", "bee", "cat")
PLAN = plan_of(BOTS, schedule=ScheduleOptions(PAIRED, SETS), comparison=QUESTION)
RECORDS = all_played(PLAN)
"""`new` plays its highest card and the rest at random, so it is worse or better, and by much."""


def contest() -> Contest:
    return Contest(QUESTION, ("new", "old"))


def store_of(folder: Path, plan: Plan = PLAN, matches: int = len(RECORDS)) -> Path:
    return run_in(folder, plan, RECORDS[:matches])


def test_both_versions_hold_the_same_hands_on_the_same_seats() -> None:
    by_place = {(record.set, record.rotation, record.table): record for record in RECORDS}

    assert len(by_place) == SETS * 4 * 2
    for (number, rotation, table), record in by_place.items():
        other = by_place[number, rotation, 1 - table]
        seats = [seat.bot for seat in record.seats]
        swapped = [{"new": "old", "old": "new"}.get(bot, bot) for bot in seats]
        assert [seat.bot for seat in other.seats] == swapped
        assert [played.hands for played in record.rounds] == [played.hands for played in other.rounds]


def test_verdict_does_not_depend_on_the_order_in_which_matches_end() -> None:
    in_order, shuffled = contest(), contest()
    in_order.add(RECORDS)
    for record in random.Random(3).sample(RECORDS, len(RECORDS)):
        shuffled.add([record])

    assert in_order.is_decided
    assert shuffled.test == in_order.test


def test_differences_are_those_of_the_ratings(tmp_path: Path) -> None:
    with StoreReader.open(store_of(tmp_path)) as store:
        results = store.results()
    differences = set_differences(results, candidate="new", baseline="old")
    found = contest()
    found.add_results(results)

    assert found.test.sets >= 16
    assert found.test.mean == pytest.approx(np.mean(differences[: found.test.sets]))


def test_stored_and_fresh_matches_count_once_each(tmp_path: Path) -> None:
    with StoreReader.open(store_of(tmp_path, matches=60)) as store:
        resumed = contest()
        resumed.add_results(store.results())
    resumed.add(RECORDS[40:])
    whole = contest()
    whole.add(RECORDS)

    assert resumed.test == whole.test


def test_a_set_counts_only_when_both_versions_have_played_it_whole() -> None:
    found = contest()
    found.add(record for record in RECORDS if record.set != 0)
    assert found.test.sets == 0

    found.add(record for record in RECORDS if record.set == 0 and record.table == 0)
    assert found.test.sets == 0
    assert found.test.verdict is Verdict.UNKNOWN

    found.add(record for record in RECORDS if record.set == 0)
    assert found.is_decided


def ended(folder: Path, matches: int) -> Path:
    store_of(folder, matches=matches)
    with StoreWriter.open(folder, plan_digest=plan_digest(folder)) as store:
        store.note_end("better")
        store.settle()
    return folder


def test_comparison_that_ended_is_whole_and_tells_its_seed(tmp_path: Path) -> None:
    with StoreReader.open(store_of(tmp_path / "going-on", matches=176)) as store:
        assert planned_matches(PLAN, store) == SETS * 8
        assert standings_of(PLAN, store).seed is None
    with StoreReader.open(ended(tmp_path / "ended", matches=176)) as store:
        assert planned_matches(PLAN, store) == 176
        assert standings_of(PLAN, store).seed == "7"
    assert verify(tmp_path / "ended").planned == 176


def test_an_end_without_a_verdict_is_found(tmp_path: Path) -> None:
    with pytest.raises(Mismatch, match="table run: ended, a verdict: found False, expected True"):
        verify(ended(tmp_path, matches=40))
