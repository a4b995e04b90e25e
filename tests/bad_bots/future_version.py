"""Speaks only a version of the protocol that does not exist yet."""

from __future__ import annotations

from _wire import misbehave

misbehave(lambda wire, ask: None, protocol_min=7, protocol_max=9)
