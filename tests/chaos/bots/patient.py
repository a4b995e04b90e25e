"""Plays at random, the same whenever a match is played again, and thinks long enough to be met thinking."""

from __future__ import annotations

import time

from arena.sdk import Bot, Card, View, run

THOUGHT_S = 0.012


class Patient(Bot):
    """Three matches at once, one thought after the other."""

    max_parallel_matches = 3

    def call(self, view: View) -> int:
        """Any call."""
        time.sleep(THOUGHT_S)
        return view.random.choice(view.legal_calls[:4])

    def play(self, view: View) -> Card:
        """Any card."""
        time.sleep(THOUGHT_S)
        return view.random.choice(view.legal_cards)


if __name__ == "__main__":
    run(Patient())
