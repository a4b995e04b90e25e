"""Owns one trick: who is winning it and what may be played to it; knows no call, no score, no round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from arena.rules.cards import SUIT_CARDS, Card, CardSet, Suit, card_set
from arena.rules.rulesets import Follow, Ruleset, Undertrump

__all__ = ["BEATERS", "SPADES", "SUIT_OF", "Trick", "legal_cards"]

SPADES: Final[CardSet] = SUIT_CARDS[Suit.SPADES]
"""The trumps."""


def _beaters(best: Card) -> CardSet:
    higher = SUIT_CARDS[best.suit] & ~(2 * best.bit - 1)
    return higher if best.suit is Suit.SPADES else higher | SPADES


# Plain ints in exact dicts: the tables of the hot loop, which a number that is no card can not slip through.
SUIT_OF: Final[dict[int, CardSet]] = {int(card): SUIT_CARDS[card.suit] for card in Card}
"""For each card, all cards of its suit."""

BEATERS: Final[dict[int, CardSet]] = {int(card): _beaters(card) for card in Card}
"""For each card that is winning a trick, the cards that would win it instead, played by a seat that may."""


@dataclass(frozen=True, slots=True)
class Trick:
    """Up to four cards in play order from the leader; ValueError for what is no trick."""

    leader: int
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        if self.leader not in range(4):
            raise ValueError(f"leader {self.leader} is no seat: seats are 0 to 3")
        if len(self.cards) > 4:
            raise ValueError(f"{len(self.cards)} cards are no trick: four at most")
        card_set(self.cards)

    @classmethod
    def of(cls, text: str, *, leader: int) -> Self:
        """The trick written as cards in play order: `Trick.of("KD 2D", leader=0)`."""
        return cls(leader, tuple(Card.parse(word) for word in text.split()))

    @property
    def best(self) -> Card:
        """The card that is winning: the highest spade, else the highest card of the suit led (Play 5)."""
        if not self.cards:
            raise ValueError("nothing has been led")
        best = self.cards[0]
        for card in self.cards:
            if BEATERS[best] & card.bit:
                best = card
        return best

    @property
    def winner(self) -> int:
        """The seat whose card is winning; ValueError before the lead."""
        return (self.leader + self.cards.index(self.best)) % 4

    @property
    def to_play(self) -> int:
        """The seat that plays next; ValueError when all four have."""
        if len(self.cards) == 4:
            raise ValueError("the trick is complete")
        return (self.leader + len(self.cards)) % 4


def legal_cards(hand: CardSet, trick: Trick, rules: Ruleset) -> CardSet:
    """Cards of `hand` that may be played to `trick`; never empty while a card is held.

    Follows RULES.md, Play 3-4. One table serves both: what beats the best card is, in a hand that follows, a
    higher card of the suit led (none, once the trick is trumped), and in a void hand a spade that would win.
    """
    if len(trick.cards) == 4:
        raise ValueError("the trick is complete")
    if not trick.cards:
        return hand
    beaters = BEATERS[trick.best]
    follow = hand & SUIT_OF[trick.cards[0]]
    if follow:
        return (follow & beaters or follow) if rules.follow is Follow.MUST_BEAT else follow
    forced = SPADES if rules.undertrump is Undertrump.FORCED else 0
    return hand & beaters or hand & forced or hand
