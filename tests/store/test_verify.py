"""A run that was changed by hand is found out, and the place is named."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.store.verify import Mismatch, Verified, verify
from arena.v1 import record_pb2
from tests.store.played import BOTS, all_played, plan_of, run_in

PLAN = plan_of()


def cat_errs(match: RefereedMatch) -> FaultKind | None:
    is_cat = match.setup.seats[match.seat].bot == "cat"
    return FaultKind.MALFORMED if is_cat and match.game.round.decision > 30 else None


RECORDS = all_played(PLAN, cat_errs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return run_in(tmp_path / "run", PLAN, RECORDS)


def change(folder: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(folder / "results.sqlite3") as connection:
        assert connection.execute(statement, values).rowcount == 1
    connection.close()


def change_record(folder: Path, position: int, edit: Callable[[record_pb2.MatchRecord], None]) -> None:
    """Changes a record as somebody would who knows about its SHA-256."""
    record = record_pb2.MatchRecord.FromString(RECORDS[position].SerializeToString())
    edit(record)
    packed = record.SerializeToString()
    change(folder, "UPDATE records SET record = ? WHERE position = ?", packed, position)
    digest = hashlib.sha256(packed).digest()
    change(folder, "UPDATE matches SET record_sha256 = ? WHERE position = ?", digest, position)


def test_untouched_run_passes_and_says_how_much_it_was(folder: Path) -> None:
    assert verify(folder) == Verified(matches=20, planned=20, has_ratings=True)


def test_unfinished_run_passes_and_is_told_apart(tmp_path: Path) -> None:
    run_in(tmp_path, PLAN, RECORDS[4:9], is_rated=False)

    assert verify(tmp_path) == Verified(matches=5, planned=20, has_ratings=False)


def swap_two_plays(record: record_pb2.MatchRecord) -> None:
    plays = record.rounds[0].plays
    plays[0], plays[4] = plays[4], plays[0]


def raise_a_score(record: record_pb2.MatchRecord) -> None:
    record.rounds[1].score_tenths[2] += 10


def raise_a_total(record: record_pb2.MatchRecord) -> None:
    record.total_tenths[1] += 10


def change_a_place(record: record_pb2.MatchRecord) -> None:
    record.places[0] = 4 if record.places[0] != 4 else 3


def deal_other_cards(record: record_pb2.MatchRecord) -> None:
    hands = record.rounds[0].hands
    hands[0], hands[13] = hands[13], hands[0]


def change_a_call(record: record_pb2.MatchRecord) -> None:
    record.rounds[0].calls[3] += 1


def seat_another_bot(record: record_pb2.MatchRecord) -> None:
    record.seats[0].bot, record.seats[1].bot = record.seats[1].bot, record.seats[0].bot


def drop_a_fault(record: record_pb2.MatchRecord) -> None:
    del record.faults[0]


def claim_a_sandbox(record: record_pb2.MatchRecord) -> None:
    record.sandbox = record_pb2.SANDBOX_BWRAP


def allow_more_time(record: record_pb2.MatchRecord) -> None:
    record.time_control.bank.FromSeconds(99)


def swap_the_seed(record: record_pb2.MatchRecord) -> None:
    record.seed_commitment = bytes(32)


EDITS: list[tuple[Callable[[record_pb2.MatchRecord], None], str]] = [
    (swap_two_plays, "round 1"),
    (raise_a_score, "round 2: scores"),
    (raise_a_total, "totals"),
    (change_a_place, "places"),
    (deal_other_cards, "round 1: hands"),
    (change_a_call, "round 1"),
    (seat_another_bot, "record, seat 0: bot"),
    (drop_a_fault, "fault 2: forfeit"),
    (claim_a_sandbox, "sandbox"),
    (allow_more_time, "time control"),
    (swap_the_seed, "seed commitment"),
]


@pytest.mark.parametrize(("edit", "place"), EDITS, ids=[edit.__name__ for edit, _ in EDITS])
def test_changed_record_is_named_with_match_and_place(
    folder: Path, edit: Callable[[record_pb2.MatchRecord], None], place: str
) -> None:
    position = next(i for i, record in enumerate(RECORDS) if record.faults)
    change_record(folder, position, edit)

    with pytest.raises(Mismatch, match=place) as found:
        verify(folder)
    assert RECORDS[position].match_id in str(found.value)


ROWS = [
    ("UPDATE match_seats SET place = place % 4 + 1 WHERE position = 3 AND seat = 1", "match_seats.*place"),
    (
        "UPDATE match_seats SET total_tenths = total_tenths + 1 WHERE position = 3 AND seat = 0",
        "total_tenths",
    ),
    ("UPDATE match_seats SET bot = (bot + 1) % 5 WHERE position = 3 AND seat = 0", "match_seats.*bot"),
    ("UPDATE match_seats SET calls_made = 0 - 1 WHERE position = 19 AND seat = 3", "calls_made"),
    ("DELETE FROM match_seats WHERE position = 7 AND seat = 2", "match_seats: rows"),
    ("DELETE FROM faults WHERE rowid = 1", "faults: rows"),
    ("UPDATE faults SET kind = 'CRASHED' WHERE rowid = 1", "faults.*kind"),
    ("UPDATE bot_totals SET wins_twelfths = wins_twelfths + 12 WHERE bot = 2", "bot cat: wins_twelfths"),
    ("UPDATE bot_totals SET decision_times = x'' WHERE bot = 2", "bot cat: decision_times"),
    ("UPDATE ratings SET mu = mu + 0.0000001 WHERE bot = 4", "ratings, bot eel"),
    ("UPDATE ratings SET sigma = 1 WHERE bot = 0", "ratings, bot ant"),
    ("UPDATE run SET value = '0.2' WHERE key = 'draw_probability'", "draw probability"),
    ("UPDATE run SET value = json_set(value, '$.points[1][0]', 99.5) WHERE key = 'sureness'", "sureness"),
    (
        "UPDATE run SET value = json_set(value, '$.apart', json('[[0, 1], [1, 0]]')) WHERE key = 'sureness'",
        "sureness",
    ),
    ("UPDATE run SET value = '{}' WHERE key = 'sureness'", "sureness"),
    ("UPDATE matches SET match_id = 't000-s99999-r0' WHERE position = 0", "match_id"),
    ("UPDATE matches SET set_number = 9 WHERE position = 0", "table, set"),
    ("UPDATE records SET record = x'00' WHERE position = 5", "SHA-256"),
    ("UPDATE bots SET version = '2' WHERE bot = 1", "bots"),
]


@pytest.mark.parametrize(("statement", "place"), ROWS)
def test_changed_row_is_named(folder: Path, statement: str, place: str) -> None:
    change(folder, statement)

    with pytest.raises(Mismatch, match=place):
        verify(folder)


def test_row_of_a_match_that_is_not_there_is_found(folder: Path) -> None:
    change(
        folder,
        "INSERT INTO match_seats SELECT 400, seat, bot, total_tenths, place, forfeited, rounds, calls,"
        " tricks, calls_made, decisions, decision_us FROM match_seats WHERE position = 0 AND seat = 0",
    )

    with pytest.raises(Mismatch, match="match_seats: rows: found 81, expected 80"):
        verify(folder)


def edited_plan(folder: Path, **changes: object) -> None:
    """Changes plan.json and the digest that the results keep of it."""
    file = folder / "plan.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}, indent=2))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    change(folder, "UPDATE run SET value = ? WHERE key = 'plan'", digest)


def test_changed_plan_is_found(folder: Path) -> None:
    (folder / "plan.json").write_text((folder / "plan.json").read_text() + "\n")

    with pytest.raises(Mismatch, match=r"plan\.json was changed"):
        verify(folder)


def test_another_seed_is_found_even_if_every_digest_is_made_to_fit(folder: Path) -> None:
    edited_plan(folder, seed_text="8")

    with pytest.raises(Mismatch, match="commitment"):
        verify(folder)


def test_another_schedule_is_found(folder: Path) -> None:
    edited_plan(
        folder, schedule={"format": "round-robin", "sets_per_table": 2, "base_blocks": [], "hero": -1}
    )

    with pytest.raises(Mismatch, match="schedule comes out with digest"):
        verify(folder)


def test_a_folder_without_a_run_is_the_operators_mistake(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no tournament there"):
        verify(tmp_path)


def test_progress_is_told_match_by_match(folder: Path) -> None:
    seen: list[tuple[int, int]] = []

    verify(folder, on_match=lambda done, planned: seen.append((done, planned)))

    assert seen == [(done, 20) for done in range(1, 21)]
    assert len(BOTS) == 5
