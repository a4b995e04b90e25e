"""Promises eight matches at once and answers one decision at a time, in the wrong order."""

from __future__ import annotations

from _wire import Wire, proper

wire = Wire()
wire.hello(max_parallel_matches=8)
for response in wire.responses():
    for start in reversed(response.turn.match_starts):
        wire.ready(start.match_id)
    for ask in reversed(response.turn.asks):
        wire.answer(proper(ask))
