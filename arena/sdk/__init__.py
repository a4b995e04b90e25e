"""Owns what the author of a Python bot imports; needs only `arena.v1`, `arena.rules`, grpc and protobuf.

from arena.sdk import Bot, run

class Lowest(Bot):
    def call(self, view):
        return view.legal_calls[0]

    def play(self, view):
        return min(view.legal_cards, key=lambda card: card.rank)

if __name__ == "__main__":
    run(Lowest())
"""

from __future__ import annotations

from arena.rules.cards import Card, Suit
from arena.rules.rulesets import Ruleset
from arena.rules.scores import score_tenths
from arena.rules.tricks import Trick
from arena.sdk.bot import Bot
from arena.sdk.events import MatchEnd, MatchStart, Replacement, RoundEnd, Time
from arena.sdk.poller import choose_poller
from arena.sdk.view import View

__all__ = [
    "Bot",
    "Card",
    "MatchEnd",
    "MatchStart",
    "Replacement",
    "RoundEnd",
    "Ruleset",
    "Suit",
    "Time",
    "Trick",
    "View",
    "run",
    "score_tenths",
]


def run(bot: Bot) -> None:
    """Play for `bot` on the arena at ARENA_ADDRESS until the arena says Goodbye; see `arena.sdk.stream`."""
    choose_poller()
    from arena.sdk import stream  # not at import: training without an arena needs no gRPC

    stream.run(bot)
