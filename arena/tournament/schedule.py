"""Owns who meets whom, in which order and on which seats: pure values, recomputed from a few options.

It must not know bots, files or results: an entrant is a number here, its place in the plan's list.

Every table plays the same number of sets. The schedule plays the first set of every table, then the second of
every table, and so on, so that early results are spread over the whole field. A set number therefore names
both its table and its turn, `set_number = turn * tables + table`, and a match's position is
`set_number * 4 + rotation`.

Two things depart from that. Tables may be added at the end while a tournament goes on: each plays six sets,
one after the other. And a comparison of two bots has two tables that share their sets, so that both hold the
same hands against the same opponents: its set number is the turn alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb

__all__ = [
    "CIRCULAR_ORDERS",
    "FORMATS",
    "PAIRED",
    "SETS_ADDED",
    "PlannedMatch",
    "Schedule",
    "ScheduleOptions",
    "Seats",
    "build_schedule",
    "match_id_of",
    "seats_of",
]

Seats = tuple[int, int, int, int]

FORMATS = ("round-robin", "balanced", "gauntlet")
PAIRED = "paired"
"""The format of a comparison: entrants 0 and 1, each at a table with the opponents 2, 3 and 4."""

# The six ways to sit four entrants round a table. The first three have each pair next to each other twice and
# opposite once; the second three turn the first round, so that six are balanced in direction, too.
CIRCULAR_ORDERS: tuple[Seats, ...] = (
    (0, 1, 2, 3),
    (0, 1, 3, 2),
    (0, 2, 1, 3),
    (0, 3, 2, 1),
    (0, 2, 3, 1),
    (0, 3, 1, 2),
)

MATCHES_A_SET = 4
SETS_ADDED = len(CIRCULAR_ORDERS)
"""Sets that a table plays which is added while a tournament goes on."""

PAIRED_TABLES: tuple[Seats, ...] = ((0, 2, 3, 4), (1, 2, 3, 4))


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match of the schedule; `seats` are entrants (numbers) by seat."""

    match_id: str
    position: int
    table: int
    set_number: int
    rotation: int
    seats: Seats


@dataclass(frozen=True, slots=True)
class ScheduleOptions:
    """All that a schedule follows from, beside the number of entrants.

    Without base blocks every table of four is played (every one with the hero, in a gauntlet). With them,
    each block is one table, and so is each of its shifts modulo the number of entrants (of opponents).
    """

    format: str  # one of FORMATS, or PAIRED
    sets_per_table: int
    base_blocks: tuple[tuple[int, ...], ...] = ()  # in circular order; of four, in a gauntlet of three
    hero: int = -1  # gauntlet: the entrant that sits at every table


@dataclass(frozen=True, slots=True)
class Schedule:
    """Tables (four entrants each, in the circular order of their first set), each playing as many sets.

    The tables `added` are numbered after them and each play `SETS_ADDED` sets. With `shares_deals` the first
    sets of all tables are one set, and so on.
    """

    tables: tuple[Seats, ...]
    sets_per_table: int
    added: tuple[Seats, ...] = ()
    shares_deals: bool = False

    @property
    def set_count(self) -> int:
        """How often a table plays a set, in the whole schedule."""
        return len(self.tables) * self.sets_per_table + len(self.added) * SETS_ADDED

    @property
    def match_count(self) -> int:
        """Matches in the whole schedule."""
        return self.set_count * MATCHES_A_SET

    def table_at(self, number: int) -> Seats:
        """The entrants of a table by its number."""
        return self.tables[number] if number < len(self.tables) else self.added[number - len(self.tables)]

    def match_at(self, position: int) -> PlannedMatch:
        """The match at a position from 0; IndexError outside the schedule."""
        if not 0 <= position < self.match_count:
            raise IndexError(f"position {position} of a schedule of {self.match_count} matches")
        place, rotation = divmod(position, MATCHES_A_SET)
        table, turn = self._table_and_turn(place)
        set_number = turn if self.shares_deals else place
        return PlannedMatch(
            match_id=match_id_of(table, set_number, rotation),
            position=position,
            table=table,
            set_number=set_number,
            rotation=rotation,
            seats=seats_of(self.table_at(table), order=turn % len(CIRCULAR_ORDERS), rotation=rotation),
        )

    def matches(self) -> Iterator[PlannedMatch]:
        """Every match, in schedule order."""
        return map(self.match_at, range(self.match_count))

    def set_matches(self, table: int, turn: int) -> tuple[PlannedMatch, ...]:
        """The four matches of a table's set number `turn`, counted from 0 at that table."""
        first = self._place(table, turn) * MATCHES_A_SET
        return tuple(self.match_at(first + rotation) for rotation in range(MATCHES_A_SET))

    def _table_and_turn(self, place: int) -> tuple[int, int]:
        """The table that plays the set at a place from 0, and how many it has played before."""
        later = place - len(self.tables) * self.sets_per_table
        if later >= 0:
            return len(self.tables) + later // SETS_ADDED, later % SETS_ADDED
        turn, table = divmod(place, len(self.tables))
        return table, turn

    def _place(self, table: int, turn: int) -> int:
        """What `_table_and_turn` undoes."""
        later = table - len(self.tables)
        if later >= 0:
            return len(self.tables) * self.sets_per_table + later * SETS_ADDED + turn
        return turn * len(self.tables) + table

    def digest(self) -> str:
        """SHA-256 over the id and the seats of every match, in hexadecimal."""
        told = hashlib.sha256()
        for match in self.matches():
            told.update(f"{match.match_id} {match.seats}\n".encode())
        return told.hexdigest()


