"""Owns the state of one round, from the first call to the last trick; knows no deal, no match, no clock.

The hot loop of the arena: bitboards and tables, each value computed once, the winning card kept as they fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

from arena.rules.cards import FULL_DECK, Card, CardSet, Suit, card_text
from arena.rules.rulesets import Follow, Ruleset, Undertrump
from arena.rules.scores import score_tenths
from arena.rules.tricks import BEATERS, SPADES, SUIT_OF

__all__ = ["IllegalCall", "IllegalCard", "Round"]

BITS: Final[dict[int, CardSet]] = {int(card): card.bit for card in Card}
DECISIONS: Final = 56


class IllegalCall(ValueError):
    """A call that may not be made now; the round is as it was."""


class IllegalCard(ValueError):
    """A card that may not be played now; the round is as it was."""


class Round:
    """One round in play. Read its attributes freely; only `call` and `play` change them.

    Cards are numbers, hands are sets, lists go by seat. `hands` are the cards still held, `dealt` those at
    the start. `calls` holds 0 for a seat that has not called. `trick` holds the cards of the trick in play
    from `trick_leader`; `history` and `history_leaders` those of the finished tricks. `turn` is the seat to
    decide (-1 when the round is over), `legal` what it may play (nothing while calls are due). `decision`
    counts decisions: 0-3 are the calls, 4-55 the plays, 56 is the end.
    """

    __slots__ = (
        "_best",
        "_best_seat",
        "_forced",
        "_must_beat",
        "calls",
        "dealer",
        "dealt",
        "decision",
        "hands",
        "history",
        "history_leaders",
        "is_calling",
        "is_over",
        "legal",
        "rules",
        "trick",
        "trick_leader",
        "tricks_won",
        "turn",
    )

    def __init__(self, hands: Sequence[CardSet], *, dealer: int, rules: Ruleset) -> None:
        if dealer not in range(4):
            raise ValueError(f"dealer {dealer} is no seat: seats are 0 to 3")
        _check_deal(hands)
        self.rules = rules
        self.dealer = dealer
        self.dealt: tuple[CardSet, ...] = tuple(hands)
        self.hands: list[CardSet] = list(hands)
        self.calls = [0, 0, 0, 0]
        self.tricks_won = [0, 0, 0, 0]
        self.history: list[int] = []
        self.history_leaders: list[int] = []
        self.trick_leader = self.turn = (dealer + 1) % 4
        self.trick: list[int] = []
        self.is_calling = True
        self.is_over = False
        self.legal: CardSet = 0
        self.decision = 0
        self._must_beat = rules.follow is Follow.MUST_BEAT
        self._forced: CardSet = SPADES if rules.undertrump is Undertrump.FORCED else 0
        self._best = 0
        self._best_seat = 0

    @property
    def legal_calls(self) -> range:
        """Calls that may be made; empty when none is due."""
        return range(self.rules.call_min, self.rules.call_max + 1) if self.is_calling else range(0)

    def legal_cards(self) -> CardSet:
        """Cards that `turn` may play; never empty until the round is over, empty while calls are due."""
        return self.legal

    def call(self, number: int) -> None:
        """Makes `number` the call of `turn`; IllegalCall if it may not be called."""
        if number not in self.legal_calls:
            raise IllegalCall(self._why_not_call(number))
        self.calls[self.turn] = number
        self.turn = (self.turn + 1) % 4
        self.decision += 1
        if self.decision == 4:
            self.is_calling = False
            self.legal = self.hands[self.turn]

    def play(self, card: int) -> None:
        """Plays `card` from the hand of `turn`; IllegalCard if it may not be played."""
        bit = BITS.get(card, 0)
        if not self.legal & bit:
            raise IllegalCard(self._why_not_play(card))
        trick, hands, turn = self.trick, self.hands, self.turn
        hands[turn] ^= bit
        self.decision += 1
        beaters = BEATERS[self._best] if trick else bit
        if beaters & bit:
            self._best, self._best_seat = card, turn
            beaters = BEATERS[card]
        trick.append(card)
        if len(trick) == 4:
            self._end_trick()
            return
        # What `legal_cards` of arena.rules.tricks does, with the best card known already.
        self.turn = turn = (turn + 1) & 3
        hand = hands[turn]
        follow = hand & SUIT_OF[trick[0]]
        if not follow:
            self.legal = hand & beaters or hand & self._forced or hand
        elif self._must_beat:
            self.legal = follow & beaters or follow
        else:
            self.legal = follow

    def _end_trick(self) -> None:
        winner = self._best_seat
        self.tricks_won[winner] += 1
        self.history += self.trick
        self.history_leaders.append(self.trick_leader)
        self.trick = []
        self.trick_leader = self.turn = winner
        self.legal = self.hands[winner]
        if self.decision == DECISIONS:
            self.turn = -1
            self.is_over = True

    def lowest_legal_card(self) -> Card:
        """What replaces a refused card: the lowest rank, then clubs, diamonds, hearts, spades."""
        lanes = self.legal
        ranks = (lanes | lanes >> 16 | lanes >> 32 | lanes >> 48) & 0xFFFF
        if not ranks:
            raise IllegalCard("no card is due")
        rank = (ranks & -ranks).bit_length() - 1
        return next(card for suit in Suit if lanes & (card := Card(suit * 16 + rank)).bit)

    def scores_tenths(self) -> list[int]:
        """Tenths of a point by seat; ValueError before the last trick."""
        if not self.is_over:
            raise ValueError("the round is not over")
        return [score_tenths(self.calls[seat], self.tricks_won[seat], self.rules) for seat in range(4)]

    def copy(self) -> Self:
        """An independent copy, for whoever wants to look ahead."""
        twin = object.__new__(type(self))
        for name in Round.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value[:] if isinstance(value, list) else value)
        return twin

    def _why_not_call(self, number: int) -> str:
        if not self.is_calling:
            return f"{number} was called when no call was due"
        allowed = f"{self.rules.call_min} to {self.rules.call_max}"
        return f"seat {self.turn} called {number}: {allowed} may be called"

    def _why_not_play(self, card: int) -> str:
        name = str(Card(card)) if card in BITS else repr(card)
        if self.is_over:
            return f"{name} was played after the round was over"
        if self.is_calling:
            return f"seat {self.turn} played {name} when a call was due"
        trick_number = len(self.history_leaders) + 1
        return f"seat {self.turn} played {name} to trick {trick_number}: {self._what_was_due(card)}"

    def _what_was_due(self, card: int) -> str:
        hand = self.hands[self.turn]
        if card not in BITS:
            return "that is no card"
        if not hand & BITS[card]:
            return f"it was not in hand, {_were(hand)}"
        suit_led = SUIT_OF[self.trick[0]]
        led = f"{Card(self.trick[0]).suit.name.lower()} were led"
        due = f"{_were(self.legal)} in hand"
        if hand & suit_led and not BITS[card] & suit_led:
            return f"{led} and {due}"
        if self.legal & BEATERS[self._best]:
            return f"{led}, {Card(self._best)} was to be beaten and {due}"
        return f"{led}, a spade was due and {due}"


def _check_deal(hands: Sequence[CardSet]) -> None:
    together = 0
    for hand in hands:
        together |= hand
    if len(hands) != 4 or together != FULL_DECK or any(hand.bit_count() != 13 for hand in hands):
        raise ValueError("a deal is 52 different cards, thirteen for each of four seats")


def _were(held: CardSet) -> str:
    return f"{card_text(held)} {'was' if held.bit_count() == 1 else 'were'}"
