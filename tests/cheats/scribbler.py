"""Writes what terminals, browsers and spreadsheets might obey into its notes, its output and its answers."""

from __future__ import annotations

import sys

from arena.sdk import Bot, Card, View, run

POISON = '\x1b[2J\x1b]0;owned\x07\x9b31m<script>alert(1)</script>\r\n=HYPERLINK("x")\u202e\u0000'


class Scribbler(Bot):
    """Plays low."""

    def call(self, view: View) -> int:
        """The lowest call, with a poisoned note; an illegal one now and then, for the fault's sake."""
        print(POISON, flush=True)
        print(POISON, file=sys.stderr, flush=True)
        view.note(POISON)
        return 99 if view.round_number == 2 else view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest card, with a poisoned note."""
        view.note("=1+1" + POISON)
        return view.legal_cards[0]


if __name__ == "__main__":
    run(Scribbler())
