"""Sends the same answer over and over."""

from __future__ import annotations

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    for _ in range(2000):
        wire.answer(proper(ask))


misbehave(answer)
