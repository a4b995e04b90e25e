"""Knows only a ruleset that is not played here."""

from __future__ import annotations

from _wire import misbehave

misbehave(lambda wire, ask: None, rulesets=["call-bridge"])
