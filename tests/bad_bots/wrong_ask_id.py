"""Answers asks that were never asked."""

from __future__ import annotations

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    wrong = proper(ask)
    wrong.ask_id += 1_000_000
    wire.answer(wrong)


misbehave(answer)
