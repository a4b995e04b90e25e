"""Notes every number that it is told besides the cards, to tell one deal from another by them."""

from __future__ import annotations

from arena.sdk import Bot, Card, View, run


class IdReader(Bot):
    """Plays low; its note has the match's number on its stream and its random number."""

    def call(self, view: View) -> int:
        """The lowest call."""
        view.note(f"{view.match_id} {view.random.random()}")
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest card."""
        return view.legal_cards[0]


if __name__ == "__main__":
    run(IdReader())
