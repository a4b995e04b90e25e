"""Owns the field as the pages show it: who stands where, how sure that is, and who is separated from whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.intervals import uncertainty
from arena.ratings.results import Results
from arena.reports.text import harmless, number
from arena.store.standings import HeadToHead, Standing, Standings
from arena.tournament.plan import Plan, PlannedEntrant

__all__ = ["Entrant", "Field", "Interval", "Scale", "field_of"]

Floats = NDArray[np.float64]

CERTAIN = 10.0
"""An interval that reaches further than this to either side leaves no decimal worth printing."""
NAMES_TOLD = 6


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the ends of its 95 % interval; what is not known is None."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, value: float, low: float, high: float) -> Interval:
        """The same from numbers in which nan stands for what is not known."""
        return cls(*(None if np.isnan(one) else float(one) for one in (value, low, high)))

    @property
    def reach(self) -> float | None:
        """How far the interval reaches to either side."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def __str__(self) -> str:
        """`24.1 ± 0.8`."""
        reach = self.reach
        if self.value is None or reach is None:
            return number(self.value, decimals=1)
        decimals = 1 if reach < CERTAIN else 0
        return f"{number(self.value, decimals=decimals)} ± {number(reach, decimals=decimals)}"


@dataclass(frozen=True, slots=True)
class Scale:
    """The common scale on which intervals are drawn, in percent of its width."""

    low: float
    high: float

    @classmethod
    def over(cls, intervals: Sequence[Interval]) -> Scale:
        """The scale that holds all of them, with room at both ends."""
        ends = [end for one in intervals for end in (one.value, one.low, one.high) if end is not None]
        low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
        room = 0.04 * (high - low) or 0.5
        return cls(low - room, high + room)

    def percent(self, value: float) -> str:
        """Where the value lies: `37.5%`."""
        return f"{100 * (value - self.low) / (self.high - self.low):.1f}%"


@dataclass(frozen=True, slots=True)
class Entrant:
    """One bot of the table. `ends_block` says that it is separated from the next."""

    number: int  # in the plan
    name: str
    page: str  # its file's name
    planned: PlannedEntrant
    standing: Standing
    deciding: Interval  # what orders the table: adjusted points, or skill
    skill: Interval
    adjusted: Interval
    points: Interval
    ends_block: bool

    @property
    def ranks(self) -> str:
        """The ranks that the bot may truly have: `2`, or `1–3`; empty when that is not known."""
        low, high = self.standing.rank_low, self.standing.rank_high
        return "" if low is None else str(low) if low == high else f"{low}–{high}"


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """All bots, in standing order. `above` is in that order too; `pages` is by the bot's number."""

    entrants: tuple[Entrant, ...]
    pages: tuple[str, ...]
    names: tuple[str, ...]
    scale: Scale  # of what orders the table
    is_by_skill: bool
    head_to_head: HeadToHead

    @property
    def words(self) -> str:
        """Which neighbours are not separated."""
        blocks = [block for block in self._blocks() if len(block) > 1]
        if not self.entrants or all(one.deciding.reach is None for one in self.entrants):
            return "There are too few sets to tell how sure this order is."
        if not blocks:
            return "Every bot is separated from the next: the 95 % interval of their difference leaves out 0."
        told = "; ".join(_listed([one.name for one in block]) for block in blocks)
        figure = "skill" if self.is_by_skill else "adjusted points"
        return (
            f"Not separated from the next, so that their order may be chance: {told}. "
            f"(The 95 % interval of the difference in {figure} holds 0.)"
        )

    def _blocks(self) -> Iterator[list[Entrant]]:
        block: list[Entrant] = []
        for one in self.entrants:
            block.append(one)
            if one.ends_block:
                yield block
                block = []
        if block:
            yield block


def field_of(plan: Plan, standings: Standings, results: Results, versus: HeadToHead) -> Field:
    """The field as the results show it; `versus` is in the order of the standings."""
    pages = page_names([entrant.name for entrant in plan.entrants])
    numbers = {entrant.name: index for index, entrant in enumerate(plan.entrants)}
    skills = _skills(results)
    adjusted = {
        row.bot: Interval(row.adjusted_points, row.adjusted_low, row.adjusted_high) for row in standings.rows
    }
    entrants = tuple(
        Entrant(
            number=(bot := numbers[row.bot]),
            name=harmless(row.bot, longest=60),
            page=pages[bot],
            planned=plan.entrants[bot],
            standing=row,
            deciding=skills[bot] if standings.is_by_skill else adjusted[row.bot],
            skill=skills[bot],
            adjusted=adjusted[row.bot],
            points=Interval(row.mean_points, row.points_low, row.points_high),
            ends_block=ends_block,
        )
        for row, ends_block in zip(standings.rows, [*standings.separated[1:], False], strict=True)
    )
    return Field(
        entrants=entrants,
        pages=pages,
        names=tuple(harmless(entrant.name, longest=60) for entrant in plan.entrants),
        scale=Scale.over([one.deciding for one in entrants]),
        is_by_skill=standings.is_by_skill,
        head_to_head=versus,
    )


def page_names(names: Sequence[str]) -> tuple[str, ...]:
    """A file's name for each bot: its own where that is one on every system, else its number."""
    taken: set[str] = set()
    pages = []
    for index, name in enumerate(names):
        is_fit = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}", name) and name.lower() not in taken
        pages.append(f"{name if is_fit else f'bot.{index}'}.html")
        taken.add(name.lower())
    return tuple(pages)


def _skills(results: Results) -> list[Interval]:
    """The skill of each bot in the order-free fit, by its number."""
    if not len(results):
        return [Interval(None)] * len(results.bots)
    skill = uncertainty(results).rating
    return [Interval.of(*one) for one in zip(skill.value, *skill.interval(), strict=True)]


def _listed(names: Sequence[str]) -> str:
    """`a, b and c`; of many the first and the last."""
    if len(names) > NAMES_TOLD:
        return f"{', '.join(names[:2])} … {names[-1]} ({len(names)} bots)"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
