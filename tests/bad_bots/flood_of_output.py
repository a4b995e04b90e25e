"""Prints ten megabytes with every decision."""

from __future__ import annotations

import sys

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if ask.ask_id <= 3:
        sys.stdout.write("thinking about it\n" * 500_000)
    wire.answer(proper(ask))


misbehave(answer)
