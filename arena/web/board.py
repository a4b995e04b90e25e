"""Owns the table of a season as everyone sees it: computed once for each change, whoever watches."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import jinja2

from arena.league.houses import HOUSE
from arena.league.hub import Hub, Standings, StandingsChanged
from arena.league.model import Entry, Season
from arena.league.store import NotFound
from arena.reports.site.field import Interval, Scale
from arena.reports.text import NOTHING
from arena.web.rows import RowsFeed
from arena.web.wording import REACH_95, skill_of

__all__ = ["Board", "Line", "Table", "table_of"]

CALM_S: Final = 1.0
"""The table on a screen changes at most so often: nobody reads faster."""
SEASONS_KEPT: Final = 8
REMOTE_S: Final = 3.0
"""How soon a remote bot that came or went is shown when nothing else happens."""
EMPTY_PLACE: Final = '<td class="place"></td>'
GRID: Final = 5.0
"""The ends of the common scale are multiples of this, so that one bot's change seldom moves all bars."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot's row. `place` is 0 for one that has not played; `ends_block`: it is told apart from the next."""

    place: int
    entry: Entry
    skill: Interval
    ends_block: bool
    is_away: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A season's table, and its rows as HTML by version id.

    Rows do not say their places: one bot that moves far would change all rows that it passes.
    """

    season: Season
    lines: tuple[Line, ...]
    rows: Mapping[str, str]

    @property
    def places(self) -> list[int]:
        """The place of each line, 0 for none yet."""
        return [line.place for line in self.lines]

    @property
    def rules(self) -> list[str]:
        """The keys of the rows under which a rule stands."""
        return [str(line.entry.version.version_id) for line in self.lines if line.ends_block]

    def placed(self) -> Iterator[str]:
        """The rows with their places and rules, as a page has them."""
        for line, row in zip(self.lines, self.rows.values(), strict=True):
            place = f'<td class="place">{line.place or NOTHING}</td>'
            head = '<tr class="ends-block" ' if line.ends_block else "<tr "
            yield row.replace("<tr ", head, 1).replace(EMPTY_PLACE, place, 1)

    @property
    def matches(self) -> int:
        """Rated matches of the bots shown."""
        return sum(line.entry.matches for line in self.lines) // 4

    @property
    def has_guests(self) -> bool:
        """Whether there is any bot that the arena did not bring along."""
        return any(line.entry.bot.author.name != HOUSE for line in self.lines)


class Board:
    """The current season's table, and the feed of its changes."""

    def __init__(self, hub: Hub, row: jinja2.Template, connected: Callable[[], Collection[int]]) -> None:
        self._hub = hub
        self._row = row
        self._connected = connected
        self._drawn: dict[int, tuple[Standings, frozenset[int], Table]] = {}
        self.table: Table | None = None
        self.feed = RowsFeed()

    async def run(self) -> None:
        """Follows the hub until it is cancelled."""
        with self._hub.subscribe(StandingsChanged) as news:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._follow(news))
                tasks.create_task(self._look_at_remote_bots())

    async def refresh(self) -> None:
        """Takes the newest table and tells what is new in it."""
        try:
            standings = await self._hub.standings()
        except NotFound:
            return
        table = self.table = self.draw(standings)
        self.feed.tell(
            table.rows,
            places=table.places,
            rules=table.rules,
            season=table.season.name,
            state=table.season.state.value,
            matches=table.matches,
            has_guests=table.has_guests,
        )

    def draw(self, standings: Standings) -> Table:
        """The table of any season; the same object as long as nothing in it changes."""
        connected = frozenset(self._connected())
        season_id = standings.season.season_id
        known = self._drawn.pop(season_id, None)
        if known is None or known[0] is not standings or known[1] != connected:
            known = (standings, connected, table_of(standings, self._row, connected=connected))
        self._drawn[season_id] = known
        if len(self._drawn) > SEASONS_KEPT:
            del self._drawn[next(iter(self._drawn))]
        return known[2]

    async def _follow(self, news: AsyncIterable[object]) -> None:
        await self.refresh()
        async for _ in news:
            await self.refresh()
            await asyncio.sleep(CALM_S)

    async def _look_at_remote_bots(self) -> None:
        seen = frozenset(self._connected())
        while True:
            await asyncio.sleep(REMOTE_S)
            now = frozenset(self._connected())
            if now != seen:
                seen = now
                await self.refresh()


def table_of(standings: Standings, row: jinja2.Template, *, connected: Collection[int]) -> Table:
    """The table with its rows drawn; bots that have not played stand below."""
    lines = tuple(_lines(standings.entries, connected))
    scale = _scale_of(lines)
    rows = {str(line.entry.version.version_id): row.render(line=line, scale=scale).strip() for line in lines}
    return Table(standings.season, lines, rows)


def _lines(entries: Sequence[Entry], connected: Collection[int]) -> Iterator[Line]:
    played = [entry for entry in entries if entry.matches]
    place = 0
    for at, entry in enumerate(played):
        if at == 0 or not _is_level(played[at - 1], entry):
            place = at + 1
        is_last = at + 1 == len(played)
        yield _line(entry, place, connected, ends_block=not is_last and _is_apart(entry, played[at + 1]))
    for entry in entries:
        if not entry.matches:
            yield _line(entry, 0, connected)


def _line(entry: Entry, place: int, connected: Collection[int], *, ends_block: bool = False) -> Line:
    return Line(
        place=place,
        entry=entry,
        skill=skill_of(entry),
        ends_block=ends_block,
        is_away=entry.bot.is_remote and entry.version.version_id not in connected,
    )


def _is_level(one: Entry, other: Entry) -> bool:
    return (one.mu, one.sigma) == (other.mu, other.sigma)


def _is_apart(one: Entry, other: Entry) -> bool:
    """Whether the difference of two skills is more than its 95 % interval."""
    return abs(one.mu - other.mu) > REACH_95 * math.hypot(one.sigma, other.sigma)


def _scale_of(lines: Sequence[Line]) -> Scale:
    tight = Scale.over([line.skill for line in lines])
    return Scale(GRID * math.floor(tight.low / GRID), GRID * math.ceil(tight.high / GRID))
