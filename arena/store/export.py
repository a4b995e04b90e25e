"""Owns how a match leaves the database for other tools: one JSON object or a few CSV rows each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from arena.referee.faults import FaultKind
from arena.referee.record import rules_of_message
from arena.rules import Card, Ruleset, Trick
from arena.v1 import record_pb2

__all__ = ["CSV_COLUMNS", "match_document", "seat_rows"]

CSV_COLUMNS = (
    "match_id",
    "table",
    "set",
    "rotation",
    "seat",
    "bot",
    "version",
    "points",
    "place",
    "forfeited",
    "faults",
    "calls",
    "tricks",
    "scores",
)


def match_document(record: record_pb2.MatchRecord) -> dict[str, Any]:
    """A match as `arena export --format jsonl` writes it; its keys never change."""
    return {
        "match_id": record.match_id,
        "table": record.table,
        "set": record.set,
        "rotation": record.rotation,
        "ruleset": ruleset_document(rules_of_message(record.ruleset)),
        "bots": [seat.bot for seat in record.seats],
        "rounds": [_round_document(played) for played in record.rounds],
        "totals_tenths": list(record.total_tenths),
        "places": list(record.places),
        "forfeited": [seat for seat, kept in enumerate(record.seats) if kept.forfeited],
        "faults": [_fault_document(record, fault) for fault in record.faults],
    }


def ruleset_document(rules: Ruleset) -> dict[str, Any]:
    """Every field of a ruleset."""
    return {field.name: getattr(rules, field.name) for field in fields(rules)}


def seat_rows(record: record_pb2.MatchRecord) -> Iterator[tuple[Any, ...]]:
    """The four rows of a match in CSV, one a seat, under CSV_COLUMNS; points as people read them."""
    for seat, kept in enumerate(record.seats):
        yield (
            record.match_id,
            record.table,
            record.set,
            record.rotation,
            seat,
            kept.bot,
            kept.version,
            record.total_tenths[seat] / 10,
            record.places[seat],
            int(kept.forfeited),
            sum(fault.seat == seat for fault in record.faults),
            " ".join(str(played.calls[seat]) for played in record.rounds),
            " ".join(str(played.tricks_won[seat]) for played in record.rounds),
            " ".join(f"{played.score_tenths[seat] / 10:.1f}" for played in record.rounds),
        )


def _round_document(played: record_pb2.RoundRecord) -> dict[str, Any]:
    hands = [str(Card(number)) for number in played.hands]
    return {
        "round": played.round,
        "dealer": played.dealer,
        "hands": [hands[13 * seat : 13 * seat + 13] for seat in range(4)],
        "calls": list(played.calls),
        "tricks": [
            _trick_document(leader, played.plays[4 * number : 4 * number + 4])
            for number, leader in enumerate(played.leaders)
        ],
        "tricks_won": list(played.tricks_won),
        "scores_tenths": list(played.score_tenths),
    }


def _trick_document(leader: int, numbers: Any) -> dict[str, Any]:
    cards = tuple(Card(number) for number in numbers)
    return {
        "leader": leader,
        "cards": [str(card) for card in cards],
        "winner": Trick(leader=leader, cards=cards).winner,
    }


def _fault_document(record: record_pb2.MatchRecord, fault: record_pb2.FaultRecord) -> dict[str, Any]:
    return {
        "seat": fault.seat,
        "bot": record.seats[fault.seat].bot,
        "kind": FaultKind(fault.kind).name,
        "round": fault.round,
        "trick": fault.trick,
        "answer": fault.answer,
        "replaced_by": fault.replaced_by,
        "detail": fault.detail,
    }
