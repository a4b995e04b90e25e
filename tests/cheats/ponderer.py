"""Thinks all the time in a thread of its own, and notes the processor time that it has had so far."""

from __future__ import annotations

import threading
import time

from arena.sdk import Bot, Card, View, run


def ponder() -> None:
    """Burns whatever processor time there is."""
    while True:
        sum(range(1000))


class Ponderer(Bot):
    """Plays low; each note is the CPU seconds of its process since the last note, in a call or a play."""

    def __init__(self) -> None:
        self._before = time.process_time()
        threading.Thread(target=ponder, daemon=True).start()

    def call(self, view: View) -> int:
        """The lowest call."""
        self._note(view)
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest card."""
        self._note(view)
        return view.legal_cards[0]

    def _note(self, view: View) -> None:
        now = time.process_time()
        view.note(f"{now - self._before:.3f}")
        self._before = now


if __name__ == "__main__":
    run(Ponderer())
