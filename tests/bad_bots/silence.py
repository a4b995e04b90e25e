"""Is ready, and never answers."""

from __future__ import annotations

from _wire import Wire, misbehave

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    pass


misbehave(answer)
