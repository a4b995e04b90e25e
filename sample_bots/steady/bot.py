"""Steady: one strategy in six languages, in whole numbers. docs/steady.md defines it; this is the reference.

Each section below has the number of the section of docs/steady.md that it follows.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.sdk import Bot, Card, Ruleset, Suit, Trick, View, run, score_tenths

ACE, KING, QUEEN = 14, 13, 12
PLAIN_SUITS = (Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS)

# Hundredths of a trick. Rows of PLAIN and LENGTH and SHORT go by the number of cards of the suit, from 0.
PLAIN = {
    ACE: (0, 95, 100, 100, 100, 90, 80),
    KING: (0, 0, 70, 70, 60, 35, 10),
    QUEEN: (0, 0, 15, 30, 20, 10, 5),
}
SPADE = {ACE: 100, KING: 80, QUEEN: 45, 11: 30, 10: 15}
LENGTH = (0, 0, 10, 60, 120, 180, 240, 310, 360, 420)
SHORT = (120, 75, 25)

# How far the value of a hand may be off, and in how many cases of 64.
ERRORS = ((-210, 1), (-140, 6), (-70, 15), (0, 20), (70, 15), (140, 6), (210, 1))


class Steady(Bot):
    """Calls by a table of values; remembers what was played; wins with what will hold and is missed least."""

    name = "steady"
    version = "1.0.0"
    max_parallel_matches = 64

    def call(self, view: View) -> int:
        value = hand_value(view.hand)
        return max(view.legal_calls, key=lambda call: (expected_score(call, value, view.rules), -call))

    def play(self, view: View) -> Card:
        memory = Memory(view)
        if wants_tricks(view):
            return memory.lead() if not view.trick else memory.follow()
        return lowest(view.legal_cards) if not view.trick else memory.duck()


# 2. The call


def hand_value(hand: Iterable[Card]) -> int:
    """Tricks that a dealt hand may win, in hundredths."""
    ranks = {suit: [card.rank for card in hand if card.suit is suit] for suit in Suit}
    spades = ranks[Suit.SPADES]
    value = LENGTH[min(len(spades), 9)] + sum(SPADE.get(rank, 0) for rank in spades)
    for suit in PLAIN_SUITS:
        length = len(ranks[suit])
        value += sum(PLAIN[rank][min(length, 6)] for rank in ranks[suit] if rank in PLAIN)
        if length < len(SHORT):
            value += SHORT[length] * min(len(spades), 3) // 3
    return value


def expected_score(call: int, value: int, rules: Ruleset) -> int:
    """What the call scores in tenths, summed over 64 cases of how many tricks the hand may win."""
    return sum(cases * score_tenths(call, tricks(value + error), rules) for error, cases in ERRORS)


def tricks(value: int) -> int:
    """The nearest whole number of tricks, from 0 to 13."""
    return max(0, min(13, (value + 50) // 100))


# 3. What is remembered


class Memory:
    """What the cards played so far tell about the cards that are out: in one of the other three hands."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.out = {suit: [card.rank for card in view.unseen if card.suit is suit] for suit in Suit}
        self.mine = {suit: sum(card.suit is suit for card in view.hand) for suit in Suit}
        self.voids = {(seat, suit) for seat in range(4) for suit in Suit if not self.out[suit]}
        for trick in (*view.tricks, Trick(view.trick_leader, view.trick)):
            for i, card in enumerate(trick.cards):
                if card.suit is not trick.cards[0].suit:
                    self.voids.add(((trick.leader + i) % 4, trick.cards[0].suit))

    def is_master(self, card: Card) -> bool:
        """Whether no higher card of its suit is out."""
        return all(rank < card.rank for rank in self.out[card.suit])

    def is_risky(self, suit: Suit) -> bool:
        """Whether a lead of this plain suit may be trumped."""
        others = [seat for seat in range(4) if seat != self.view.seat]
        if any((seat, suit) in self.voids and (seat, Suit.SPADES) not in self.voids for seat in others):
            return True
        return bool(self.out[Suit.SPADES]) and len(self.out[suit]) <= len(others)

    def worth(self, card: Card) -> int:
        """How much the card would be missed."""
        return card.rank + 20 * (card.suit is Suit.SPADES) + 10 * self.is_master(card)

    # 4. The play

    def lead(self) -> Card:
        """The card to lead when tricks are wanted."""
        return max(self.view.legal_cards, key=lambda card: (self.lead_value(card), -card))

    def lead_value(self, card: Card) -> int:
        """How good it is to lead this card."""
        is_master, length = self.is_master(card), self.mine[card.suit]
        if card.suit is Suit.SPADES:
            return 500 + card.rank if is_master and length > 2 else -2000 - 100 * card.rank
        if is_master and not self.is_risky(card.suit):
            return 1000 - 100 * length
        return -100 * card.rank - 100 * length

    def follow(self) -> Card:
        """The card to play to a trick when tricks are wanted."""
        winners = [card for card in self.view.legal_cards if self.wins(card)]
        if not winners:
            return min(self.view.legal_cards, key=lambda card: (self.worth(card), card))
        cheapest = min(winners, key=lambda card: (self.worth(card), card))
        masters = [card for card in winners if self.is_master(card)]
        is_last = len(self.view.trick) == 3
        if is_last or cheapest.suit is Suit.SPADES or not masters:
            return cheapest
        return min(masters)

    def duck(self) -> Card:
        """The card to play to a trick when tricks are not wanted."""
        losers = [card for card in self.view.legal_cards if not self.wins(card)]
        return max(losers or self.view.legal_cards, key=lambda card: (self.worth(card), card))

    def wins(self, card: Card) -> bool:
        """Whether the card would be the best of the trick so far."""
        return Trick(self.view.trick_leader, (*self.view.trick, card)).winner == self.view.seat


def wants_tricks(view: View) -> bool:
    """Whether one more trick is good: always, unless the rules punish those above the call."""
    if view.rules.success == "at_least":
        return True
    return view.tricks_won[view.seat] < view.calls[view.seat]


def lowest(cards: Iterable[Card]) -> Card:
    """The card of the lowest rank, then of the lowest suit."""
    return min(cards, key=lambda card: (card.rank, card))


if __name__ == "__main__":
    run(Steady())
