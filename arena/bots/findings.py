"""Owns what an examination found, in words; must not know how it was found or how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.referee import Fault
from arena.rules import Card, View

__all__ = ["Finding", "Notebook", "Report", "shown_view"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong (`is_error`) or worth knowing; `view` is what the bot was shown."""

    is_error: bool
    kind: str
    ruleset: str
    case: str
    text: str
    view: str = ""

    @property
    def place(self) -> str:
        """Where it was found: the ruleset, if any, and the case."""
        return f"{self.ruleset}, {self.case}" if self.ruleset else self.case


@dataclass(slots=True)
class Report:
    """What an examination found. `decision_ms` has every decision's time."""

    rulesets: list[str] = field(default_factory=list)
    cases: int = 0
    decision_ms: list[float] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not self.errors

    @property
    def errors(self) -> list[Finding]:
        """What was wrong, as it was found."""
        return [finding for finding in self.findings if finding.is_error]


@dataclass(slots=True)
class _Noise:
    first: Finding
    times: int = 1


class Notebook:
    """What is written down in one examination; `where` is the ruleset and the case that it is at.

    Noise (what goes wrong again and again without spoiling anything) is told once a kind, at the end.
    """

    def __init__(self) -> None:
        self.report = Report()
        self.where = ("", "the handshake")
        self._noise: dict[str, _Noise] = {}

    def find(self, kind: str, text: str, *, view: str = "", is_error: bool = True) -> None:
        """A finding at this place."""
        self.report.findings.append(Finding(is_error, kind, *self.where, text, view))

    def find_fault(self, fault: Fault, view: View) -> None:
        """A fault as the referee charged it, with what the bot was shown."""
        self.find(fault.kind.name, fault.detail, view=shown_view(view))

    def hear_noise(self, kind: str, text: str, *, is_error: bool = True) -> None:
        """Noise at this place; the first of its kind speaks for all."""
        if kind in self._noise:
            self._noise[kind].times += 1
        else:
            self._noise[kind] = _Noise(Finding(is_error, kind, *self.where, text))

    def close(self) -> Report:
        """The report, the noise told."""
        for noise in self._noise.values():
            first = noise.first
            times = f" ({noise.times} times)" if noise.times > 1 else ""
            self.report.findings.append(
                Finding(first.is_error, first.kind, first.ruleset, first.case, first.text + times)
            )
        self._noise.clear()
        return self.report


def shown_view(view: View) -> str:
    """A view in one line, as a card player would tell it."""
    hand = f"seat {view.seat} held {_texts(view.hand)}"
    if view.is_calling:
        return f"{hand}, to call {view.legal_calls[0]} to {view.legal_calls[-1]}"
    trick = f"the trick was {_texts(view.trick)} led by seat {view.trick_leader}" if view.trick else "it led"
    return f"{hand}; {trick}; legal were {_texts(view.legal_cards)}"


def _texts(numbers: Sequence[int]) -> str:
    return " ".join(str(Card(number)) for number in numbers)
