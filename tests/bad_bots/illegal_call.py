"""Calls more than may be called."""

from __future__ import annotations

from _wire import Wire, is_call, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    wire.answer(play_pb2.Answer(ask_id=ask.ask_id, call=4_000_000_000) if is_call(ask) else proper(ask))


misbehave(answer)
