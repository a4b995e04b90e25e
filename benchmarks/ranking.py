"""Owns how well ranks are found, and how honestly they are said to be known: simulated fields of known skill.

`python -m benchmarks.ranking` plays rule bots by the real rules (`benchmarks.ranking_bots`) and writes its
tables into docs/ranking.md; `--print` only prints them. Takes some minutes; the same seed gives the same
tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import click
import numpy as np
import trueskill
from numpy.typing import NDArray

from arena.ratings.fit import fit
from arena.ratings.intervals import uncertainty
from arena.ratings.luck import adjusted_points
from arena.ratings.online import rate_online
from arena.ratings.results import SEATS, Results
from benchmarks.ranking_bots import FIELD, play
from benchmarks.ranking_calibration import LongRun, calibration_table, luck_table, sequential_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Figure = Callable[[Results], Floats]

PAGE: Final = Path(__file__).parent.parent / "docs" / "ranking.md"
LONG_RUN_SETS: Final = 600
"""Sets a table."""
CHECKPOINTS: Final = (112, 224, 448, 896)
BASELINE: Final = "tau 0"
CIRCULAR_ORDERS: Final = np.array(
    [(0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3), (0, 3, 2, 1), (0, 2, 3, 1), (0, 3, 1, 2)]
)
BALANCED_TABLES: Final = np.array(
    [table for table in combinations(range(8), SEATS) if np.bitwise_xor.reduce(table) == 0]
)
"""Fourteen of the seventy tables of eight bots: every pair meets three times, every three bots once."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to rank: a schedule, and the figure that orders the bots, more being better."""

    schedule: str
    name: str
    figure: Figure


def library_default(results: Results) -> Floats:
    """mu of the trueskill package as it comes: tau 25/300, draw probability 10 %."""
    env = trueskill.TrueSkill()
    ratings = [env.create_rating() for _ in results.bots]
    for seats, places in zip(results.seats.tolist(), results.places.tolist(), strict=True):
        after = env.rate([(ratings[bot],) for bot in seats], ranks=places)
        for bot, (rating,) in zip(seats, after, strict=True):
            ratings[bot] = rating
    return np.array([rating.mu for rating in ratings])


def online(results: Results) -> Floats:
    """mu of the online rating, tau 0."""
    return np.array([rating.mu for rating in rate_online(results)])


def order_free(results: Results) -> Floats:
    """mu of the order-free fit."""
    return fit(results).mu


METHODS: Final = (
    Method("random tables", "online TrueSkill, the library's defaults", library_default),
    Method("random tables", f"online TrueSkill, {BASELINE}", online),
    Method("random tables", "order-free fit", order_free),
    Method("random tables", "mean points", Results.mean_points),
    Method("balanced sets", f"online TrueSkill, {BASELINE}", online),
    Method("balanced sets", "order-free fit", order_free),
    Method("balanced sets", "mean place", lambda results: -results.mean_places()),
    Method("balanced sets", "mean points", Results.mean_points),
    Method("balanced sets", "adjusted points", adjusted_points),
)


