"""Lesson 3: looking at the hand and at the trick. Calls what it sees and wins as cheaply as it can."""

from __future__ import annotations

from arena.sdk import Bot, Card, Suit, Trick, View, run


class Greedy(Bot):
    """Counts high cards and long spades; takes a trick when it can, else throws the lowest card away."""

    name = "greedy"
    version = "1.0.0"
    max_parallel_matches = 64

    def call(self, view: View) -> int:
        return nearest(expected_tricks(view.hand), view.legal_calls)

    def play(self, view: View) -> Card:
        if not view.trick:
            return max(view.legal_cards, key=lead_value)
        winners = [card for card in view.legal_cards if wins(card, view)]
        if not winners:
            return min(view.legal_cards, key=cheapness)
        is_last = len(view.trick) == 3
        return min(winners, key=cheapness) if is_last else max(winners, key=cheapness_of_a_fight)


def expected_tricks(hand: tuple[Card, ...]) -> float:
    """A guess at the tricks in a hand: aces, guarded kings, and spades beyond the third."""
    spades = sum(card.suit is Suit.SPADES for card in hand)
    tricks = float(max(0, spades - 3))
    for card in hand:
        length = sum(other.suit is card.suit for other in hand)
        if card.rank == 14:
            tricks += 1.0
        elif card.rank == 13 and length > 1:
            tricks += 0.7
        elif card.rank == 12 and card.suit is Suit.SPADES and length > 2:
            tricks += 0.5
    return tricks


def nearest(tricks: float, legal_calls: tuple[int, ...]) -> int:
    """The legal call that is nearest to this many tricks, the lower one if two are."""
    return min(legal_calls, key=lambda call: (abs(call - tricks), call))


def wins(card: Card, view: View) -> bool:
    """Whether this card is the best of the trick so far."""
    return Trick(view.trick_leader, (*view.trick, card)).winner == view.seat


def cheapness(card: Card) -> tuple[bool, int]:
    """Sorts cards from the one that is missed least: plain suits before spades, low before high."""
    return card.suit is Suit.SPADES, card.rank


def cheapness_of_a_fight(card: Card) -> tuple[bool, int]:
    """With others still to play: the highest card of a plain suit, but the lowest spade."""
    return (True, card.rank) if card.suit is not Suit.SPADES else (False, -card.rank)


def lead_value(card: Card) -> tuple[bool, int]:
    """Leads high cards of plain suits before spades."""
    return card.suit is not Suit.SPADES, card.rank


if __name__ == "__main__":
    run(Greedy())
