"""Owns what is played in a league, and when: it makes tables, has them played, and stores what comes of it.

Tables are leased from the store, so whatever kills the server loses no match that was stored and plays none
twice. It must not know how anything is shown, nor how bots come in.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from arena.bots.floor import Guest
from arena.bots.heartbeat import Heartbeat
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.bots.sandbox import NoSandbox, Sandbox
from arena.bots.scratch import scratch_folder
from arena.errors import ArenaError
from arena.league.hub import Hub, MatchStored
from arena.league.live import Live, SeenRound
from arena.league.lobby import Lobby
from arena.league.matchmaker import Candidate, choose_table
from arena.league.model import Entry, Season, SeasonState, Table, TableKind, TableState, Version
from arena.league.person import PersonSeat
from arena.league.remote import NoContest
from arena.league.store import LeagueStore, LeaseLost
from arena.league.store.bots import HOUSE
from arena.league.tables import (
    SeatPlan,
    TablePlan,
    local_guest,
    play_table,
    seen_of,
    seen_of_record,
)
from arena.league.workers import WorkerLost, Workers
from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.referee.setup import Isolation
from arena.rules import find_ruleset
from arena.v1 import record_pb2

__all__ = ["PATIENCE_S", "Engine", "Installed", "Verdict"]

PATIENCE_S = 30.0
"""How long a draining engine lets tables in play go on."""

BEAT_S = 10.0
"""Between two signs of life to the other arenas; leases stand for three times as long."""

LOOK_S = 1.0
"""How long a table that another arena or a caller has added may wait to be noticed."""

SULK_S = 300.0
"""How long a version that cannot be installed is left out."""

MOST_REMOTE_TABLES = 128
"""Tables without a local bot in play at once: they cost this machine no process."""

MOST_PERSONS = 16
PERSON_TIME = "120+120"
"""The clock of a table with a person, for everybody at it."""

STORE_AGAIN_S = (0.5, 1.0, 2.0, 4.0, 8.0)
REMEMBERED_TABLES = 1000

log = logging.getLogger(__name__)


class Installed(Protocol):
    """Where the built folders of admitted bots are."""

    async def entrant(self, version: Version) -> Entrant:
        """The bot ready to start; ArenaError when it cannot be had here."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a submission's first match went, in words."""

    is_passed: bool
    detail: str


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
        remote bots play. Workers' errors go to a file in `log_dir`.
        """
        self._store = store
        self._hub = hub
        self._live = live
        self._lobby = lobby
        self._installed = installed
        self._sandbox = sandbox
        self._owner = owner
        self._jobs = jobs if sandbox is not None else 0
        self._rng = rng or random.Random(secrets.randbits(64))
        name = sandbox.name if sandbox is not None else "none"
        self._workers = Workers(most=max(1, jobs), sandbox=name, log=log_dir / "workers.log")
        self._qualifying = Workers(most=1, sandbox=name, log=log_dir / "qualifying.log")
        self._plays: dict[asyncio.Task[None], _Play] = {}
        self._sulking: dict[int, float] = {}
        self._together = _Together()
        self._news = asyncio.Event()
        self._is_draining = False
        self._heartbeat: Heartbeat | None = None
        lobby.on_change = self.wake

    # What others ask

    @property
    def tables_in_play(self) -> list[Table]:
        """The tables that this arena plays now."""
        return [play.table for play in self._plays.values()]

    def wake(self) -> None:
        """Something may have changed: look now whether a table can be played."""
        self._news.set()

    async def qualify(self, entrant: Entrant) -> Verdict:
        """Plays a submission's first match, against house bots; it is neither stored nor shown.

        ArenaError when that cannot be done here, whatever the bot is like.
        """
        if self._sandbox is None:
            raise ArenaError("this arena has no sandbox, and plays no submitted bots")
        season = await asyncio.to_thread(self._store.season, "")
        plan = _qualifying_plan(entrant, season)
        others = (load_bot(HOUSE_BOTS[seat.bot]) for seat in plan.seats[1:])
        entrants = dict(zip((seat.version_id for seat in plan.seats), (entrant, *others), strict=True))
        trouble = ""
        for _ in range(3):
            first = _First()
            try:
                await self._qualifying.play(plan, entrants, first)
            except WorkerLost as lost:
                trouble = str(lost)
            else:
                return first.verdict()
        raise ArenaError(f"the first match could not be played: {trouble}")

    async def seat_person(self, opponents: Sequence[str] | None = None) -> PersonSeat:
        """Seats a person at an unrated table of one match; three are chosen unless `opponents` names them.

        ArenaError in words when that is not possible now.
        """
        season = await asyncio.to_thread(self._store.current_season)
        if self._is_draining or season is None or season.state is not SeasonState.OPEN:
            raise ArenaError("nothing is played at the moment")
        if self._sandbox is None:
            raise ArenaError("only remote bots play here, and a person plays against local ones")
        if sum(play.person is not None for play in self._plays.values()) >= MOST_PERSONS:
            raise ArenaError(f"{MOST_PERSONS} persons play already; try again later")
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
        seat.sit(0, ("person", *(entry.bot.name for entry in chosen)))
        self._begin(_Play(self, table, season, person=seat))
        return seat

    # Its life

    async def run(self) -> None:
        """Plays until it is cancelled; `drain` before that. Takes back first what its last life left."""
        async with Heartbeat(time.monotonic_ns) as self._heartbeat:
            await asyncio.to_thread(self._store.recover, self._owner)
            await asyncio.to_thread(self._store.heartbeat, self._owner)
            beating = asyncio.create_task(self._beat())
            try:
                while True:
                    self._news.clear()
                    await self._make_tables()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(LOOK_S):
                            await self._news.wait()
            finally:
                beating.cancel()
                self._is_draining = True
                await self._end_all()
                await self._workers.close()
                await self._qualifying.close()

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
        """Signs of life, and the work of arenas that give none."""
        while True:
            await asyncio.sleep(BEAT_S)
            with _logged("a sign of life could not be given"):
                await asyncio.to_thread(self._store.heartbeat, self._owner)
                await asyncio.to_thread(self._store.recover, "")
                await self._expel_revoked()

    async def _expel_revoked(self) -> None:
        if not self._lobby.token_ids:
            return
        for token in await asyncio.to_thread(self._store.tokens):
            if token.revoked_unix_us is not None and token.token_id in self._lobby.token_ids:
                self._lobby.expel(token.token_id, "the token was revoked")

    # Making tables

    async def _make_tables(self) -> None:
        """Begins as many tables as can be played now."""
        with _logged("no table could be made"):
            while not self._is_draining and (room := self._room()).is_any:
                season = await asyncio.to_thread(self._store.current_season)
                if season is None or season.state is not SeasonState.OPEN:
                    return
                table = await self._next_table(season, room)
                if table is None:
                    return
                self._begin(_Play(self, table, season))

    def _room(self) -> _Room:
        plays = [play for play in self._plays.values() if play.person is None]
        with_local = sum(play.has_local for play in plays)
        scrimmages = sum(play.table.kind is TableKind.SCRIMMAGE for play in plays)
        return _Room(
            local=with_local < self._jobs,
            remote=len(plays) - with_local < MOST_REMOTE_TABLES,
            scrimmages=scrimmages < max(1, self._jobs // 2),
        )

    async def _next_table(self, season: Season, room: _Room) -> Table | None:
        """The oldest table that waits and can be played, else a new one; leased. None for neither."""
        entries = await asyncio.to_thread(self._store.entries, season, with_inactive=True)
        in_play = await asyncio.to_thread(self._store.tables_in_play, season)
        playing = [
            table
            for table in in_play
            if table.state is TableState.PLAYING and table.kind is not TableKind.PERSON
        ]
        busy = {version_id for table in playing for version_id in table.version_ids}
        free = [entry for entry in entries if self._may_play(entry, room)]
        kinds = {TableKind.RATED, TableKind.SCRIMMAGE} if room.scrimmages else {TableKind.RATED}
        ids = {
            entry.version.version_id
            for entry in free
            if entry.version.version_id not in busy or entry.bot.author.name == HOUSE
        }
        if any(table.state is TableState.WAITING for table in in_play):
            claimed = await asyncio.to_thread(
                self._store.claim_table, self._owner, kinds=kinds, version_ids=ids
            )
            if claimed is not None:
                return claimed
        return await self._new_table(season, [entry for entry in free if entry.is_active], busy)

    def _may_play(self, entry: Entry, room: _Room) -> bool:
        version_id = entry.version.version_id
        if entry.bot.is_remote:
            return version_id in self._lobby.connected
        return room.local and self._sulking.get(version_id, 0.0) < time.monotonic()

    async def _new_table(self, season: Season, able: Sequence[Entry], busy: set[int]) -> Table | None:
        house = (await asyncio.to_thread(self._store.author, HOUSE)).author_id
        choice = choose_table(
            [Candidate.of(entry, house_author_id=house) for entry in able],
            playing=busy,
            rng=self._rng,
            played_together=self._together.counts,
        )
        if choice is None:
            return None
        is_remote = {entry.version.version_id: entry.bot.is_remote for entry in able}
        self._together.note(choice.version_ids)
        return await asyncio.to_thread(
            self._store.add_table,
            season,
            choice.version_ids,
            kind=TableKind.RATED,
            is_fresh=any(is_remote[version_id] for version_id in choice.version_ids),
            owner=self._owner,
        )

    def _opponents(self, entries: Sequence[Entry], names: Sequence[str] | None) -> list[Entry]:
        able = {entry.bot.name: entry for entry in entries if entry.is_active and not entry.bot.is_remote}
        if names is None:
            if len(able) < 3:
                raise ArenaError(f"three opponents are needed, and {len(able)} local bots play here")
            return self._rng.sample(list(able.values()), 3)
        if len(set(names)) != 3 or len(names) != 3:
            raise ArenaError("three different opponents are needed")
        for name in names:
            if name not in able:
                raise ArenaError(f"{name} is no local bot that plays now")
        return [able[name] for name in names]

    # Playing them

    def _begin(self, play: _Play) -> None:
        task = asyncio.create_task(self._play(play))
        self._plays[task] = play
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        play = self._plays.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("table %d: it could not be given back", play.table.table_id, exc_info=error)
        self.wake()

    async def _play(self, play: _Play) -> None:
        """Plays a table to its end, or gives it back with the reason; raises when not even that works."""
        table = play.table
        try:
            await self._play_missing(play)
        except LeaseLost as lost:
            log.warning("table %d: %s", table.table_id, lost)
        except NoContest as reason:
            await self._give_back(play, str(reason))
        except WorkerLost as lost:
            log.warning("table %d: %s", table.table_id, lost)
            await self._give_back(play, str(lost))
        except _NotInstalled as trouble:
            self._sulking[trouble.version_id] = time.monotonic() + SULK_S
            log.warning("table %d: %s", table.table_id, trouble)
            await self._give_back(play, str(trouble))
        except asyncio.CancelledError:
            await self._give_back(play, "the arena was stopped")
        except Exception as error:  # ours, or the database's: this table is lost, the league goes on
            log.exception("table %d was lost", table.table_id)
            await self._give_back(play, f"{type(error).__name__}: {error}")
        finally:
            play.close()

    async def _play_missing(self, play: _Play) -> None:
        table = play.table
        stored = await asyncio.to_thread(self._store.stored_match_ids, table)
        wanted = 1 if table.kind is TableKind.PERSON else 4
        missing = tuple(r for r in range(wanted) if table.match_ids[r] not in stored)
        if table.is_fresh and table.tries > 1 and table.kind is TableKind.RATED:
            raise NoContest("it was begun before, and a remote bot may know its deals")
        plan, entrants = await self._prepared(play, missing)
        storing = asyncio.create_task(play.store())
        playing = asyncio.create_task(self._play_plan(play, plan, entrants))
        try:
            await asyncio.wait((storing, playing), return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():  # storing ended, so it failed
                await _end(playing)
                await storing
            await _result_of(playing)
        finally:
            await _end(playing)
            play.records.put_nowait(None)
            await asyncio.wait((storing,))
        storing.result()
        if play.person is not None:
            await asyncio.to_thread(self._store.void, table, "a table with a person is over after one match")

    async def _prepared(
        self, play: _Play, rotations: tuple[int, ...]
    ) -> tuple[TablePlan, dict[int, Entrant]]:
        """The table's plan, and its local bots by version id."""
        table, season = play.table, play.season
        entries = await asyncio.to_thread(self._store.entries, season, with_inactive=True)
        by_id = {entry.version.version_id: entry for entry in entries}
        seats, entrants = [], {}
        for version_id in table.version_ids:
            entry = by_id.get(version_id)
            if entry is None:
                if play.person is None or version_id != table.version_ids[0]:
                    raise NoContest(f"version {version_id} is not in season {season.name}")
                seats.append(SeatPlan(version_id, play.person.name, "", ""))
                continue
            version = entry.version
            seats.append(SeatPlan(version_id, entry.bot.name, version.label, version.content_hash))
            if not entry.bot.is_remote:
                entrants[version_id] = await self._entrant(entry)
        first, second, third, fourth = seats
        play.has_local = bool(entrants)
        play.plan = TablePlan(
            table_id=table.table_id,
            kind=table.kind.value,
            rotations=rotations,
            match_ids=table.match_ids,
            first_position=table.first_position,
            set_numbers=table.set_numbers,
            seats=(first, second, third, fourth),
            ruleset=season.ruleset,
            time_control=season.time_control if play.person is None else PERSON_TIME,
            strikes=season.strikes,
            seed_text=season.seed_text,
        )
        return play.plan, entrants

    async def _entrant(self, entry: Entry) -> Entrant:
        try:
            entrant = await self._installed.entrant(entry.version)
        except ArenaError as trouble:
            raise _NotInstalled(entry.version.version_id, f"{entry.bot.name}: {trouble}") from None
        return entrant

    async def _play_plan(self, play: _Play, plan: TablePlan, entrants: Mapping[int, Entrant]) -> None:
        if not plan.rotations:
            return
        if len(entrants) == len(plan.seats):
            await self._workers.play(plan, entrants, play)
        else:
            await self._play_here(play, plan, entrants)

    async def _play_here(self, play: _Play, plan: TablePlan, entrants: Mapping[int, Entrant]) -> None:
        """In the server's own process: where a remote bot or a person sits at the table."""
        assert self._heartbeat is not None
        gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        sandbox = self._sandbox or NoSandbox()
        with scratch_folder() as folder:
            log_dir = folder / "logs"
            log_dir.mkdir()
            playing = asyncio.create_task(
                play_table(
                    plan,
                    guests={
                        seat.version_id: local_guest(
                            entrants[seat.version_id],
                            plan=plan,
                            folder=folder,
                            log_dir=log_dir,
                            sandbox=sandbox,
                        )
                        if seat.version_id in entrants
                        else self._guest_maker(play, seat, gone)
                        for seat in plan.seats
                    },
                    heartbeat=self._heartbeat,
                    isolation=Isolation[sandbox.name.upper()],
                    watcher=_Here(play),
                    log_dir=log_dir,
                )
            )
            try:
                await asyncio.wait((playing, gone), return_when=asyncio.FIRST_COMPLETED)
                if not playing.done():
                    raise NoContest(gone.result())
                await _result_of(playing)
            finally:
                await _end(playing)

    def _guest_maker(self, play: _Play, seat: SeatPlan, gone: asyncio.Future[str]) -> Callable[[], Guest]:
        def on_gone(reason: str) -> None:
            if not gone.done():
                gone.set_result(reason)

        if play.person is not None:
            person = play.person
            person.on_leave = lambda: on_gone("the person left")
            return lambda: person
        return lambda: self._lobby.guest(seat.version_id, name=seat.bot, on_gone=on_gone)

    async def _give_back(self, play: _Play, reason: str) -> None:
        """The table waits for another try, or is void where there must be none."""
        table = play.table
        if play.person is not None:
            play.person.give_up(reason)
        if table.is_fresh and table.kind is TableKind.RATED:
            await self._store_call(self._store.void, table, reason)
        else:
            await self._store_call(self._store.requeue, table, reason)
        self._hub.touch()

    async def _store_call(self, call: Callable[[Table, str], object], table: Table, reason: str) -> None:
        with contextlib.suppress(LeaseLost):
            await asyncio.to_thread(call, table, reason)

    async def keep(self, table: Table, record: record_pb2.MatchRecord) -> None:
        """Stores a record; again for a while when the database does not answer. LeaseLost is final."""
        for wait_s in (*STORE_AGAIN_S, None):
            try:
                await asyncio.to_thread(self._store.add_records, table, [record])
                break
            except LeaseLost:
                raise
            except ArenaError as trouble:
                if wait_s is None:
                    raise
                log.warning("match %s could not be stored yet: %s", record.match_id, trouble)
                await asyncio.sleep(wait_s)
        self._hub.publish(MatchStored(record.match_id, tuple(seat.bot for seat in record.seats)))
        self._hub.touch()

    async def keep_output(self, version_id: int, text: str) -> None:
        """Keeps what a bot printed; a failure costs its author these lines only."""
        with _logged(f"the output of version {version_id} could not be kept"):
            await asyncio.to_thread(self._store.set_log, version_id, text)

    @property
    def live(self) -> Live:
        """Where spectators look."""
        return self._live


