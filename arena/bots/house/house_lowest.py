"""The house bot that calls the minimum and plays its lowest card."""

from __future__ import annotations

from arena.sdk import Bot, Card, View, run


class HouseLowest(Bot):
    name = "house-lowest"
    version = "1.0.0"
    max_parallel_matches = 1024

    def call(self, view: View) -> int:
        return min(view.legal_calls)

    def play(self, view: View) -> Card:
        return min(view.legal_cards, key=lambda card: card.rank)


if __name__ == "__main__":
    run(HouseLowest())
