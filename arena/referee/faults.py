"""Owns the kinds of fault: what a bot did wrong, as data for the record."""

from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = ["Fault", "FaultKind"]


class FaultKind(enum.IntEnum):
    """What a bot did wrong; numbered as in the protocol."""

    TIMEOUT = 1
    ILLEGAL_CARD = 2
    ILLEGAL_CALL = 3
    MALFORMED = 4
    CRASHED = 5
    NEVER_READY = 6
    VERSION = 7
    RESOURCE = 8


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one seat: where it happened, what was answered, and what was decided instead.

    `trick` is 0 during the calls and `round_number` 0 before the first round; `decision` counts the decisions
    of the round (0-3 the calls, 4-55 the plays). `answer` and `replaced_by` are card or call text, empty
    where there was none.
    """

    seat: int
    kind: FaultKind
    round_number: int
    trick: int
    decision: int
    answer: str
    replaced_by: str
    detail: str
    forfeits: bool
