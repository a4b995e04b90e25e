"""Owns many rounds in play at once, in numpy; what `arena.rules.rounds` is for one. Knows no deal, no match.

Every round has 4 calls and 52 plays, so rounds that begin together stay in step: which decision it is,
whether calls are due and how many cards lie on the table are plain numbers, and only cards and seats are
arrays. Sets of cards are bitboards as in `arena.rules.cards`, one uint64 a round.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.env.card_sets import CardSets
from arena.rules.rounds import IllegalCall, IllegalCard
from arena.rules.rulesets import Follow, Ruleset, Undertrump
from arena.rules.scores import score_tenths
from arena.rules.tricks import SPADES as SPADE_CARDS

_T = TypeVar("_T", bound=np.generic)

__all__ = ["RoundBatch", "Seats", "whole_numbers"]

Seats = NDArray[np.uint8]
"""One seat a round."""

DECISIONS: Final = 56
_ONE: Final = np.uint64(1)
_SUIT: Final = np.uint64(0x7FFC)
_SPADES: Final = np.uint64(SPADE_CARDS)
_NO_CARDS: Final = np.uint64(0)
_START_OF_SUIT: Final = np.uint64(0x30)
_NEXT: Final = np.uint8(1)
_SEATS: Final = np.uint8(3)
_MOST_TRICKS: Final = 13


def whole_numbers(values: ArrayLike, *, size: int) -> NDArray[np.integer[Any]]:
    """The values as an array of this many whole numbers; ValueError if they are not that."""
    numbers = np.asarray(values)
    if numbers.shape != (size,) or numbers.dtype.kind not in "iu":
        given = f"shape {numbers.shape} and type {numbers.dtype}"
        raise ValueError(f"an array of {given} was given; one of {size} whole numbers is due")
    return numbers


class RoundBatch:
    """Rounds of one ruleset and one dealer, in step. Only `call` and `play` change them.

    With n rounds: `hands` has shape (4, n), by seat, like `dealt`, `calls` (0 for a seat that has not
    called) and `tricks_won`. `turn` has the seats to decide, `legal` the sets that they may play (empty
    while calls are due). `plays` holds card numbers, one row a play, `leaders` one row a trick: what has
    not happened yet is 0. `decision` counts decisions: 0-3 are the calls, 4-55 the plays, 56 is the end.
    """

    def __init__(self, hands: CardSets, *, dealer: int, rules: Ruleset) -> None:
        self.rules = rules
        self.dealer = dealer
        self.size = size = hands.shape[1]
        self.dealt = hands
        self.calls = np.zeros((4, size), np.uint8)
        self.tricks_won = np.zeros((4, size), np.uint8)
        self.plays = np.zeros((52, size), np.uint8)
        self.leaders = np.zeros((13, size), np.uint8)
        self.decision = 0
        self.turn: Seats = np.full(size, (dealer + 1) % 4, np.uint8)
        self.legal: CardSets = np.zeros(size, np.uint64)
        self.trick_leader: Seats = self.turn.copy()
        # Hands from the trick's leader on, so that whoever plays next is one row and no gathering is needed.
        self._held = np.roll(hands, -(dealer + 1), axis=0)
        self._led = self.legal
        self._may_win = self.legal
        self._best = self.legal
        self._best_position = np.zeros(size, np.uint8)

    @property
    def is_calling(self) -> bool:
        """Whether calls are due, not cards."""
        return self.decision < 4

    @property
    def is_over(self) -> bool:
        """Whether the last card has been played."""
        return self.decision == DECISIONS

    @property
    def legal_calls(self) -> range:
        """Calls that may be made; empty when none is due."""
        return range(self.rules.call_min, self.rules.call_max + 1) if self.is_calling else range(0)

    @property
    def cards_in_trick(self) -> int:
        """How many cards lie on each table."""
        return 0 if self.is_calling else self.decision % 4

    @property
    def hands(self) -> CardSets:
        """The cards still held, by seat: shape (4, n)."""
        return _rolled(self._held, np.negative(self.trick_leader))

    @property
    def hands_to_decide(self) -> CardSets:
        """The hands of the seats to decide, one a round."""
        held: CardSets = self._held[self.decision % 4]
        return held

    @property
    def unseen(self) -> CardSets:
        """The cards that the seats to decide have not seen: what the other three hold, one set a round."""
        everything: CardSets = np.bitwise_or.reduce(self._held, axis=0)
        return everything ^ self.hands_to_decide

    @property
    def winners(self) -> CardSets:
        """The legal cards that would be the best of the trick so far: all of them for a seat that leads."""
        return self.legal & self._beaters if self.cards_in_trick else self.legal

    def from_turn(self, by_seat: NDArray[_T]) -> NDArray[_T]:
        """What is by seat, shape (4, n), by relative seat: first the one to decide, then the next in turn."""
        return _rolled(by_seat, self.turn)

    def call(self, numbers: ArrayLike) -> None:
        """Makes each number a call, one a round; IllegalCall if one is illegal, and nothing changes."""
        called = whole_numbers(numbers, size=self.size)
        allowed = self.legal_calls
        is_legal = (called >= allowed.start) & (called < allowed.stop)
        if not is_legal.all():
            raise IllegalCall(self._why_not_call(called, is_legal))
        self.calls[(self.dealer + 1 + self.decision) % 4] = called
        self.decision += 1
        self.turn = (self.turn + _NEXT) & _SEATS
        if self.decision == 4:
            self.legal = self._held[0].copy()

    def play(self, cards: ArrayLike) -> None:
        """Plays each card (its number), one a round; IllegalCard if one is illegal, and nothing changes."""
        played = whole_numbers(cards, size=self.size)
        places = played.astype(np.uint64) - np.uint64(16)
        bits = _ONE << places  # a number that is no card is no bit of a hand, or shifted out of the 64
        if np.count_nonzero(bits & self.legal) != self.size:
            raise IllegalCard(self._why_not_play(played, bits))
        position = self.decision % 4
        self.plays[self.decision - 4] = played
        self._held[position] ^= bits
        self.decision += 1
        if position == 0:
            self._lead(bits, places)
        else:
            self._follow(bits, position)
        if position == 3:
            self._end_trick()
        else:
            self._pass_turn(position + 1)

    def scores_tenths(self) -> NDArray[np.int32]:
        """Tenths of a point by seat, shape (4, n); ValueError before the last card."""
        if not self.is_over:
            raise ValueError("the rounds are not over")
        return _score_table(self.rules)[self.calls, self.tricks_won]

    def _lead(self, bits: CardSets, places: CardSets) -> None:
        self.leaders[self.decision // 4 - 1] = self.trick_leader
        self._led = _SUIT << (places & _START_OF_SUIT)
        # Of these, the higher bit wins: spades lie above every other suit, and a discard is in neither.
        self._may_win = self._led | _SPADES
        self._best = bits
        self._best_position = np.zeros(self.size, np.uint8)

    def _follow(self, bits: CardSets, position: int) -> None:
        entered = bits & self._may_win
        is_better = entered > self._best
        self._best = np.maximum(self._best, entered)
        self._best_position = np.maximum(self._best_position, is_better.view(np.uint8) * np.uint8(position))

    def _pass_turn(self, position: int) -> None:
        # What `legal_cards` of arena.rules.tricks does, for all rounds.
        self.turn = (self.turn + _NEXT) & _SEATS
        hand = self._held[position]
        follow = hand & self._led
        due = np.where(follow, follow, hand)
        winners = due & self._beaters
        if self.rules.undertrump is Undertrump.FORCED:
            spades = hand & _SPADES
            due = np.where(follow, follow, np.where(spades, spades, hand))
        if self.rules.follow is Follow.FREE:
            winners = np.where(follow, _NO_CARDS, winners)
        self.legal = np.where(winners, winners, due)

    @property
    def _beaters(self) -> CardSets:
        above: CardSets = np.negative(self._best << _ONE)
        return self._may_win & above

    def _end_trick(self) -> None:
        ahead = self._best_position
        self.trick_leader = self.turn = winner = (self.trick_leader + ahead) & _SEATS
        for seat in range(4):
            self.tricks_won[seat] += winner == seat
        self._held = _rolled(self._held, ahead)
        self.legal = self._held[0].copy()
        self._best = np.zeros(self.size, np.uint64)

    def _why_not_call(self, called: NDArray[np.integer[Any]], is_legal: NDArray[np.bool_]) -> str:
        if not self.is_calling:
            return "calls were made when none was due"
        first = int(np.argmin(is_legal))
        allowed = f"{self.rules.call_min} to {self.rules.call_max} may be called"
        return f"match {first} of the batch: seat {self.turn[first]} called {called[first]}: {allowed}"

    def _why_not_play(self, played: NDArray[np.integer[Any]], bits: CardSets) -> str:
        if self.is_calling or self.is_over:
            return "cards were played when none was due"
        first = int(np.argmin(bits & self.legal != 0))
        return f"match {first} of the batch: seat {self.turn[first]} played {played[first]}: not legal"


def _rolled(rows: NDArray[_T], first: Seats) -> NDArray[_T]:
    """Four rows, each column of them beginning with the row that `first` says, and then going round."""
    size = first.size
    columns = np.arange(size)
    index = [((first + np.uint8(i)) & _SEATS) * np.intp(size) + columns for i in range(4)]
    return rows.ravel().take(np.array(index))


@lru_cache
def _score_table(rules: Ruleset) -> NDArray[np.int32]:
    numbers = range(_MOST_TRICKS + 1)
    return np.array([[score_tenths(call, won, rules) for won in numbers] for call in numbers], np.int32)
