"""Owns the house bots: small bots that ship with the arena and fill a table of two or three entrants.

Each is one file that runs on its own with `arena.sdk`, like any bot of an entrant.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

__all__ = ["HOUSE_BOTS"]

_FOLDER = Path(__file__).parent

HOUSE_BOTS: Mapping[str, Path] = MappingProxyType(
    {
        "house-greedy": _FOLDER / "house_greedy.py",
        "house-lowest": _FOLDER / "house_lowest.py",
        "house-random": _FOLDER / "house_random.py",
    }
)
"""File of each house bot by its name; those that play best first, which is the order to fill seats in."""
