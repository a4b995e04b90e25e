"""Owns how a match leaves the database as JSON: one document that has everything."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from arena.referee.faults import FaultKind
from arena.referee.record import rules_of_message
from arena.rules import Card, Ruleset, Trick
from arena.v1 import record_pb2

__all__ = ["match_document"]


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
