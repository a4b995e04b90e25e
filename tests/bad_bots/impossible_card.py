"""Plays a card that is not in its hand."""

from __future__ import annotations

from typing import Any

from _wire import Wire, is_call, misbehave, proper

from arena.v1 import game_pb2, play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if is_call(ask):
        wire.answer(proper(ask))
        return
    card: Any = next(card for card in game_pb2.Card.values() if card and card not in ask.hand)
    wire.answer(play_pb2.Answer(ask_id=ask.ask_id, card=card))


misbehave(answer)
