"""Owns what one measurement gives, and how much is measured."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Effort", "Sample", "Unavailable"]


class Unavailable(Exception):
    """Something cannot be measured here; the message says why, and what would change that."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long one sample plays: `seconds` where a clock ends it, else `matches` for each one in flight."""

    seconds: float
    matches: int

    def matches_for(self, in_flight: int) -> int:
        """Matches of a sample with so many in flight; more of them where one match is little."""
        return max(self.matches * in_flight, round(8 * self.seconds))


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement, start-up left out. Processor time is user and system; 0 is not known, or nobody's."""

    decisions: int
    seconds: float
    arena_cpu_s: float
    bots_cpu_s: float

    @property
    def per_s(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds

    @property
    def arena_us(self) -> float:
        """Microseconds of processor time that the arena's side spends on a decision."""
        return self.arena_cpu_s / self.decisions * 1e6

    @property
    def bots_us(self) -> float:
        """Microseconds of processor time that the bots' side spends on a decision."""
        return self.bots_cpu_s / self.decisions * 1e6
