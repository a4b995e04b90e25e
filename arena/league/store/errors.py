"""Owns what a league's store refuses; each is printed as one line."""

from __future__ import annotations

from arena.errors import ArenaError

__all__ = ["LeaseLost", "NotFound", "Taken"]


class NotFound(ArenaError):
    """There is nothing of that name; the message says what was looked for."""


class Taken(ArenaError):
    """The name belongs to somebody else, or is in use."""


class LeaseLost(ArenaError):
    """The table is no longer leased to this arena: it was given to another, or is over."""
