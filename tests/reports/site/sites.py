"""Builders of reports, and how tests read a page without a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.reports.site.writing import write_site
from arena.rules import Ruleset
from arena.store.reader import StoreReader
from arena.tournament.plan import Plan, plan_digest
from arena.v1 import record_pb2
from tests.store.played import SHORT, all_played, plan_of, run_in

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "=HYPERLINK(1)",
    "\x1b[31mred\u202e",
)
BOTS = ("ant", "bee", "cat", *HOSTILE[:2])


@dataclass(slots=True, eq=False)
class Run:
    """A tournament that was played, and its report."""

    plan: Plan
    records: list[record_pb2.MatchRecord]
    folder: Path
    report: Path = field(init=False)

    def __post_init__(self) -> None:
        self.report = self.folder / "report"

    def write(self) -> Path:
        with StoreReader.open(self.folder, plan_digest=plan_digest(self.folder)) as store:
            return write_site(self.plan, store, self.report)

    def page(self, name: str) -> str:
        return (self.report / name).read_text(encoding="utf-8")

    def record(self, match_id: str) -> record_pb2.MatchRecord:
        return next(record for record in self.records if record.match_id == match_id)

    def first_fault(self, kind: FaultKind) -> tuple[record_pb2.MatchRecord, record_pb2.FaultRecord]:
        return next(
            (record, fault) for record in self.records for fault in record.faults if int(fault.kind) == kind
        )


def run_of(
    folder: Path, *, bots: Sequence[str] = BOTS, sets: int = 1, ruleset: Ruleset = SHORT, missing: int = 0
) -> Run:
    """A run of bots of which the third errs now and then; the last `missing` matches were not played."""
    plan = plan_of(bots, sets=sets, ruleset=ruleset)
    records = all_played(plan, third_errs)
    run = Run(plan, records[: len(records) - missing], folder)
    run_in(folder, plan, run.records)
    run.write()
    return run


def third_errs(match: RefereedMatch) -> FaultKind | None:
    """The third bot is at fault in its first round at some tables: late, or with a forbidden card."""
    if match.setup.seats[match.seat].bot != BOTS[2] or match.setup.set_number % 2:
        return None
    played = match.game.round
    if played.decision in (1, 9):
        return FaultKind.TIMEOUT
    forbidden = played.hands[match.seat] & ~played.legal
    return FaultKind.ILLEGAL_CARD if not match.is_calling and forbidden and played.decision > 20 else None


class Page(HTMLParser):
    """What a page holds: tags with their attributes, links, ids and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.append(" ".join(data.split()))

    def links(self) -> Iterator[str]:
        for _, attributes in self.tags:
            yield from (attributes[name] for name in ("href", "src") if name in attributes)

    def ids(self) -> set[str]:
        return {attributes["id"] for _, attributes in self.tags if "id" in attributes}
