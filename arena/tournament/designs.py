"""Owns the choice of a schedule: balanced tables for any number of entrants, and how even they are.

It must not know bots, files or results. What it finds by searching (base blocks) is written into the plan, so
that nobody has to search again to recompute a schedule.

A base block developed modulo n is a cyclic design: every entrant sits in it equally often, and two entrants
meet as often as their difference modulo n occurs among the differences of the blocks. Evening out those few
differences evens out all pairs. See "Difference families" in the Handbook of
Combinatorial Designs (Colbourn and Dinitz).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from arena.errors import ArenaError
from arena.tournament.schedule import (
    CIRCULAR_ORDERS,
    FORMATS,
    MATCHES_A_SET,
    Schedule,
    ScheduleOptions,
    complete_table_count,
    neighbours,
)

__all__ = ["MOST_COMPLETE_TABLES", "Quality", "choose_schedule", "quality_of"]

DEFAULT_SETS = len(CIRCULAR_ORDERS)
DEFAULT_MATCHES_PER_BOT = 240
MOST_COMPLETE_TABLES = 500  # a round robin of 12 entrants has 495
SEARCH_STEPS = 40_000

Block = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """How even a schedule is: (fewest, most) over entrants or over pairs of them."""

    matches: tuple[int, int]  # a bot
    meetings: tuple[int, int]  # matches that a pair plays together
    behind: tuple[int, int]  # matches in which one sits right behind a given other


def choose_schedule(
    entrant_count: int,
    *,
    format_name: str | None = None,
    sets: int | None = None,
    matches_per_bot: int | None = None,
    hero: int | None = None,
) -> ScheduleOptions:
    """Options for a schedule of at least four entrants; the numbers asked for are rounded up to even ones.

    Raises ArenaError for what cannot be played or makes no sense together.
    """
    chosen = format_name or _default_format(entrant_count, matches_per_bot)
    _check(entrant_count, chosen, sets=sets, matches_per_bot=matches_per_bot, hero=hero)
    if chosen == "round-robin":
        return ScheduleOptions(chosen, sets or DEFAULT_SETS)
    if chosen == "gauntlet" and hero is not None:
        return _gauntlet(entrant_count, hero, sets=sets, matches_per_bot=matches_per_bot)
    return _balanced(entrant_count, sets=sets, matches_per_bot=matches_per_bot or DEFAULT_MATCHES_PER_BOT)


def quality_of(schedule: Schedule, entrant_count: int) -> Quality:
    """Counts every bot, every pair and every pair of neighbours of the whole schedule."""
    matches: Counter[int] = Counter()
    meetings: Counter[tuple[int, int]] = Counter()
    behind: Counter[tuple[int, int]] = Counter()
    for table in schedule.tables:
        matches.update(table)
        meetings.update(_pair(a, b) for a, b in combinations(table, 2))
        behind.update(neighbours(table, schedule.sets_per_table))
    pairs = list(combinations(range(entrant_count), 2))
    each = MATCHES_A_SET * schedule.sets_per_table
    return Quality(
        matches=_range(matches[entrant] * each for entrant in range(entrant_count)),
        meetings=_range(meetings[pair] * each for pair in pairs),
        behind=_range(behind[pair] * MATCHES_A_SET for a, b in pairs for pair in ((a, b), (b, a))),
    )


def _default_format(entrant_count: int, matches_per_bot: int | None) -> str:
    tables = complete_table_count(entrant_count, is_gauntlet=False)
    return "round-robin" if matches_per_bot is None and tables <= MOST_COMPLETE_TABLES else "balanced"


def _check(
    entrant_count: int, chosen: str, *, sets: int | None, matches_per_bot: int | None, hero: int | None
) -> None:
    if chosen not in FORMATS:
        raise ArenaError(f"unknown format {chosen!r}; there are {', '.join(FORMATS)}")
    if entrant_count < 4:
        raise ArenaError(f"{entrant_count} entrants cannot fill a table of four")
    for option, value in (("--sets", sets), ("--matches-per-bot", matches_per_bot)):
        if value is not None and value < 1:
            raise ArenaError(f"{option} {value}: at least 1")
    if (hero is not None) != (chosen == "gauntlet"):
        raise ArenaError(
            "--format gauntlet and --hero BOT belong together: who plays against all the others?"
        )
    if chosen == "round-robin":
        _check_round_robin(entrant_count, matches_per_bot)


def _check_round_robin(entrant_count: int, matches_per_bot: int | None) -> None:
    if matches_per_bot is not None:
        raise ArenaError("--matches-per-bot goes with --format balanced; a round robin takes --sets")
    tables = complete_table_count(entrant_count, is_gauntlet=False)
    if tables > 40 * MOST_COMPLETE_TABLES:
        raise ArenaError(
            f"a round robin of {entrant_count} bots has {tables} tables; "
            "use --format balanced --matches-per-bot N"
        )


def _balanced(entrant_count: int, *, sets: int | None, matches_per_bot: int) -> ScheduleOptions:
    sets_per_bot = _round_up(matches_per_bot, MATCHES_A_SET) // MATCHES_A_SET
    if entrant_count <= 6:
        tables_of_a_bot = complete_table_count(entrant_count, is_gauntlet=True)
        return ScheduleOptions("balanced", _round_up(sets_per_bot, tables_of_a_bot) // tables_of_a_bot)
    sets_per_table = sets or _sets_per_table(entrant_count, sets_per_bot)
    count = _round_up(sets_per_bot, 4 * sets_per_table) // (4 * sets_per_table)
    blocks = base_blocks(entrant_count, size=4, count=count, sets=sets_per_table)
    return ScheduleOptions("balanced", sets_per_table, blocks)


def _gauntlet(
    entrant_count: int, hero: int, *, sets: int | None, matches_per_bot: int | None
) -> ScheduleOptions:
    tables = complete_table_count(entrant_count, is_gauntlet=True)
    if matches_per_bot is None and tables <= MOST_COMPLETE_TABLES:
        return ScheduleOptions("gauntlet", sets or DEFAULT_SETS, hero=hero)
    sets_per_opponent = _round_up(matches_per_bot or DEFAULT_MATCHES_PER_BOT, MATCHES_A_SET) // MATCHES_A_SET
    if entrant_count < 7:
        tables_of_an_opponent = max(1, (entrant_count - 2) * (entrant_count - 3) // 2)
        rounded = _round_up(sets_per_opponent, tables_of_an_opponent) // tables_of_an_opponent
        return ScheduleOptions("gauntlet", rounded, hero=hero)
    sets_per_table = sets or 1
    count = _round_up(sets_per_opponent, 3 * sets_per_table) // (3 * sets_per_table)
    blocks = base_blocks(entrant_count - 1, size=3, count=count, sets=sets_per_table)
    return ScheduleOptions("gauntlet", sets_per_table, blocks, hero)


def _sets_per_table(entrant_count: int, sets_per_bot: int) -> int:
    """As many sets a table, of 6, 3, 2 or 1, as leave enough tables for every pair to meet.

    Many sets a table mean few starts of processes; enough tables mean that all bots are compared directly.
    """
    blocks_of_one_set = _round_up(sets_per_bot, 4) // 4
    for sets in (6, 3, 2):
        blocks = blocks_of_one_set // sets
        if blocks_of_one_set % sets == 0 and blocks * 12 >= entrant_count - 1:
            return sets
    return 1


def base_blocks(modulus: int, *, size: int, count: int, sets: int) -> tuple[Block, ...]:
    """`count` blocks of `size` residues, in circular order, whose differences occur nearly equally often.

    `sets` is how many sets each table will play, for the balance of neighbours.
    """
    search = random.Random(f"{modulus} {size} {count}")
    blocks = _even_differences(modulus, size, count, search)
    return _even_neighbours(modulus, blocks, sets)


def _even_differences(modulus: int, size: int, count: int, search: random.Random) -> list[Block]:
    """Hill climbing: one member of one block is changed as long as the differences get no less even."""
    blocks = [tuple(sorted(search.sample(range(modulus), size))) for _ in range(count)]
    met = Counter(difference for block in blocks for difference in differences(block, modulus))
    fewest = count * size * (size - 1) / 2 / ((modulus - 1) / 2)
    for _ in range(SEARCH_STEPS):
        if _is_even(met, modulus, fewest):
            break
        index = search.randrange(count)
        changed = _changed(blocks[index], modulus, search)
        if changed is None:
            continue
        old, new = differences(blocks[index], modulus), differences(changed, modulus)
        if _cost_of_change(met, old, new, modulus) > 0:
            continue
        blocks[index] = changed
        met.subtract(old)
        met.update(new)
    return blocks


def _changed(block: Block, modulus: int, search: random.Random) -> Block | None:
    """The block with one member replaced at random; None when the new one was a member already."""
    newcomer = search.randrange(modulus)
    if newcomer in block:
        return None
    rest = list(block)
    rest[search.randrange(len(rest))] = newcomer
    return tuple(sorted(rest))


def differences(block: Iterable[int], modulus: int) -> list[int]:
    """Differences of all pairs of a block, the smaller of the two ways round: 1 to modulus // 2."""
    return [min((b - a) % modulus, (a - b) % modulus) for a, b in combinations(block, 2)]


