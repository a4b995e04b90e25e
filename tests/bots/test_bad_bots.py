"""Every bad bot gets its named fault, and the other three play on as if nothing were."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.bots.bubblewrap import SandboxError, choose_sandbox
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import load_bot
from arena.bots.sandbox import Sandbox
from arena.referee import FaultKind, check_record
from arena.rules import Seed
from arena.v1 import record_pb2
from tests.bots.processes import nobody_works_in, until
from tests.tournament.tables import play_table

BAD_BOTS = Path(__file__).parent.parent / "bad_bots"
SEED = Seed.parse("11")


@dataclass(frozen=True)
class Expected:
    """What a bad bot must get in a match of two rounds: its kind of fault, whether it loses its seat, why."""

    kind: FaultKind | None
    forfeits: bool
    says: str = ""
    needs_sandbox: bool = False


HARMLESS = Expected(None, forfeits=False)
EXPECTED = {
    "call_of_zero": Expected(FaultKind.ILLEGAL_CALL, False, "called 0: 1 to 8 may be called"),
    "crash_after_hello": Expected(FaultKind.CRASHED, True, "exit status 4"),
    "crash_at_match_start": Expected(FaultKind.CRASHED, True, "exit status 5"),
    "crash_at_start": Expected(FaultKind.CRASHED, True, "status 3 before Hello: no model.bin in this folder"),
    "crash_mid_match": Expected(
        FaultKind.CRASHED, True, "status 1: RuntimeError: I lost count of the trumps"
    ),
    "duplicate_answers": HARMLESS,
    "empty_answer": Expected(FaultKind.MALFORMED, True, "neither a call nor a card"),
    "flood_of_messages": Expected(FaultKind.RESOURCE, True, "a flood"),
    "flood_of_output": HARMLESS,
    "forker": HARMLESS,
    "future_version": Expected(FaultKind.VERSION, True, "version 1 of the protocol and the bot said 7 to 9"),
    "garbage": Expected(FaultKind.MALFORMED, True, "no PlayRequest: fffe"),
    "garbage_hello": Expected(FaultKind.MALFORMED, True, "the first message must be Hello"),
    "hangs_up": Expected(FaultKind.CRASHED, True, "its stream ended while its process went on"),
    "hello_twice": Expected(FaultKind.MALFORMED, True, "hello has no place here"),
    "huge_message": Expected(FaultKind.MALFORMED, True, "at most 65536 are read"),
    "huge_note": HARMLESS,
    "ignores_sigterm": HARMLESS,
    "illegal_call": Expected(FaultKind.ILLEGAL_CALL, False, "called 4000000000: 1 to 8 may be called"),
    "illegal_card": Expected(FaultKind.ILLEGAL_CARD, True, "were led"),
    "impossible_card": Expected(FaultKind.ILLEGAL_CARD, True, "it was not in hand"),
    "late_answer": Expected(
        FaultKind.TIMEOUT, False, "within the limit of 0.3 s and a bank of 0.4 s a match"
    ),
    "memory_hog": Expected(FaultKind.CRASHED, True, "emory", needs_sandbox=True),
    "never_hello": Expected(FaultKind.NEVER_READY, True, "no Hello within"),
    "never_ready": Expected(FaultKind.NEVER_READY, True, "no Ready within"),
    "not_grpc": Expected(FaultKind.NEVER_READY, True, "no Hello within"),
    "other_ruleset": Expected(FaultKind.VERSION, True, "the bot said it knows call-bridge"),
    "prints_and_reads": HARMLESS,
    "second_stream": HARMLESS,
    "segfault": Expected(FaultKind.CRASHED, True, "signal SIGSEGV"),
    "silence": Expected(FaultKind.TIMEOUT, True, "no answer within"),
    "slow_drip": HARMLESS,
    "slow_start": Expected(FaultKind.NEVER_READY, True, "no Hello within"),
    "unknown_card": Expected(FaultKind.MALFORMED, True, "card number 153 is no card"),
    "wrong_ask_id": Expected(FaultKind.MALFORMED, True, "was never asked"),
    "wrong_kind": Expected(FaultKind.MALFORMED, True, "came where a"),
}


def test_every_bad_bot_has_an_expectation() -> None:
    assert {path.stem for path in BAD_BOTS.glob("[!_]*.py")} == set(EXPECTED)


def _sandbox() -> Sandbox:
    """This machine's, or a skip with its reason."""
    try:
        found, _ = choose_sandbox("bwrap")
    except SandboxError as trouble:
        pytest.skip(str(trouble))
    return found


async def _one_match(name: str, tmp_path: Path) -> record_pb2.MatchRecord:
    # A copy whose path is unlike any other's: what is left running can be told by it.
    folder = tmp_path / "bots"
    shutil.copytree(BAD_BOTS, folder)
    bots = [load_bot(folder / f"{name}.py"), *[load_bot(HOUSE_BOTS["house-lowest"])] * 3]
    records = await play_table(
        bots,
        seed=SEED,
        log_dir=tmp_path / "logs",
        time_control="0.3+0.4",
        startup_s=8.0,
        rounds=2,
        sandbox=_sandbox() if EXPECTED[name].needs_sandbox else None,
    )
    return records[0]


@pytest.mark.parametrize("name", sorted(EXPECTED))
async def test_bad_bot_gets_its_fault_and_nobody_else_does(name: str, tmp_path: Path) -> None:
    expected = EXPECTED[name]

    record = await _one_match(name, tmp_path)

    check_record(record, SEED)
    kinds = {FaultKind(fault.kind) for fault in record.faults}
    assert kinds == ({expected.kind} if expected.kind else set())
    assert all(fault.seat == 0 for fault in record.faults)
    assert [seat.forfeited for seat in record.seats] == [expected.forfeits, False, False, False]
    assert all(expected.says in fault.detail for fault in record.faults), [f.detail for f in record.faults]
    await until(lambda: nobody_works_in(tmp_path))


async def test_note_is_kept_within_bounds(tmp_path: Path) -> None:
    record = await _one_match("huge_note", tmp_path)

    assert {len(note.text) for round_ in record.rounds for note in round_.notes} == {200}


async def test_late_answer_is_dropped_and_the_bot_told(tmp_path: Path) -> None:
    record = await _one_match("late_answer", tmp_path)

    assert [fault.answer for fault in record.faults] == [""]
    assert record.seats[0].strikes == 1


async def test_output_of_a_talkative_bot_is_kept_head_and_tail(tmp_path: Path) -> None:
    record = await _one_match("flood_of_output", tmp_path)

    kept = (tmp_path / record.timing.output[0]).read_bytes()
    assert b"bytes left out" in kept
    assert len(kept) < 200_000
