"""Owns what each chart of the site shows and says: its numbers, its sentence, and the table behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from arena.reports.site import charts
from arena.reports.site.bot_figures import Course, Played
from arena.reports.site.field import Entrant, Interval
from arena.reports.site.wording import milliseconds_text
from arena.reports.text import number, percent
from arena.rules import Ruleset, score_tenths
from arena.store.totals import Histogram

__all__ = [
    "Chart",
    "calls_against_tricks",
    "course_of_all",
    "course_of_one",
    "points_of_all",
    "points_of_one",
    "times",
]

MOST_CURVES = 8
MOST_ROWS = 24
SEATS = 4
BUCKETS_A_BAR = 5
SETTLED = 0.1
"""The scale of a rating's course is that of what follows this share of it; before, anything is possible."""
STRAY = 0.0005
"""Decisions quicker than all but this share stand in the first bar."""
LETTERS = 16
NAME_HEIGHT = 0.085
"""Of a name beside its line, as a share of what the lines span."""


class Chart(NamedTuple):
    """One idea: a title, the drawing, a sentence, and the numbers."""

    title: str
    drawing: Markup
    words: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]


def course_of_one(one: Entrant, course: Course) -> Chart:
    """One bot's mu as its matches went on."""
    title = "Rating over matches"
    bot = one.number
    steps = np.flatnonzero(np.diff(course.own_matches[:, bot]) > 0) + 1
    matches = course.own_matches[steps, bot]
    mu, low, high = (values[steps, bot] for values in (course.mu, course.low, course.high))
    floor, ceiling = _settled_scale(low, high)
    rows = [
        {
            "matches": int(matches[step]),
            "mu": round(float(np.clip(mu[step], floor, ceiling)), 3),
            "low": round(float(np.clip(low[step], floor, ceiling)), 3),
            "high": round(float(np.clip(high[step], floor, ceiling)), 3),
        }
        for step in range(len(steps))
    ]
    label = f"{title}: {one.name} ends at {number(float(mu[-1]), decimals=1)}"
    table = [
        [str(matches[step]), *(number(float(values[step]), decimals=1) for values in (mu, low, high))]
        for step in range(len(steps))
    ]
    return Chart(
        title=title,
        drawing=charts.rating_curve(rows, label=label),
        words="TrueSkill's mu, matches taken in schedule order, and the 95 % band that its sigma claims.",
        headers=("matches", "mu", "low", "high"),
        rows=table,
    )


def course_of_all(entrants: Sequence[Entrant], course: Course) -> Chart:
    """The mu of the first few bots as the tournament went on."""
    title = "Rating over matches"
    shown = entrants[:MOST_CURVES]
    short = _short([one.name for one in shown])
    rows = [
        {"matches": int(done), "bot": name, "mu": round(float(course.mu[step, one.number]), 3)}
        for name, one in zip(short, shown, strict=True)
        for step, done in enumerate(course.matches.tolist())
    ]
    ends = _apart(
        [float(course.mu[-1, one.number]) for one in shown],
        gap=NAME_HEIGHT * float(np.ptp([row["mu"] for row in rows])),
    )
    last = int(course.matches[-1])
    names = [{"matches": last, "bot": name, "y": y} for name, y in zip(short, ends, strict=True)]
    return Chart(
        title=title,
        drawing=charts.curves(rows, names, label=f"{title} of {len(shown)} bots"),
        words="TrueSkill's mu, matches taken in schedule order." + _first_few(shown, entrants, "bots"),
        headers=("matches", *(one.name for one in shown)),
        rows=[
            [str(done), *(number(float(course.mu[step, one.number]), decimals=1) for one in shown)]
            for step, done in enumerate(course.matches.tolist())
        ],
    )


def points_of_one(one: Entrant, played: Played, entrants: Sequence[Entrant]) -> Chart:
    """One bot's points a match by seat and by opponent, opponents in standing order."""
    title = "Points by seat and by opponent"
    met = played.against_all()
    against = [(other.name, met[other.number]) for other in entrants if other.number in met]
    rows = [*((f"seat {seat}", points) for seat, points in enumerate(played.by_seat())), *against]
    shown = rows[: MOST_ROWS + SEATS]
    words = "On each seat, and at tables with each opponent, with 95 % intervals. Dashed: all matches."
    return Chart(
        title=title,
        drawing=charts.interval_plot(
            _interval_rows(shown),
            unit="points a match",
            label=f"{title}: {one.name} made {one.points} points a match",
            middle=float(played.points.mean()),
        ),
        words=words + _first_few(shown[SEATS:], against, "opponents"),
        headers=("", "points a match"),
        rows=[(name, str(points)) for name, points in rows],
    )


