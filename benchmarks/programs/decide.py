"""What the bots of every peer do with a question in JSON: as little as the house bot, or nothing."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

Question = dict[str, Any]
Decide = Callable[[Question], dict[str, int]]


def lowest(question: Question) -> dict[str, int]:
    """The lowest call, a card of the lowest rank: as `house-lowest` decides."""
    if question["legal_calls"]:
        return {"match": question["match"], "call": min(question["legal_calls"])}
    card = min(question["legal_cards"], key=lambda number: number & 15)
    return {"match": question["match"], "card": card}


def null(question: Question) -> dict[str, int]:
    """The first call, the first card."""
    if question["legal_calls"]:
        return {"match": question["match"], "call": question["legal_calls"][0]}
    return {"match": question["match"], "card": question["legal_cards"][0]}


DECIDERS: dict[str, Decide] = {"lowest": lowest, "null": null}


def end_with_standard_input() -> None:
    """Ends the process when its standard input does: when whoever started it is gone."""

    def wait() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
