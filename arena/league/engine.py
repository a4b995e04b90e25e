"""Owns what is played in a league, and when: it makes tables and has them played, as many as have room.

Tables are leased from the store, so whatever kills the server loses no match that was stored and plays none
twice. It must not know how anything is shown, nor how bots come in.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from arena.bots.heartbeat import Heartbeat
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError
from arena.league.hub import Hub
from arena.league.live import Live
from arena.league.lobby import Lobby
from arena.league.logs import warning
from arena.league.matchmaker import Candidate, choose_table
from arena.league.model import Entry, Season, SeasonState, Table, TableKind, TableState
from arena.league.person import PersonSeat
from arena.league.plays import KNOWN_DEALS, Installed, Play, Playground, has_known_deals, logged
from arena.league.qualifying import Verdict, qualify
from arena.league.store import LeagueStore
from arena.league.store.bots import HOUSE
from arena.league.workers import Workers

__all__ = ["PATIENCE_S", "Engine", "Installed", "Verdict"]

PATIENCE_S = 30.0
"""How long a draining engine lets tables in play go on."""

BEAT_S = 10.0
"""Between two signs of life to the other arenas; leases stand for three times as long."""

LOOK_S = 1.0
"""How long a table that another arena or a caller has added may wait to be noticed."""

SULK_S = 300.0
"""How long a version that cannot be started here is left out."""

LONGEST_PAUSE_S = 60.0
"""After lost workers in a row: what kills them all, a full disk say, is not tried without end."""

MOST_REMOTE_TABLES = 128
"""Tables of remote bots alone that are in play at once: they cost this machine no process."""

MOST_PERSONS = 16
REMEMBERED_TABLES = 1000


class Engine:
    """Plays a league. Belongs to the server's event loop; `run` is its life."""

    def __init__(
        self,
        store: LeagueStore,
        *,
        hub: Hub,
        live: Live,
        lobby: Lobby,
        installed: Installed,
        sandbox: Sandbox | None,
        owner: str,
        jobs: int,
        log_dir: Path,
        rng: random.Random | None = None,
    ) -> None:
        """`owner` names this arena in the store, the same after every start: so it takes back its own tables.

        At most `jobs` tables with local bots are played at once; without a `sandbox` none are, and only
        remote bots play. What workers write goes to files in `log_dir`, which must be there.
        """
        self._store = store
        self._lobby = lobby
        self._owner = owner
        self._jobs = jobs if sandbox is not None else 0
        self._rng = rng or random.Random(secrets.randbits(64))
        name = sandbox.name if sandbox is not None else "none"
        self._workers = Workers(most=max(1, jobs), sandbox=name, log=log_dir / "workers.log")
        self._qualifying = Workers(most=1, sandbox=name, log=log_dir / "qualifying.log")
        self._ground = Playground(
            store=store,
            hub=hub,
            live=live,
            lobby=lobby,
            installed=installed,
            sandbox=sandbox,
            workers=self._workers,
            heartbeat=Heartbeat(time.monotonic_ns),
        )
        self._plays: dict[asyncio.Task[None], Play] = {}
        self._sulks_until_s: dict[int, float] = {}
        self._stuck: list[Table] = []  # that could not be given back, since the database was away
        self._pause_s = 0.0
        self._pause_until_s = 0.0
        self._together = _Together()
        self._has_news = asyncio.Event()
        self._is_draining = False
        lobby.on_change = self.wake

    # What others ask

    @property
    def tables_in_play(self) -> list[Table]:
        """The tables that this arena plays now."""
        return [play.table for play in self._plays.values()]

    def wake(self) -> None:
        """Something may have changed: look now whether a table can be played."""
        self._has_news.set()

    async def qualify(self, entrant: Entrant) -> Verdict:
        """Plays a submission's first match, against house bots; it is neither stored nor shown.

        ArenaError when that cannot be done here, whatever the bot is like.
        """
        if self._ground.sandbox is None:
            raise ArenaError("this arena has no sandbox, and plays no submitted bots")
        season = await asyncio.to_thread(self._store.season, "")
        return await qualify(entrant, season=season, workers=self._qualifying)

    async def seat_person(self, opponents: Sequence[str] | None = None) -> PersonSeat:
        """Seats a person at an unrated table of one match; three are chosen unless `opponents` names them.

        ArenaError in words when that is not possible now.
        """
        season = await asyncio.to_thread(self._store.current_season)
        if self._is_draining or season is None or season.state is not SeasonState.OPEN:
            raise ArenaError("nothing is played here at the moment")
        if self._ground.sandbox is None:
            raise ArenaError("only remote bots play here, and people play against local ones")
        if sum(play.person is not None for play in self._plays.values()) >= MOST_PERSONS:
            raise ArenaError(f"{MOST_PERSONS} people are playing already; try again later")
        entries = await asyncio.to_thread(self._store.entries, season)
        chosen = self._opponents(entries, opponents)
        person = await asyncio.to_thread(self._store.person)
        table = await asyncio.to_thread(
            self._store.add_table,
            season,
            [person.version_id, *(entry.version.version_id for entry in chosen)],
            kind=TableKind.PERSON,
            is_fresh=True,
            owner=self._owner,
        )
        seat = PersonSeat(
            "person",
            seat_id=secrets.token_urlsafe(16),
            match_id=table.match_ids[0],
            now_ns=time.monotonic_ns,
        )
        seat.sit(0, (seat.name, *(entry.bot.name for entry in chosen)))
        self._begin(Play(self._ground, table, season, entries=_by_version(chosen), person=seat))
        return seat

    # Its life

    async def run(self) -> None:
        """Plays until it is cancelled; `drain` before that. Takes back first what its last life left."""
        async with self._ground.heartbeat:
            await asyncio.to_thread(self._store.recover, self._owner)
            await asyncio.to_thread(self._store.heartbeat, self._owner)
            await self._remember()
            beating = asyncio.create_task(self._beat())
            try:
                while True:
                    self._has_news.clear()
                    with logged("no table was made"):
                        await self._make_tables()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(LOOK_S):
                            await self._has_news.wait()
            finally:
                self._is_draining = True
                beating.cancel()
                await self._end_all()
                await self._workers.close()
                await self._qualifying.close()

    async def _remember(self) -> None:
        season = await asyncio.to_thread(self._store.current_season)
        if season is not None:
            lately = await asyncio.to_thread(self._store.recent_tables, season, REMEMBERED_TABLES)
            for version_ids in lately:
                self._together.note(version_ids)

    async def drain(self, patience_s: float = PATIENCE_S) -> None:
        """Makes no new tables; returns when those in play are over, or given back after `patience_s`.

        Tables with a person are given up at once: nobody could wait for them.
        """
        self._is_draining = True
        for task, play in tuple(self._plays.items()):
            if play.person is not None:
                task.cancel()
        if self._plays:
            await asyncio.wait(tuple(self._plays), timeout=patience_s)
        await self._end_all()

    async def _end_all(self) -> None:
        tasks = tuple(self._plays)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _beat(self) -> None:
        """Gives signs of life, and takes over the work of arenas that give none."""
        while True:
            await asyncio.sleep(BEAT_S)
            with logged("no sign of life was given"):
                await asyncio.to_thread(self._store.heartbeat, self._owner)
                await asyncio.to_thread(self._store.recover, "")
                await self._expel_revoked()
                while self._stuck:
                    await asyncio.to_thread(self._store.requeue, self._stuck[-1], "the database was away")
                    self._stuck.pop()

    async def _expel_revoked(self) -> None:
        used = self._lobby.token_ids
        if not used:
            return
        for token in await asyncio.to_thread(self._store.tokens):
            if token.revoked_unix_us is not None and token.token_id in used:
                self._lobby.expel(token.token_id, "the token was revoked")

    # Making tables

    async def _make_tables(self) -> None:
        """Begins as many tables as can be played now."""
        while not self._is_draining and (room := self._room()).is_any:
            season = await asyncio.to_thread(self._store.current_season)
            if season is None or season.state is not SeasonState.OPEN:
                return
            play = await self._next_play(season, room)
            if play is None:
                return
            self._begin(play)

    def _room(self) -> _Room:
        plays = [play for play in self._plays.values() if play.person is None]
        with_local = sum(play.has_local for play in plays)
        scrimmages = sum(play.table.kind is TableKind.SCRIMMAGE for play in plays)
        return _Room(
            local=with_local < self._jobs and time.monotonic() >= self._pause_until_s,
            remote=len(plays) - with_local < MOST_REMOTE_TABLES,
            scrimmages=scrimmages < max(1, self._jobs // 2),
        )

    async def _next_play(self, season: Season, room: _Room) -> Play | None:
        """The oldest table that waits and can be played, else a new one; leased. None for neither."""
        in_play = await asyncio.to_thread(self._store.tables_in_play, season)
        at_tables = [table for table in in_play if table.state is TableState.PLAYING]
        at_tables += self.tables_in_play  # those too whose last match is stored and whose bots are leaving
        busy = {
            version_id
            for table in at_tables
            if table.kind is not TableKind.PERSON
            for version_id in table.version_ids
        }
        waiting = [table for table in in_play if table.state is TableState.WAITING]
        for spoilt in filter(has_known_deals, waiting):
            await asyncio.to_thread(self._store.void, spoilt, KNOWN_DEALS)
        has_waiting = not all(map(has_known_deals, waiting))
        entries = await asyncio.to_thread(self._store.entries, season, with_inactive=has_waiting)
        able = [entry for entry in entries if self._may_play(entry, room)]
        table = await self._waiting_table(able, busy, room) if has_waiting else None
        if table is None:
            table = await self._new_table(season, [entry for entry in able if entry.is_active], busy)
        return None if table is None else Play(self._ground, table, season, entries=_by_version(entries))

    async def _waiting_table(self, able: Sequence[Entry], busy: set[int], room: _Room) -> Table | None:
        """A table that was asked for or given back; also of versions that have successors by now."""
        kinds = {TableKind.RATED, TableKind.SCRIMMAGE} if room.scrimmages else {TableKind.RATED}
        free = {
            entry.version.version_id
            for entry in able
            if entry.version.version_id not in busy or entry.bot.author.name == HOUSE
        }
        return await asyncio.to_thread(self._store.claim_table, self._owner, kinds=kinds, version_ids=free)

    def _may_play(self, entry: Entry, room: _Room) -> bool:
        version_id = entry.version.version_id
        if entry.bot.is_remote:
            return room.remote and version_id in self._lobby.connected
        return room.local and self._sulks_until_s.get(version_id, 0.0) < time.monotonic()

    async def _new_table(self, season: Season, able: Sequence[Entry], busy: set[int]) -> Table | None:
        house = await asyncio.to_thread(self._store.author, HOUSE)
        choice = choose_table(
            [Candidate.of(entry, house_author_id=house.author_id) for entry in able],
            playing=busy,
            rng=self._rng,
            played_together=self._together.counts,
        )
        if choice is None:
            return None
        self._together.note(choice.version_ids)
        by_version = _by_version(able)
        return await asyncio.to_thread(
            self._store.add_table,
            season,
            choice.version_ids,
            kind=TableKind.RATED,
            is_fresh=any(by_version[version_id].bot.is_remote for version_id in choice.version_ids),
            owner=self._owner,
        )

    def _opponents(self, entries: Sequence[Entry], names: Sequence[str] | None) -> list[Entry]:
        able = {entry.bot.name: entry for entry in entries if entry.is_active and not entry.bot.is_remote}
        if names is None:
            if len(able) < 3:
                raise ArenaError(f"three opponents are needed, and {len(able)} local bots play here")
            return self._rng.sample(list(able.values()), 3)
        if len(names) != 3 or len(set(names)) != 3:
            raise ArenaError("three different opponents are needed")
        unknown = [name for name in names if name not in able]
        if unknown:
            raise ArenaError(f"{unknown[0]} is no local bot that plays now")
        return [able[name] for name in names]

    # Tables in play

    def _begin(self, play: Play) -> None:
        task = asyncio.create_task(play.run())
        self._plays[task] = play
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        play = self._plays.pop(task)
        now_s = time.monotonic()
        if play.missing is not None:
            self._sulks_until_s[play.missing] = now_s + SULK_S
        self._pause_s = min(LONGEST_PAUSE_S, 2 * self._pause_s or 1.0) if play.is_worker_lost else 0.0
        self._pause_until_s = now_s + self._pause_s
        if not task.cancelled() and (error := task.exception()) is not None:
            warning("table not given back", table=play.table.table_id, trouble=str(error))
            self._stuck.append(play.table)
        self.wake()


@dataclass(frozen=True, slots=True)
class _Room:
    """What more can be played now: tables with local bots, tables without, scrimmages among either."""

    local: bool
    remote: bool
    scrimmages: bool

    @property
    def is_any(self) -> bool:
        return self.local or self.remote


class _Together:
    """How often versions sat at one table lately: by pair, the lower id first."""

    def __init__(self) -> None:
        self.counts: dict[tuple[int, int], int] = {}
        self._tables: deque[Sequence[int]] = deque()

    def note(self, version_ids: Sequence[int]) -> None:
        """They sit at one now."""
        self._tables.append(tuple(version_ids))
        self._add(version_ids, 1)
        if len(self._tables) > REMEMBERED_TABLES:
            self._add(self._tables.popleft(), -1)

    def _add(self, version_ids: Sequence[int], change: int) -> None:
        for pair in combinations(sorted(version_ids), 2):
            count = self.counts.pop(pair, 0) + change
            if count:
                self.counts[pair] = count


def _by_version(entries: Sequence[Entry]) -> Mapping[int, Entry]:
    return {entry.version.version_id: entry for entry in entries}
