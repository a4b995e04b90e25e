"""Owns the command line: one module a command, the one place where the parts are put together."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """The command `arena`; ends the process with its exit status."""
    from arena.cli.group import run

    sys.exit(run(sys.argv[1:]))
