"""Owns how a word or a number looks to people, and how a text from a stranger is made safe to print."""

from __future__ import annotations

import unicodedata

__all__ = ["NOTHING", "harmless", "number", "percent", "points"]

NOTHING = "-"
MINUS = "−"
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def harmless(text: str, *, longest: int = 400) -> str:
    """A text that came from a bot, safe to print: one line, nothing that steers a terminal or hides.

    Control characters, escape sequences, line breaks and characters that reorder or vanish become `\\x1b` and
    the like.
    """
    shown = "".join(_visible(character) for character in text[: longest + 1])
    return shown if len(text) <= longest else f"{shown[:longest]}..."


def number(value: float | None, *, decimals: int = 0) -> str:
    """A number with a true minus sign; `-` when there is none."""
    if value is None:
        return NOTHING
    text = f"{value:.{decimals}f}"
    return text.replace("-", MINUS) if float(text) else text.lstrip("-")


def points(tenths: int) -> str:
    """Tenths of a point as people read them: 4.2."""
    return number(tenths / 10, decimals=1)


def percent(share: float | None) -> str:
    """A share as a whole number of hundredths, without the sign: the header has it."""
    return number(None if share is None else 100 * share)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in UNSEEN:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
