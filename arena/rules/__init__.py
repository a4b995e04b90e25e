"""The game of Call Break as values: cards, rulesets, deals, tricks, rounds, scores, matches, views.

Standard library only; no clock, no randomness of its own; the one file it can read is a ruleset's TOML.
"""

from __future__ import annotations

from arena.rules.cards import (
    FULL_DECK,
    SUIT_CARDS,
    Card,
    CardSet,
    Suit,
    card_bytes,
    card_list,
    card_numbers,
    card_set,
    card_text,
    cards,
    contains,
)
from arena.rules.deals import Seed, commitment, deal, match_entropy, mix
from arena.rules.house_rules import find_ruleset, load_ruleset, parse_ruleset, with_rules
from arena.rules.matches import Deals, FinishedRound, Match, Redeal, RedealReason, redeal_of, redeal_reason
from arena.rules.rounds import IllegalCall, IllegalCard, Round
from arena.rules.rulesets import (
    ALIASES,
    CALLBREAK,
    PRESETS,
    RULE_MEANINGS,
    Follow,
    Ruleset,
    RulesetError,
    Success,
    Undertrump,
    rule_text,
)
from arena.rules.scores import places, score_tenths
from arena.rules.tricks import SPADES, Trick, legal_cards
from arena.rules.views import View, view_of

__all__ = [
    "ALIASES",
    "CALLBREAK",
    "FULL_DECK",
    "PRESETS",
    "RULE_MEANINGS",
    "SPADES",
    "SUIT_CARDS",
    "Card",
    "CardSet",
    "Deals",
    "FinishedRound",
    "Follow",
    "IllegalCall",
    "IllegalCard",
    "Match",
    "Redeal",
    "RedealReason",
    "Round",
    "Ruleset",
    "RulesetError",
    "Seed",
    "Success",
    "Suit",
    "Trick",
    "Undertrump",
    "View",
    "card_bytes",
    "card_list",
    "card_numbers",
    "card_set",
    "card_text",
    "cards",
    "commitment",
    "contains",
    "deal",
    "find_ruleset",
    "legal_cards",
    "load_ruleset",
    "match_entropy",
    "mix",
    "parse_ruleset",
    "places",
    "redeal_of",
    "redeal_reason",
    "rule_text",
    "score_tenths",
    "view_of",
    "with_rules",
]
