"""docs/performance.md has a place for every figure, and what is between its marks is replaced."""

from __future__ import annotations

import pytest

from benchmarks.contenders import CONTENDERS
from benchmarks.page import PAGE, fill_in, growth
from benchmarks.sample import Sample
from benchmarks.suite import Measured

PARTS = ("machine", "throughput", "targets", "growth", "keeping", "scale")


def test_page_has_a_place_for_every_part_and_keeps_what_is_around_it() -> None:
    page = PAGE.read_text()

    filled = fill_in(page, {part: f"the figures of {part}" for part in PARTS})

    for part in PARTS:
        assert f"<!-- {part} -->\nthe figures of {part}\n<!-- end -->" in filled
    assert fill_in(filled, dict.fromkeys(PARTS, "")) == fill_in(page, dict.fromkeys(PARTS, ""))


def test_part_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="not found"):
        fill_in("# Performance\n", {"scale": "1"})


def test_growth_has_a_row_for_each_number_in_flight_that_was_measured() -> None:
    measured = [
        Measured(CONTENDERS[name], [Sample(1000, 1.0, 0.2, 0.1)], [])
        for name in ("arena-1", "arena-256", "echo-4", "arena-256x2")
    ]

    assert growth(measured)[2:] == ["| 1 | 200.0 | 100.0 | 1,000 |", "| 256 | 200.0 | 100.0 | 1,000 |"]
