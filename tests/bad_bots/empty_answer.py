"""Answers with an id and no decision."""

from __future__ import annotations

from _wire import Wire, misbehave

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    wire.answer(play_pb2.Answer(ask_id=ask.ask_id))


misbehave(answer)