def points_of_all(entrants: Sequence[Entrant]) -> Chart:
    """Points a match of the first bots."""
    title = "Points a match"
    rows = [(one.name, one.points) for one in entrants if one.points.value is not None]
    shown = rows[:MOST_ROWS]
    label = f"{title} of {len(shown)} bots"
    return Chart(
        title=title,
        drawing=charts.interval_plot(_interval_rows(shown), unit="points a match", label=label),
        words="The mean, with its 95 % interval, in standing order." + _first_few(shown, rows, "bots"),
        headers=("bot", "points a match"),
        rows=[(name, str(points)) for name, points in rows],
    )


def calls_against_tricks(one: Entrant, grid: NDArray[np.int64], rules: Ruleset) -> Chart | None:
    """How many rounds ended with how many tricks for each call; None without a round."""
    if not grid.any():
        return None
    title = "Calls against tricks"
    cells = [
        {
            "call": call,
            "tricks": tricks,
            "rounds": int(grid[call, tricks]),
            "made": score_tenths(call, tricks, rules) > 0,
        }
        for call, tricks in np.argwhere(grid).tolist()
    ]
    rounds = int(grid.sum())
    share = percent(sum(cell["rounds"] for cell in cells if cell["made"]) / rounds)
    calls = sorted({cell["call"] for cell in cells})
    label = f"{title}: {one.name} made {share} % of its calls"
    return Chart(
        title=title,
        drawing=charts.call_grid(cells, highest_call=rules.call_max, label=label),
        words=(
            f"{share} % of {rounds} calls were made (blue), red were not. "
            "A good caller sits on the dashed line or just above it."
        ),
        headers=("tricks", *(f"call {call}" for call in calls)),
        rows=[
            [str(tricks), *(str(grid[call, tricks] or "") for call in calls)] for tricks in range(13, -1, -1)
        ],
    )


def times(histogram: Histogram, *, limit_ms: float) -> Chart | None:
    """How long decisions took, with their limit; None without a decision."""
    title = "Time per decision"
    rows = _bars(histogram)
    if not rows:
        return None
    middle, most = (milliseconds_text((histogram.quantile_us(share) or 0) / 1000) for share in (0.5, 0.99))
    words = f"Half of the decisions took less than {middle}, 99 % less than {most}. The scale is logarithmic."
    return Chart(
        title=title,
        drawing=charts.time_histogram(
            rows, limit_ms=limit_ms, limit_text=f"limit {limit_ms / 1000:g} s", label=f"{title}: {words}"
        ),
        words=words,
        headers=("from", "to", "decisions"),
        rows=[
            (milliseconds_text(row["from_ms"]), milliseconds_text(row["to_ms"]), str(row["decisions"]))
            for row in rows
        ],
    )


def _settled_scale(low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[float, float]:
    first = int(SETTLED * len(low))
    return float(low[first:].min()), float(high[first:].max())


def _first_few(shown: Sequence[object], of: Sequence[object], what: str) -> str:
    if len(shown) == len(of):
        return ""
    return (
        f" The first {len(shown)} {what} are drawn; the numbers have {'more' if what == 'bots' else 'all'}."
    )


def _short(names: Sequence[str]) -> list[str]:
    """Names that fit beside a drawing, no two of them alike."""
    short = [name if len(name) <= LETTERS else f"{name[: LETTERS - 5]}…{name[-4:]}" for name in names]
    return [
        one if short.count(one) == 1 else f"{one[: LETTERS - 5]}…{number}"
        for number, one in enumerate(short, start=1)
    ]


def _interval_rows(rows: Sequence[tuple[str, Interval]]) -> list[Mapping[str, Any]]:
    names = _short([name for name, _ in rows])
    return [
        {"name": name, "value": one.value, "low": one.low, "high": one.high}
        for name, (_, one) in zip(names, rows, strict=True)
        if one.value is not None
    ]


def _bars(times: Histogram) -> list[dict[str, Any]]:
    """The histogram in bars five buckets wide, from the first that counts to the last that is not empty."""
    padded = np.pad(times.counts, (0, -len(times.counts) % BUCKETS_A_BAR))
    counts = padded.reshape(-1, BUCKETS_A_BAR).sum(axis=1)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return []
    first = int(np.searchsorted(np.cumsum(counts), STRAY * counts.sum(), side="right"))
    counts[first] += counts[:first].sum()
    edges_ms = np.exp(np.arange(len(counts) + 1) * BUCKETS_A_BAR / times.BUCKETS_A_FACTOR_E) / 1000
    return [
        {"from_ms": float(edges_ms[bar]), "to_ms": float(edges_ms[bar + 1]), "decisions": int(counts[bar])}
        for bar in range(first, filled[-1] + 1)
    ]


def _apart(values: Sequence[float], *, gap: float) -> list[float]:
    """The values moved just so far that no two are closer than `gap`: places for names beside lines."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    placed = [values[index] for index in order]
    for _ in range(50):
        for low in range(len(placed) - 1):
            overlap = max(gap - (placed[low + 1] - placed[low]), 0)
            placed[low] -= overlap / 2
            placed[low + 1] += overlap / 2
    found = dict(zip(order, placed, strict=True))
    return [found[index] for index in range(len(values))]
