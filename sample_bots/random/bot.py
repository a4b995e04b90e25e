"""Lesson 2: chance that can be repeated: `view.random` is the same when the same match is played again."""

from __future__ import annotations

from arena.sdk import Bot, Card, View, run


class Random(Bot):
    """Calls and plays anything that is legal."""

    name = "random"
    version = "1.0.0"
    max_parallel_matches = 64

    def call(self, view: View) -> int:
        return view.random.choice(view.legal_calls)

    def play(self, view: View) -> Card:
        return view.random.choice(view.legal_cards)


if __name__ == "__main__":
    run(Random())
