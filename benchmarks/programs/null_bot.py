"""The bot that does nothing but answer: the lowest call, the first card. What it costs is the arena's."""

from __future__ import annotations

from arena.sdk import Bot, Card, View, run


class NullBot(Bot):
    name = "null"
    max_parallel_matches = 1024

    def call(self, view: View) -> int:
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        return view.legal_cards[0]


if __name__ == "__main__":
    run(NullBot())
