"""Talks on its standard output and listens on its standard input, as if they were the protocol."""

from __future__ import annotations

import sys

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    print("PLAY", ask.ask_id, flush=True)
    if sys.stdin.readline():
        sys.exit("somebody wrote to me")
    wire.answer(proper(ask))


misbehave(answer)
