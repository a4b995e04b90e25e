"""Owns how a match becomes Portable Bridge Notation: each round a board that bridge programs can show.

Call Break is not bridge: nobody declares and there is no auction, so those tags are empty, which PBN 2.1 has
for what does not apply. Deal and play are exactly PBN's; calls and scores stand in a table of our own, which
readers pass over. See docs/exports.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from arena.referee.faults import FaultKind
from arena.rules import Card, Suit
from arena.v1 import record_pb2

__all__ = ["PBN_HEAD", "board_lines"]

PBN_HEAD = ("% PBN 2.1", "% Call Break, not bridge: spades are trumps, every seat plays for itself", "")

SEATS = 4
COMPASS = ("North", "East", "South", "West")
"""The compass point of each seat: play goes from North to East, as from seat 0 to 1."""

SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
LONGEST_COMMENT = 200


def board_lines(record: record_pb2.MatchRecord, *, event: str) -> Iterator[str]:
    """The boards of a match, one a round, each with the empty line that ends it."""
    for played in record.rounds:
        yield from (_tag(name, _escaped(value)) for name, value in _tags(record, played, event))
        yield from _comments(record, played)
        yield from _call_table(played)
        yield from _play(played)
        yield ""


def _tags(
    record: record_pb2.MatchRecord, played: record_pb2.RoundRecord, event: str
) -> Iterator[tuple[str, str]]:
    """The fifteen tags that PBN asks for, in its order, then what tells which match this is."""
    began = datetime.fromtimestamp(record.timing.started_unix_us / 1e6, UTC)
    bots = {point: record.seats[seat].bot for seat, point in enumerate(COMPASS)}
    yield "Event", event
    yield "Site", ""
    yield "Date", began.strftime("%Y.%m.%d") if record.timing.started_unix_us else "????.??.??"
    yield "Board", str(record.set * len(record.rounds) + played.round)
    yield from ((point, bots[point]) for point in ("West", "North", "East", "South"))
    yield "Dealer", COMPASS[played.dealer][0]
    yield "Vulnerable", "None"
    yield "Deal", _deal(played)
    yield "Scoring", "CallBreak"
    yield from ((name, "") for name in ("Declarer", "Contract", "Result"))
    yield "Round", str(played.round)
    yield "Table", str(record.table)
    yield "CallBreakMatch", record.match_id
    yield "CallBreakRuleset", record.ruleset.name


def _deal(played: record_pb2.RoundRecord) -> str:
    """Hands from North round, each as spades.hearts.diamonds.clubs from the ace down."""
    hands = [
        sorted(map(Card, played.hands[13 * seat : 13 * seat + 13]), reverse=True) for seat in range(SEATS)
    ]
    suits = [[[str(card)[0] for card in hand if card.suit is suit] for suit in SUITS] for hand in hands]
    return "N:" + " ".join(".".join("".join(ranks) for ranks in hand) for hand in suits)


def _comments(record: record_pb2.MatchRecord, played: record_pb2.RoundRecord) -> Iterator[str]:
    """Faults of the round."""
    for fault in record.faults:
        if fault.round == played.round:
            where = f"trick {fault.trick}" if fault.trick else "call"
            instead = f", {fault.replaced_by} instead" if fault.replaced_by else ""
            words = f"{COMPASS[fault.seat]}, {where}: {FaultKind(fault.kind).name}{instead}: {fault.detail}"
            yield f"{{{_one_line(words)}}}"


def _call_table(played: record_pb2.RoundRecord) -> Iterator[str]:
    """Calls in the order in which they were made, with what came of them."""
    yield _tag("CallBreakTable", r"Seat\1L;Call\2R;Tricks\2R;Points\5R")
    for turn in range(SEATS):
        seat = (played.dealer + 1 + turn) % SEATS
        score = played.score_tenths[seat] / 10
        yield f"{COMPASS[seat][0]} {played.calls[seat]:>2} {played.tricks_won[seat]:>2} {score:>5.1f}"


def _play(played: record_pb2.RoundRecord) -> Iterator[str]:
    """A line a trick; the columns are seats, from the one that led to the first trick."""
    first = played.leaders[0]
    yield _tag("Play", COMPASS[first][0])
    for number, leader in enumerate(played.leaders):
        cards = played.plays[4 * number : 4 * number + 4]
        yield " ".join(_card(cards[(first + column - leader) % SEATS]) for column in range(SEATS))


def _card(number: int) -> str:
    """PBN has the suit first."""
    return str(Card(number))[::-1]


def _tag(name: str, value: str) -> str:
    return f'[{name} "{value}"]'


def _escaped(value: str) -> str:
    return _one_line(value).replace("\\", r"\\").replace('"', r"\"")


def _one_line(text: str) -> str:
    """ASCII on one line, without what would end a comment."""
    seen = "".join(character if character.isprintable() else " " for character in text[:LONGEST_COMMENT])
    return seen.encode("ascii", "backslashreplace").decode().replace("{", "(").replace("}", ")")
