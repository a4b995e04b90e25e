"""Answers everything twice, the second time with something else."""

from __future__ import annotations

from _wire import Wire, is_call, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    again = play_pb2.Answer(ask_id=ask.ask_id, call=8)
    if not is_call(ask):
        again = play_pb2.Answer(ask_id=ask.ask_id, card=ask.hand[-1])
    wire.answer(proper(ask), again)


misbehave(answer)
