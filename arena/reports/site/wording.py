"""Owns how figures and texts of the pages read: durations, cards, kinds of fault."""

from __future__ import annotations

from arena.reports.text import NOTHING, harmless, number
from arena.rules import Card

__all__ = [
    "card_text",
    "duration_text",
    "kind_text",
    "milliseconds_text",
    "plural",
    "span",
    "two_figures",
    "wins_text",
]

SIGNS = "♣♦♥♠"


def duration_text(seconds: float) -> str:
    """`0.42 s`, `12 s`, `3 min 05 s`, `2 h 07 min`."""
    if seconds < 60:
        return (
            f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
        )
    minutes, rest_s = divmod(round(seconds), 60)
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02d} min" if hours else f"{minutes} min {rest_s:02d} s"


def milliseconds_text(value_ms: float) -> str:
    """`0.42 ms`, `4.2 ms`, `42 ms`, `0.42 s`."""
    return duration_text(value_ms / 1000) if value_ms >= 100 else f"{two_figures(value_ms)} ms"


def two_figures(value: float | None) -> str:
    """Two figures that count: 0.42, 4.2, 42, 420."""
    if value is None:
        return NOTHING
    return number(value, decimals=2 if value < 0.995 else 1 if value < 9.95 else 0)


def wins_text(wins: float) -> str:
    """Wins, shared ones in part: 19, 19.5."""
    return number(wins, decimals=0 if wins.is_integer() else 1)


def kind_text(kind: str) -> str:
    """`illegal card` for `ILLEGAL_CARD`."""
    return kind.replace("_", " ").lower()


def card_text(text: str) -> str:
    """`K♥` for `KH`; what is no card, as it is but harmless; `-` for nothing."""
    try:
        card = Card.parse(text)
    except ValueError:
        return harmless(text, longest=40) or NOTHING
    return f"{str(card)[0].replace('T', '10')}{SIGNS[card.suit - 1]}"


def span(counts: tuple[int, int]) -> str:
    """`12`, or `12 to 16`."""
    fewest, most = counts
    return str(fewest) if fewest == most else f"{fewest} to {most}"


def plural(word: str, count: int) -> str:
    """The word for so many."""
    return word if count == 1 else f"{word}s"
