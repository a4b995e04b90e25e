"""Takes nearly all the time that it may take for every decision, to tire the others."""

from __future__ import annotations

import time

from arena.sdk import Bot, Card, View, run


class Staller(Bot):
    """Plays low, and late."""

    def call(self, view: View) -> int:
        """The lowest call, at the last moment."""
        time.sleep(0.7 * view.time.limit_s)
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest card, at the last moment."""
        time.sleep(0.7 * view.time.limit_s)
        return view.legal_cards[0]


if __name__ == "__main__":
    run(Staller())