def match_id_of(table: int, set_number: int, rotation: int) -> str:
    """The name of a match, which follows from its place in the plan."""
    return f"t{table:03d}-s{set_number:05d}-r{rotation}"


def seats_of(table_entrants: Seats, *, order: int, rotation: int) -> Seats:
    """Entrants by seat: the i-th of the circular order sits on seat (i + rotation) % 4."""
    around = CIRCULAR_ORDERS[order]
    return (
        table_entrants[around[-rotation % 4]],
        table_entrants[around[(1 - rotation) % 4]],
        table_entrants[around[(2 - rotation) % 4]],
        table_entrants[around[(3 - rotation) % 4]],
    )


def build_schedule(options: ScheduleOptions, entrant_count: int) -> Schedule:
    """The schedule that follows from `options`: the same for the same values, always."""
    if options.format == PAIRED:
        return Schedule(PAIRED_TABLES, options.sets_per_table, shares_deals=True)
    if options.base_blocks:
        return Schedule(_developed(options, entrant_count), options.sets_per_table)
    hero = options.hero if options.format == "gauntlet" else None
    tables = _complete_tables(entrant_count, hero=hero)
    return Schedule(_arranged(tables, options.sets_per_table), options.sets_per_table)


def _developed(options: ScheduleOptions, entrant_count: int) -> tuple[Seats, ...]:
    """Each base block shifted through all residues; a gauntlet's hero joins each shift."""
    if options.format != "gauntlet":
        return tuple(
            _four([(member + shift) % entrant_count for member in block])
            for block in options.base_blocks
            for shift in range(entrant_count)
        )
    opponents = [entrant for entrant in range(entrant_count) if entrant != options.hero]
    return tuple(
        _four([options.hero, *(opponents[(member + shift) % len(opponents)] for member in block)])
        for block in options.base_blocks
        for shift in range(len(opponents))
    )


def _complete_tables(entrant_count: int, *, hero: int | None) -> list[Seats]:
    """Every table of four, or every table of four with the hero."""
    if hero is None:
        return [_four(chosen) for chosen in combinations(range(entrant_count), 4)]
    opponents = [entrant for entrant in range(entrant_count) if entrant != hero]
    return [_four([hero, *chosen]) for chosen in combinations(opponents, 3)]


def complete_table_count(entrant_count: int, *, is_gauntlet: bool) -> int:
    """How many tables there are when none is left out."""
    return comb(entrant_count - 1, 3) if is_gauntlet else comb(entrant_count, 4)


def _arranged(tables: Sequence[Seats], sets_per_table: int) -> tuple[Seats, ...]:
    """The tables, each in the circular order that evens out who sits behind whom over the field.

    Six sets are even at each table by themselves: what is evened out here is the rest, or else the first set.
    """
    uneven_sets = sets_per_table % len(CIRCULAR_ORDERS) or 1
    behind: dict[tuple[int, int], int] = {}
    return tuple(_best_arrangement(table, behind, sets=uneven_sets) for table in tables)


def _best_arrangement(table: Seats, behind: dict[tuple[int, int], int], *, sets: int) -> Seats:
    """The arrangement that adds least to the unevenness of `behind`, which is brought up to date."""
    choices = [_four([table[0], *rest]) for rest in permutations(table[1:])]
    best = min(choices, key=lambda choice: _growth(neighbours(choice, sets), behind))
    for pair in neighbours(best, sets):
        behind[pair] = behind.get(pair, 0) + 1
    return best


def _growth(pairs: Sequence[tuple[int, int]], counts: dict[tuple[int, int], int]) -> int:
    """By how much the sum of squares of `counts` grows with `pairs`, which may repeat."""
    growth = 0
    added: dict[tuple[int, int], int] = {}
    for pair in pairs:
        now = counts.get(pair, 0) + added.get(pair, 0)
        growth += 2 * now + 1
        added[pair] = added.get(pair, 0) + 1
    return growth


def neighbours(table: Seats, sets: int) -> list[tuple[int, int]]:
    """Who sits right behind whom, once a set: pairs (first, the one that plays after it)."""
    pairs = []
    for turn in range(sets):
        seats = seats_of(table, order=turn % len(CIRCULAR_ORDERS), rotation=0)
        pairs += [(seats[i], seats[(i + 1) % 4]) for i in range(4)]
    return pairs


def _four(members: Sequence[int]) -> Seats:
    first, second, third, fourth = members
    return first, second, third, fourth
