"""A verifier written from the documents alone agrees with `arena verify` on runs of every kind."""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.rules import PRESETS, Ruleset, with_rules
from arena.store.verify import Mismatch, verify
from arena.tournament.plan import PLAN_FILE, schedule_of
from arena.tournament.schedule import ScheduleOptions
from arena.v1 import record_pb2
from tests.store import second_verifier
from tests.store.played import all_played, plan_of, run_in
from tests.store.test_added import play_all

HOUSE = with_rules(
    PRESETS["callbreak"],
    {
        "rounds": "3",
        "call_max": "13",
        "undertrump": "forced",
        "redeal": "on",
        "bonus_call": "8",
        "bonus_points": "13",
    },
)
RULESETS = [*(with_rules(rules, {"rounds": "2"}) for rules in PRESETS.values()), HOUSE]
SEVEN = tuple(f"bot{number}" for number in range(7))


def test_both_accept_tables_that_were_added(tmp_path: Path) -> None:
    plan = play_all(tmp_path)

    assert plan.added
    assert verify(tmp_path).matches == second_verifier.verify(tmp_path) == schedule_of(plan).match_count


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_both_accept_a_run_of_any_ruleset(tmp_path: Path, ruleset: Ruleset) -> None:
    plan = plan_of(ruleset=ruleset, seed="31")
    folder = run_in(tmp_path / "run", plan, all_played(plan))

    assert verify(folder).matches == second_verifier.verify(folder) == 20


@pytest.mark.parametrize(
    "schedule",
    [
        ScheduleOptions("round-robin", 2),
        ScheduleOptions("gauntlet", 1, hero=2),
        ScheduleOptions("balanced", 3, base_blocks=((0, 1, 3, 6),)),
        ScheduleOptions("gauntlet", 1, base_blocks=((0, 1, 3),), hero=4),
        ScheduleOptions("paired", 7),
    ],
    ids=["round-robin", "gauntlet", "balanced", "balanced gauntlet", "comparison"],
)
def test_both_accept_every_kind_of_schedule(tmp_path: Path, schedule: ScheduleOptions) -> None:
    plan = plan_of(SEVEN[:5] if schedule.format == "paired" else SEVEN, schedule=schedule)
    folder = run_in(tmp_path / "run", plan, all_played(plan))

    assert verify(folder).matches == second_verifier.verify(folder) > 0


def test_both_accept_a_run_with_faults(tmp_path: Path) -> None:
    def errs(match: RefereedMatch) -> FaultKind | None:
        is_due = match.seat == 1 and match.random_seed() % 5 == 0
        return FaultKind.MALFORMED if is_due else None

    plan = plan_of()
    records = all_played(plan, errs)
    folder = run_in(tmp_path / "run", plan, records)

    assert any(seat.forfeited for record in records for seat in record.seats)
    assert verify(folder).matches == second_verifier.verify(folder) == 20


def _swap_two_plays(record: record_pb2.MatchRecord) -> None:
    plays = record.rounds[0].plays
    plays[0], plays[4] = plays[4], plays[0]


def _raise_a_total(record: record_pb2.MatchRecord) -> None:
    record.total_tenths[2] += 10


def _exchange_places(record: record_pb2.MatchRecord) -> None:
    places = list(record.places)
    first, last = places.index(1), places.index(max(places))
    record.places[first], record.places[last] = record.places[last], record.places[first]


def _another_hand(record: record_pb2.MatchRecord) -> None:
    hands = record.rounds[1].hands
    hands[0], hands[51] = hands[51], hands[0]


@pytest.mark.parametrize("change", [_swap_two_plays, _raise_a_total, _exchange_places, _another_hand])
def test_both_refuse_a_record_that_was_changed(tmp_path: Path, change: object) -> None:
    plan = plan_of()
    folder = run_in(tmp_path / "run", plan, all_played(plan))
    with sqlite3.connect(folder / "results.sqlite3") as database:
        (blob,) = database.execute("select record from records where position = 5").fetchone()
        record = record_pb2.MatchRecord.FromString(blob)
        change(record)  # type: ignore[operator]
        changed = record.SerializeToString()
        database.execute("update records set record = ? where position = 5", (changed,))
        digest = sha256(changed).digest()
        database.execute("update matches set record_sha256 = ? where position = 5", (digest,))
    database.close()

    with pytest.raises(Mismatch):
        verify(folder)
    with pytest.raises(second_verifier.Wrong):
        second_verifier.verify(folder)


def test_both_refuse_another_seed(tmp_path: Path) -> None:
    plan = plan_of()
    folder = run_in(tmp_path / "run", plan, all_played(plan))
    document = json.loads((folder / PLAN_FILE).read_text())
    document["seed_text"] = "8"
    (folder / PLAN_FILE).write_text(json.dumps(document))

    with pytest.raises(Mismatch):
        verify(folder)
    with pytest.raises(second_verifier.Wrong, match="seed commitment"):
        second_verifier.verify(folder)
