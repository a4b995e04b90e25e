"""Owns one bot's side of the protocol, without I/O: a message from the arena in, messages to it out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from arena.rules.cards import Card
from arena.rules.rulesets import Follow, Ruleset, Success, Undertrump
from arena.sdk.bot import Bot
from arena.sdk.events import MatchEnd, MatchStart, Replacement, RoundEnd, Time
from arena.sdk.messages import Messages
from arena.sdk.view import View, tricks_of

__all__ = ["Rejected", "Session"]

PROTOCOL = 1
PIECE_S = 0.005
"""Answers of a batch are sent off once this much time was spent on them, not kept for the slowest."""

_DECISION_CALL = 1
_FOLLOW = {1: Follow.MUST_BEAT, 2: Follow.FREE}
_UNDERTRUMP = {1: Undertrump.FREE, 2: Undertrump.FORCED}
_SUCCESS = {1: Success.AT_LEAST, 2: Success.EXACT_OR_ONE_OVER}


class Rejected(Exception):
    """The arena does not accept this bot, and says why."""


class AskView(View):
    """A view that reads from an `Ask`."""

    _seen: Any

    def __init__(self, ask: Any, rules: Ruleset, fault_name: Any) -> None:
        super().__init__(ask, rules, match_id=ask.match_id)
        self._fault_name = fault_name

    @property
    def round_number(self) -> int:
        return int(self._seen.round)

    @property
    def scores_tenths(self) -> tuple[tuple[int, ...], ...]:
        flat = tuple(self._seen.score_tenths)
        return tuple(flat[i : i + 4] for i in range(0, len(flat), 4))

    @property
    def time(self) -> Time:
        ask = self._seen
        latency = _seconds(ask.last_latency) if ask.HasField("last_latency") else None
        return Time(_seconds(ask.limit), _seconds(ask.bank_left), latency)

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        return _replacements(self._seen.replacements, self._fault_name)

    def _random_seed(self) -> int:
        return int(self._seen.random_seed)


class Session:
    """A bot's half of one stream: what to send first, and what to send on each message of the arena."""

    def __init__(self, bot: Bot, messages: Messages, *, token: str = "") -> None:
        self._bot = bot
        self._messages = messages
        self._token = token
        self._hears_rounds = getattr(bot.round_end, "__func__", None) is not Bot.round_end
        self._rules: dict[int, Ruleset] = {}
        self.is_welcome = False
        self.is_over = False

    def hello(self) -> Any:
        """The first message of the stream."""
        bot, request = self._bot, self._messages.play_request()
        hello = request.hello
        hello.protocol_min = hello.protocol_max = PROTOCOL
        hello.name = bot.name or type(bot).__name__
        hello.version = bot.version
        hello.rulesets.extend(bot.rulesets)
        hello.max_parallel_matches = bot.max_parallel_matches
        hello.ask_forced_plays = bot.ask_forced_plays
        hello.token = self._token
        return request

    def replies(self, response: Any) -> Iterator[Any]:
        """What the bot says to this message, made while it is iterated; `Rejected` if it is not wanted."""
        kind = response.WhichOneof("message")
        if kind == "turn":
            turn = response.turn
            self._hear(turn)
            if turn.match_starts:
                yield self._ready(turn.match_starts)
            if turn.asks:
                yield from self._answers(turn.asks)
        elif kind == "welcome":
            self.is_welcome = True
        elif kind == "goodbye":
            self.is_over = True
        elif kind == "rejection":
            raise Rejected(response.rejection.reason)

    def _hear(self, turn: Any) -> None:
        """Tells the bot what ended."""
        if self._hears_rounds:  # a round is a lot to read for a bot that does not listen
            for ended in turn.round_ends:
                self._bot.round_end(_round_end(ended))
        for ended in turn.match_ends:
            self._rules.pop(ended.match_id, None)
            self._bot.match_end(_match_end(ended, self._messages.fault_name))

    def _ready(self, match_starts: Sequence[Any]) -> Any:
        request = self._messages.play_request()
        for message in match_starts:
            start = _match_start(message)
            self._rules[start.match_id] = start.rules
            self._bot.match_start(start)
            request.ready.match_ids.append(start.match_id)
        return request

    def _answers(self, asks: Sequence[Any]) -> Iterator[Any]:
        request = self._messages.play_request()
        answers = request.answers.answers
        piece_ends = time.monotonic() + PIECE_S
        for ask in asks:
            self._answer(ask, answers.add())  # naming fields here would take longer than all the rest
            if time.monotonic() > piece_ends:
                yield request
                request = self._messages.play_request()
                answers = request.answers.answers
                piece_ends = time.monotonic() + PIECE_S
        if answers:
            yield request

    def _answer(self, ask: Any, answer: Any) -> None:
        answer.ask_id = ask.ask_id
        view = AskView(ask, self._rules[ask.match_id], self._messages.fault_name)
        if ask.decision == _DECISION_CALL:
            answer.call = checked_call(self._bot.call(view))
        else:
            answer.card = checked_card(self._bot.play(view))
        if view.note_text:
            answer.note = view.note_text


