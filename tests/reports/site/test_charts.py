"""Owns that charts are harmless parts of a page, drawn in the page's colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from markupsafe import Markup

from arena.reports.site import charts

HOSTILE = '</svg><script>alert(1)</script>" onload="x'


def drawings() -> list[Markup]:
    course = [{"matches": n, "mu": 25.0 + n, "low": 20.0, "high": 30.0 + n} for n in range(5)]
    return [
        charts.rating_curve(course, label=HOSTILE),
        charts.curves(
            [{"matches": n, "mu": 25.0, "bot": HOSTILE} for n in range(3)],
            [{"matches": 2, "bot": HOSTILE, "y": 25.0}],
            label=HOSTILE,
        ),
        charts.interval_plot(
            [{"name": HOSTILE, "value": 3.0, "low": None, "high": None}],
            unit="points",
            label=HOSTILE,
            middle=2.0,
        ),
        charts.call_grid(
            [{"call": 2, "tricks": 3, "rounds": 7, "made": True}], highest_call=8, label=HOSTILE
        ),
        charts.time_histogram(
            [{"from_ms": 0.1, "to_ms": 0.2, "decisions": 9}],
            limit_ms=500.0,
            limit_text="limit 0.5 s",
            label=HOSTILE,
        ),
    ]


@pytest.fixture(scope="module")
def drawn() -> list[ET.Element]:
    return [ET.fromstring(text) for text in drawings()]


def test_charts_hold_no_script_and_no_style(drawn: list[ET.Element]) -> None:
    for chart in drawn:
        for part in chart.iter():
            assert not part.tag.endswith(("script", "style", "foreignObject", "image", "}a"))
            assert not [name for name in part.attrib if name == "style" or name.startswith("on")]


def test_hostile_texts_stay_texts(drawn: list[ET.Element]) -> None:
    assert all(chart.attrib["aria-label"] == HOSTILE for chart in drawn)
    assert any(HOSTILE in (part.text or "") for chart in drawn for part in chart.iter())


def test_charts_take_their_colours_from_the_page(drawn: list[ET.Element]) -> None:
    for chart in drawn:
        colours = {part.attrib.get(name, "none") for part in chart.iter() for name in ("fill", "stroke")}
        fixed = {
            colour for colour in colours if not re.fullmatch(r"none|transparent|var\(--[a-z0-9-]+\)", colour)
        }
        assert not fixed


def test_charts_grow_with_the_page(drawn: list[ET.Element]) -> None:
    for chart in drawn:
        assert "width" not in chart.attrib
        _, _, width, _ = map(float, chart.attrib["viewBox"].split())
        assert width <= 360
