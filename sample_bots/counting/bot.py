"""Lesson 4: memory. Every card that was played tells something: what is still out, who is out of a suit.

All of it is read from the view anew at each decision: the bot keeps nothing, so it may play many matches.
"""

from __future__ import annotations

from statistics import NormalDist

from arena.sdk import Bot, Card, Ruleset, Suit, Trick, View, run, score_tenths


class Counting(Bot):
    """Values its hand by honours, length and ruffs; knows the cards that nobody can beat any more."""

    name = "counting"
    version = "1.0.0"
    max_parallel_matches = 64

    def call(self, view: View) -> int:
        tricks = NormalDist(expected_tricks(view.hand), 0.85)
        return max(view.legal_calls, key=lambda call: expected_score(call, tricks, view.rules))

    def play(self, view: View) -> Card:
        memory = Memory(view)
        if is_sated(view):
            return memory.duck()
        if not view.trick:
            return max(view.legal_cards, key=memory.lead_value)
        winners = [card for card in view.legal_cards if memory.wins_now(card)]
        if winners:
            return memory.best_winner(winners)
        return min(view.legal_cards, key=memory.worth)


def is_sated(view: View) -> bool:
    """Whether two more tricks than it has would spoil the call: some rules punish tricks beyond it."""
    call, won = view.calls[view.seat], view.tricks_won[view.seat]
    return won >= call and score_tenths(call, won + 2, view.rules) < score_tenths(call, won, view.rules)


class Memory:
    """What a good player would remember of the round so far."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.out = {suit: [card for card in view.unseen if card.suit is suit] for suit in Suit}
        self.length = {suit: sum(card.suit is suit for card in view.hand) for suit in Suit}
        self.voids = {(seat, suit) for seat in range(4) for suit in Suit if not self.out[suit]}
        for trick in (*view.tricks, Trick(view.trick_leader, view.trick)):
            self.learn(trick)

    def learn(self, trick: Trick) -> None:
        """Who did not follow suit has none of it."""
        for i, card in enumerate(trick.cards):
            led = trick.cards[0].suit
            if card.suit is not led:
                self.voids.add(((trick.leader + i) % 4, led))

    def others(self) -> list[int]:
        """Seats that still play to this trick after us."""
        return [(self.view.seat + i) % 4 for i in range(1, 4 - len(self.view.trick))]

    def is_master(self, card: Card) -> bool:
        """Whether nobody holds a higher card of its suit."""
        return all(other.rank < card.rank for other in self.out[card.suit])

    def wins_now(self, card: Card) -> bool:
        """Whether the card is the best of the trick so far."""
        return Trick(self.view.trick_leader, (*self.view.trick, card)).winner == self.view.seat

    def may_be_trumped(self, suit: Suit) -> bool:
        """Whether someone still to play may be out of the suit and have a spade."""
        others = [seat for seat in self.others() if (seat, Suit.SPADES) not in self.voids]
        if any((seat, suit) in self.voids for seat in others):
            return True
        return bool(others) and len(self.out[suit]) < 2 * len(others)

    def best_winner(self, winners: list[Card]) -> Card:
        """The cheapest card that should hold the trick."""
        cheapest = min(winners, key=self.worth)
        masters = [card for card in winners if self.is_master(card)]
        if not self.others() or not masters or cheapest.suit is Suit.SPADES:
            return cheapest
        return cheapest if self.may_be_trumped(cheapest.suit) else min(masters)

    def lead_value(self, card: Card) -> float:
        """How good it is to lead this card: what nobody can take from us first, then what is missed least."""
        if card.suit is Suit.SPADES:
            draws_trumps = self.is_master(card) and self.length[card.suit] > 2
            return 5.0 + card.rank / 100 if draws_trumps else -20.0 - card.rank
        if self.is_master(card) and not self.may_be_trumped(card.suit):
            return 10.0 - self.length[card.suit]
        return -float(card.rank)

    def worth(self, card: Card) -> float:
        """How much the card will be missed."""
        return card.rank + 20.0 * (card.suit is Suit.SPADES) + 10.0 * self.is_master(card)

    def duck(self) -> Card:
        """The highest card that does not win the trick, else the lowest."""
        losers = [card for card in self.view.legal_cards if self.view.trick and not self.wins_now(card)]
        return max(losers, key=self.worth) if losers else min(self.view.legal_cards, key=self.worth)


def expected_score(call: int, tricks: NormalDist, rules: Ruleset) -> float:
    """Tenths of a point that the call is worth, over all numbers of tricks that may come of it."""
    chances = [tricks.cdf(won + 0.5) - tricks.cdf(won - 0.5) for won in range(14)]
    return sum(chance * score_tenths(call, won, rules) for won, chance in enumerate(chances))


# Tricks that a card or a length is worth: fitted to the hands of many rounds, by length of the suit from 0.
ACE = (0.0, 0.95, 1.0, 1.0, 1.0, 0.9, 0.8)
KING = (0.0, 0.0, 0.7, 0.7, 0.6, 0.35, 0.1)
QUEEN = (0.0, 0.0, 0.15, 0.3, 0.2, 0.1, 0.05)
SPADE = {14: 1.0, 13: 0.8, 12: 0.45, 11: 0.3, 10: 0.15}
SPADES = (0.0, 0.0, 0.1, 0.6, 1.2, 1.8, 2.4, 3.1, 3.6, 4.2)
SHORT = (1.2, 0.75, 0.25)


def expected_tricks(hand: tuple[Card, ...]) -> float:
    """A guess at the tricks in a hand; it is off by 0.8 on average."""
    spades = [card for card in hand if card.suit is Suit.SPADES]
    tricks = sum(SPADE.get(card.rank, 0.0) for card in spades) + SPADES[min(len(spades), 9)]
    for suit in (Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS):
        ranks = [card.rank for card in hand if card.suit is suit]
        length = min(len(ranks), 6)
        tricks += sum(worth[length] for worth, rank in ((ACE, 14), (KING, 13), (QUEEN, 12)) if rank in ranks)
        if length < 3:
            tricks += SHORT[length] * min(len(spades), 3) / 3
    return tricks


if __name__ == "__main__":
    run(Counting())
