"""Owns the judgement of a disturbed run: nothing lost, doubled or changed, nothing left behind."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from arena.cli.group import run
from arena.referee.faults import FaultKind
from arena.referee.record import timeless_bytes
from arena.store.reader import StoreReader
from arena.store.sqlite import RESULTS_FILE
from arena.tournament.plan import LOG_FOLDER, PLAN_FILE, read_plan, schedule_of
from arena.v1 import record_pb2
from tests.chaos.blows import Struck
from tests.store import second_verifier

__all__ = ["changes_since", "faulted", "judge", "leftovers", "stored_in", "troubles_in_logs"]

AFTERMATH_US = 60_000_000
"""How long before a match began a blow may have hit its bot: two starts in a row that failed, at most."""


def stored_in(folder: Path) -> dict[int, bytes]:
    """SHA-256 of each stored record by its position; nothing where there are no results yet."""
    if not (folder / RESULTS_FILE).exists():
        return {}
    with StoreReader.open(folder) as store:
        return {match.row.position: match.record_sha256 for match in store.matches()}


def changes_since(before: Mapping[int, bytes], now: Mapping[int, bytes]) -> list[str]:
    """What was stored before and is not stored now, or differently."""
    return [
        f"position {one} was stored and is lost or changed" for one in before if now.get(one) != before[one]
    ]


def judge(folder: Path, undisturbed: Path, blows: Sequence[Struck]) -> Iterator[str]:
    """Everything that a finished run has wrong beside one that nobody disturbed."""
    planned = schedule_of(read_plan(folder)).match_count
    expected = {record.position: record for record in records_in(undisturbed)}
    found = records_in(folder)
    if sorted(record.position for record in found) != list(range(planned)):
        yield f"{len(found)} of {planned} matches are stored"
    for record in found:
        yield from _wrong_with(record, expected[record.position], blows)
    yield from _refusals(folder, planned)


def records_in(folder: Path) -> list[record_pb2.MatchRecord]:
    """Every stored record."""
    with StoreReader.open(folder) as store:
        return [match.parse() for match in store.matches()]


def faulted(folder: Path) -> int:
    """Matches in which some bot was at fault."""
    return sum(bool(record.faults) for record in records_in(folder))


def leftovers(folder: Path, scratch: Path) -> Iterator[str]:
    """Files that no run leaves: in the run's folder, and where temporary ones go."""
    kept = {PLAN_FILE, RESULTS_FILE, LOG_FOLDER}
    yield from (
        f"left in the run's folder: {path.name}" for path in folder.iterdir() if path.name not in kept
    )
    yield from (f"left in the temporary folder: {path.relative_to(scratch)}" for path in scratch.rglob("*"))


def troubles_in_logs(files: Iterable[Path]) -> Iterator[str]:
    """Tracebacks of the arena's own processes."""
    for file in files:
        text = file.read_text(errors="replace")
        if "Traceback" in text or "Exception ignored" in text:
            yield f"{file.name}: a traceback:\n{text}"


def _wrong_with(
    record: record_pb2.MatchRecord, expected: record_pb2.MatchRecord, blows: Sequence[Struck]
) -> Iterator[str]:
    if not record.faults:
        if timeless_bytes(record) != timeless_bytes(expected):
            yield f"{record.match_id}: nobody was at fault, and yet it is another match"
        return
    seats = [fault.seat for fault in record.faults]
    if len(seats) != len(set(seats)):
        yield f"{record.match_id}: a bot was charged twice"
    for fault in record.faults:
        bot = record.seats[fault.seat].bot
        told = f"{record.match_id}: {bot}: {FaultKind(fault.kind).name}: {fault.detail}"
        if FaultKind(fault.kind) is not FaultKind.CRASHED or not fault.forfeits:
            yield f"{told}; only CRASHED may be"
        elif not any(bot in blow.bots and _may_tell_in(record, blow) for blow in blows):
            yield f"{told}; nobody had touched it"


def _may_tell_in(record: record_pb2.MatchRecord, blow: Struck) -> bool:
    began_us = record.timing.started_unix_us
    return began_us - AFTERMATH_US < blow.at_unix_us < began_us + record.timing.duration_us


def _refusals(folder: Path, planned: int) -> Iterator[str]:
    """What `arena verify`, `arena standings` and the second verifier object to."""
    for command in ("verify", "standings"):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = run([command, str(folder)])
        if status:
            yield f"arena {command} ends with {status}: {out.getvalue()}"
    try:
        if (count := second_verifier.verify(folder)) != planned:
            yield f"the second verifier finds {count} of {planned} matches"
    except second_verifier.Wrong as trouble:
        yield f"the second verifier refuses: {trouble}"
