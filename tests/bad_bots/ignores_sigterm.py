"""Does not end when it is told to, neither by Goodbye nor by SIGTERM."""

from __future__ import annotations

import signal
import time

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2

signal.signal(signal.SIGTERM, signal.SIG_IGN)


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    wire.answer(proper(ask))


misbehave(answer)
time.sleep(600)
