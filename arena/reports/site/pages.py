"""Owns what stands on each page and its rendering; it must not know where files are written.

Texts of bots are made harmless here or before, and escaped by the templates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jinja2

from arena.referee.clocks import TimeControl
from arena.reports.site import plots, run_facts
from arena.reports.site.bot_figures import Course, Played
from arena.reports.site.field import Entrant, Field
from arena.reports.site.files import TEMPLATES
from arena.reports.site.listed_faults import ListedFault, listed_fault
from arena.reports.site.tallies import FAULTS_SHOWN, Tallies
from arena.reports.site.wording import kind_text, two_figures, wins_text
from arena.reports.text import NOTHING, harmless, number, percent
from arena.store.totals import BotTotals
from arena.tournament.plan import Plan
from arena.tournament.schedule import Schedule

__all__ = ["ListedMatch", "Pages"]

SEATS = 4
MOST_IN_HEAT_MAP = 100

COMMON: Final = ("assets/dom.js", "assets/local_times.js")
SORTED: Final = ("assets/dom.js", "assets/sort.js")
LISTED: Final = ("assets/dom.js", "assets/replay_files.js", "replays/run.js", "assets/matches_page.js")
REPLAYED: Final = (
    "assets/dom.js",
    "assets/cards.js",
    "assets/rules.js",
    "assets/replay.js",
    "assets/card_table.js",
    "assets/scorecard.js",
    "assets/replay_view.js",
    "assets/match_view.js",
    "assets/replay_files.js",
    "replays/run.js",
    "assets/match_page.js",
)


@dataclass(frozen=True, slots=True)
class Site:
    """What every page says."""

    name: str
    ruleset: str
    version: str
    stored: int
    planned: int


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match as a bot's page lists it."""

    match_id: str
    points: str
    place: int
    others: Sequence[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a heat map; `shade` 0, 5, ... 100 chooses its colour."""

    text: str
    shade: int | None = None
    title: str = ""

    @classmethod
    def of(cls, share: float, *, title: str) -> Cell:
        """The cell of a share from 0 to 1."""
        return cls(percent(share), shade=5 * round(20 * share), title=title)


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """The pages of one run. Each method returns the whole text of one of them.

    `is_complete` says that nothing more will be played, so that the seed may be told.
    """

    plan: Plan
    schedule: Schedule
    field: Field
    course: Course
    tallies: Tallies
    totals: Mapping[int, BotTotals]
    fault_counts: Mapping[int, Mapping[str, int]]
    stored: int
    planned: int
    is_complete: bool

    def index(self) -> str:
        """The standings."""
        rows = [
            {
                "one": one,
                "version": _version(one),
                "cells": _cells(one),
                "faults": sum(one.standing.faults.values()),
            }
            for one in self.field.entrants
        ]
        drawn = []
        if self.stored:
            drawn = [
                plots.course_of_all(self.field.entrants, self.course),
                plots.points_of_all(self.field.entrants),
            ]
        return self._rendered("index.html", scripts=SORTED, rows=rows, field=self.field, charts=drawn)

    def head_to_head(self) -> str:
        """The heat maps."""
        shown = self.field.entrants[:MOST_IN_HEAT_MAP] if self.stored else ()
        return self._rendered(
            "head-to-head.html",
            rows=shown,
            before=[[self._share(row, column) for column in range(len(shown))] for row in range(len(shown))],
            better=[[self._likely(row, column) for column in range(len(shown))] for row in range(len(shown))],
            has_left_out=len(self.field.entrants) > len(shown),
        )

    def matches(self) -> str:
        """The list of all matches, which its scripts fill in."""
        return self._rendered("matches.html", scripts=LISTED)

    def match(self) -> str:
        """The page of any match, which its scripts fill in."""
        return self._rendered("match.html", scripts=REPLAYED)

    def run(self) -> str:
        """What was really played."""
        preset, rules = run_facts.rules_of(self.plan.ruleset)
        return self._rendered(
            "run.html",
            facts=run_facts.facts_of(
                self.plan,
                self.schedule,
                self.tallies,
                matches=(self.stored, self.planned),
                is_complete=self.is_complete,
            ),
            command=run_facts.command_of(self.plan, is_complete=self.is_complete),
            preset=preset,
            rules=rules,
            differences=sum(rule.differs for rule in rules),
            bots=[
                {
                    "name": self.field.names[bot],
                    "page": self.field.pages[bot],
                    "version": harmless(planned.version, longest=40),
                    "language": harmless(planned.language, longest=40),
                    "protocol": planned.protocol,
                    "content_hash": planned.content_hash,
                }
                for bot, planned in enumerate(self.plan.entrants)
            ],
        )

    def bot(
        self, one: Entrant, played: Played, *, best: Sequence[ListedMatch], worst: Sequence[ListedMatch]
    ) -> str:
        """One bot's page; `best` and `worst` are matches of those it `played`."""
        faults = self._faults(one.number)
        return self._rendered(
            "bot.html",
            folder="bots",
            one=one,
            version=_version(one),
            headline=_headline(one),
            charts=self._charts(one, played) if len(played.rows) else [],
            best=best,
            worst=worst,
            faults=faults,
            fault_words=self._fault_words(one.number, len(faults)),
        )

    def _rendered(
        self, page: str, *, folder: str = "", scripts: Sequence[str] = COMMON, **values: Any
    ) -> str:
        site = Site(
            name=harmless(self.plan.name, longest=80),
            ruleset=self.plan.ruleset.name,
            version=self.plan.arena_version,
            stored=self.stored,
            planned=self.planned,
        )
        root = "../" if folder else ""
        template = ENVIRONMENT.get_template(page)
        return template.render(site=site, root=root, current=page, scripts=scripts, **values)

    def _share(self, row: int, column: int) -> Cell:
        """How often one came before the other."""
        if row == column:
            return Cell("")
        table = self.field.head_to_head
        one, other = (self.field.entrants[at].name for at in (row, column))
        share = table.share(row, column)
        if share is None:
            return Cell(NOTHING, title=f"{one} and {other} never met")
        met = table.meetings[row, column]
        return Cell.of(share, title=f"{one} before {other} in {percent(share)} % of {met} matches")

    def _likely(self, row: int, column: int) -> Cell:
        """How likely one is better than the other."""
        if row == column:
            return Cell("")
        one, other = (self.field.entrants[at].name for at in (row, column))
        share = self.field.head_to_head.likely(row, column)
        if share is None:
            return Cell(NOTHING, title=f"{one} and {other}: not known")
        return Cell.of(share, title=f"{one} is better than {other}: {percent(share)} %")

    def _charts(self, one: Entrant, played: Played) -> list[plots.Chart]:
        limit_ms = TimeControl.parse(self.plan.time_control).limit_ns / 1e6
        found = [
            plots.course_of_one(one, self.course),
            plots.points_of_one(one, played, self.field.entrants),
            plots.calls_against_tricks(one, self.tallies.grid[one.number], self.plan.ruleset),
            plots.times(self.totals[one.number].times, limit_ms=limit_ms),
        ]
        return [chart for chart in found if chart is not None]

    def _faults(self, bot: int) -> list[ListedFault]:
        kinds = self.tallies.faults.get(bot, {})
        return [listed_fault(fault) for kind in sorted(kinds) for fault in kinds[kind]]

    def _fault_words(self, bot: int, shown: int) -> str:
        counts = self.fault_counts.get(bot, {})
        told = ", ".join(f"{count} × {kind_text(kind)}" for kind, count in sorted(counts.items()))
        more = f" Of each kind the first {FAULTS_SHOWN} are listed." if sum(counts.values()) > shown else ""
        return f"{told}. Each leads to the decision itself.{more}"


def _version(one: Entrant) -> str:
    planned = one.planned
    house = ", house bot" if planned.is_house else ""
    return f"{harmless(planned.version, longest=40)}, {harmless(planned.language, longest=40)}{house}"


def _cells(one: Entrant) -> list[Mapping[str, Any]]:
    """The plain columns of the standings, each with what it is sorted by."""
    row = one.standing
    rating = row.rating if row.matches else None
    other = one.adjusted if one.deciding is one.skill else one.skill
    return [
        {"value": other.value, "text": str(other)},
        {"value": rating, "text": number(rating, decimals=1)},
        {"value": one.points.value, "text": str(one.points)},
        {"value": row.wins, "text": wins_text(row.wins)},
        {"value": row.mean_place, "text": number(row.mean_place, decimals=2)},
        {"value": row.calls_made, "text": percent(row.calls_made)},
        {"value": row.matches, "text": str(row.matches)},
        {"value": row.mean_decision_ms, "text": two_figures(row.mean_decision_ms)},
    ]


def _headline(one: Entrant) -> list[tuple[str, str]]:
    row = one.standing
    return [
        ("place", str(row.rank)),
        ("place, 95 %", one.ranks or NOTHING),
        ("adjusted points", str(one.adjusted)),
        ("skill", str(one.skill)),
        ("rating", number(row.rating if row.matches else None, decimals=1)),
        ("mu", number(row.mu, decimals=2)),
        ("sigma", number(row.sigma, decimals=2)),
        ("points a match", str(one.points)),
        ("wins", wins_text(row.wins)),
        ("mean place", number(row.mean_place, decimals=2)),
        ("calls made", f"{percent(row.calls_made)} %"),
        ("mean call", number(row.mean_call, decimals=2)),
        ("mean tricks", number(row.mean_tricks, decimals=2)),
        ("matches", str(row.matches)),
        *([("forfeits", str(row.forfeits))] if row.forfeits else []),
    ]


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


ENVIRONMENT: Final = _environment()
