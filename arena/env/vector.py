"""Owns the vectorised environment: thousands of matches in step, actions in, rewards and observations out."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.env.actions import ACTIONS, CARDS, action_of_call
from arena.env.card_sets import card_columns
from arena.env.dealing import BatchDeals, random_deals, seeded_deals
from arena.env.match_batch import MatchBatch
from arena.env.observations import observations_of
from arena.env.rewards import Reward, rewards_of
from arena.env.round_batch import Seats, whole_numbers
from arena.rules.deals import Seed
from arena.rules.rulesets import CALLBREAK, Ruleset

__all__ = ["Step", "VectorEnv"]


@dataclass(frozen=True, slots=True)
class Step:
    """What came of a step. The matches go in step, so a round ends in all of them or in none."""

    rewards: NDArray[np.float64]
    """Points by match and seat, shape (size, 4): 0 unless a round ended."""
    is_round_over: bool
    """Whether a round ended; the next has been dealt."""
    is_match_over: bool
    """Whether it was the last one; the next matches have been dealt."""


class VectorEnv:
    """Matches of one ruleset, all at the same decision; `matches` holds their state.

    Call `reset` first. Forced plays are asked for like others: to skip them would bring the matches out of
    step. With `tournament_deals` the deals are those of a tournament with the same seed, match i of the
    k-th matches playing set k * size + i; each is hashed, which is slow. Otherwise they come from numpy's
    generator.
    """

    matches: MatchBatch

    def __init__(
        self,
        size: int,
        rules: Ruleset = CALLBREAK,
        *,
        reward: Reward | str = Reward.SCORE,
        tournament_deals: bool = False,
    ) -> None:
        self.size = size
        self.rules = rules
        self.reward = Reward(reward)
        self.tournament_deals = tournament_deals
        self._seed: Seed | None = None
        self._episode = 0
        self._deals: BatchDeals

    @property
    def turn(self) -> Seats:
        """The seats to decide, one a match."""
        return self.matches.round.turn

    def reset(self, seed: int | None = None) -> None:
        """Deals new matches; a seed, from 0 to 2**64 - 1, begins its sequence of deals from the start."""
        if seed is not None or self._seed is None:
            self._seed = Seed.fresh(os.urandom(32)) if seed is None else Seed.parse(str(seed))
            self._episode = 0
            words = int.from_bytes(self._seed.value, "big")
            self._deals = random_deals(np.random.Generator(np.random.SFC64(words)))
        else:
            self._episode += 1
        if self.tournament_deals:
            first = self._episode * self.size
            self._deals = seeded_deals(self._seed, range(first, first + self.size))
        self.matches = MatchBatch(self.rules, self._deals, size=self.size)

    def observe(self) -> dict[str, NDArray[np.int8]]:
        """What the seats to decide may see: "observation" (size, OBSERVATION_SIZE) and "action_mask"."""
        return {"observation": observations_of(self.matches), "action_mask": self.action_mask()}

    def action_mask(self) -> NDArray[np.int8]:
        """1 for each action that may be taken, 0 for the others: shape (size, 65)."""
        now = self.matches.round
        mask = np.zeros((self.size, ACTIONS), np.int8)
        mask[:, :CARDS] = card_columns(now.legal)
        if now.is_calling:
            calls = now.legal_calls
            mask[:, action_of_call(calls[0]) : action_of_call(calls[-1]) + 1] = 1
        return mask

    def step(self, actions: ArrayLike) -> Step:
        """Takes an action in each match; IllegalCall or IllegalCard if one is illegal: nothing changes."""
        taken = whole_numbers(actions, size=self.size).astype(np.int64)
        now = self.matches.round
        if now.is_calling:
            now.call(taken - (CARDS - 1))
        else:
            now.play(16 * (taken // 13 + 1) + taken % 13 + 2)
        if not now.is_over:
            return Step(np.zeros((self.size, 4)), is_round_over=False, is_match_over=False)
        rewards = rewards_of(self.matches.next_round().T, self.reward)
        is_match_over = self.matches.is_over
        if is_match_over:
            self.reset()
        return Step(rewards, is_round_over=True, is_match_over=is_match_over)
