"""Owns the words about one bot's match while it is played: what it is asked, answers, notes and prints.

What it says of a refused answer is what the bot is told of it, when the bot is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from google.protobuf.duration_pb2 import Duration

from arena.referee.faults import FaultKind
from arena.reports.replay import hand_text
from arena.reports.text import NOTHING, harmless, number, points
from arena.rules import Card
from arena.v1 import play_pb2

__all__ = ["Commentary"]

SEATS = 4
LONGEST_LINE = 500
DAY_S = 86_400


class Commentary:
    """Tells, line by line, what goes between the arena and the bot on `seat`: a watcher of its line."""

    def __init__(self, say: Callable[[str], None], *, seat: int, bot: str, is_plain: bool) -> None:
        self._say_line = say
        self._who = f"[{seat} {bot}]"
        self._is_plain = is_plain
        self._printed = b""

    def told(self, turn: play_pb2.Turn) -> None:
        """This is sent to the bot."""
        for lines in (
            *map(self._round_end, turn.round_ends),
            *map(self._match_end, turn.match_ends),
            *map(self._match_start, turn.match_starts),
            *map(self._ask, turn.asks),
        ):
            for line in lines:
                self._say(line)

    def answered(self, request: play_pb2.PlayRequest, took_ns: int) -> None:
        """This came from the bot."""
        self._end_line()
        took = f"after {number(took_ns / 1e6, decimals=1)} ms"
        if request.WhichOneof("message") == "ready":
            self._say(f"  is ready {took}")
        for answer in request.answers.answers:
            note = f'; notes "{harmless(answer.note)}"' if answer.note else ""
            self._say(f"  answers {_decision(answer)} {took}{note}")

    def garbled(self, trouble: str) -> None:
        """Something came that is no message."""
        self._end_line()
        self._say(f"  ! {harmless(trouble)}")

    def printed(self, piece: bytes) -> None:
        """Whole lines are told at once, the rest of one when it ends or with the next answer."""
        *lines, self._printed = (self._printed + piece).split(b"\n")
        for line in lines:
            self._print(line)
        if len(self._printed) > LONGEST_LINE:
            self._end_line()

    def lost(self) -> None:
        """The bot's stream ended."""
        self._end_line()
        self._say("its stream ended")

    def _say(self, line: str) -> None:
        self._say_line(f"{self._who} {line}".rstrip())

    def _print(self, line: bytes) -> None:
        self._say(f"  | {harmless(line.decode(errors='replace').rstrip(), longest=LONGEST_LINE)}")

    def _end_line(self) -> None:
        line, self._printed = self._printed, b""
        if line:
            self._print(line)

    def _match_start(self, start: play_pb2.MatchStart) -> Iterator[str]:
        times = _times(start.time_control.limit, start.time_control.bank)
        yield f"match starts: {start.ruleset.name}, seat {start.seat}, {times}"

    def _ask(self, ask: play_pb2.Ask) -> Iterator[str]:
        yield from map(_replacement, ask.replacements)
        hand = hand_text(ask.hand, is_plain=self._is_plain)
        yield f"round {ask.round}, {_question(ask)}"
        yield f"  hand {hand}"
        if ask.legal_cards:
            is_free = len(ask.legal_cards) == len(ask.hand)
            yield f"  legal {'all of it' if is_free else _cards(ask.legal_cards)}"
        calls = " ".join(str(call or NOTHING) for call in ask.calls)
        tricks = " ".join(map(str, ask.tricks_won))
        scores = [sum(ask.score_tenths[seat::SEATS]) for seat in range(SEATS)]
        told = f"  by seat: calls {calls}, tricks {tricks}, points {' '.join(map(points, scores))}"
        yield f"{told}; {_times(ask.limit, ask.bank_left)}"

    def _round_end(self, end: play_pb2.RoundEnd) -> Iterator[str]:
        cells = zip(end.calls, end.tricks_won, end.score_tenths, strict=True)
        told = ", ".join(f"{call}/{won} {points(tenths)}" for call, won, tenths in cells)
        yield f"round {end.round} ends, call/tricks and points by seat: {told}"

    def _match_end(self, end: play_pb2.MatchEnd) -> Iterator[str]:
        yield from map(_replacement, end.replacements)
        if end.forfeited:
            kinds = ", ".join(FaultKind(kind).name for kind in end.faults)
            yield f"! the seat is forfeited: {kinds}"
        if end.places:
            totals = ", ".join(map(points, end.total_tenths))
            yield f"match ends, points by seat: {totals}; places {' '.join(map(str, end.places))}"


def _question(ask: play_pb2.Ask) -> str:
    if ask.decision == play_pb2.DECISION_CALL:
        return f"to call {ask.legal_calls[0]} to {ask.legal_calls[-1]}, dealt by seat {ask.dealer}"
    trick = len(ask.history_leaders) + 1
    if not ask.trick:
        return f"trick {trick}: to lead"
    return f"trick {trick}: {_cards(ask.trick)}, led by seat {ask.trick_leader}"


def _decision(answer: play_pb2.Answer) -> str:
    kind = answer.WhichOneof("decision")
    if kind == "call":
        return str(answer.call)
    if kind == "card":
        return _card(answer.card)
    return "neither a call nor a card"


def _replacement(told: play_pb2.Replacement) -> str:
    made = _card(told.card) if told.WhichOneof("replaced_by") == "card" else f"a call of {told.call}"
    strike = f"strike {told.strikes} of {told.strikes_allowed}"
    return f"! {FaultKind(told.kind).name}: {harmless(told.detail)}; {made} instead; {strike}"


def _card(number: int) -> str:
    try:
        return str(Card(number))
    except ValueError:
        return f"card number {number}"


def _cards(numbers: Sequence[int]) -> str:
    return " ".join(map(_card, numbers))


def _times(limit: Duration, bank: Duration) -> str:
    if limit.seconds >= DAY_S:
        return "no clock"
    return f"{_seconds(limit):.2f} s, {_seconds(bank):.2f} s in the bank"


def _seconds(time: Duration) -> float:
    return time.seconds + time.nanos / 1e9
