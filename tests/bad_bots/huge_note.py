"""Sends a note of fifty thousand characters, with terminal escapes, with every decision."""

from __future__ import annotations

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    noted = proper(ask)
    noted.note = "\x1b[2J<script>" + "n" * 50_000
    wire.answer(noted)


misbehave(answer)
