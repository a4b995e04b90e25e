"""Owns the comparison of two plays of one match: where they part first, and how that is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arena.referee.faults import FaultKind
from arena.reports.text import harmless
from arena.rules import Card
from arena.v1 import record_pb2

__all__ = ["Difference", "Told", "first_difference", "notes_that_differ", "rerun_document", "rerun_lines"]

SEATS = 4
DECISIONS = 56


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a decision in one of the plays: `KH` or `3`, and the fault if there was one."""

    decided: str  # empty before the first round
    fault: str  # name of its kind; empty for none
    detail: str  # the fault in words


@dataclass(frozen=True, slots=True)
class Difference:
    """The first decision that is not the same; `round` is 0 before the first, `trick` 0 during the calls."""

    round: int
    trick: int
    decision: int
    seat: int
    bot: str
    then: Told
    now: Told


def first_difference(then: record_pb2.MatchRecord, now: record_pb2.MatchRecord) -> Difference | None:
    """Where two plays of one match part: another call or card, or another fault; None when they do not.

    Times, notes and the words of a fault are not compared.
    """
    for round_number, decision in _moments(then):
        seat = _seat_that_differs(then, now, round_number, decision)
        if seat is not None:
            return Difference(
                round=round_number,
                trick=max(0, decision // SEATS),
                decision=decision,
                seat=seat,
                bot=then.seats[seat].bot,
                then=_told(then, round_number, decision, seat),
                now=_told(now, round_number, decision, seat),
            )
    return None


def notes_that_differ(then: record_pb2.MatchRecord, now: record_pb2.MatchRecord) -> int:
    """Decisions on which the bots left other remarks."""
    notes_then, notes_now = _notes(then), _notes(now)
    return sum(notes_then.get(at) != notes_now.get(at) for at in {*notes_then, *notes_now})


def rerun_lines(then: record_pb2.MatchRecord, now: record_pb2.MatchRecord) -> Iterator[str]:
    """The outcome for people."""
    found = first_difference(then, now)
    if found is None:
        yield (
            f"{then.match_id}: identical: {len(then.rounds)} rounds, every call, card, fault, score and place"
        )
    else:
        yield f"{then.match_id}: differs at {_where(found)}"
        yield f"  then  {_words(found.then, found)}"
        yield f"  now   {_words(found.now, found)}"
    if count := notes_that_differ(then, now):
        yield f"  notes of the bots differ on {count} decision{'s'[: count > 1]}"


def rerun_document(then: record_pb2.MatchRecord, now: record_pb2.MatchRecord) -> dict[str, Any]:
    """The outcome for programs; its keys never change."""
    found = first_difference(then, now)
    return {
        "match_id": then.match_id,
        "is_identical": found is None,
        "difference": None if found is None else asdict(found),
        "notes_that_differ": notes_that_differ(then, now),
        "then": _result(then),
        "now": _result(now),
    }


def _moments(record: record_pb2.MatchRecord) -> Iterator[tuple[int, int]]:
    """Every (round, decision) in order, and first what comes before any."""
    yield 0, 0
    for played in record.rounds:
        yield from ((played.round, decision) for decision in range(DECISIONS))


def _seat_that_differs(
    then: record_pb2.MatchRecord, now: record_pb2.MatchRecord, round_number: int, decision: int
) -> int | None:
    """The seat whose decision or fault is another one; whatever came before is the same in both."""
    if round_number and _decided(then, round_number, decision) != _decided(now, round_number, decision):
        return _decider(then, round_number, decision)
    faults_then = {_fault_key(fault) for fault in _faults(then, round_number, decision)}
    faults_now = {_fault_key(fault) for fault in _faults(now, round_number, decision)}
    return min((seat for seat, *_ in faults_then ^ faults_now), default=None)


def _fault_key(fault: record_pb2.FaultRecord) -> tuple[int, int, str, bool]:
    return fault.seat, int(fault.kind), fault.answer, fault.forfeits


def _faults(record: record_pb2.MatchRecord, round_number: int, decision: int) -> list[record_pb2.FaultRecord]:
    place = (round_number, decision)
    return [fault for fault in record.faults if (fault.round, fault.decision if fault.round else 0) == place]


def _decided(record: record_pb2.MatchRecord, round_number: int, decision: int) -> str:
    played = record.rounds[round_number - 1]
    if decision < SEATS:
        return str(played.calls[_decider(record, round_number, decision)])
    return str(Card(played.plays[decision - SEATS]))


def _decider(record: record_pb2.MatchRecord, round_number: int, decision: int) -> int:
    """Calls go round from the dealer, plays from the leader of the trick."""
    played = record.rounds[round_number - 1]
    if decision < SEATS:
        return (played.dealer + 1 + decision) % SEATS
    trick, turn = divmod(decision - SEATS, SEATS)
    return (played.leaders[trick] + turn) % SEATS


def _told(record: record_pb2.MatchRecord, round_number: int, decision: int, seat: int) -> Told:
    decided = _decided(record, round_number, decision) if round_number else ""
    for fault in _faults(record, round_number, decision):
        if fault.seat == seat:
            return Told(decided, FaultKind(fault.kind).name, fault.detail)
    return Told(decided, "", "")


def _notes(record: record_pb2.MatchRecord) -> dict[tuple[int, int], str]:
    return {(played.round, note.decision): note.text for played in record.rounds for note in played.notes}


def _where(found: Difference) -> str:
    seat = f"seat {found.seat} ({harmless(found.bot)})"
    if not found.round:
        return f"the start, {seat}"
    return f"round {found.round}, {f'trick {found.trick}' if found.trick else 'calls'}, {seat}"


def _words(told: Told, found: Difference) -> str:
    verb = "" if not found.round else "played" if found.trick else "called"
    decision = f"{verb} {told.decided}".strip()
    fault = f"{told.fault}: {harmless(told.detail)}" if told.fault else ""
    return "; ".join(part for part in (decision, fault) if part) or "no fault"


def _result(record: record_pb2.MatchRecord) -> dict[str, Any]:
    return {
        "totals_tenths": list(record.total_tenths),
        "places": list(record.places),
        "forfeited": [seat for seat, kept in enumerate(record.seats) if kept.forfeited],
        "faults": len(record.faults),
    }
