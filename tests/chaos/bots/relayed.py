"""Plays at random like `patient`, over a relay of its own that cuts or stalls its stream when told to.

SIGUSR1 cuts it in the middle of what it carries next; SIGUSR2 stalls it, both ways, for STALL_S.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time

from arena.sdk import Bot, Card, View, run

THOUGHT_S = 0.006
STALL_S = 1.0
PIECE_BYTES = 65536


class Relay:
    """Carries bytes between the bot, on a port of this machine, and the arena."""

    def __init__(self, arena: str) -> None:
        self._arena = arena
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._is_cut = threading.Event()
        self._stalled_until_s = 0.0
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self) -> None:
        """The next piece is carried half, and then nothing."""
        self._is_cut.set()

    def stall(self) -> None:
        """Nothing is carried for a while."""
        self._stalled_until_s = time.monotonic() + STALL_S

    def carry(self) -> None:
        """Serves the one connection that the bot makes, as long as it stands."""
        bot, _ = self._listener.accept()
        arena = socket.socket(socket.AF_UNIX)
        arena.connect(self._arena)
        to = {bot: arena, arena: bot}
        while True:
            for source in select.select(list(to), [], [])[0]:
                piece = source.recv(PIECE_BYTES)
                time.sleep(max(0.0, self._stalled_until_s - time.monotonic()))
                if self._is_cut.is_set() or not piece:
                    to[source].sendall(piece[: len(piece) // 2])
                    arena.close()
                    bot.close()
                    return
                to[source].sendall(piece)


class Relayed(Bot):
    """Three matches at once, one thought after the other."""

    max_parallel_matches = 3

    def call(self, view: View) -> int:
        """Any call."""
        time.sleep(THOUGHT_S)
        return view.random.choice(view.legal_calls[:4])

    def play(self, view: View) -> Card:
        """Any card."""
        time.sleep(THOUGHT_S)
        return view.random.choice(view.legal_cards)


if __name__ == "__main__":
    relay = Relay(os.environ["ARENA_ADDRESS"].removeprefix("unix://"))
    os.environ["ARENA_ADDRESS"] = relay.address
    threading.Thread(target=relay.carry, daemon=True).start()
    signal.signal(signal.SIGUSR1, lambda *_: relay.cut())
    signal.signal(signal.SIGUSR2, lambda *_: relay.stall())
    run(Relayed())
