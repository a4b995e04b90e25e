"""Owns how soon a league's matchmaking finds the order of its bots: simulated leagues of known skill.

`python -m benchmarks.matchmaking` writes its tables into docs/league.md; `--print` only prints them. It takes
some minutes; the same seed gives the same tables. Beside the league's rule stand tables drawn at random.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.league.matchmaker import Candidate, choose_table
from arena.ratings.fit import fit
from arena.ratings.model import MODEL
from arena.ratings.online import OnlineState, advance, start
from arena.ratings.results import SEATS, MatchRow, Results

Floats = NDArray[np.float64]
Draw = Callable[["League"], Sequence[int]]

PAGE: Final = Path(__file__).parent.parent / "docs" / "league.md"
MARKS: Final = ("<!-- matchmaking -->", "<!-- end of matchmaking -->")
DRAWS: Final = 0.002
SPREAD: Final = 3.5
"""Deviation of the bots' true skills, in TrueSkill's units: beta is 4.2."""
CHECKPOINTS: Final = (4, 8, 16, 32)
"""Sets a bot, in the mean."""


@dataclass(slots=True)
class League:
    """A simulated league: bots are numbers, and play as TrueSkill's model says."""

    skills: Floats
    rng: random.Random
    noise: np.random.Generator
    state: OnlineState
    sets: list[int]
    last: list[int | None]
    met: dict[tuple[int, int], int] = field(default_factory=dict)
    rows: list[MatchRow] = field(default_factory=list)
    tables: int = 0

    @classmethod
    def of(cls, bots: int, seed: int) -> League:
        """A league of so many bots that nobody has seen play."""
        noise = np.random.default_rng(seed)
        return cls(
            skills=noise.normal(MODEL.mu, SPREAD, bots),
            rng=random.Random(seed),
            noise=noise,
            state=start([str(bot) for bot in range(bots)], draw_probability=DRAWS),
            sets=[0] * bots,
            last=[None] * bots,
        )

    def play(self, table: Sequence[int]) -> None:
        """A set of four matches at that table."""
        self.tables += 1
        rows = [self._match(table) for _ in range(SEATS)]
        self.state = advance(self.state, Results.of(rows, bots=self.state.bots))
        self.rows += rows
        for number, bot in enumerate(sorted(table)):
            self.sets[bot] += 1
            self.last[bot] = self.tables
            for other in sorted(table)[number + 1 :]:
                self.met[bot, other] = self.met.get((bot, other), 0) + 1

    def join(self, skill: float) -> int:
        """Another bot, of that skill; its number."""
        self.skills = np.append(self.skills, skill)
        self.sets.append(0)
        self.last.append(None)
        number = len(self.sets) - 1
        self.state = advance(self.state, Results.of([], bots=[*self.state.bots, str(number)]))
        return number

    def candidates(self) -> list[Candidate]:
        """The bots as matchmaking sees them, each of an author of its own."""
        return [
            Candidate(
                version_id=bot,
                author_id=bot,
                is_house=False,
                mu=self.state.mu[bot],
                sigma=math.sqrt(self.state.variance[bot]),
                sets=sets,
                last_table_unix_us=self.last[bot],
            )
            for bot, sets in enumerate(self.sets)
        ]

    def fitted(self) -> Floats:
        """mu of the order-free fit over all matches."""
        return fit(Results.of(self.rows, bots=self.state.bots)).mu

    def _match(self, table: Sequence[int]) -> MatchRow:
        shown = self.skills[list(table)] + self.noise.normal(0, MODEL.beta, SEATS)
        places = 1 + (shown[None, :] > shown[:, None]).sum(axis=1)
        return MatchRow([str(bot) for bot in table], places.tolist(), [0] * SEATS, self.tables)


def at_random(league: League) -> Sequence[int]:
    """Any four bots."""
    return league.rng.sample(range(len(league.sets)), SEATS)


def by_rule(league: League) -> Sequence[int]:
    """The four that the league's matchmaking chooses."""
    choice = choose_table(league.candidates(), playing=(), rng=league.rng, played_together=league.met)
    assert choice is not None
    return choice.version_ids


