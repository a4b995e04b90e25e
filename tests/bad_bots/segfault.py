"""Is killed by a signal in its third decision."""

from __future__ import annotations

import os
import signal

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if ask.ask_id == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    wire.answer(proper(ask))


misbehave(answer)
