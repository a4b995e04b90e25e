"""Owns the charts: Vega-Lite specifications, drawn once as SVG that takes its colours from the page's style.

They are part of the page: no script draws them, they print, and dark or light is the style's choice. It must
not know where the numbers come from. Texts come in as values of the drawing, never as part of its code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import vl_convert
from markupsafe import Markup, escape

__all__ = ["call_grid", "curves", "interval_plot", "rating_curve", "time_histogram"]

Spec = dict[str, Any]
Row = Mapping[str, Any]

VEGA_LITE: Final = "5.21"
WIDTH: Final = 340
"""In the drawing's own pixels; a page shows a drawing at 0.95 to 1.4 times its size."""
ROW: Final = 19
LETTER: Final = 7.2
"""Width of a letter of a wide font, as the reader's is not known here."""
INK, SOFT, LINE = "var(--ink)", "var(--soft)", "var(--line)"
ACCENT, BAND, BAD = "var(--accent)", "var(--band)", "var(--bad)"
SERIES: Final = tuple(f"var(--series-{number})" for number in range(1, 9))

EVERY: Final[Spec] = {"format": "d", "labelOverlap": False, "tickCount": None}
"""An axis on which every value has its label."""

CONFIG: Final[Spec] = {
    "font": "system-ui, sans-serif",
    "aria": False,
    "view": {"stroke": None},
    "text": {"fontSize": 11, "fill": INK},
    "axis": {
        "aria": False,
        "domain": False,
        "ticks": False,
        "gridColor": LINE,
        "labelColor": SOFT,
        "labelFontSize": 11,
        "labelPadding": 5,
        "labelSeparation": 14,
        "titleColor": SOFT,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    },
    "axisX": {"titleAnchor": "end", "titlePadding": 4},
    "axisY": {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleX": 0, "titleY": -10},
}


def rating_curve(rows: Sequence[Row], *, label: str) -> Markup:
    """One bot's mu after its `matches`, with a band from `low` to `high`."""
    x = _number("matches", "matches", nice=False, grid=False, format="d", tickMinStep=1)
    band = {
        "mark": {"type": "area", "color": BAND},
        "encoding": {"x": x, "y": _number("low", "mu"), "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "color": ACCENT, "strokeWidth": 2},
        "encoding": {"x": x, "y": _number("mu", "mu")},
    }
    return _drawn({"data": _values(rows), "layer": [band, line], "height": 200}, label)


def curves(rows: Sequence[Row], names: Sequence[Row], *, label: str) -> Markup:
    """Several bots' mu after `matches` of the tournament; `names` say at which `y` a line's name stands."""
    x = _number("matches", "matches of the tournament", nice=False, grid=False, format="d", tickMinStep=1)
    colour = {
        "field": "bot",
        "type": "nominal",
        "scale": {"domain": [row["bot"] for row in names], "range": list(SERIES)},
        "legend": None,
    }
    line = {
        "data": _values(rows),
        "mark": {"type": "line", "strokeWidth": 1.5},
        "encoding": {"x": x, "y": _number("mu", "mu"), "color": colour, "detail": {"field": "bot"}},
    }
    name = {
        "data": _values(names),
        "mark": {"type": "text", "align": "left", "dx": 5, "limit": 0},
        "encoding": {
            "x": x,
            "y": {"field": "y", "type": "quantitative"},
            "text": {"field": "bot"},
            "color": colour,
        },
    }
    return _drawn({"layer": [line, name], "height": 240}, label)


def interval_plot(rows: Sequence[Row], *, unit: str, label: str, middle: float | None = None) -> Markup:
    """A dot at `value` and a bar from `low` to `high` (None when unknown) for each row's `name`, in order."""
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "axis": {
            "title": None,
            "labelColor": INK,
            "labelLimit": 0,
            "grid": False,
            "minExtent": _extent(rows),
        },
    }
    layers: list[Spec] = [
        {
            "transform": [{"filter": "datum.low != null"}],
            "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 1.5},
            "encoding": {"y": y, "x": _number("low", unit), "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 44, "color": ACCENT, "opacity": 1},
            "encoding": {"y": y, "x": _number("value", unit)},
        },
    ]
    if middle is not None:
        mark = {"type": "rule", "color": SOFT, "strokeDash": [3, 3]}
        layers.insert(0, {"data": _values([{}]), "mark": mark, "encoding": {"x": {"datum": middle}}})
    height = max(ROW * len(rows), 3 * ROW) + 42
    return _drawn({"data": _values(rows), "layer": layers, "height": height}, label)


def call_grid(rows: Sequence[Row], *, highest_call: int, label: str) -> Markup:
    """How many rounds ended with how many `tricks` for each `call`, by area; `made` tells the calls made."""
    calls = {"domain": [0.4, highest_call + 0.6], "nice": False}
    tricks = {"domain": [-0.6, 13.6], "nice": False}
    x = _number("call", "call", scale=calls, grid=False, values=list(range(1, highest_call + 1)), **EVERY)
    y = _number("tricks", "tricks", scale=tricks, values=list(range(14)), **EVERY)
    diagonal = [{"call": 0.5, "tricks": 0.5}, {"call": highest_call + 0.5, "tricks": highest_call + 0.5}]
    layers = [
        {
            "data": _values(diagonal),
            "mark": {"type": "line", "color": SOFT, "strokeDash": [3, 3], "strokeWidth": 1},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": _values(rows),
            "mark": {"type": "point", "filled": True, "opacity": 1},
            "encoding": {
                "x": x,
                "y": y,
                "size": {
                    "field": "rounds",
                    "type": "quantitative",
                    "scale": {"range": [0, 300], "zero": True},
                    "legend": None,
                },
                "color": {
                    "field": "made",
                    "type": "nominal",
                    "scale": {"domain": [True, False], "range": [ACCENT, BAD]},
                    "legend": None,
                },
            },
        },
    ]
    return _drawn({"layer": layers, "height": 300}, label)


def time_histogram(rows: Sequence[Row], *, limit_ms: float, limit_text: str, label: str) -> Markup:
    """Decisions by time from `from_ms` to `to_ms`, on a logarithmic scale, with the limit marked."""
    first = min([row["from_ms"] for row in rows] + [limit_ms])
    last = max([row["to_ms"] for row in rows] + [1.6 * limit_ms])
    axis = {"labelExpr": "datum.value < 1000 ? format(datum.value, '~r') + ' ms' : datum.value / 1000 + ' s'"}
    x = {
        "field": "from_ms",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [first, last], "nice": False},
        "axis": {"title": "time of a decision", "grid": False, "values": _decades(first, last), **axis},
    }
    layers = [
        {
            "data": _values(rows),
            "mark": {"type": "bar", "color": ACCENT, "binSpacing": 1},
            "encoding": {"x": {**x, "bin": "binned"}, "x2": {"field": "to_ms"}, "y": _count("decisions")},
        },
        {
            "data": _values([{"from_ms": limit_ms}]),
            "mark": {"type": "rule", "color": BAD, "strokeWidth": 1.5},
            "encoding": {"x": x},
        },
        {
            "data": _values([{"from_ms": limit_ms, "text": limit_text}]),
            "mark": {"type": "text", "align": "right", "dx": -4, "dy": 6, "fill": BAD, "baseline": "top"},
            "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "text"}},
        },
    ]
    return _drawn({"layer": layers, "height": 200}, label)


def _extent(rows: Sequence[Row]) -> float:
    """Room for the names of the rows."""
    return max((len(row["name"]) for row in rows), default=0) * LETTER + 6


def _decades(first: float, last: float) -> list[float]:
    """Powers of ten from `first` to `last`."""
    return [10.0**power for power in range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1)]


def _number(field: str, title: str, *, scale: Row | None = None, nice: bool = True, **axis: Any) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": scale or {"zero": False, "nice": nice},
        "axis": {"title": title, "tickCount": 5, **axis},
    }


def _count(field: str) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "axis": {"title": field, "tickCount": 4, "tickMinStep": 1},
    }


def _values(rows: Sequence[Row]) -> Spec:
    return {"values": [dict(row) for row in rows]}


def _drawn(spec: Spec, label: str) -> Markup:
    """The drawing as part of a page: named for those who do not see it, as wide as there is room."""
    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": WIDTH,
        "background": None,
        "padding": {"left": 2, "top": 2, "right": 14, "bottom": 2},
        "autosize": {"type": "fit", "contains": "padding"},
        "config": CONFIG,
        **spec,
    }
    drawn: str = vl_convert.vegalite_to_svg(whole, vl_version=VEGA_LITE)
    size = re.search(r'viewBox="[^"]*"', drawn)
    assert size is not None
    inside = drawn[drawn.index(">") + 1 :]
    return Markup(f'<svg class="chart" role="img" aria-label="{escape(label)}" {size.group()}>{inside}')
