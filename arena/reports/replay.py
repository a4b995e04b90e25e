"""Owns a stored match told in words, all of it or what one seat saw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arena.referee.faults import FaultKind
from arena.reports.text import harmless, points
from arena.rules import Card, Suit, Trick
from arena.v1 import record_pb2

__all__ = ["hand_text", "match_lines", "round_lines", "scorecard_lines"]

SEATS = 4
NAME_WIDTH = 17
SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
SYMBOLS = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


def match_lines(
    record: record_pb2.MatchRecord, *, only_round: int = 0, seat: int | None = None, is_plain: bool = False
) -> Iterator[str]:
    """The whole match, or one round of it; with `seat`, only what that seat saw."""
    yield f"match {record.match_id}, {record.ruleset.name}"
    for number, kept in enumerate(record.seats):
        yield f"  seat {number}: {kept.bot} {kept.version}"
    for fault in record.faults:
        if fault.round == 0 and _may_see(seat, fault.seat):
            yield f"  {_fault_text(record, fault)}"
    for played in record.rounds:
        if only_round in (0, played.round):
            yield ""
            yield from round_lines(record, played, seat=seat, is_plain=is_plain)
    if not only_round:
        yield ""
        yield from scorecard_lines(record)


def round_lines(
    record: record_pb2.MatchRecord,
    played: record_pb2.RoundRecord,
    *,
    seat: int | None = None,
    is_plain: bool = False,
) -> Iterator[str]:
    """One round: hands and calls, then a line a trick, seat by seat."""
    yield f"round {played.round} of {len(record.rounds)}, dealt by {_name(record, played.dealer)}"
    for redeal in played.redeals:
        yield f"  thrown in: {_name(record, redeal.seat)} {_redeal_text(redeal)}"
    told = _remarks(record, played, seat)
    for caller in ((played.dealer + 1 + turn) % SEATS for turn in range(SEATS)):
        dealt = played.hands[13 * caller : 13 * caller + 13]
        hand = hand_text(dealt, is_plain=is_plain) if seat in (None, caller) else "(not seen)"
        yield f"  {_name(record, caller):<{NAME_WIDTH}} calls {played.calls[caller]:>2}   {hand}"
    for decision in range(SEATS):
        yield from told.get(decision, ())
    names = "".join(f"{_name(record, number):<{NAME_WIDTH}}" for number in range(SEATS))
    yield f"  trick  {names}".rstrip()
    for number, leader in enumerate(played.leaders):
        yield _trick_line(number, leader, played.plays[4 * number : 4 * number + 4])
        for decision in range(4 + 4 * number, 8 + 4 * number):
            yield from told.get(decision, ())
    scores = "".join(f"{_score_text(played, number):<{NAME_WIDTH}}" for number in range(SEATS))
    yield f"  score  {scores}".rstrip()


def scorecard_lines(record: record_pb2.MatchRecord) -> Iterator[str]:
    """The match in one table: call, tricks and score in each cell, then totals and places."""
    yield "round   " + "".join(f"{_name(record, seat):<{NAME_WIDTH}}" for seat in range(SEATS)).rstrip()
    for played in record.rounds:
        cells = "".join(f"{_score_text(played, seat):<{NAME_WIDTH}}" for seat in range(SEATS))
        yield f"{played.round:>5}   {cells}".rstrip()
    totals = "".join(f"{points(total):<{NAME_WIDTH}}" for total in record.total_tenths)
    yield f"total   {totals}".rstrip()
    places = "".join(f"{_place_text(record, seat):<{NAME_WIDTH}}" for seat in range(SEATS))
    yield f"place   {places}".rstrip()


def _trick_line(number: int, leader: int, numbers: Sequence[int]) -> str:
    """`>` before the card led, `*` after the card that won."""
    cards = tuple(Card(card) for card in numbers)
    winner = Trick(leader=leader, cards=cards).winner
    cells = []
    for seat in range(SEATS):
        led, won = ">" if seat == leader else " ", "*" if seat == winner else " "
        cells.append(f"{led}{cards[(seat - leader) % SEATS]}{won}".ljust(NAME_WIDTH))
    return f"  {number + 1:>5} " + "".join(cells).rstrip()


def _remarks(
    record: record_pb2.MatchRecord, played: record_pb2.RoundRecord, seat: int | None
) -> dict[int, list[str]]:
    """Faults and notes of a round, by decision."""
    told: dict[int, list[str]] = {}
    for fault in record.faults:
        if fault.round == played.round and _may_see(seat, fault.seat):
            told.setdefault(fault.decision, []).append(f"        {_fault_text(record, fault)}")
    for note in played.notes:
        decider = _decider(played, note.decision)
        if _may_see(seat, decider):
            words = f"        {_name(record, decider)} notes: {harmless(note.text)}"
            told.setdefault(note.decision, []).append(words)
    return told


def _decider(played: record_pb2.RoundRecord, decision: int) -> int:
    """The seat that made a decision of the round: calls go round from the dealer, plays from the leader."""
    if decision < SEATS:
        return (played.dealer + 1 + decision) % SEATS
    trick, turn = divmod(decision - SEATS, SEATS)
    return (played.leaders[trick] + turn) % SEATS


def _fault_text(record: record_pb2.MatchRecord, fault: record_pb2.FaultRecord) -> str:
    text = f"! {_name(record, fault.seat)} {FaultKind(fault.kind).name}: {harmless(fault.detail)}"
    if fault.replaced_by:
        text += f"; {harmless(fault.replaced_by)} instead"
    return text + ("; forfeits the seat" if fault.forfeits else "")


def _redeal_text(redeal: record_pb2.Redeal) -> str:
    return "has no spade" if redeal.reason == record_pb2.REDEAL_REASON_NO_SPADE else "has no face card"


def hand_text(cards: Iterable[int], *, is_plain: bool) -> str:
    """`♠ AK9  ♥ Q72  ♦ -  ♣ T98543`: suits from spades down, ranks from the ace down."""
    hand = [Card(card) for card in cards]
    suits = []
    for suit in SUITS:
        ranks = "".join(str(card)[0] for card in sorted(hand, reverse=True) if card.suit is suit)
        suits.append(f"{suit.name[0] if is_plain else SYMBOLS[suit]} {ranks or '-'}")
    return "  ".join(suits)


def _score_text(played: record_pb2.RoundRecord, seat: int) -> str:
    return f"{played.calls[seat]}/{played.tricks_won[seat]} {points(played.score_tenths[seat])}"


def _place_text(record: record_pb2.MatchRecord, seat: int) -> str:
    return f"{record.places[seat]}{' forfeited' if record.seats[seat].forfeited else ''}"


def _name(record: record_pb2.MatchRecord, seat: int) -> str:
    """`0 greedy`, cut to its column."""
    return harmless(f"{seat} {record.seats[seat].bot}")[: NAME_WIDTH - 1]


def _may_see(seat: int | None, other: int) -> bool:
    return seat is None or seat == other
