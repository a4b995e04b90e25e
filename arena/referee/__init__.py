"""One match between four players: clocks, faults, strikes, forfeits, and the record that proves it."""

from __future__ import annotations

from arena.referee.check import RecordError, check_record, replay
from arena.referee.clocks import Clock, SystemClock, TimeControl
from arena.referee.faults import Fault, FaultKind
from arena.referee.match import Answer, Player, play_match
from arena.referee.record import record_of, timeless_bytes, timeless_digest
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import Isolation, MatchSetup, SeatSetup

__all__ = [
    "NOBODY",
    "Answer",
    "Clock",
    "Fault",
    "FaultKind",
    "Isolation",
    "MatchSetup",
    "Player",
    "RecordError",
    "RefereedMatch",
    "SeatSetup",
    "SystemClock",
    "TimeControl",
    "check_record",
    "play_match",
    "record_of",
    "replay",
    "timeless_bytes",
    "timeless_digest",
]
