"""Owns the check of a record: every deal, call, play, score and place recomputed from the rules.

It trusts nothing of the record but what was decided (calls, plays, faults); all that follows is computed
anew.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from arena.errors import ArenaError
from arena.referee.faults import FaultKind
from arena.referee.record import FORMAT, rules_of_message
from arena.rules import (
    Card,
    CardSet,
    Deals,
    FinishedRound,
    IllegalCall,
    IllegalCard,
    Match,
    Ruleset,
    Seed,
    card_bytes,
    card_set,
    deal,
    places,
)
from arena.rules import commitment as commitment_of
from arena.v1 import game_pb2, record_pb2

__all__ = ["RecordError", "check_record", "replay"]

_CALLS = 4
_TEXT_OF = {int(card): str(card) for card in Card}
_KINDS = frozenset(int(kind) for kind in FaultKind)
_LOSSES = frozenset(
    int(kind) for kind in (FaultKind.CRASHED, FaultKind.NEVER_READY, FaultKind.VERSION, FaultKind.RESOURCE)
)


class RecordError(Exception):
    """A record that contradicts the rules, the seed or itself: where, what, and what was expected."""


def check_record(record: record_pb2.MatchRecord, seed: Seed | None) -> None:
    """Raises RecordError at the first thing in `record` that does not follow from the rules and `seed`.

    Without a seed the deals are taken as recorded (they must still be 52 different cards).
    """
    where = f"match {record.match_id}"
    _expect(where, "format", record.format, FORMAT)
    if seed is not None:
        _expect(where, "seed commitment", record.seed_commitment.hex(), commitment_of(seed).hex())
        _expect(where, "practice seed", record.is_practice, seed.is_practice)
    game = replay(record, seed)
    for written, played in zip(record.rounds, game.finished, strict=True):
        _check_round(f"{where}, round {written.round}", written, played)
    _check_faults(where, record, game)
    _check_result(where, record, game)


def replay(record: record_pb2.MatchRecord, seed: Seed | None = None) -> Match:
    """The match played again from its record: deals from `seed`, or as recorded when there is none.

    Raises RecordError naming the first call or play that the rules refuse.
    """
    where = f"match {record.match_id}"
    game = Match(_rules(where, record), _deals(record, seed))
    _expect(where, "rounds", len(record.rounds), game.rules.rounds)
    for written in record.rounds:
        here = f"{where}, round {written.round}"
        _expect(where, "round number", written.round, game.round_number)
        _expect(here, "dealer", written.dealer, game.round.dealer)
        _play_round(here, written, game)
        game.next_round()
    return game


def _play_round(here: str, written: record_pb2.RoundRecord, game: Match) -> None:
    round_ = game.round
    first, second, third, fourth = map(card_bytes, round_.dealt)
    dealt = [*first, *second, *third, *fourth]
    if written.hands[:] != dealt:
        raise RecordError(f"{here}: hands: found {_texts(written.hands)}, expected {_texts(dealt)}")
    _expect(here, "number of calls", len(written.calls), _CALLS)
    _expect(here, "number of cards played", len(written.plays), 52)
    try:
        while round_.is_calling:
            round_.call(written.calls[round_.turn])
        for card in written.plays[:]:  # a field of a message is slow to iterate
            round_.play(card)
    except (IllegalCall, IllegalCard) as refusal:
        raise RecordError(f"{here}: {refusal}") from None


def _check_round(here: str, written: record_pb2.RoundRecord, played: FinishedRound) -> None:
    _expect(here, "leaders of the tricks", written.leaders[:], list(played.leaders))
    _expect(here, "tricks won", written.tricks_won[:], list(played.tricks_won))
    _expect(here, "scores in tenths", written.score_tenths[:], list(played.scores_tenths))
    if written.redeals or played.redeals:
        redeals = [(thrown.seat, int(thrown.reason)) for thrown in played.redeals]
        _expect(here, "redeals", [(thrown.seat, int(thrown.reason)) for thrown in written.redeals], redeals)


def _check_faults(where: str, record: record_pb2.MatchRecord, game: Match) -> None:
    """Every fault is of a known kind and its replacement is what was decided; strikes and forfeits add up."""
    strikes, forfeited = [0] * 4, [False] * 4
    for number, fault in enumerate(record.faults, start=1):
        here = f"{where}, fault {number}"
        if int(fault.kind) not in _KINDS:
            raise RecordError(f"{here}: kind {fault.kind} is not known")
        if not 0 <= fault.seat < 4:
            raise RecordError(f"{here}: seat {fault.seat} is no seat")
        if forfeited[fault.seat]:
            raise RecordError(f"{here}: seat {fault.seat} was forfeited before")
        if fault.replaced_by:
            _expect(here, "replacement", fault.replaced_by, _decision_text(here, record, fault))
        is_loss = fault.forfeits and (fault.round == 0 or int(fault.kind) in _LOSSES)
        strikes[fault.seat] += 0 if is_loss else 1
        forfeited[fault.seat] = fault.forfeits
        is_last = strikes[fault.seat] >= record.strikes_allowed
        _expect(here, "forfeit", fault.forfeits, is_last or is_loss)
    _expect(where, "strikes by seat", [seat.strikes for seat in record.seats], strikes)
    _expect(where, "forfeited by seat", [seat.forfeited for seat in record.seats], forfeited)


def _decision_text(here: str, record: record_pb2.MatchRecord, fault: record_pb2.FaultRecord) -> str:
    if not 1 <= fault.round <= len(record.rounds):
        raise RecordError(f"{here}: round {fault.round} was not played")
    written = record.rounds[fault.round - 1]
    if fault.decision < _CALLS:
        return str(written.calls[fault.seat])
    return _TEXT_OF[written.plays[fault.decision - _CALLS]]


def _check_result(where: str, record: record_pb2.MatchRecord, game: Match) -> None:
    _expect(where, "totals in tenths", list(record.total_tenths), list(game.totals_tenths))
    forfeited = {seat for seat, kept in enumerate(record.seats) if kept.forfeited}
    _expect(where, "places", list(record.places), places(game.totals_tenths, forfeited))


def _rules(where: str, record: record_pb2.MatchRecord) -> Ruleset:
    try:
        return _ruleset(record.ruleset.SerializeToString(deterministic=True))
    except (KeyError, ArenaError) as trouble:
        raise RecordError(f"{where}: ruleset: {trouble}") from None


@functools.lru_cache(maxsize=16)
def _ruleset(message: bytes) -> Ruleset:
    """The ruleset, remembered: the matches of a run have the same."""
    return rules_of_message(game_pb2.Ruleset.FromString(message))


def _deals(record: record_pb2.MatchRecord, seed: Seed | None) -> Deals:
    if seed is not None:
        return lambda round_number, attempt: _deal(seed.value, record.set, round_number, attempt)
    return lambda round_number, attempt: _recorded_deal(record, round_number, attempt)


@functools.lru_cache(maxsize=8192)
def _deal(seed: bytes, set_number: int, round_number: int, attempt: int) -> tuple[CardSet, ...]:
    """`deal`, remembered: a set is checked four times, and the other sets of its table in between."""
    return deal(seed, set_number, round_number, attempt)


def _recorded_deal(record: record_pb2.MatchRecord, round_number: int, attempt: int) -> Sequence[CardSet]:
    where = f"match {record.match_id}, round {round_number}"
    if round_number > len(record.rounds):
        raise RecordError(f"{where}: not recorded")
    hands = list(record.rounds[round_number - 1].hands)
    if len(hands) != 52 or len(set(hands)) != 52 or any(card not in _TEXT_OF for card in hands):
        raise RecordError(f"{where}: hands: expected 52 different cards, found {_texts(hands)}")
    return [card_set(hands[13 * seat : 13 * seat + 13]) for seat in range(4)]


def _texts(numbers: Sequence[int]) -> str:
    return " ".join(_TEXT_OF.get(number, str(number)) for number in numbers)


def _expect(where: str, what: str, found: object, expected: object) -> None:
    if found != expected:
        raise RecordError(f"{where}: {what}: found {found}, expected {expected}")
