"""Says Hello and is never ready for a match."""

from __future__ import annotations

from _wire import Wire

wire = Wire()
wire.hello()
for _ in wire.responses():
    pass
