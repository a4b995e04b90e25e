"""Owns the words about what went wrong: which bot, how often, for example where, and where to read more."""

from __future__ import annotations

from arena.reports.text import harmless
from arena.store.reader import StoreReader
from arena.store.rows import FaultRow
from arena.tournament.plan import LOG_FOLDER

__all__ = ["fault_lines"]


def fault_lines(store: StoreReader) -> list[str]:
    """Two lines for each bot and kind of fault: the count, and its first case."""
    lines = []
    for bot, kinds in store.fault_counts().items():
        for kind, count in kinds.items():
            first = store.first_fault(bot, kind)
            lines.append(f"{store.bots[bot].name}: {count} {kind}")
            if first is not None:
                lines += [f"  first in {_where(store, first)}: {_what(first)}", *_log_lines(store, first)]
    return lines


def _where(store: StoreReader, fault: FaultRow) -> str:
    match_id = store.match_id_at(fault.position)
    place = f"{match_id}, seat {fault.seat}"
    if not fault.round:
        return f"{place}, before the first round"
    return f"{place}, round {fault.round}, " + (f"trick {fault.trick}" if fault.trick else "calls")


def _what(fault: FaultRow) -> str:
    words = harmless(fault.detail)
    if fault.answer and fault.answer not in fault.detail:
        words += f" (answered {harmless(fault.answer, longest=60)})"
    if fault.replaced_by:
        words += f"; {fault.replaced_by} was {'played' if fault.trick else 'called'} instead"
    return words + ("; the seat was forfeited" if fault.forfeits else "")


def _log_lines(store: StoreReader, fault: FaultRow) -> list[str]:
    """Where the bot's output of that match lies, or all of its output; nothing if it never said anything."""
    found = store.match(store.match_id_at(fault.position))
    output = list(found.parse().timing.output) if found else []
    if fault.seat < len(output) and output[fault.seat]:
        return [f"  its output: {harmless(str(store.folder / output[fault.seat]))}"]
    logs = store.folder / LOG_FOLDER
    if any(logs.glob(f"{fault.bot}-*.log")):
        return [f"  its output: {harmless(str(logs))}/{fault.bot}-*.log"]
    return []
