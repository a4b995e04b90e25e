"""Owns the tables that an export has: what one row is, its columns, and what they mean; knows no file format.

A table holds one row a seat of a match, or one row a decision. Both are pure functions of a match's record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import Any

from arena.referee.faults import FaultKind
from arena.referee.record import rules_of_message
from arena.rules import Card, CardSet, Round, Trick, card_numbers, card_set
from arena.v1 import record_pb2

__all__ = ["TABLES", "Column", "ExportTable", "Kind"]

SEATS = 4
CALLS = 4
TEXT_OF = {int(card): str(card) for card in Card}

Row = tuple[Any, ...]


class Kind(Enum):
    """What a cell holds; also None where there is nothing to say."""

    TEXT = auto()
    WHOLE = auto()
    NUMBER = auto()
    FLAG = auto()
    TEXTS = auto()
    WHOLES = auto()
    NUMBERS = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and its meaning in one line."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table by the name of what a row of it is."""

    name: str
    columns: tuple[Column, ...]
    rows_of: Callable[[record_pb2.MatchRecord], Iterator[Row]]


MATCH = (
    Column("match_id", Kind.TEXT, "the match, as in `arena replay`"),
    Column("table", Kind.WHOLE, "number of its table of four bots, from 0"),
    Column("set", Kind.WHOLE, "number of its set: four matches with the same deals, seats rotated"),
    Column("rotation", Kind.WHOLE, "which of the four, 0 to 3"),
)

SEAT_COLUMNS = (
    *MATCH,
    Column("seat", Kind.WHOLE, "0 to 3, in the order of play"),
    Column("bot", Kind.TEXT, "who sat there"),
    Column("version", Kind.TEXT, "of the bot"),
    Column("points", Kind.NUMBER, "the seat's total in points"),
    Column("place", Kind.WHOLE, "1 to 4; level seats share the better one"),
    Column("forfeited", Kind.FLAG, "whether the seat was forfeited"),
    Column("faults", Kind.WHOLE, "how many the bot was charged with"),
    Column("calls", Kind.WHOLES, "its calls, round by round"),
    Column("tricks", Kind.WHOLES, "tricks it won, round by round"),
    Column("scores", Kind.NUMBERS, "points it scored, round by round"),
)

DECISION_COLUMNS = (
    *MATCH,
    Column("round", Kind.WHOLE, "round of the match, from 1"),
    Column("decision", Kind.WHOLE, "0 to 3 are the calls, 4 to 55 the cards, in order"),
    Column("trick", Kind.WHOLE, "1 to 13; 0 for a call"),
    Column("turn", Kind.WHOLE, "0 to 3: how many called, or played to the trick, before"),
    Column("seat", Kind.WHOLE, "whose decision it was"),
    Column("bot", Kind.TEXT, "who sat there"),
    Column("call", Kind.WHOLE, "the call; nothing for a card"),
    Column("card", Kind.TEXT, "the card, as in KH; nothing for a call"),
    Column("won", Kind.FLAG, "whether the card won its trick; nothing for a call"),
    Column("hand", Kind.TEXTS, "cards that the seat held before it decided"),
    Column("legal", Kind.TEXTS, "those of them that might be played; none for a call"),
    Column("asked", Kind.FLAG, "false for what was forced, or decided for a forfeited seat"),
    Column("time_us", Kind.WHOLE, "microseconds charged; nothing where nobody was asked"),
    Column("fault", Kind.TEXT, "what was wrong with the answer, when the arena decided instead"),
    Column("answer", Kind.TEXT, "the answer that was refused"),
    Column("note", Kind.TEXT, "the bot's remark"),
)


def seat_rows(record: record_pb2.MatchRecord) -> Iterator[Row]:
    """The four rows of a match, one a seat."""
    for seat, kept in enumerate(record.seats):
        yield (
            record.match_id,
            record.table,
            record.set,
            record.rotation,
            seat,
            kept.bot,
            kept.version,
            record.total_tenths[seat] / 10,
            record.places[seat],
            kept.forfeited,
            sum(fault.seat == seat for fault in record.faults),
            [played.calls[seat] for played in record.rounds],
            [played.tricks_won[seat] for played in record.rounds],
            [played.score_tenths[seat] / 10 for played in record.rounds],
        )


def decision_rows(record: record_pb2.MatchRecord) -> Iterator[Row]:
    """The 56 rows of each round of a match, in the order of play."""
    match = (record.match_id, record.table, record.set, record.rotation)
    rules = rules_of_message(record.ruleset)
    for played in record.rounds:
        hands = [card_set(played.hands[13 * seat : 13 * seat + 13]) for seat in range(SEATS)]
        now = Round(hands, dealer=played.dealer, rules=rules)
        told = _Told.of(record, played)
        winners = _winners(played)
        for decision in range(CALLS + len(played.plays)):
            seat, held, legal = now.turn, _texts(now.hands[now.turn]), _texts(now.legal)
            trick, turn = divmod(decision, SEATS)
            if now.is_calling:
                made: Row = (played.calls[seat], None, None)
                now.call(played.calls[seat])
            else:
                card = played.plays[decision - CALLS]
                made = (None, TEXT_OF[card], seat == winners[trick - 1])
                now.play(card)
            place = (played.round, decision, trick, turn, seat, record.seats[seat].bot)
            yield (*match, *place, *made, held, legal, *told.about(decision, seat))


TABLES = {
    "seats": ExportTable("seats", SEAT_COLUMNS, seat_rows),
    "decisions": ExportTable("decisions", DECISION_COLUMNS, decision_rows),
}


@dataclass(frozen=True, slots=True)
class _Told:
    """What is kept of a round beside calls and cards."""

    times_us: list[int]
    asked: list[bool]
    faults: dict[tuple[int, int], record_pb2.FaultRecord]
    notes: dict[int, str]

    @classmethod
    def of(cls, record: record_pb2.MatchRecord, played: record_pb2.RoundRecord) -> _Told:
        timing = record.timing.rounds[played.round - 1] if record.timing.rounds else None
        return cls(
            times_us=list(timing.decision_us) if timing else [],
            asked=[bool(flag) for flag in timing.asked] if timing else [],
            faults={
                (fault.decision, fault.seat): fault
                for fault in record.faults
                if fault.round == played.round and fault.replaced_by
            },
            notes={note.decision: note.text for note in played.notes},
        )

    def about(self, decision: int, seat: int) -> Row:
        """asked, time_us, fault, answer, note."""
        asked = self.asked[decision] if self.asked else None
        fault = self.faults.get((decision, seat))
        return (
            asked,
            self.times_us[decision] if asked else None,
            FaultKind(fault.kind).name if fault else None,
            fault.answer if fault else None,
            self.notes.get(decision),
        )


def _winners(played: record_pb2.RoundRecord) -> list[int]:
    return [
        Trick(leader=leader, cards=tuple(map(Card, played.plays[4 * number : 4 * number + 4]))).winner
        for number, leader in enumerate(played.leaders)
    ]


@lru_cache(maxsize=4096)
def _texts(held: CardSet) -> tuple[str, ...]:
    return tuple(TEXT_OF[number] for number in card_numbers(held))
