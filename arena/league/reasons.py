"""Owns why a card may not be played, as card players say it; the pages' rules.js says the same."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules import Card, Ruleset, Suit, Trick, card_set, legal_cards

__all__ = ["card_name", "why_not"]

_RANKS = {11: "jack", 12: "queen", 13: "king", 14: "ace"}


def card_name(card: int) -> str:
    """As in `queen of hearts`."""
    return f"{_RANKS.get(card & 15, card & 15)} of {Card(card).suit.name.lower()}"


def why_not(card: int, hand: Sequence[int], trick: Sequence[int], rules: Ruleset) -> str:
    """Why `card` of `hand` may not be played to `trick` (in play order); empty when it may."""
    held = card_set([Card(one) for one in hand])
    laid = Trick(0, tuple(Card(one) for one in trick))
    if legal_cards(held, laid, rules) & Card(card).bit:
        return ""
    led, best = laid.cards[0].suit, laid.best
    if any(Card(one).suit is led for one in hand):
        if Card(card).suit is led:
            return f"must beat the {card_name(best)}"
        return f"must follow {led.name.lower()}"
    can_win = any(
        Card(one).suit is Suit.SPADES and (best.suit is not Suit.SPADES or one > best) for one in hand
    )
    if not can_win:
        return "must still play a spade"
    return f"must overtrump the {card_name(best)}" if best.suit is Suit.SPADES else "must trump"
