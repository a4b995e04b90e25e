"""Owns small made-up fields of bots with known skill for the rating tests."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import MODEL
from arena.ratings.results import SEATS, Results

LEVEL_TENTHS = 20
"""Tenths of a point for one unit of performance."""


def places_of(totals: NDArray[np.int32]) -> NDArray[np.int8]:
    """Competition ranks of each row, most points first."""
    ahead: NDArray[np.int64] = (totals[:, None, :] > totals[:, :, None]).sum(axis=2)
    return (1 + ahead).astype(np.int8)


def field(
    skills: NDArray[np.float64],
    *,
    matches: int,
    seed: int,
    tenths: float = LEVEL_TENTHS,
    bots: tuple[str, ...] = (),
) -> Results:
    """Random tables of bots whose performances are normal about `skills`; few `tenths` make many ties."""
    rng = np.random.default_rng(seed)
    order = rng.random((matches, len(skills))).argsort(axis=1)[:, :SEATS].astype(np.int32)
    performances = skills[order] + rng.normal(0, MODEL.beta, order.shape)
    totals = np.round(performances * tenths).astype(np.int32)
    return Results(
        bots=bots or tuple(f"bot{number}" for number in range(len(skills))),
        seats=order,
        places=places_of(totals),
        total_tenths=totals,
        set_ids=(np.arange(matches) // SEATS).astype(np.int32),
        forfeited=np.zeros(order.shape, dtype=np.bool_),
    )


@dataclass(frozen=True, slots=True)
class SetField:
    """Bots of known skill whose sets share luck: the model that the tests of intervals draw results from.

    A seat's total is the bot's skill, plus the set's luck, plus the hand's luck (the same in all four
    rotations), plus noise; all in points, all normal, rounded to tenths. `presence` is what a bot's sitting
    there gives to each of the other three.
    """

    skills: NDArray[np.float64]
    presence: NDArray[np.float64] | None = None
    set_luck: float = 1.2
    hand_luck: float = 3.4
    noise: float = 2.9

    @property
    def points(self) -> NDArray[np.float64]:
        """True points a match when every table is met equally often."""
        others = np.zeros(len(self.skills)) if self.presence is None else self.presence
        points: NDArray[np.float64] = 10 + self.skills + 3 * (others.sum() - others) / (len(others) - 1)
        return points

    @property
    def mu(self) -> NDArray[np.float64]:
        """True skill on TrueSkill's scale; set luck is the same for all four and does not count."""
        scale = MODEL.beta / float(np.hypot(self.hand_luck, self.noise))
        others = np.zeros(len(self.skills)) if self.presence is None else self.presence
        lead = self.skills - others
        mu: NDArray[np.float64] = MODEL.mu + scale * (lead - lead.mean())
        return mu

    def play(self, sets_a_table: int, *, seed: int) -> Results:
        """Every table of four, so many sets each; successive sets of a table sit in other circular orders."""
        rng = np.random.default_rng(seed)
        tables = np.array(list(combinations(range(len(self.skills)), SEATS)), dtype=np.int32)
        return self.play_tables(np.tile(tables, (sets_a_table, 1)), rng)

    def play_tables(self, tables: NDArray[np.int32], rng: np.random.Generator) -> Results:
        """One set for each row of `tables`."""
        order = rng.permuted(tables, axis=1)
        seats = np.stack([np.roll(order, rotation, axis=1) for rotation in range(SEATS)], axis=1)
        points = 10 + self.skills[seats] + rng.normal(0, self.noise, seats.shape)
        points += rng.normal(0, self.set_luck, (len(seats), 1, 1))
        points += rng.normal(0, self.hand_luck, (len(seats), 1, SEATS))
        if self.presence is not None:
            given = self.presence[seats]
            points += given.sum(axis=2, keepdims=True) - given
        totals = np.round(points.reshape(-1, SEATS) * 10).astype(np.int32)
        return Results(
            bots=tuple(f"bot{number}" for number in range(len(self.skills))),
            seats=seats.reshape(-1, SEATS).astype(np.int32),
            places=places_of(totals),
            total_tenths=totals,
            set_ids=np.repeat(np.arange(len(seats), dtype=np.int32), SEATS),
            forfeited=np.zeros(totals.shape, dtype=np.bool_),
        )
