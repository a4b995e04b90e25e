"""Owns how far each set moves an estimate, corrected for the part it had in making it.

Every figure of the table solves an equation: the sets' pulls on the bots, `gradient`, add up to nothing.
How the figure would move without a set follows from that set's pull and the joint curvature. The spread of
those moves over sets is the estimate's own spread (the bootstrap's first-order form, the cluster-robust
"sandwich"): it needs no model of the noise, only that sets are independent. Pulls are inflated for leverage
as in Bell and McCaffrey (2002), CR2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.results import SEATS

__all__ = ["Pulls", "corrected_gradient", "inverse_curvature", "products"]

Floats = NDArray[np.float64]

CONTRASTS: Final[Floats] = np.array(
    [
        [2**-0.5, 6**-0.5, 12**-0.5],
        [-(2**-0.5), 6**-0.5, 12**-0.5],
        [0, -2 * 6**-0.5, 12**-0.5],
        [0, 0, -3 * 12**-0.5],
    ]
)
"""The three ways in which four bots can differ; what they have in common no set can tell."""
MOST_LEVERAGE: Final = 0.999
"""A set that settles a difference alone says nothing about how sure it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Pulls:
    """By set, columns as `tables` [sets, 4]: `gradient` [sets, 4] and `information` [sets, 4, 4] of the fit.

    Rows of both add up to nothing. `prior` is added to each bot's information.
    """

    bots: int
    tables: NDArray[np.int64]
    gradient: Floats
    information: Floats
    prior: float = 0.0


def inverse_curvature(pulls: Pulls) -> Floats:
    """[bots, bots]: how far a pull on one bot moves each bot's figure."""
    rows = np.repeat(pulls.tables, SEATS, axis=1)
    columns = np.tile(pulls.tables, SEATS)
    matrix = _scatter(rows, columns, pulls.information.reshape(-1, SEATS**2), (pulls.bots, pulls.bots))
    if pulls.prior:
        return np.linalg.inv(matrix + pulls.prior * np.eye(pulls.bots)).astype(np.float64)
    # Without a prior the common level of bots that meet is free, and no pull moves it.
    return np.linalg.pinv(matrix, hermitian=True).astype(np.float64)


def products(
    left: tuple[NDArray[np.int64], Floats], right: tuple[NDArray[np.int64], Floats], shape: tuple[int, int]
) -> Floats:
    """Sum over sets of the outer product of two vectors, each given by the few places where it is not 0.

    Places and values are [sets, few].
    """
    total = np.zeros(shape)
    for place, value in zip(left[0].T, left[1].T, strict=True):
        total += _scatter(place[:, None], right[0], value[:, None] * right[1], shape)
    return total


def _scatter(
    rows: NDArray[np.int64], columns: NDArray[np.int64], values: Floats, shape: tuple[int, int]
) -> Floats:
    where = (rows * shape[1] + columns).ravel()
    sums = np.bincount(where, weights=values.ravel(), minlength=shape[0] * shape[1])
    return sums.astype(np.float64).reshape(shape)


def corrected_gradient(pulls: Pulls, inverse: Floats) -> tuple[Floats, Floats]:
    """The gradient [sets, 4] had each set no part in the fit; and each set's largest leverage [sets]."""
    own = inverse[pulls.tables[:, :, None], pulls.tables[:, None, :]]
    spread = np.linalg.cholesky(CONTRASTS.T @ own @ CONTRASTS)
    information = CONTRASTS.T @ pulls.information @ CONTRASTS
    leverage, axes = np.linalg.eigh(spread.transpose(0, 2, 1) @ information @ spread)
    leverage = np.clip(leverage, 0, MOST_LEVERAGE)
    gradient = (pulls.gradient @ CONTRASTS)[:, :, None]
    along = axes.transpose(0, 2, 1) @ (spread.transpose(0, 2, 1) @ gradient)
    along /= np.sqrt(1 - leverage)[:, :, None]
    back = np.linalg.solve(spread.transpose(0, 2, 1), axes @ along)
    return (back[:, :, 0] @ CONTRASTS.T).astype(np.float64), leverage[:, -1]
