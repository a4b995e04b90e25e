"""Plays ten decisions, then raises."""

from __future__ import annotations

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2

answered: list[int] = []


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if len(answered) == 10:
        raise RuntimeError("I lost count of the trumps")
    answered.append(ask.ask_id)
    wire.answer(proper(ask))


misbehave(answer)
