"""Owns matches that are refereed for real and asked in other ways: as JSON, by whoever carries it.

The peers of the arena's stream are measured with the same referee, the same view in every question, and the
same record at the end; only the way to the bots is another.
"""

from __future__ import annotations

import json

from arena.bots.codec import ask_of, ask_writer, match_start_message, settle
from arena.bots.wire import turn_bytes
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.sdk import Bot, Card, View
from arena.sdk.messages import messages
from arena.sdk.session import Session
from arena.tournament.throughput import bench_setup
from arena.v1 import play_pb2

__all__ = ["JsonMatch", "stream_messages"]


class JsonMatch:
    """A match whose decisions are asked and answered in JSON; cards are numbers, as in the protocol."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._match = RefereedMatch(bench_setup(number))
        self._match.begin()

    @property
    def seat(self) -> int:
        """The seat to decide."""
        return self._match.seat

    @property
    def is_over(self) -> bool:
        """Whether every decision is made."""
        return self._match.seat == NOBODY

    def question(self) -> bytes:
        """What the seat to decide may know."""
        view = self._match.view()
        told = {
            "match": self.number,
            "seat": view.seat,
            "round": view.round_number,
            "dealer": view.dealer,
            "hand": view.hand,
            "legal_calls": view.legal_calls,
            "legal_cards": view.legal_cards,
            "calls": view.calls,
            "tricks_won": view.tricks_won,
            "trick_leader": view.trick_leader,
            "trick": view.trick,
            "history": view.history,
            "history_leaders": view.history_leaders,
            "scores": view.scores_tenths,
            "random_seed": self._match.random_seed(),
        }
        return json.dumps(told, separators=(",", ":")).encode()

    def answer(self, said: dict[str, int], *, took_ns: int) -> None:
        """Takes the decision that was asked; makes the record when it was the last."""
        if "card" in said:
            self._match.play(said["card"], took_ns=took_ns)
        else:
            self._match.call(said["call"], took_ns=took_ns)
        if self.is_over:
            if self._match.faults:
                raise RuntimeError(f"a bot of a measurement is at fault: {self._match.faults[0]}")
            record_of(self._match, started_unix_us=0, duration_us=0).SerializeToString()


class _FirstCard(Bot):
    def call(self, view: View) -> int:
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        return view.legal_cards[0]


def stream_messages() -> tuple[list[bytes], bytes]:
    """The messages of a real match: each Turn with one ask, as the arena sends them, and one answer."""
    match = RefereedMatch(bench_setup(0))
    session = Session(_FirstCard(), messages())
    start = play_pb2.Turn(match_starts=[match_start_message(match, 0, 1)])
    _reply(session, play_pb2.PlayResponse(turn=start).SerializeToString())
    match.begin()
    writer = ask_writer(match)
    turns: list[bytes] = []
    answers: list[bytes] = []
    while match.seat != NOBODY:
        ask = ask_of(match, 1, len(turns) + 1, writer)
        turns.append(turn_bytes(b"", [ask]))
        answers.append(_reply(session, turns[-1]))
        settle(match, play_pb2.PlayRequest.FromString(answers[-1]).answers.answers[0], 123_456)
    return turns, sorted(answers, key=len)[len(answers) // 2]


def _reply(session: Session, turn: bytes) -> bytes:
    replies = list(session.replies(messages().play_response.FromString(turn)))
    return bytes(replies[0].SerializeToString())
