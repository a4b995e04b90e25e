"""Owns the curve of a bot's rating: where its points, band and ticks lie. The template draws it as SVG.

It is plain arithmetic on purpose: the server draws it while clocks of matches run in the same process, and
what draws the report's charts would hold them up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from arena.reports.text import number
from arena.web.wording import REACH_95

__all__ = ["RatingPlot", "Tick", "rating_plot"]

WIDTH: Final = 640
HEIGHT: Final = 240
LEFT: Final = 34
RIGHT: Final = 6
TOP: Final = 18
BOTTOM: Final = 24
MOST_POINTS: Final = 160
SETTLED: Final = 0.1
"""The scale is that of what follows this share of the course; before, anything is possible."""

Point = tuple[int, float, float]


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the scale, at a place of the drawing."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class RatingPlot:
    """The drawing in its own pixels, and the numbers behind it."""

    label: str
    width: int
    height: int
    left: int
    right: int
    bottom: int
    line: str
    band: str
    values: tuple[Tick, ...]
    matches: tuple[Tick, ...]
    rows: tuple[tuple[str, str, str, str], ...]


def rating_plot(history: Sequence[Point], *, label: str) -> RatingPlot:
    """The curve of `history` (matches, mu, sigma), which has two points at least."""
    points = _thinned(history)
    settled = points[min(int(SETTLED * len(points)), len(points) - 2) :]
    low = min(mu - REACH_95 * sigma for _, mu, sigma in settled)
    high = max(mu + REACH_95 * sigma for _, mu, sigma in settled)
    first, last = points[0][0], points[-1][0]

    def x(matches: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (matches - first) / (last - first)

    def y(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    upper = [(x(at), y(mu + REACH_95 * sigma)) for at, mu, sigma in points]
    lower = [(x(at), y(mu - REACH_95 * sigma)) for at, mu, sigma in points]
    return RatingPlot(
        label=f"{label} ends at {number(points[-1][1], decimals=1)}",
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        bottom=HEIGHT - BOTTOM,
        line=_path((x(at), y(mu)) for at, mu, _ in points),
        band=_path([*upper, *reversed(lower)]),
        values=tuple(Tick(round(y(value), 1), number(value)) for value in _ticks(low, high)),
        matches=tuple(Tick(round(x(value), 1), f"{value:.0f}") for value in _ticks(first, last)),
        rows=tuple(map(_row, points)),
    )


def _thinned(history: Sequence[Point]) -> list[Point]:
    """Of many points as many as can be told apart, the first and the last among them."""
    if len(history) <= MOST_POINTS:
        return list(history)
    last = len(history) - 1
    return [history[round(at * last / (MOST_POINTS - 1))] for at in range(MOST_POINTS)]


def _row(point: Point) -> tuple[str, str, str, str]:
    matches, mu, sigma = point
    low, high = mu - REACH_95 * sigma, mu + REACH_95 * sigma
    return str(matches), *(number(value, decimals=1) for value in (mu, low, high))  # type: ignore[return-value]


def _path(points: Iterator[tuple[float, float]] | Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round values within the scale."""
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    step = max(step, 1.0)
    return [step * at for at in range(math.ceil(low / step), math.floor(high / step) + 1)]
