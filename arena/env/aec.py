"""Owns the PettingZoo environment: one match as an AEC game for four agents. Needs the extra `rl`.

    pip install "callbreak-arena[rl]"

Rules, legality and deals are those of `arena.rules`; docs/training.md has the spaces and a loop.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar, Final

import gymnasium.spaces
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from arena.env.actions import ACTIONS, action_mask, call_of_action, card_of_action
from arena.env.layout import bounds
from arena.env.observations import observation_of
from arena.env.rewards import Reward, rewards_of
from arena.env.text import match_text
from arena.errors import ArenaError
from arena.rules.deals import Seed, deal
from arena.rules.matches import Match
from arena.rules.rounds import Round
from arena.rules.rulesets import CALLBREAK, Ruleset

__all__ = ["AGENTS", "CallBreakEnv", "env"]

AGENTS: Final = ("seat_0", "seat_1", "seat_2", "seat_3")
"""The agents, by seat."""

Observation = dict[str, Any]


def env(rules: Ruleset = CALLBREAK, **options: Any) -> AECEnv[str, Observation, int]:
    """A `CallBreakEnv` in PettingZoo's usual wrappers: misuse is told in words."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(CallBreakEnv(rules, **options)))


class CallBreakEnv(AECEnv[str, Observation, int]):  # type: ignore[misc] # PettingZoo has no types
    """A match between four agents, `seat_0` to `seat_3`, which act when it is their turn.

    Actions are those of `arena.env.actions`. An observation is a dict of "observation", the columns of
    `arena.env.layout.LAYOUT`, and "action_mask", all 0 for an agent that is not to act. Rewards fall when a
    round ends, to all four. Unless `ask_forced_plays`, a card that is the only legal one is played without
    asking, as in the arena. `match` is the match itself, all hands open.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "callbreak_v1",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Ruleset = CALLBREAK,
        *,
        reward: Reward | str = Reward.SCORE,
        ask_forced_plays: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ArenaError(f"render_mode is {render_mode!r}; allowed: None or 'ansi'")
        self.rules = rules
        self.reward = Reward(reward)
        self.ask_forced_plays = ask_forced_plays
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.match: Match
        self._seed: Seed | None = None
        self._set_number = 0
        self._observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self._action_spaces = {agent: gymnasium.spaces.Discrete(ACTIONS) for agent in AGENTS}

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Observation]:
        """The same for every agent; see the class."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Discrete(65); see `arena.env.actions`."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new match: set 0 of a tournament with this seed, or without one the set after the last.

        `options={"set_number": n}` plays set n. Whatever else is in the options is for wrappers, and ignored.
        """
        if seed is not None or self._seed is None:
            self._seed = Seed.fresh(os.urandom(32)) if seed is None else Seed.parse(str(seed))
            self._set_number = 0
        else:
            self._set_number += 1
        self._set_number = (options or {}).get("set_number", self._set_number)
        self.match = Match(self.rules, partial(deal, self._seed, self._set_number))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.match.round.turn]

    def observe(self, agent: str) -> Observation:
        """What this agent may see, now."""
        seat = AGENTS.index(agent)
        now = self.match.round
        is_to_act = seat == now.turn
        mask = action_mask(now.legal, now.legal_calls) if is_to_act else np.zeros(ACTIONS, np.int8)
        return {"observation": observation_of(self.match, seat), "action_mask": mask}

    def step(self, action: int) -> None:
        """Acts for `agent_selection`; IllegalCall or IllegalCard if that is illegal, and nothing changes."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        _act(self.match.round, int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._go_on()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The match as text, all hands open; None without a render mode."""
        return match_text(self.match) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to release."""

    def _go_on(self) -> None:
        """Plays what is forced, settles what is over, and selects the agent that is to act."""
        if not self.ask_forced_plays:
            _play_forced(self.match.round)
        if self.match.round.is_over:
            self._settle()
        if not self.match.is_over:
            self.agent_selection = AGENTS[self.match.round.turn]

    def _settle(self) -> None:
        scores = np.array(self.match.next_round().scores_tenths, np.int32)
        for agent, reward in zip(AGENTS, rewards_of(scores, self.reward).tolist(), strict=True):
            self.rewards[agent] = reward
        if self.match.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)


def _observation_space() -> gymnasium.spaces.Dict:
    lows, highs = bounds()
    return gymnasium.spaces.Dict(
        {
            "observation": gymnasium.spaces.Box(lows, highs, dtype=np.int8),
            "action_mask": gymnasium.spaces.Box(0, 1, (ACTIONS,), dtype=np.int8),
        }
    )


def _act(now: Round, action: int) -> None:
    if now.is_calling:
        now.call(call_of_action(action))
    else:
        now.play(card_of_action(action))


def _play_forced(now: Round) -> None:
    while not now.is_over and now.legal and now.legal & (now.legal - 1) == 0:
        now.play(now.legal.bit_length() + 15)