@dataclass(frozen=True, slots=True)
class _Room:
    """What more can be played now: tables with local bots, tables without, scrimmages among either."""

    local: bool
    remote: bool
    scrimmages: bool

    @property
    def is_any(self) -> bool:
        return self.local or self.remote


class _NotInstalled(Exception):
    """A bot that cannot be started on this machine."""

    def __init__(self, version_id: int, reason: str) -> None:
        super().__init__(reason)
        self.version_id = version_id


class _Together:
    """How often versions sat at one table lately."""

    def __init__(self) -> None:
        self.counts: dict[tuple[int, int], int] = {}
        self._tables: list[Sequence[int]] = []

    def note(self, version_ids: Sequence[int]) -> None:
        """They sit at one now."""
        self._tables.append(tuple(version_ids))
        self._add(version_ids, 1)
        if len(self._tables) > REMEMBERED_TABLES:
            self._add(self._tables.pop(0), -1)

    def _add(self, version_ids: Sequence[int], change: int) -> None:
        ordered = sorted(version_ids)
        for i, one in enumerate(ordered):
            for other in ordered[i + 1 :]:
                count = self.counts.get((one, other), 0) + change
                if count:
                    self.counts[one, other] = count
                else:
                    self.counts.pop((one, other), None)


@dataclass(eq=False, slots=True)
class _Play:
    """One table that this arena plays: what it hears of it goes to the store and to spectators."""

    engine: Engine
    table: Table
    season: Season
    person: PersonSeat | None = None
    has_local: bool = True
    plan: TablePlan | None = None
    records: asyncio.Queue[record_pb2.MatchRecord | tuple[int, str] | None] = field(
        default_factory=asyncio.Queue
    )

    def seen(self, rotation: int, rounds: Sequence[SeenRound]) -> None:
        """A match goes on."""
        self._show(rotation)
        self.engine.live.see(self.table.match_ids[rotation], rounds)

    def finished(self, record: record_pb2.MatchRecord) -> None:
        """A match is over."""
        self._show(record.rotation)
        self.engine.live.end(record.match_id, seen_of_record(record), places=record.places)
        self.records.put_nowait(record)
        if self.person is not None:
            self.person.finish(record)

    def printed(self, version_id: int, text: str) -> None:
        """A bot's process wrote something."""
        self.records.put_nowait((version_id, text))

    def lost(self, bot: str, kind: str, detail: str) -> None:
        """A bot is gone: a fault in the record, and a line for the organiser."""
        log.info("table %d: %s was lost: %s: %s", self.table.table_id, bot, kind, detail)

    async def store(self) -> None:
        """Stores what comes, until it is told that no more will."""
        while (item := await self.records.get()) is not None:
            if isinstance(item, record_pb2.MatchRecord):
                await self.engine.keep(self.table, item)
            else:
                await self.engine.keep_output(*item)

    def close(self) -> None:
        """Takes off view what will not be finished."""
        for match_id in self.table.match_ids:
            shown = self.engine.live.match(match_id)
            if shown is not None and not self.engine.live.is_whole(match_id):
                self.engine.live.drop(match_id)

    def _show(self, rotation: int) -> None:
        assert self.plan is not None
        self.engine.live.begin(
            self.table.match_ids[rotation],
            table_id=self.table.table_id,
            kind=self.table.kind,
            bots=[seat.bot for seat in self.plan.seated(rotation)],
            rules=self.plan.rules,
        )


