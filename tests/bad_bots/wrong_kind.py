"""Answers a call where a card is asked, and a card where a call is."""

from __future__ import annotations

from _wire import Wire, is_call, misbehave

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if is_call(ask):
        wire.answer(play_pb2.Answer(ask_id=ask.ask_id, card=ask.hand[0]))
    else:
        wire.answer(play_pb2.Answer(ask_id=ask.ask_id, call=3))


misbehave(answer)
