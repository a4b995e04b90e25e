"""The house bot that calls its high cards and spades, and wins a trick whenever it can."""

from __future__ import annotations

from arena.sdk import Bot, Card, Suit, Trick, View, run


class HouseGreedy(Bot):
    name = "house-greedy"
    version = "1.0.0"
    max_parallel_matches = 64

    def call(self, view: View) -> int:
        spades = sum(card.suit is Suit.SPADES for card in view.hand)
        tricks = sum(card.rank >= 13 for card in view.hand) + max(0, spades - 4)
        return min(view.legal_calls, key=lambda call: abs(call - tricks))

    def play(self, view: View) -> Card:
        if not view.trick:
            return max(view.legal_cards, key=lambda card: (card.suit is not Suit.SPADES, card.rank))
        winners = [card for card in view.legal_cards if _wins(card, view)]
        return min(winners or view.legal_cards, key=lambda card: (card.suit is Suit.SPADES, card.rank))


def _wins(card: Card, view: View) -> bool:
    return Trick(view.trick_leader, (*view.trick, card)).winner == view.seat


if __name__ == "__main__":
    run(HouseGreedy())
