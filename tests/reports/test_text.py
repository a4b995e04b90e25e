"""What is printed of numbers and of strangers' words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.reports.text import harmless, number, percent, points


@given(st.text())
def test_no_text_can_steer_the_terminal_or_break_the_line(text: str) -> None:
    shown = harmless(text)

    assert all(unicodedata.category(character)[0] != "C" for character in shown)
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, été", "plain words, été"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("two\nlines\r", "two\\x0alines\\x0d"),
        ("evil\u202etxt.exe", "evil\\u202etxt.exe"),
        ("\x9b31m", "\\x9b31m"),
        ("a\U000e0001b", "a\\U000e0001b"),
    ],
)
def test_what_cannot_be_seen_is_spelt_out(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_long_text_is_cut_with_dots() -> None:
    assert harmless("x" * 500, longest=10) == "x" * 10 + "..."
    assert harmless("x" * 10, longest=10) == "x" * 10


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [(None, 1, "-"), (0.0, 1, "0.0"), (-0.04, 1, "0.0"), (-17.5, 1, "−17.5"), (24.6, 0, "25")],
)
def test_numbers_have_a_true_minus_and_nothing_is_a_dash(
    value: float | None, decimals: int, shown: str
) -> None:
    assert number(value, decimals=decimals) == shown


def test_points_and_percent() -> None:
    assert points(42) == "4.2"
    assert points(-20) == "−2.0"
    assert percent(0.375) == "38"
    assert percent(None) == "-"
