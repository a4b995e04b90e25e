"""A bot that plays Call Break: make it yours. `arena.sdk` speaks the protocol; two methods decide."""

from __future__ import annotations

from arena.sdk import Bot, Card, View, run


class MyBot(Bot):
    """Calls the least it may, plays the first card it may."""

    name = "my-bot"
    version = "0.1.0"
    max_parallel_matches = 64

    def call(self, view: View) -> int:
        """How many tricks to call, before the first card: `view.hand` holds thirteen cards."""
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """Which card to play: look at `view.trick`, `view.history`, `view.calls`, `view.tricks_won`."""
        return view.legal_cards[0]


if __name__ == "__main__":
    run(MyBot())
