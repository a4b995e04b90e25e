"""Takes 16 MB more, again and again, until it has two gigabytes; only a sandbox keeps it from them.

It stands alone, without `_wire`: in the sandbox a single file sees nothing beside it.
"""

from __future__ import annotations

from arena.rules import Card
from arena.sdk import Bot, View, run

BLOCK = 16 * 1024 * 1024
MOST = 2 * 1024 * 1024 * 1024


class Hog(Bot):
    """Plays like any other once it has loaded what it thinks it needs."""

    def __init__(self) -> None:
        self.model = [bytearray(b"x" * BLOCK) for _ in range(MOST // BLOCK)]

    def call(self, view: View) -> int:
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        return view.legal_cards[0]


if __name__ == "__main__":
    run(Hog())
