"""Owns how figures are told: the table, the ratios, the targets, and the machine that they were taken on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders import BATCHED, ECHO, ENVIRONMENT, FLASK, ONE_ASK, POLLED_ECHO, RULES
from benchmarks.suite import Measured

__all__ = ["Target", "document", "machine", "table", "targets"]

_Cell = Callable[[Measured], str]
_PACKAGES = ("grpcio", "protobuf", "flask", "aiohttp")


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that was aimed at, and what was reached: by the clock, and by processor time."""

    text: str
    wanted: float
    reached: float
    reached_by_cpu: float

    def __str__(self) -> str:
        verdict = "met" if self.reached >= self.wanted else "missed"
        return (
            f"{self.text}: {_number(self.reached)} of {_number(self.wanted)}, {verdict}; "
            f"{_number(self.reached_by_cpu)} by processor time"
        )


def machine() -> list[str]:
    """What a figure depends on besides the code."""
    versions = [f"{name} {version}" for name in _PACKAGES if (version := _version(name))]
    loads = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return [
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        f"Python {platform.python_version()}, {', '.join(versions)}",
        f"load average {loads}: above 1 others were running, and figures by the clock are too low",
    ]


def table(measured: Sequence[Measured]) -> list[str]:
    """One line a contender, in Markdown; those that could not be measured say why."""
    found = {one.contender.name: one for one in measured if one.samples}
    columns = _columns(found)
    lines = [
        "| " + " | ".join(columns) + " |",
        "|---|" + "---:|" * (len(columns) - 1),
    ]
    lines += [
        "| " + " | ".join(cell(one) for cell in columns.values()) + " |" for one in measured if one.samples
    ]
    lines += [f"\n{one.contender.name}: not measured. {one.trouble}" for one in measured if not one.samples]
    return lines


def _columns(found: Mapping[str, Measured]) -> dict[str, _Cell]:
    def ratio(base: str) -> _Cell:
        return lambda one: _ratio(one.per_s / found[base].per_s) if base in found else "–"

    flask = _fastest(found, FLASK)
    return {
        "what": lambda one: one.contender.title,
        "in flight": lambda one: str(one.contender.in_flight),
        "decisions/s": lambda one: f"{one.per_s:,.0f}",
        "from – to": lambda one: f"{one.lowest_per_s:,.0f} – {one.highest_per_s:,.0f}",
        "null bots": lambda one: "–" if one.null_per_s is None else f"{one.null_per_s:,.0f}",
        "arena µs": lambda one: _microseconds(one.arena_us),
        "bots µs": lambda one: _microseconds(one.bots_us) if one.bots_us else "–",
        "of echo": ratio(ECHO),
        "of Flask": ratio(flask) if flask else lambda one: "–",
    }


def targets(measured: Sequence[Measured]) -> Iterator[Target]:
    """What was aimed at, of what was measured."""
    found = {one.contender.name: one for one in measured if one.samples}
    if RULES in found:
        rules = found[RULES]
        yield Target("rules alone, decisions/s", 500_000, rules.per_s, 1e6 / rules.cpu_us)
    if ENVIRONMENT in found:
        steps = found[ENVIRONMENT]
        yield Target("vectorised environment, decisions/s", 5_000_000, steps.per_s, 1e6 / steps.cpu_us)
    for text, name in (
        ("one ask in flight, of the bare echo as gRPC comes", ECHO),
        ("one ask in flight, of the bare echo with the arena's poller", POLLED_ECHO),
    ):
        if {name, ONE_ASK} <= found.keys():
            echo, one_ask = found[name], found[ONE_ASK]
            yield Target(text, 0.9, one_ask.per_s / echo.per_s, echo.cpu_us / one_ask.cpu_us)
    best = _fastest(found, BATCHED)
    if best is None:
        return
    batched = found[best]
    cores_us = (os.cpu_count() or 1) * 1e6
    yield Target(f"batched ({best}), decisions/s", 90_000, batched.per_s, cores_us / batched.cpu_us)
    for text, wanted, base in (
        ("batched, times one ask", 12, ONE_ASK if ONE_ASK in found else None),
        ("batched, times Flask at its best", 60, _fastest(found, FLASK)),
    ):
        if base is not None:
            other = found[base]
            yield Target(text, wanted, batched.per_s / other.per_s, other.cpu_us / batched.cpu_us)


def document(measured: Sequence[Measured]) -> dict[str, object]:
    """Everything, for a file."""
    return {
        "machine": machine(),
        "contenders": {
            one.contender.name: {
                "title": one.contender.title,
                "in_flight": one.contender.in_flight,
                "trouble": one.trouble,
                "decisions_per_s": [sample.per_s for sample in one.samples],
                "null_decisions_per_s": [sample.per_s for sample in one.null_samples],
                "arena_us": [sample.arena_us for sample in one.samples],
                "bots_us": [sample.bots_us for sample in one.samples],
            }
            for one in measured
        },
    }


def _fastest(found: Mapping[str, Measured], names: Sequence[str]) -> str | None:
    there = [name for name in names if name in found]
    return max(there, key=lambda name: found[name].per_s, default=None)


def _ratio(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2f}"


def _microseconds(number: float) -> str:
    return f"{number:.1f}" if number >= 1 else f"{number:.3f}"


def _number(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
