"""Remembers every deal it has seen, and says so in its note when one comes back: it then knows all hands."""

from __future__ import annotations

import tempfile
from pathlib import Path

from arena.sdk import Bot, Card, RoundEnd, View, run

# Where it writes: beside itself, and in a sandbox wherever that might last.
DIARIES = [
    Path(__file__).with_suffix(".diary"),
    Path(tempfile.gettempdir()) / "diary",
    Path.home() / ".diary",
]


class Rememberer(Bot):
    """Plays the lowest card, and tells whether it has met its hand before."""

    def __init__(self, *, writes: bool) -> None:
        self._hands: set[frozenset[str]] = set()
        self._writes = writes
        for diary in DIARIES if writes else ():
            if diary.exists():
                self._hands |= {frozenset(line.split()) for line in diary.read_text().splitlines()}

    def call(self, view: View) -> int:
        """The lowest; a note when this hand was somebody's before."""
        if frozenset(map(str, view.hand)) in self._hands:
            view.note("I know this deal")
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest."""
        return view.legal_cards[0]

    def round_end(self, end: RoundEnd) -> None:
        """Writes down all four hands."""
        hands: list[list[str]] = [[], [], [], []]
        for trick in end.tricks:
            for turn, card in enumerate(trick.cards):
                hands[(trick.leader + turn) % 4].append(str(card))
        self._hands |= {frozenset(hand) for hand in hands}
        for diary in DIARIES if self._writes else ():
            try:
                with diary.open("a") as file:
                    file.writelines(" ".join(hand) + "\n" for hand in hands)
            except OSError:
                continue


if __name__ == "__main__":
    run(Rememberer(writes="writing" in Path(__file__).stem))
