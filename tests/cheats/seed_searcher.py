"""Tries short seeds until one deals it the hand that it holds: it would then know all four hands."""

from __future__ import annotations

from arena.rules import Seed, card_set, deal
from arena.sdk import Bot, Card, View, run

SEEDS = 60
SETS = 3


class SeedSearcher(Bot):
    """Plays low; its note tells a seed that deals its hand."""

    def call(self, view: View) -> int:
        """The lowest call, after the search."""
        mine = card_set(view.hand)
        for number in range(SEEDS):
            seed = Seed.parse(str(number))
            if any(mine in deal(seed, set_number, view.round_number) for set_number in range(SETS)):
                view.note(f"the seed is {number}")
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest card."""
        return view.legal_cards[0]


if __name__ == "__main__":
    run(SeedSearcher())
