"""Owns the command line: one module a command, the one place where the parts are put together."""

from __future__ import annotations

from arena.cli.group import arena_group as main

__all__ = ["main"]
