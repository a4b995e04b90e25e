"""Looks for the plan, the results, the other bots and their sockets, wherever it may look."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from arena.sdk import Bot, Card, View, run

WANTED = ("plan.json", "results.sqlite3", "secret.py")
ROOTS = ("/tmp", "/var/tmp", "/run", "/bot")


def found() -> list[str]:
    """Files that it should not be able to read, and sockets that answer."""
    paths = [Path(folder, name) for root in ROOTS for folder, _, names in os.walk(root) for name in names]
    mine = os.environ["ARENA_ADDRESS"].removeprefix("unix://")
    sockets = [path for path in paths if path.name.endswith(".sock") and str(path) != mine]
    spoils = {path.name for path in paths if path.name in WANTED and _is_readable(path)}
    return sorted(spoils | {"socket" for path in sockets if _answers(path)})


def _is_readable(path: Path) -> bool:
    try:
        return bool(path.read_bytes())
    except OSError:
        return False


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as door:
        try:
            door.connect(str(path))
        except OSError:
            return False
    return True


class Peeper(Bot):
    """Plays low; its first note tells what it found."""

    def __init__(self) -> None:
        self._spoils = " ".join(found()) or "nothing"

    def call(self, view: View) -> int:
        """The lowest call."""
        view.note(self._spoils)
        return view.legal_calls[0]

    def play(self, view: View) -> Card:
        """The lowest card."""
        return view.legal_cards[0]


if __name__ == "__main__":
    run(Peeper())