class _Here:
    """Tells a play of its table in the server's own process."""

    def __init__(self, play: _Play) -> None:
        self._play = play
        self.finished_rotations: set[int] = set()

    def seen(self, rotation: int, match: RefereedMatch) -> None:
        self._play.seen(rotation, seen_of(match))
        if self._play.person is not None:
            self._play.person.look(match)

    def finished(self, rotation: int, record: record_pb2.MatchRecord) -> None:
        self._play.finished(record)

    def printed(self, version_id: int, text: str) -> None:
        self._play.printed(version_id, text)

    def lost(self, bot: str, kind: str, detail: str) -> None:
        self._play.lost(bot, kind, detail)


class _First:
    """Judges a submission's first match; it sits on seat 0."""

    def __init__(self) -> None:
        self._record: record_pb2.MatchRecord | None = None

    def seen(self, rotation: int, rounds: Sequence[SeenRound]) -> None:
        pass

    def finished(self, record: record_pb2.MatchRecord) -> None:
        self._record = record

    def printed(self, version_id: int, text: str) -> None:
        pass

    def lost(self, bot: str, kind: str, detail: str) -> None:
        pass

    def verdict(self) -> Verdict:
        """Passed when the bot played to the end."""
        record = self._record
        assert record is not None
        own = [fault for fault in record.faults if fault.seat == 0]
        if record.seats[0].forfeited:
            last = next(fault for fault in reversed(own) if fault.forfeits)
            where = f"in round {last.round}" if last.round else "before the first card"
            return Verdict(False, f"{FaultKind(last.kind).name} {where}: {last.detail}")
        points = record.total_tenths[0] / 10
        faults = f", with {len(own)} fault{'s' if len(own) > 1 else ''}" if own else ""
        return Verdict(
            True, f"played its first match to the end: {points:g} points, place {record.places[0]}{faults}"
        )