def random_tables(matches: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Seats and set numbers when every match is four random bots with cards of their own."""
    seats = rng.random((matches, len(FIELD))).argsort(axis=1)[:, :SEATS]
    return seats, np.arange(matches)


def balanced_sets(matches: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Seats and set numbers of the arena's schedule; the bots are numbered at random."""
    sets = np.arange(matches // SEATS)
    tables = rng.permutation(len(FIELD))[BALANCED_TABLES[sets % len(BALANCED_TABLES)]]
    turns = sets // len(BALANCED_TABLES)
    around = np.take_along_axis(tables, CIRCULAR_ORDERS[turns % len(CIRCULAR_ORDERS)], axis=1)
    rotations = [np.roll(around, rotation, axis=1) for rotation in range(SEATS)]
    return np.stack(rotations, axis=1).reshape(-1, SEATS), np.repeat(sets, SEATS)


def tournaments(schedule: str, count: int, rng: np.random.Generator) -> Iterator[Results]:
    """Full-length tournaments, played a few at a time so that they fit the memory."""
    build = random_tables if schedule == "random tables" else balanced_sets
    for _ in range(count):
        yield play(*build(CHECKPOINTS[-1], rng), FIELD, rng)


def share_in_order(figure: Floats) -> float:
    """Share of pairs that `figure` puts in the right order; the bots of the field are listed best first."""
    pairs = list(combinations(range(len(figure)), 2))
    return float(np.mean([(figure[a] > figure[b]) + (figure[a] == figure[b]) / 2 for a, b in pairs]))


def ordering_shares(count: int, seed: int) -> dict[Method, Floats]:
    """[tournaments, checkpoints] of each method."""
    shares: dict[Method, Floats] = {method: np.empty((count, len(CHECKPOINTS))) for method in METHODS}
    for schedule in dict.fromkeys(method.schedule for method in METHODS):
        rng = np.random.default_rng(seed)
        for number, whole in enumerate(tournaments(schedule, count, rng)):
            for column, matches in enumerate(CHECKPOINTS):
                results = whole.take(slice(0, matches))
                for method in METHODS:
                    if method.schedule == schedule:
                        shares[method][number, column] = share_in_order(method.figure(results))
            show_progress(f"{schedule}: tournament {number + 1} of {count}")
    return shares


def show_progress(text: str) -> None:
    """One line on standard error, over the last."""
    if sys.stderr.isatty():
        click.echo(f"\r{text}\033[K", err=True, nl=False)


def matches_to_reach(goal: float, shares: Floats) -> str:
    """After how many matches the mean share reaches `goal`, between checkpoints on a logarithmic scale."""
    means = shares.mean(axis=0)
    if goal <= means[0]:
        return f"< {CHECKPOINTS[0]}"
    if goal > means.max():
        return f"> {CHECKPOINTS[-1]}"
    column = int(np.argmax(means >= goal))
    part = (goal - means[column - 1]) / (means[column] - means[column - 1])
    return f"{CHECKPOINTS[column - 1] * (CHECKPOINTS[column] / CHECKPOINTS[column - 1]) ** part:.0f}"


def ordering_table(count: int, seed: int) -> str:
    """How well each method orders the field, as Markdown."""
    shares = ordering_shares(count, seed)
    baseline = next(m for m in METHODS if m.schedule == "random tables" and BASELINE in m.name)
    goal = float(shares[baseline].mean(axis=0)[-1])
    head = ["schedule", "ordered by", *(str(matches) for matches in CHECKPOINTS), f"matches to {goal:.3f}"]
    lines = [f"| {' | '.join(head)} |", "|---|---" + "|---:" * (len(CHECKPOINTS) + 1) + "|"]
    for method, found in shares.items():
        cells = [f"{mean:.3f}" for mean in found.mean(axis=0)]
        reach = matches_to_reach(goal, found)
        lines.append(f"| {' | '.join([method.schedule, method.name, *cells, reach])} |")
    error = max(float(found.std(axis=0).max()) for found in shares.values()) / count**0.5
    lines += [
        "",
        f"{count} tournaments of each schedule; shares are within {2 * error:.3f} (two standard errors).",
    ]
    return "\n".join(lines)


def long_run(seed: int) -> LongRun:
    """The field's truth: every table, many sets."""
    tables = np.array(list(combinations(range(len(FIELD)), SEATS)))
    rng = np.random.default_rng([seed, 1])
    around = rng.permuted(np.tile(tables, (LONG_RUN_SETS, 1)), axis=1)
    rotations = [np.roll(around, rotation, axis=1) for rotation in range(SEATS)]
    return LongRun(
        play(np.stack(rotations, axis=1).reshape(-1, SEATS), np.arange(len(around)).repeat(SEATS), FIELD, rng)
    )


def field_table(run: LongRun) -> str:
    """Who plays, and what is true of them, as Markdown."""
    truth, errors = run.truth(), uncertainty(run.results).points.standard_error
    lines = ["| bot | what sets it apart | points a match | mean place | mu |", "|---|---|---:|---:|---:|"]
    for index, bot in enumerate(FIELD):
        points, place, mu = (truth[name][index] for name in ("mean points", "mean place", "rating mu"))
        lines.append(f"| {bot.name} | {bot.apart} | {points:.2f} | {place:.3f} | {mu:.2f} |")
    lines += [
        "",
        f"{len(run.results):,} matches; points are within {2 * errors.max():.2f} (two standard errors).",
    ]
    return "\n".join(lines)


def fill_in(page: str, tables: dict[str, str]) -> str:
    """`page` with each table between its `<!-- name -->` and `<!-- end -->`."""
    for name, table in tables.items():
        start = page.index(f"<!-- {name} -->") + len(f"<!-- {name} -->")
        end = page.index("<!-- end -->", start)
        page = f"{page[:start]}\n{table}\n{page[end:]}"
    return page


@click.command(help=__doc__)
@click.option("--tournaments", "count", default=200, show_default=True, help="Tournaments of each schedule.")
@click.option("--seed", default=1, show_default=True)
@click.option("--print", "only_print", is_flag=True, help="Leave docs/ranking.md alone.")
def main(count: int, seed: int, only_print: bool) -> None:
    run = long_run(seed)
    tables = {
        "field": field_table(run),
        "ordering": ordering_table(count, seed),
        "luck": luck_table(run, 2 * count, seed),
        "calibration": calibration_table(run, count, seed),
        "sequential": sequential_table(run, 10 * count, seed),
    }
    for name, table in tables.items():
        click.echo(f"{name}\n\n{table}\n")
    if not only_print:
        PAGE.write_text(fill_in(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
