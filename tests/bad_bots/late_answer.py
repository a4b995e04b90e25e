"""Takes longer than limit and bank for its second decision, and answers then."""

from __future__ import annotations

import time

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if ask.ask_id == 2:
        allowed_s = (ask.limit.ToNanoseconds() + ask.bank_left.ToNanoseconds()) / 1e9
        time.sleep(allowed_s + 0.2)
    wire.answer(proper(ask))


misbehave(answer)
