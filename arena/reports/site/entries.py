"""Owns how a match is written into a replay file, compactly; docs/report.md describes it, replay.js reads it.

It must not know where files lie or what a page shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.referee.faults import FaultKind
from arena.reports.text import harmless
from arena.rules import Card
from arena.v1 import record_pb2

__all__ = ["MATCHES_A_FILE", "TIMES_A_FACTOR_E", "TIME_LETTERS", "file_text", "match_entry", "time_words"]

MATCHES_A_FILE: Final = 250
"""Positions of the schedule that one file holds: a quarter of a megabyte, which a disk gives at once."""

TIME_LETTERS: Final = (
    " !#$%&'()*+,./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
)
"""Digits of a time: what JSON and markup leave as it is, without the `-` of a decision that was not asked."""
TIMES_A_FACTOR_E: Final = 366
"""Levels a factor e between times: a microsecond to an hour in two digits, each time within 0.14 %."""

NOT_ASKED: Final = "-"
DIGIT_OF_CALL: Final = bytes.maketrans(bytes(range(14)), b"0123456789abcd")
LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LETTER_OF_CARD: Final = bytes.maketrans(bytes(sorted(Card)), LETTERS)
TIME_WORDS: Final = np.array([first + second for first in TIME_LETTERS for second in TIME_LETTERS])

Entry = list[Any]


def match_entry(record: record_pb2.MatchRecord, *, numbers: Mapping[str, int], times: str) -> Entry:
    """What a replay file says of a match; `numbers` are those of the bots, `times` is from `time_words`."""
    entry: Entry = [
        record.match_id,
        [numbers[seat.bot] for seat in record.seats],
        "".join(_round_letters(played) for played in record.rounds),
        [score for played in record.rounds for score in played.score_tenths],
        list(record.total_tenths),
        list(record.places),
        times,
        record.timing.started_unix_us // 1_000_000,
    ]
    return [*entry, more] if (more := _more(record)) else entry


def file_text(number: int, entries: Sequence[Entry]) -> str:
    """A replay file: a script that hands its entries over, as a page on disk may not fetch them."""
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    return f"arena.replayFile({number},[\n{lines}\n]);\n"


def time_words(records: Sequence[record_pb2.MatchRecord]) -> list[str]:
    """The times of all decisions of each match, in order, as a replay file has them."""
    times_us: list[int] = []
    asked: list[bool] = []
    ends = []
    for record in records:
        for timing in record.timing.rounds:
            times_us.extend(timing.decision_us)
            asked.extend(timing.asked)
        ends.append(len(asked))
    words = _words(np.array(times_us, dtype=np.float64), np.array(asked, dtype=np.bool_)).tolist()
    return ["".join(words[first:last]) for first, last in pairwise([0, *ends])]


def _words(times_us: NDArray[np.float64], asked: NDArray[np.bool_]) -> NDArray[np.str_]:
    levels = np.rint(np.log(np.maximum(times_us, 1)) * TIMES_A_FACTOR_E).astype(np.int64)
    return np.where(asked, TIME_WORDS[np.minimum(levels, len(TIME_WORDS) - 1)], NOT_ASKED)


def _round_letters(played: record_pb2.RoundRecord) -> str:
    """Four calls by seat, then the 52 cards in play order, a letter each; hands and leaders follow."""
    calls = bytes(played.calls).translate(DIGIT_OF_CALL)
    return (calls + bytes(played.plays).translate(LETTER_OF_CARD)).decode()


def _more(record: record_pb2.MatchRecord) -> dict[str, list[Any]]:
    """What most matches have nothing of."""
    found: dict[str, list[Any]] = {
        "forfeited": [seat for seat, kept in enumerate(record.seats) if kept.forfeited],
        "faults": [_fault(record, fault) for fault in record.faults],
        "notes": [
            [played.round, note.decision, harmless(note.text)]
            for played in record.rounds
            for note in played.notes
        ],
        "redeals": [
            [played.round, redeal.seat, _reason(redeal)]
            for played in record.rounds
            for redeal in played.redeals
        ],
    }
    return {name: values for name, values in found.items() if values}


def _fault(record: record_pb2.MatchRecord, fault: record_pb2.FaultRecord) -> Entry:
    return [
        fault.seat,
        FaultKind(fault.kind).name,
        fault.round,
        fault.trick,
        fault.decision,
        harmless(fault.answer, longest=60),
        fault.replaced_by,
        harmless(fault.detail),
        int(fault.forfeits),
        _took_us(record, fault),
    ]


def _took_us(record: record_pb2.MatchRecord, fault: record_pb2.FaultRecord) -> int:
    """Microseconds that the decision was charged; 0 when it was none, or no times were kept."""
    if not fault.round or fault.round > len(record.timing.rounds):
        return 0
    return record.timing.rounds[fault.round - 1].decision_us[fault.decision]


def _reason(redeal: record_pb2.Redeal) -> str:
    return "no spade" if redeal.reason == record_pb2.REDEAL_REASON_NO_SPADE else "no face card"