def agreement(found: Floats, skills: Floats) -> float:
    """Share of the pairs that `found` has in the order of their true skills."""
    upper = np.triu_indices(len(found), 1)
    ahead = np.sign(found[:, None] - found[None, :]) == np.sign(skills[:, None] - skills[None, :])
    return float(ahead[upper].mean())


def agreements(draw: Draw, *, bots: int, seed: int, checkpoints: Sequence[int] = CHECKPOINTS) -> list[float]:
    """Pairs in order after each checkpoint's sets a bot."""
    league, found = League.of(bots, seed), []
    for checkpoint in checkpoints:
        while league.tables * SEATS < checkpoint * bots:
            league.play(draw(league))
        found.append(agreement(league.fitted(), league.skills))
    return found


def places_off(draw: Draw, *, bots: int, seed: int, tables: Sequence[int]) -> list[float]:
    """How many places a good newcomer stands from its own, so many tables after it came."""
    league, found = League.of(bots, seed), []
    while league.tables * SEATS < 16 * bots:
        league.play(draw(league))
    begun, number = league.tables, league.join(MODEL.mu + SPREAD)
    place = int((league.skills > league.skills[number]).sum())
    for after in tables:
        while league.tables < begun + after:
            league.play(draw(league))
        mu = np.array(league.state.mu)
        found.append(float(abs(int((mu > mu[number]).sum()) - place)))
    return found


def shares(draw: Draw, *, bots: int, seed: int, sets: int) -> tuple[float, float]:
    """The least and the most sets of a bot, as a share of the mean."""
    league = League.of(bots, seed)
    while league.tables * SEATS < sets * bots:
        league.play(draw(league))
    return min(league.sets) / sets, max(league.sets) / sets


RULES: Final[tuple[tuple[str, Draw], ...]] = (("at random", at_random), ("the league's rule", by_rule))


def order_table(bots: int, leagues: int) -> Iterator[str]:
    """Lines of the table of pairs in order."""
    yield f"| {bots} bots, tables chosen | " + " | ".join(f"{sets} sets a bot" for sets in CHECKPOINTS) + " |"
    yield "|---|" + "---|" * len(CHECKPOINTS)
    for name, draw in RULES:
        found = np.array([agreements(draw, bots=bots, seed=seed) for seed in range(leagues)])
        yield f"| {name} | " + " | ".join(f"{share:.1%}" for share in found.mean(axis=0)) + " |"


def newcomer_table(bots: int, leagues: int) -> Iterator[str]:
    """Lines of the table of newcomers."""
    tables = (4, 8, 16, 32, 64)
    yield "| newcomer among " + f"{bots} bots | " + " | ".join(f"after {n} tables" for n in tables) + " |"
    yield "|---|" + "---|" * len(tables)
    for name, draw in RULES:
        found = np.array([places_off(draw, bots=bots, seed=seed, tables=tables) for seed in range(leagues)])
        yield f"| {name} | " + " | ".join(f"{off:.1f}" for off in found.mean(axis=0)) + " |"


def share_lines(bots: int, leagues: int, sets: int) -> Iterator[str]:
    """How evenly bots play."""
    for name, draw in RULES:
        found = [shares(draw, bots=bots, seed=seed, sets=sets) for seed in range(leagues)]
        least, most = fmean(low for low, _ in found), fmean(high for _, high in found)
        yield f"| {name} | {least:.2f} | {most:.2f} |"


def page(leagues: int) -> Iterator[str]:
    """The tables."""
    yield f"Share of all pairs that stand in their true order, in the mean of {leagues} leagues:"
    yield ""
    for bots in (16, 40):
        yield from order_table(bots, leagues)
        yield ""
    yield "Places between where a newcomer stands and where it belongs, after so many tables of the league:"
    yield ""
    yield from newcomer_table(40, leagues)
    yield ""
    yield "Sets of the bot with the fewest and of that with the most, as a share of the mean (40 bots):"
    yield ""
    yield "| tables chosen | fewest | most |"
    yield "|---|---|---|"
    yield from share_lines(40, leagues // 4, sets=32)


def main() -> None:
    """Prints the tables, or puts them between the page's marks."""
    lines = "\n".join(page(leagues=40))
    if "--print" in sys.argv:
        print(lines)
        return
    before, _, rest = PAGE.read_text().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{lines}\n\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