def _qualifying_plan(entrant: Entrant, season: Season) -> TablePlan:
    """One match on deals of its own, the entrant on seat 0."""
    houses = [SeatPlan(number, name, "", "") for number, name in enumerate(HOUSE_BOTS, start=2)]
    first, second, third = houses
    return TablePlan(
        table_id=0,
        kind=TableKind.QUALIFYING.value,
        rotations=(0,),
        match_ids=("first",) * 4,
        first_position=0,
        set_numbers=(0, 0, 0, 0),
        seats=(SeatPlan(1, entrant.name, entrant.version, entrant.content_hash), first, second, third),
        ruleset=find_ruleset(season.ruleset).name,
        time_control=season.time_control,
        strikes=season.strikes,
        seed_text=secrets.token_hex(32),
    )


async def _end(task: asyncio.Task[Any]) -> None:
    """Ends a task and waits until it has ended; what it raised stays with it."""
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))


async def _result_of(task: asyncio.Task[None]) -> None:
    """Waits for a task; raises what it raised, the first of a group for all of it."""
    await asyncio.wait((task,))
    error = None if task.cancelled() else task.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        raise error


@contextlib.contextmanager
def _logged(trouble: str) -> Any:
    """Notes what the database refuses; the league goes on, and tries again later."""
    try:
        yield
    except ArenaError as error:
        log.warning("%s: %s", trouble, error)
