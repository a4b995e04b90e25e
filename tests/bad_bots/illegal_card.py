"""Plays a card of its hand that may not be played, whenever there is one."""

from __future__ import annotations

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    forbidden = set(ask.hand) - set(ask.legal_cards) if ask.legal_cards else set()
    if forbidden:
        wire.answer(play_pb2.Answer(ask_id=ask.ask_id, card=min(forbidden)))
    else:
        wire.answer(proper(ask))


misbehave(answer)
