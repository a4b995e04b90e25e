"""Owns many matches at once: their rounds, redeals and totals; what `arena.rules.matches` is for one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.env.dealing import BatchDeals, asks_for_redeal
from arena.env.round_batch import RoundBatch
from arena.errors import ArenaError
from arena.rules.matches import FIRST_DEALER, REDEALS_ALLOWED
from arena.rules.rulesets import Ruleset

__all__ = ["MatchBatch"]


class MatchBatch:
    """Matches in step: make the decisions on `round`, and `next_round` when it is over.

    `totals_tenths`, shape (4, size) by seat, holds what the rounds that `next_round` settled have brought;
    `redeals` how many deals each match threw in before this round. When the matches are over (`is_over`),
    `round` is still the last one.
    """

    def __init__(self, rules: Ruleset, deals: BatchDeals, *, size: int) -> None:
        if size < 1:
            raise ArenaError(f"size is {size}; allowed: 1 match or more")
        self.rules = rules
        self.size = size
        self.is_over = False
        self.round_number = 1
        self.dealer = FIRST_DEALER
        self.totals_tenths = np.zeros((4, size), np.int32)
        self.redeals = np.zeros(size, np.uint8)
        self._deals = deals
        self.round = self._deal_round()

    def next_round(self) -> NDArray[np.int32]:
        """Settles the round that is over, deals the next or ends the matches.

        Returns its scores in tenths, shape (4, size); ValueError while it is played.
        """
        if self.is_over:
            raise ValueError("the matches are over")
        scores = self.round.scores_tenths()
        self.totals_tenths += scores
        if self.round_number == self.rules.rounds:
            self.is_over = True
            return scores
        self.round_number += 1
        self.dealer = (self.dealer + 1) % 4
        self.round = self._deal_round()
        return scores

    def _deal_round(self) -> RoundBatch:
        everyone = np.arange(self.size)
        hands = self._deals(self.round_number, 0, everyone)
        self.redeals = np.zeros(self.size, np.uint8)
        thrown_in = np.flatnonzero(asks_for_redeal(hands, self.rules))
        while thrown_in.size:
            attempt = int(self.redeals[thrown_in[0]]) + 1
            if attempt > REDEALS_ALLOWED:
                raise self._endless_redeals()
            self.redeals[thrown_in] = attempt
            again = self._deals(self.round_number, attempt, thrown_in)
            hands[:, thrown_in] = again
            thrown_in = thrown_in[asks_for_redeal(again, self.rules)]
        return RoundBatch(hands, dealer=self.dealer, rules=self.rules)

    def _endless_redeals(self) -> ArenaError:
        return ArenaError(
            f"round {self.round_number}: {REDEALS_ALLOWED} deals in a row were thrown in and so would be the "
            f"next; turn redeal off, or let more than {self.rules.redeal_face_ranks} be face cards"
        )
