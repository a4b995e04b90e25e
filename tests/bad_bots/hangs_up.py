"""Ends its stream in the middle of a match while its process goes on."""

from __future__ import annotations

import time

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if ask.ask_id == 5:
        wire.channel.close()
        time.sleep(600)
    wire.answer(proper(ask))


misbehave(answer)
