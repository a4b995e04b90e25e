"""Owns Student's t distribution: what an estimate with few sets behind it needs instead of the normal."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["student_cdf", "student_quantile"]

Floats = NDArray[np.float64]

MANY: Final = 30
"""Degrees of freedom from which the normal, corrected, will do."""
TERMS: Final = 300
PRECISION: Final = 1e-13
NEWTON_STEPS: Final = 60


def student_cdf(t: ArrayLike, freedom: ArrayLike) -> Floats:
    """How likely a t variate with `freedom` degrees of freedom is to be at most `t`; elementwise."""
    value, degrees = np.broadcast_arrays(
        np.asarray(t, dtype=np.float64), np.asarray(freedom, dtype=np.float64)
    )
    tail = np.empty(value.shape)
    few = degrees < MANY
    tail[few] = _beta_share(degrees[few] / 2, degrees[few] / (degrees[few] + value[few] ** 2)) / 2
    tail[~few] = _normal_tail(_normal_like(value[~few], degrees[~few]))
    cdf: Floats = np.where(value > 0, 1 - tail, tail)
    return cdf


def _normal_like(t: Floats, freedom: Floats) -> Floats:
    """The size of the normal variate that is as rare as `t`, to 1e-7 (Hill, 1970, Algorithm 395)."""
    a = freedom - 0.5
    b = 48 * a**2
    y = a * np.log1p(t**2 / freedom)
    correction = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y**2 + 100 + b)
    size: Floats = ((correction + y + 3) / b + 1) * np.sqrt(y)
    return size


def _normal_tail(z: Floats) -> Floats:
    return (
        np.fromiter(map(math.erfc, (z.ravel() / math.sqrt(2)).tolist()), np.float64, z.size).reshape(z.shape)
        / 2
    )


def student_quantile(probability: float, freedom: ArrayLike) -> Floats:
    """The t whose `student_cdf` is `probability` (strictly between 0 and 1), for each of `freedom`."""
    degrees = np.asarray(freedom, dtype=np.float64)
    each, where = np.unique(degrees, return_inverse=True)
    goal = max(probability, 1 - probability)
    density = np.exp(_log_gamma((each + 1) / 2) - _log_gamma(each / 2)) / np.sqrt(np.pi * each)
    t = np.zeros(each.shape)
    # Right of 0 the distribution function is concave, so Newton's steps from 0 never overshoot.
    for _ in range(NEWTON_STEPS):
        slope = density * (1 + t**2 / each) ** (-(each + 1) / 2)
        step = (goal - student_cdf(t, each)) / slope
        t += step
        if (np.abs(step) <= PRECISION * np.maximum(t, 1)).all():
            break
    return np.copysign(t, probability - 0.5)[where].reshape(degrees.shape)


def _log_gamma(x: Floats) -> Floats:
    values, where = np.unique(x, return_inverse=True)
    logs = np.array([math.lgamma(value) for value in values.tolist()])
    return logs[where].reshape(x.shape)


def _beta_share(a: Floats, x: Floats) -> Floats:
    """The regularised incomplete beta function I_x(a, 1/2), by its continued fraction (Lentz's method)."""
    b = np.full(a.shape, 0.5)
    turned = x > (a + 1) / (a + b + 2)
    p, q, y = np.where(turned, b, a), np.where(turned, a, b), np.where(turned, 1 - x, x)
    with np.errstate(divide="ignore"):
        log_front = p * np.log(y) + q * np.log1p(-y)
    front = np.exp(log_front + _log_gamma(p + q) - _log_gamma(p) - _log_gamma(q)) / p
    share = front * _fraction(p, q, y)
    result: Floats = np.clip(np.where(turned, 1 - share, share), 0, 1)
    return result


def _fraction(p: Floats, q: Floats, y: Floats) -> Floats:
    c = np.ones(y.shape)
    d = 1 / (1 - (p + q) * y / (p + 1))
    value = d.copy()
    for m in range(1, TERMS):
        for term in (
            m * (q - m) * y / ((p + 2 * m - 1) * (p + 2 * m)),
            -(p + m) * (p + q + m) * y / ((p + 2 * m) * (p + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if (np.abs(c * d - 1) < PRECISION).all():
            break
    return value
