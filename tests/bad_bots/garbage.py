"""Answers with bytes that are no message."""

from __future__ import annotations

from _wire import Wire, misbehave

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    wire.send(b"\xff\xfe not a message at all")


misbehave(answer)
