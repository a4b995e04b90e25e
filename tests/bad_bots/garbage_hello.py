"""Says bytes that are no message where Hello belongs."""

from __future__ import annotations

from _wire import Wire

wire = Wire()
wire.send(b"\xff\xff\xff")
for _ in wire.responses():
    pass
