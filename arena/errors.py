"""Owns the one exception that stands for an operator's mistake; knows nothing else."""

from __future__ import annotations

__all__ = ["ArenaError"]


class ArenaError(Exception):
    """A mistake of whoever runs the arena: printed as one line on standard error, exit status 2.

    The message says who, what, where, and what was allowed. It is never a bot's fault (those are data in the
    match record) and never a defect of ours (those end the run with a traceback).
    """
