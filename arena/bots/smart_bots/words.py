"""Owns how an `Ask` is said to a Smart Bots server and how its answer is read; does no I/O.

The protocol as those bots really speak it: `docs/smart-bots.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.duration_pb2 import Duration

from arena.v1 import game_pb2, play_pb2

__all__ = ["PLAYER_IDS", "Reply", "answer_to", "card_number", "card_word", "request_for"]

PLAYER_IDS = ("P0", "P1", "P2", "P3")
"""By seat, which is turn order; the same in every match."""

CUSTOMARY_CALLS = (1, 8)
"""The calls that these bots know. Under other rules a bid is moved into the range."""

_RANKS = "??23456789TJQK1"  # the ace is 1
_SUITS = "?CDHS"
_SUITS_IN_HAND = "SHCD"
_DECISIONS_IN_A_ROUND = 14
_NOTE_LIMIT = 200
_WORDS = {
    16 * suit + rank: _RANKS[rank] + _SUITS[suit] for suit in range(1, 5) for rank in range(2, len(_RANKS))
}
_NUMBERS = {word: number for number, word in _WORDS.items()}


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server said to one request: status and body, or nothing but `problem`, in words."""

    status: int = 0
    body: bytes = b""
    problem: str = ""


def card_word(number: int) -> str:
    """The card in their words: `1S`, the ace of spades."""
    return _WORDS[number]


def card_number(word: object) -> int | None:
    """The card that the word names; None when it names none."""
    return _NUMBERS.get(word) if isinstance(word, str) else None


def request_for(ask: play_pb2.Ask, rules: game_pb2.Ruleset) -> tuple[str, dict[str, Any]]:
    """Path and body of the request that asks for this decision."""
    body = {
        "timeBudget": _time_budget_ms(ask, rules),
        "playerId": PLAYER_IDS[ask.seat],
        "playerIds": list(PLAYER_IDS),
        "cards": [card_word(card) for card in _as_held(ask.hand)],
        "context": {"round": ask.round, "players": _players(ask)},
    }
    if ask.decision == play_pb2.DECISION_CALL:
        return "/bid", body
    return "/play", body | {"played": [card_word(card) for card in ask.trick], "history": _history(ask)}


def answer_to(ask: play_pb2.Ask, reply: Reply, rules: game_pb2.Ruleset) -> play_pb2.Answer:
    """The answer that the reply means; one without a decision, and a note that says why, if it means none."""
    answer = play_pb2.Answer(ask_id=ask.ask_id)
    value, problem = _value_of(reply)
    if not problem and ask.decision == play_pb2.DECISION_CALL:
        problem = _set_call(answer, value, rules)
    elif not problem:
        problem = _set_card(answer, value)
    if problem:
        answer.note = problem[:_NOTE_LIMIT]
    return answer


def _set_call(answer: play_pb2.Answer, value: object, rules: game_pb2.Ruleset) -> str:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return f"bid {json.dumps(value)}: a whole number was wanted"
    allowed = (rules.call_min, rules.call_max)
    call = min(max(value, rules.call_min), rules.call_max) if allowed != CUSTOMARY_CALLS else value
    answer.call = min(call, 2**32 - 1)
    return (
        ""
        if call == value
        else f"bid {value}, taken for {call}: these rules allow {allowed[0]} to {allowed[1]}"
    )


def _set_card(answer: play_pb2.Answer, value: object) -> str:
    number = card_number(value)
    if number is None:
        return f'played {json.dumps(value)}: a card such as "TS" or "1S" was wanted'
    answer.card = number  # type: ignore[assignment]
    return ""


def _value_of(reply: Reply) -> tuple[object, str]:
    """What stands at "value", and what is wrong with the reply."""
    first_line = reply.body.decode(errors="replace").strip().partition("\n")[0]
    if reply.problem:
        return None, reply.problem
    if reply.status != 200:
        return None, f"HTTP {reply.status}" + (first_line and f": {first_line}")
    try:
        document = json.loads(reply.body)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "value" not in document:
        return None, f'HTTP 200: {{"value": ...}} was wanted, not {first_line}'
    return document["value"], ""


def _as_held(hand: Iterable[int]) -> list[int]:
    """Spades, hearts, clubs, diamonds, each high to low: some bots are legal in this order only."""
    return sorted(hand, key=lambda card: (_SUITS_IN_HAND.index(_SUITS[card >> 4]), -card))


def _players(ask: play_pb2.Ask) -> Mapping[str, dict[str, float]]:
    tenths = [sum(ask.score_tenths[seat::4]) for seat in range(4)]
    return {
        player: {"totalPoints": tenths[seat] / 10, "bid": ask.calls[seat], "won": ask.tricks_won[seat]}
        for seat, player in enumerate(PLAYER_IDS)
    }


def _history(ask: play_pb2.Ask) -> list[list[Any]]:
    """Leader, cards in play order, winner of each finished trick; seats are indices into `playerIds`."""
    winners = [*ask.history_leaders, ask.trick_leader][1:]
    words = [card_word(card) for card in ask.history]
    return [
        [leader, words[4 * i : 4 * i + 4], winner]
        for i, (leader, winner) in enumerate(zip(ask.history_leaders, winners, strict=True))
    ]


def _time_budget_ms(ask: play_pb2.Ask, rules: game_pb2.Ruleset) -> int:
    """Milliseconds for the rest of the round: the limits of its decisions, and its share of the bank."""
    is_calling = ask.decision == play_pb2.DECISION_CALL
    decisions = _DECISIONS_IN_A_ROUND if is_calling else len(ask.hand)
    rounds = max(1, rules.rounds - ask.round + 1)
    return max(1, decisions * _ms(ask.limit) + _ms(ask.bank_left) // rounds)


def _ms(duration: Duration) -> int:
    return int(duration.ToMilliseconds())