def checked_call(call: object) -> int:
    """The call, if it is a number that can be sent; whether it is legal is the arena's business."""
    if not isinstance(call, int) or not 0 <= call < 2**32:
        raise TypeError(f"call(view) returned {call!r}: one of the numbers in view.legal_calls was wanted")
    return int(call)


def checked_card(card: object) -> int:
    """The card's number, if it is a card; whether it is legal is the arena's business."""
    if not isinstance(card, Card):
        raise TypeError(f"play(view) returned {card!r}: one of the cards in view.legal_cards was wanted")
    return int(card)


def _seconds(duration: Any) -> float:
    return float(duration.seconds + duration.nanos / 1e9)


def _ruleset(message: Any) -> Ruleset:
    return Ruleset(
        name=message.name,
        call_min=message.call_min,
        call_max=message.call_max,
        follow=_FOLLOW[message.follow],
        undertrump=_UNDERTRUMP[message.undertrump],
        success=_SUCCESS[message.success],
        overtrick_tenths=message.overtrick_tenths,
        bonus_call=message.bonus_call if message.HasField("bonus_call") else None,
        bonus_points=message.bonus_points if message.HasField("bonus_points") else None,
        rounds=message.rounds,
        redeal=message.redeal,
        redeal_face_ranks=message.redeal_face_ranks,
    )


def _match_start(message: Any) -> MatchStart:
    time_control = message.time_control
    return MatchStart(
        match_id=message.match_id,
        seat=message.seat,
        rules=_ruleset(message.ruleset),
        limit_s=_seconds(time_control.limit),
        bank_s=_seconds(time_control.bank),
    )


def _round_end(message: Any) -> RoundEnd:
    return RoundEnd(
        match_id=message.match_id,
        round_number=message.round,
        calls=tuple(message.calls),
        tricks_won=tuple(message.tricks_won),
        scores_tenths=tuple(message.score_tenths),
        tricks=tricks_of(message.history, message.history_leaders),
    )


def _match_end(message: Any, fault_name: Any) -> MatchEnd:
    return MatchEnd(
        match_id=message.match_id,
        totals_tenths=tuple(message.total_tenths),
        places=tuple(message.places),
        faults=tuple(fault_name(kind) for kind in message.faults),
        forfeited=message.forfeited,
        replacements=_replacements(message.replacements, fault_name),
    )


def _replacements(messages: Sequence[Any], fault_name: Any) -> tuple[Replacement, ...]:
    return tuple(
        Replacement(
            kind=fault_name(message.kind),
            detail=message.detail,
            replaced_by=getattr(message, message.WhichOneof("replaced_by")),
            strikes=message.strikes,
            strikes_allowed=message.strikes_allowed,
        )
        for message in messages
    )
