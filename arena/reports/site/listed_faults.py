"""Owns how a fault is listed on a bot's page, and the address of the very decision."""

from __future__ import annotations

from dataclasses import dataclass

from arena.reports.site.tallies import BotFault
from arena.reports.site.wording import card_text, kind_text
from arena.reports.text import harmless

__all__ = ["ListedFault", "address_of", "listed_fault"]

CALLS = 4


@dataclass(frozen=True, slots=True)
class ListedFault:
    """A fault as a bot's page lists it, texts as people read them."""

    match_id: str
    address: str
    place: str
    kind: str
    answer: str
    replaced_by: str
    detail: str
    forfeits: bool


def address_of(round_number: int, decision: int) -> str:
    """The address of a decision (0-55) within the page of its match, as replay.js reads it."""
    if not round_number:
        return "#r1"
    if decision < CALLS:
        return f"#r{round_number}.call{decision + 1}"
    trick, turn = divmod(decision - CALLS, CALLS)
    return f"#r{round_number}.t{trick + 1}.c{turn + 1}"


def listed_fault(fault: BotFault) -> ListedFault:
    """The fault in words."""
    return ListedFault(
        match_id=fault.match_id,
        address=address_of(fault.round, fault.decision),
        place=_fault_place(fault),
        kind=kind_text(fault.kind.name),
        answer=card_text(fault.answer),
        replaced_by=card_text(fault.replaced_by),
        detail=harmless(fault.detail, longest=300),
        forfeits=fault.forfeits,
    )


def _fault_place(fault: BotFault) -> str:
    if not fault.round:
        return "before the first round"
    return f"round {fault.round}, " + (f"trick {fault.trick}" if fault.trick else "calls")
