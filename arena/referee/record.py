"""Owns the match record: what a refereed match becomes once it is over, and how two records are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from arena.referee.faults import Fault
from arena.referee.refereed import RefereedMatch, RoundNotes
from arena.referee.setup import MatchSetup
from arena.rules import FinishedRound, Redeal, Ruleset, card_numbers, commitment
from arena.rules.rulesets import Follow, Success, Undertrump
from arena.v1 import game_pb2, record_pb2

__all__ = [
    "FORMAT",
    "record_of",
    "rules_of_message",
    "ruleset_message",
    "time_control_message",
    "timeless_bytes",
    "timeless_digest",
]

FORMAT = 1
"""Version of the meaning of MatchRecord."""

_FOLLOW = {Follow.MUST_BEAT: game_pb2.FOLLOW_MUST_BEAT, Follow.FREE: game_pb2.FOLLOW_FREE}
_UNDERTRUMP = {Undertrump.FREE: game_pb2.UNDERTRUMP_FREE, Undertrump.FORCED: game_pb2.UNDERTRUMP_FORCED}
_SUCCESS = {
    Success.AT_LEAST: game_pb2.SUCCESS_AT_LEAST,
    Success.EXACT_OR_ONE_OVER: game_pb2.SUCCESS_EXACT_OR_ONE_OVER,
}


def record_of(
    match: RefereedMatch,
    *,
    started_unix_us: int,
    duration_us: int,
    stalls: Sequence[tuple[int, int]] = (),
    output: Sequence[str] = (),
) -> record_pb2.MatchRecord:
    """The record of a match that is over.

    `stalls` are (after_us, late_us) of the arena's own stalls; `output` names the file of each seat's output.
    """
    setup, game = match.setup, match.game
    record = record_pb2.MatchRecord(
        format=FORMAT,
        match_id=setup.match_id,
        position=setup.position,
        table=setup.table,
        set=setup.set_number,
        rotation=setup.rotation,
        ruleset=ruleset_message(setup.rules),
        time_control=time_control_message(setup.time_control.limit_ns, setup.time_control.bank_ns),
        strikes_allowed=setup.strikes_allowed,
        sandbox=setup.isolation.value,  # type: ignore[arg-type]
        freeze=setup.freeze,
        seed_commitment=b"" if setup.seed is None else commitment(setup.seed),
        is_practice=setup.seed is not None and setup.seed.is_practice,
        seats=_seat_records(setup, match),
        rounds=[_round_record(played, kept) for played, kept in zip(game.finished, match.notes, strict=True)],
        faults=[_fault_record(fault) for fault in match.faults],
        total_tenths=game.totals_tenths,
        places=match.places,
    )
    timing = record.timing
    timing.started_unix_us, timing.duration_us = started_unix_us, duration_us
    for kept in match.notes:
        timing.rounds.add(decision_us=kept.decision_us, asked=kept.asked, cpu_us=kept.cpu_us)
    for after_us, late_us in stalls:
        timing.stalls.add(after_us=after_us, late_us=late_us)
    timing.output.extend(output)
    return record


def timeless_bytes(record: record_pb2.MatchRecord) -> bytes:
    """The record's bytes without its times: equal for two plays of one match by deterministic bots."""
    copy = record_pb2.MatchRecord()
    copy.CopyFrom(record)
    copy.ClearField("timing")
    return copy.SerializeToString(deterministic=True)


def timeless_digest(record: record_pb2.MatchRecord) -> str:
    """SHA-256 of `timeless_bytes`, in hexadecimal."""
    return hashlib.sha256(timeless_bytes(record)).hexdigest()


def ruleset_message(rules: Ruleset) -> game_pb2.Ruleset:
    """The ruleset as it is sent and kept."""
    return game_pb2.Ruleset(
        name=rules.name,
        call_min=rules.call_min,
        call_max=rules.call_max,
        follow=_FOLLOW[rules.follow],
        undertrump=_UNDERTRUMP[rules.undertrump],
        success=_SUCCESS[rules.success],
        overtrick_tenths=rules.overtrick_tenths,
        bonus_call=rules.bonus_call,
        bonus_points=rules.bonus_points,
        rounds=rules.rounds,
        redeal=rules.redeal,
        redeal_face_ranks=rules.redeal_face_ranks,
    )


def rules_of_message(message: game_pb2.Ruleset) -> Ruleset:
    """The ruleset of a record; raises KeyError for an enum number that is not known."""
    has_bonus = message.HasField("bonus_call")
    return Ruleset(
        name=message.name,
        call_min=message.call_min,
        call_max=message.call_max,
        follow={number: name for name, number in _FOLLOW.items()}[message.follow],
        undertrump={number: name for name, number in _UNDERTRUMP.items()}[message.undertrump],
        success={number: name for name, number in _SUCCESS.items()}[message.success],
        overtrick_tenths=message.overtrick_tenths,
        bonus_call=message.bonus_call if has_bonus else None,
        bonus_points=message.bonus_points if has_bonus else None,
        rounds=message.rounds,
        redeal=message.redeal,
        redeal_face_ranks=message.redeal_face_ranks,
    )


def time_control_message(limit_ns: int, bank_ns: int) -> game_pb2.TimeControl:
    """The time control as it is sent and kept."""
    message = game_pb2.TimeControl()
    message.limit.FromNanoseconds(limit_ns)
    message.bank.FromNanoseconds(bank_ns)
    return message


def _seat_records(setup: MatchSetup, match: RefereedMatch) -> list[record_pb2.SeatRecord]:
    return [
        record_pb2.SeatRecord(
            bot=seated.bot,
            version=seated.version,
            content_hash=seated.content_hash,
            strikes=match.strikes[seat],
            forfeited=seat in match.forfeited,
        )
        for seat, seated in enumerate(setup.seats)
    ]


def _round_record(played: FinishedRound, kept: RoundNotes) -> record_pb2.RoundRecord:
    return record_pb2.RoundRecord(
        round=played.round_number,
        dealer=played.dealer,
        hands=[card for hand in played.dealt for card in card_numbers(hand)],  # type: ignore[misc]
        calls=played.calls,
        plays=played.plays,  # type: ignore[arg-type]
        leaders=played.leaders,
        tricks_won=played.tricks_won,
        score_tenths=played.scores_tenths,
        redeals=[_redeal(thrown) for thrown in played.redeals],
        notes=[record_pb2.Note(decision=decision, text=text) for decision, text in kept.notes],
    )


def _redeal(thrown: Redeal) -> record_pb2.Redeal:
    return record_pb2.Redeal(seat=thrown.seat, reason=int(thrown.reason))  # type: ignore[arg-type]


def _fault_record(fault: Fault) -> record_pb2.FaultRecord:
    return record_pb2.FaultRecord(
        seat=fault.seat,
        kind=fault.kind.value,  # type: ignore[arg-type]
        round=fault.round_number,
        trick=fault.trick,
        decision=fault.decision,
        answer=fault.answer,
        replaced_by=fault.replaced_by,
        detail=fault.detail,
        forfeits=fault.forfeits,
    )
