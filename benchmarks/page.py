"""Owns `docs/performance.md`: its figures are taken here and filled in between its marks."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks import report, scale
from benchmarks.contenders import CONTENDERS, PEERS
from benchmarks.costs import measure_costs
from benchmarks.keeping import Sizes, keeping_lines
from benchmarks.sample import Effort
from benchmarks.suite import Measured, measure_all

__all__ = ["PAGE", "fill_in", "growth", "rewrite"]

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
_IN_FLIGHT = (1, 16, 64, 256, 1024)


def rewrite(
    *,
    rounds: int,
    effort: Effort,
    sizes: Sizes,
    tournament: scale.Tournament,
    on_sample: Callable[[str], None],
) -> None:
    """Measures everything and writes the page anew."""
    before = report.machine()
    measured = measure_all(PEERS, rounds=rounds, effort=effort, on_sample=on_sample)
    on_sample("what parts cost")
    matches = max(100, sizes.stored // 2)
    costs = measure_costs(bots=tournament.bots, matches=matches, in_flight=scale.IN_FLIGHT)
    on_sample("keeping results")
    kept = list(keeping_lines(sizes, play_us=costs.decisions * _best_decision_us(measured)))
    told = {
        "machine": _listed([*before, _samples(rounds)]),
        "throughput": "\n".join(report.table(measured)),
        "targets": _listed(map(str, report.targets(measured))),
        "growth": "\n".join(growth(measured)),
        "keeping": _listed(kept),
        "scale": "\n".join(scale.table(tournament, costs)),
    }
    PAGE.write_text(fill_in(PAGE.read_text(), told))
    on_sample("")


def fill_in(page: str, told: dict[str, str]) -> str:
    """`page` with each text between its `<!-- name -->` and the `<!-- end -->` after it."""
    for name, text in told.items():
        mark = f"<!-- {name} -->"
        start = page.index(mark) + len(mark)
        end = page.index("<!-- end -->", start)
        page = f"{page[:start]}\n{text}\n{page[end:]}"
    return page


def growth(measured: Sequence[Measured]) -> list[str]:
    """Processor time of a decision by matches in flight, in Markdown: what a batch spreads over its asks."""
    found = {one.contender.name: one for one in measured if one.samples}
    lines = [
        "| matches in flight | arena µs | bots µs | decisions/s of one worker |",
        "|---:|---:|---:|---:|",
    ]
    for in_flight in _IN_FLIGHT:
        one = found.get(f"arena-{in_flight}")
        if one is not None:
            lines.append(f"| {in_flight} | {one.arena_us:.1f} | {one.bots_us:.1f} | {one.per_s:,.0f} |")
    return lines


def _best_decision_us(measured: Sequence[Measured]) -> float:
    """Processor time of a decision, arena and bots, in the largest batches."""
    largest = CONTENDERS["arena-1024"]
    samples = next(one.samples for one in measured if one.contender is largest)
    return statistics.median(sample.arena_us + sample.bots_us for sample in samples)


def _samples(rounds: int) -> str:
    if rounds == 1:
        return "**one sample of each: a look, and no figures to quote**"
    return f"medians of {rounds} samples, in shuffled order, each in a process of its own"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
