"""Promises that docs/training.md is true: its code runs, its tables are what the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.env import ACTIONS, LAYOUT, OBSERVATION_SIZE, Field, Reward
from arena.env.actions import action_of_call, action_of_card
from arena.rules.cards import SUIT_CARDS, card_list

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def table(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    below = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    lines = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert lines is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()[2:]]


def row_of(name: str, field: Field) -> list[str]:
    last = field.start + field.size - 1
    columns = str(field.start) if field.size == 1 else f"{field.start}-{last}"
    return [f"`{name}`", columns, f"{field.low} to {field.high}", field.meaning]


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_code_on_the_page_runs(program: str) -> None:
    exec(compile(program, PAGE.name, "exec"), {})


def test_table_of_observations_is_the_layout() -> None:
    assert table("Observations") == [row_of(name, field) for name, field in LAYOUT.items()]
    assert f"of {OBSERVATION_SIZE} and {ACTIONS} columns" in PAGE.read_text(encoding="utf-8")


def test_table_of_actions_is_the_action_space() -> None:
    suits = [[action_of_card(card) for card in card_list(held)] for held in SUIT_CARDS.values()]
    calls = [action_of_call(number) for number in range(1, 14)]

    assert [row[0] for row in table("Actions")] == [f"{group[0]}-{group[-1]}" for group in (*suits, calls)]


def test_table_of_rewards_has_each_of_them() -> None:
    assert [row[0] for row in table("Rewards")] == [f'`"{reward}"`' for reward in Reward]
