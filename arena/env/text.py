"""Owns how a match in play looks as text, all hands open; for whoever watches an agent learn."""

from __future__ import annotations

from collections.abc import Iterable

from arena.rules.cards import Card, card_text
from arena.rules.matches import Match

__all__ = ["match_text"]


def match_text(match: Match) -> str:
    """The round, the seats with what they hold, and the trick in play or the scores."""
    now = match.round
    lines = [
        f"{match.rules.name}, round {match.round_number} of {match.rules.rounds}, seat {now.dealer} dealt"
    ]
    for seat in range(4):
        call = now.calls[seat] or "-"
        marker = ">" if seat == now.turn else " "
        numbers = (
            f"total {match.totals_tenths[seat] / 10:6.1f}  call {call:>2}  won {now.tricks_won[seat]:>2}"
        )
        lines.append(f"{marker} seat {seat}  {numbers}  {card_text(now.hands[seat])}".rstrip())
    lines.append(_what_happens(match))
    return "\n".join(lines)


def _what_happens(match: Match) -> str:
    now = match.round
    if match.is_over:
        return "the match is over"
    if now.is_calling:
        return f"calls are due, {now.rules.call_min} to {now.rules.call_max}"
    number = len(now.history_leaders) + 1
    return f"trick {number}, led by seat {now.trick_leader}: {_cards(now.trick)}".rstrip()


def _cards(numbers: Iterable[int]) -> str:
    return " ".join(str(Card(number)) for number in numbers)
