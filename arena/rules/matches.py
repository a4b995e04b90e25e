"""Owns a match: its rounds, dealers, redeals and totals; knows no bot, and no seed (deals are handed in)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from arena.errors import ArenaError
from arena.rules.cards import RANK_LETTERS, CardSet, card_numbers
from arena.rules.rounds import Round
from arena.rules.rulesets import Ruleset
from arena.rules.tricks import SPADES

__all__ = ["Deals", "FinishedRound", "Match", "Redeal", "RedealReason", "redeal_of", "redeal_reason"]

REDEALS_ALLOWED: Final = 100
FIRST_DEALER: Final = 3

Deals = Callable[[int, int], Sequence[CardSet]]
"""The four hands for a round number (from 1) and an attempt (from 0)."""


class RedealReason(IntEnum):
    """Why a deal is thrown in; numbers as in the protocol."""

    NO_SPADE = 1
    NO_FACE_CARD = 2


@dataclass(frozen=True, slots=True)
class Redeal:
    """A deal that was thrown in: the first seat whose hand asked for it, and why."""

    seat: int
    reason: RedealReason


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A round that was played to its end; lists go by seat, `plays` in play order, `leaders` one a trick."""

    round_number: int
    dealer: int
    dealt: tuple[CardSet, ...]
    calls: tuple[int, ...]
    plays: tuple[int, ...]
    leaders: tuple[int, ...]
    tricks_won: tuple[int, ...]
    scores_tenths: tuple[int, ...]
    redeals: tuple[Redeal, ...]


def redeal_reason(hand: CardSet, rules: Ruleset) -> RedealReason | None:
    """Why a dealt hand has the deal thrown in; None when it does not, always so with `redeal` off."""
    if not rules.redeal:
        return None
    if not hand & SPADES:
        return RedealReason.NO_SPADE
    face_ranks = [2 + RANK_LETTERS.index(letter) for letter in rules.redeal_face_ranks]
    if not any(number & 15 in face_ranks for number in card_numbers(hand)):
        return RedealReason.NO_FACE_CARD
    return None


def redeal_of(hands: Sequence[CardSet], rules: Ruleset) -> Redeal | None:
    """The redeal that these four hands ask for, by the first seat that does."""
    if not rules.redeal:
        return None
    for seat, hand in enumerate(hands):
        reason = redeal_reason(hand, rules)
        if reason is not None:
            return Redeal(seat, reason)
    return None


class Match:
    """A match in play: make the decisions on `round`, and `next_round` when it is over.

    `finished` and `totals_tenths` (by seat) hold the rounds that `next_round` has settled, `scores_tenths`
    their scores, four a round. `dealer` dealt `round`, after the deals in `redeals` were thrown in. When the
    match `is_over`, `round` is still the last one.
    """

    __slots__ = (
        "_deals",
        "dealer",
        "finished",
        "is_over",
        "redeals",
        "round",
        "round_number",
        "rules",
        "scores_tenths",
        "totals_tenths",
    )

    def __init__(self, rules: Ruleset, deals: Deals) -> None:
        self.rules = rules
        self._deals = deals
        self.finished: list[FinishedRound] = []
        self.totals_tenths = [0, 0, 0, 0]
        self.scores_tenths: list[int] = []
        self.is_over = False
        self.round_number = 1
        self.dealer = FIRST_DEALER
        self.redeals: tuple[Redeal, ...] = ()
        self.round = self._deal_round()

    def next_round(self) -> FinishedRound:
        """Settles the round that is over, deals the next or ends the match; ValueError while it is played."""
        if self.is_over:
            raise ValueError("the match is over")
        finished = self._settled()
        self.finished.append(finished)
        self.scores_tenths += finished.scores_tenths
        self.totals_tenths = [
            total + score for total, score in zip(self.totals_tenths, finished.scores_tenths, strict=True)
        ]
        if self.round_number == self.rules.rounds:
            self.is_over = True
            return finished
        self.round_number += 1
        self.dealer = (self.dealer + 1) % 4
        self.round = self._deal_round()
        return finished

    def _settled(self) -> FinishedRound:
        played = self.round
        return FinishedRound(
            round_number=self.round_number,
            dealer=self.dealer,
            dealt=played.dealt,
            calls=tuple(played.calls),
            plays=tuple(played.history),
            leaders=tuple(played.history_leaders),
            tricks_won=tuple(played.tricks_won),
            scores_tenths=tuple(played.scores_tenths()),
            redeals=self.redeals,
        )

    def _deal_round(self) -> Round:
        redeals: list[Redeal] = []
        hands = self._deals(self.round_number, 0)
        while (redeal := redeal_of(hands, self.rules)) is not None:
            if len(redeals) == REDEALS_ALLOWED:
                raise self._endless_redeals()
            redeals.append(redeal)
            hands = self._deals(self.round_number, len(redeals))
        self.redeals = tuple(redeals)
        return Round(hands, dealer=self.dealer, rules=self.rules)

    def _endless_redeals(self) -> ArenaError:
        return ArenaError(
            f"round {self.round_number}: {REDEALS_ALLOWED} deals in a row were thrown in and so would be the "
            f"next; turn redeal off, or let more than {self.rules.redeal_face_ranks} be face cards"
        )