def _weight(difference: int, modulus: int) -> int:
    """Times that a pair with this difference meets in one development: both ways round when it is half."""
    return 2 if 2 * difference == modulus else 1


def _is_even(met: Counter[int], modulus: int, average: float) -> bool:
    """Whether no pair meets a whole time more or less often than the average."""
    return all(
        abs(met[difference] * _weight(difference, modulus) - average) < 1
        for difference in range(1, modulus // 2 + 1)
    )


def _cost_of_change(met: Counter[int], old: Sequence[int], new: Sequence[int], modulus: int) -> int:
    """By how much the sum over all pairs of squared meetings grows (in units of pairs / modulus, times 2)."""
    change: Counter[int] = Counter(new)
    change.subtract(old)
    cost = 0
    for difference, by in change.items():
        weight = _weight(difference, modulus)
        cost += weight * ((met[difference] + by) ** 2 - met[difference] ** 2)
    return cost


def _even_neighbours(modulus: int, blocks: Sequence[Block], sets: int) -> tuple[Block, ...]:
    """The blocks, each in the circular order that evens out the differences between neighbours."""
    uneven_sets = sets % len(CIRCULAR_ORDERS) or 1
    arranged = list(blocks)
    behind = Counter(step for block in arranged for step in _steps(block, modulus, uneven_sets))
    for _ in range(4):
        for index, block in enumerate(arranged):
            behind.subtract(_steps(block, modulus, uneven_sets))
            arranged[index] = _most_even(block, modulus, uneven_sets, behind)
            behind.update(_steps(arranged[index], modulus, uneven_sets))
    return tuple(arranged)


def _most_even(block: Block, modulus: int, sets: int, behind: Counter[int]) -> Block:
    """The arrangement of a block whose steps add least to the squares of `behind`."""
    first, *rest = block
    choices = [(first, *others) for others in permutations(rest)]
    return min(choices, key=lambda choice: _squares(behind, Counter(_steps(choice, modulus, sets))))


def _squares(counts: Counter[int], added: Counter[int]) -> int:
    return sum((counts[step] + by) ** 2 - counts[step] ** 2 for step, by in added.items())


def _steps(block: Block, modulus: int, sets: int) -> list[int]:
    """Differences from each member of a table to the one behind it, over its first sets; none to the hero."""
    hero = modulus  # stands for the fourth of a gauntlet's table
    first, second, third, fourth = block if len(block) == 4 else (hero, *block)
    return [
        (b - a) % modulus for a, b in neighbours((first, second, third, fourth), sets) if hero not in (a, b)
    ]


def _range(counts: Iterable[int]) -> tuple[int, int]:
    values = list(counts)
    return min(values), max(values)


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _round_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
