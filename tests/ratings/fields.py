"""Owns small made-up fields of bots with known skill for the rating tests."""

from __future__ import annotations

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
