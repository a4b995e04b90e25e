"""Sends one message of a megabyte instead of an answer, each time."""

from __future__ import annotations

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    huge = proper(ask)
    huge.note = "n" * 1_000_000
    wire.answer(huge)


misbehave(answer)
