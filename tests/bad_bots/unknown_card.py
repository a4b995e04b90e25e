"""Answers with a number that is no card."""

from __future__ import annotations

from typing import Any

from _wire import Wire, is_call, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    no_card: Any = 0x99
    wire.answer(proper(ask) if is_call(ask) else play_pb2.Answer(ask_id=ask.ask_id, card=no_card))


misbehave(answer)
