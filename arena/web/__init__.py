"""Owns the league in a browser: pages, streams of what changes, and a seat for a person."""

from __future__ import annotations

from arena.web.app import create_app
from arena.web.context import WebContext

__all__ = ["WebContext", "create_app"]
