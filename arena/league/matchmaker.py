"""Owns who meets whom next in a league: a pure rule. Must not know the store, or how a table is played.

Each rated table is chosen by itself, from the bots that are free:

1. Whoever has waited longest sits down first, so of N bots that are free each is at one of the next N tables.
2. Then a new bot, if there is one: that with the fewest sets.
3. Then whoever makes the table tell most: of each pair it counts how undecided it is which of the two is
   better, and how seldom they met.

Two bots of one author, and house bots among others, sit at a table only where it cannot be helped.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Self

from arena.league.model import Entry

__all__ = ["NEW_SETS", "Candidate", "Choice", "choose_table"]

SEATS: Final = 4
NEW_SETS: Final = 6
"""A bot with fewer sets is new."""
SHORTLIST: Final = 12
"""Of how many bots, those that tell most beside who sits already, every combination is looked at."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active entry as far as matchmaking is concerned."""

    version_id: int
    author_id: int
    is_house: bool
    mu: float
    sigma: float
    sets: int
    last_table_unix_us: int | None  # None: it never sat down

    @classmethod
    def of(cls, entry: Entry, *, house_author_id: int) -> Self:
        """The candidate that an entry is."""
        author_id = entry.bot.author.author_id
        return cls(
            version_id=entry.version.version_id,
            author_id=author_id,
            is_house=author_id == house_author_id,
            mu=entry.mu,
            sigma=entry.sigma,
            sets=entry.sets,
            last_table_unix_us=entry.last_table_unix_us,
        )

    @property
    def is_new(self) -> bool:
        """Whether too little is known of it."""
        return self.sets < NEW_SETS


@dataclass(frozen=True, slots=True)
class Choice:
    """Four versions in circular order. What could not be helped is for the table's page to say.

    `same_author` are those of them that share an author with another (house bots aside), `house` the house
    bots that fill seats.
    """

    version_ids: tuple[int, int, int, int]
    same_author: tuple[int, ...]
    house: tuple[int, ...]


def choose_table(
    entries: Sequence[Candidate],
    *,
    playing: Collection[int],
    rng: random.Random,
    played_together: Mapping[tuple[int, int], int],
) -> Choice | None:
    """The next rated table; None while no good one can be made of the bots that are free.

    `entries` are those that may play now, `playing` the versions at a table (house bots may sit at several).
    `played_together` counts the sets of pairs of versions, the lower id first; a pair that is not in it never
    met. It waits for bots at play rather than put house bots, or bots of one author, in their seats.
    """
    bots = [one for one in entries if not one.is_house]
    free = [one for one in bots if one.version_id not in playing]
    authors = len({one.author_id for one in bots})
    house = [one for one in entries if one.is_house]
    guests = max(min(authors, SEATS), SEATS - len(house))  # seats that are not for house bots
    if not free or guests > len(bots):
        return None
    chooser = _Chooser(rng, played_together)
    table = chooser.begin(free)
    for seats, others, may_share in (
        (min(authors, SEATS), free, False),
        (guests, free, True),
        (SEATS, house, True),
    ):
        found = chooser.most_telling(table, others, seats=seats, may_share=may_share)
        if found is None:
            return None
        table = found
    return _choice(table, rng)


def _choice(table: Sequence[Candidate], rng: random.Random) -> Choice:
    authors = [one.author_id for one in table if not one.is_house]
    first, second, third, fourth = rng.sample([one.version_id for one in table], SEATS)
    return Choice(
        version_ids=(first, second, third, fourth),
        same_author=tuple(
            sorted(one.version_id for one in table if not one.is_house and authors.count(one.author_id) > 1)
        ),
        house=tuple(sorted(one.version_id for one in table if one.is_house)),
    )


@dataclass(frozen=True, slots=True)
class _Chooser:
    rng: random.Random
    played_together: Mapping[tuple[int, int], int]

    def begin(self, free: Sequence[Candidate]) -> list[Candidate]:
        """Who sits down first: the one that waited longest, and a new one."""
        table = self._longest_waiting(free)
        return table + self._newest(_seatable(table, free, may_share=False))

    def most_telling(
        self, table: list[Candidate], free: Sequence[Candidate], *, seats: int, may_share: bool
    ) -> list[Candidate] | None:
        """The table with its empty seats, up to `seats`, taken by those who make it tell most."""
        missing = seats - len(table)
        if missing <= 0:
            return table
        open_to = self._shuffled(_seatable(table, free, may_share=may_share))
        open_to.sort(key=lambda one: -sum(self._telling(one, other) for other in table))
        if not may_share:
            open_to = _first_of_each_author(open_to)
        tables = [[*table, *more] for more in combinations(open_to[:SHORTLIST], missing)]
        return max(tables, key=self._worth, default=None)

    def _longest_waiting(self, free: Sequence[Candidate]) -> list[Candidate]:
        return [min(self._shuffled(free), key=lambda one: one.last_table_unix_us or 0)]

    def _newest(self, free: Sequence[Candidate]) -> list[Candidate]:
        new = [one for one in self._shuffled(free) if one.is_new]
        return [min(new, key=lambda one: one.sets)] if new else []

    def _shuffled(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """In random order, so that no one of equals is favoured."""
        listed = sorted(candidates, key=lambda one: one.version_id)
        return self.rng.sample(listed, len(listed))

    def _worth(self, table: Sequence[Candidate]) -> float:
        return sum(self._telling(one, other) for one, other in combinations(table, 2))

    def _telling(self, one: Candidate, other: Candidate) -> float:
        """How undecided it is which of the two is better, shared by the sets they played and the next."""
        low, high = sorted((one.version_id, other.version_id))
        gap = abs(one.mu - other.mu) / math.hypot(one.sigma, other.sigma)
        undecided = math.erfc(gap / math.sqrt(2))  # twice the chance that the one behind is the better
        return undecided / (1 + self.played_together.get((low, high), 0))


def _seatable(table: Sequence[Candidate], free: Sequence[Candidate], *, may_share: bool) -> list[Candidate]:
    """Those of `free` that may join the table."""
    seated = {one.version_id for one in table}
    authors = set() if may_share else {one.author_id for one in table}
    return [one for one in free if one.version_id not in seated and one.author_id not in authors]


def _first_of_each_author(candidates: Iterable[Candidate]) -> list[Candidate]:
    by_author: dict[int, Candidate] = {}
    for one in candidates:
        by_author.setdefault(one.author_id, one)
    return list(by_author.values())
