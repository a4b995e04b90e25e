"""Call Break in one process, for training: the rules and views of the arena, without the arena.

Owns the PettingZoo environment (`arena.env.aec`, which needs the extra `rl`), the vectorised one for
thousands of matches at once (numpy only), and the action space and observation layout that both share. It
knows no bot, no clock and no file. docs/training.md shows how it is used.
"""

from __future__ import annotations

from arena.env.actions import ACTIONS, action_of_call, action_of_card, call_of_action, card_of_action
from arena.env.card_sets import card_columns, lowest_numbers, lowest_ranks, up_to_highest
from arena.env.dealing import BatchDeals, random_deals, seeded_deals
from arena.env.layout import LAYOUT, OBSERVATION_SIZE, Field
from arena.env.match_batch import MatchBatch
from arena.env.random_play import random_actions, random_calls, random_cards
from arena.env.rewards import Reward
from arena.env.round_batch import RoundBatch
from arena.env.vector import Step, VectorEnv

__all__ = [
    "ACTIONS",
    "LAYOUT",
    "OBSERVATION_SIZE",
    "BatchDeals",
    "Field",
    "MatchBatch",
    "Reward",
    "RoundBatch",
    "Step",
    "VectorEnv",
    "action_of_call",
    "action_of_card",
    "call_of_action",
    "card_columns",
    "card_of_action",
    "lowest_numbers",
    "lowest_ranks",
    "random_actions",
    "random_calls",
    "random_cards",
    "random_deals",
    "seeded_deals",
    "up_to_highest",
]
