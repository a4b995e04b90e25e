"""Owns one table from its lease to its last record: it is played, stored match by match, or given back.

It must not know how tables are chosen.
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.bots.floor import Guest
from arena.bots.heartbeat import Heartbeat
from arena.bots.manifest import Entrant
from arena.bots.sandbox import NoSandbox, Sandbox
from arena.bots.scratch import scratch_folder
from arena.errors import ArenaError
from arena.league.hub import Hub, MatchStored
from arena.league.live import Live, SeenRound
from arena.league.lobby import Lobby
from arena.league.logs import event, warning
from arena.league.model import Entry, Replays, Season, Table, TableKind, TableState, Version
from arena.league.person import PersonSeat
from arena.league.remote import NoContest
from arena.league.store import LeagueStore, LeaseLost
from arena.league.tables import SeatPlan, TablePlan, local_guest, play_table, seen_of, seen_of_record
from arena.league.workers import WorkerLost, Workers
from arena.referee.refereed import RefereedMatch
from arena.referee.setup import Isolation
from arena.v1 import record_pb2

__all__ = ["KNOWN_DEALS", "PERSON_TIME", "Installed", "Play", "Playground", "has_known_deals", "logged"]

KNOWN_DEALS = "it was begun before, and a remote bot may know its deals"

PERSON_TIME = "120+120"
"""The clock of a table with a person, for everybody at it."""

STORE_AGAIN_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""How long storing waits each time that the database does not answer."""

_Found = record_pb2.MatchRecord | tuple[int, str] | None
"""What is to be stored: a record, the output of a version, or nothing more."""


class Installed(Protocol):
    """Where the built folders of admitted bots are."""

    async def entrant(self, version: Version) -> Entrant:
        """The bot ready to start; ArenaError when it cannot be had here."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Playground:
    """What all tables of one arena are played with."""

    store: LeagueStore
    hub: Hub
    live: Live
    lobby: Lobby
    installed: Installed
    sandbox: Sandbox | None
    workers: Workers
    heartbeat: Heartbeat


class Play:
    """A table that this arena plays. `entries` has its versions, by id, all but a person's.

    After `run`, `missing` is the version that could not be started here, if that was why it was given back,
    and `is_worker_lost` whether it was because its worker died.
    """

    def __init__(
        self,
        ground: Playground,
        table: Table,
        season: Season,
        *,
        entries: Mapping[int, Entry],
        person: PersonSeat | None = None,
    ) -> None:
        self.table = table
        self.person = person
        self.missing: int | None = None
        self.is_worker_lost = False
        self._ground = ground
        self._season = season
        self._entries = entries
        self._plan: TablePlan | None = None
        self._found: asyncio.Queue[_Found] = asyncio.Queue()
        known = [entries[version_id] for version_id in table.version_ids if version_id in entries]
        self.has_local = any(not entry.bot.is_remote for entry in known)

    async def run(self) -> None:
        """Plays what is missing of the table, or gives it back with the reason.

        Raises only when not even that works, and when it is cancelled, after it has given the table back.
        """
        try:
            await self._play()
        except LeaseLost as lost:
            warning("lease lost", table=self.table.table_id, reason=str(lost))
        except (NoContest, WorkerLost) as reason:
            self.is_worker_lost = isinstance(reason, WorkerLost)
            await self._give_back(str(reason))
        except asyncio.CancelledError:
            await self._give_back("the arena was stopped")
            raise
        except Exception as error:  # noqa: BLE001 - ours: it costs this table a try, not the league its life
            warning("bug", table=self.table.table_id, trace=traceback.format_exc())
            await self._give_back(f"{type(error).__name__}: {error}")
        finally:
            self._take_off_view()

    async def _play(self) -> None:
        table, store = self.table, self._ground.store
        if has_known_deals(table):
            raise NoContest(KNOWN_DEALS)
        stored = await asyncio.to_thread(store.stored_match_ids, table)
        wanted = range(4) if self.person is None else range(1)
        missing = tuple(rotation for rotation in wanted if table.match_ids[rotation] not in stored)
        plan = self._plan = self._planned(missing)
        entrants = await self._entrants()
        storing = asyncio.create_task(self._store())
        playing = asyncio.create_task(self._play_plan(plan, entrants))
        try:
            await asyncio.wait((storing, playing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not playing.done():  # storing has failed, or the arena stops
                await _end(playing)
            self._found.put_nowait(None)
            await asyncio.wait((storing,))
        storing.result()
        _raise_first(playing)
        if self.person is not None:
            await asyncio.to_thread(store.void, table, "a table with a person is over after one match")

    def _planned(self, rotations: tuple[int, ...]) -> TablePlan:
        table, season = self.table, self._season
        first, second, third, fourth = map(self._seat, table.version_ids)
        return TablePlan(
            table_id=table.table_id,
            kind=table.kind.value,
            rotations=rotations,
            match_ids=table.match_ids,
            first_position=table.first_position,
            set_numbers=table.set_numbers,
            seats=(first, second, third, fourth),
            ruleset=season.ruleset,
            time_control=season.time_control if self.person is None else PERSON_TIME,
            strikes=season.strikes,
            seed_text=season.seed_text,
        )

    def _seat(self, version_id: int) -> SeatPlan:
        entry = self._entries.get(version_id)
        if entry is not None:
            version = entry.version
            return SeatPlan(version_id, entry.bot.name, version.label, version.content_hash)
        if self.person is None:
            raise NoContest(f"version {version_id} is not in season {self._season.name}")
        return SeatPlan(version_id, self.person.name, "", "")

    async def _entrants(self) -> dict[int, Entrant]:
        """The local bots of the table, by version id."""
        entrants = {}
        for version_id in self.table.version_ids:
            entry = self._entries.get(version_id)
            if entry is None or entry.bot.is_remote:
                continue
            try:
                entrants[version_id] = await self._ground.installed.entrant(entry.version)
            except ArenaError as trouble:
                self.missing = version_id
                raise NoContest(f"{entry.bot.name} cannot be started here: {trouble}") from None
        return entrants

    async def _play_plan(self, plan: TablePlan, entrants: Mapping[int, Entrant]) -> None:
        if not plan.rotations:
            return
        if len(entrants) == len(plan.seats):
            await self._ground.workers.play(plan, entrants, self)
        else:
            await self._play_here(plan, entrants)

    async def _play_here(self, plan: TablePlan, entrants: Mapping[int, Entrant]) -> None:
        """In the server's own process: where a remote bot or a person sits at the table."""
        gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        sandbox = self._ground.sandbox or NoSandbox()
        with scratch_folder() as folder:
            log_dir = folder / "logs"
            log_dir.mkdir()
            local = {
                version_id: local_guest(one, plan=plan, folder=folder, log_dir=log_dir, sandbox=sandbox)
                for version_id, one in entrants.items()
            }
            others = {
                seat.version_id: self._guest_maker(seat, gone)
                for seat in plan.seats
                if seat.version_id not in local
            }
            table = play_table(
                plan,
                guests=local | others,
                heartbeat=self._ground.heartbeat,
                isolation=Isolation[sandbox.name.upper()],
                watcher=_Here(self),
                log_dir=log_dir,
            )
            playing = asyncio.create_task(table)
            try:
                await asyncio.wait((playing, gone), return_when=asyncio.FIRST_COMPLETED)
            finally:
                await _end(playing)
        if gone.done():
            raise NoContest(gone.result())
        _raise_first(playing)

    def _guest_maker(self, seat: SeatPlan, gone: asyncio.Future[str]) -> Callable[[], Guest]:
        def on_gone(reason: str) -> None:
            if not gone.done():
                gone.set_result(reason)

        person = self.person
        if person is not None:
            person.on_leave = lambda: on_gone("the person left")
            if person.has_left:
                person.on_leave()
            return lambda: person
        return lambda: self._ground.lobby.guest(seat.version_id, name=seat.bot, on_gone=on_gone)

    # What is heard of the table

    def seen(self, rotation: int, rounds: Sequence[SeenRound]) -> None:
        """A match goes on: spectators may see some of it."""
        self._show(rotation)
        self._ground.live.see(self.table.match_ids[rotation], rounds)

    def finished(self, record: record_pb2.MatchRecord) -> None:
        """A match is over: it is stored, in the order in which matches end."""
        self._show(record.rotation)
        self._ground.live.end(record.match_id, seen_of_record(record), places=record.places)
        self._found.put_nowait(record)
        if self.person is not None:
            self.person.finish(record)

    def printed(self, version_id: int, text: str) -> None:
        """A bot's process wrote something: it is kept for its author."""
        self._found.put_nowait((version_id, text))

    def lost(self, bot: str, kind: str, detail: str) -> None:
        """A bot is gone: a fault in the record, and a line for the organiser."""
        event("bot lost", table=self.table.table_id, bot=bot, kind=kind, detail=detail)

    def _show(self, rotation: int) -> None:
        assert self._plan is not None
        self._ground.live.begin(
            self.table.match_ids[rotation],
            table_id=self.table.table_id,
            kind=self.table.kind,
            bots=[seat.bot for seat in self._plan.seated(rotation)],
            rules=self._plan.rules,
            has_cards=self._season.replays is Replays.AT_ONCE,
        )

    def _take_off_view(self) -> None:
        """What will not be finished; what is over stays until it was shown."""
        for match_id in self.table.match_ids:
            if not self._ground.live.is_whole(match_id):
                self._ground.live.drop(match_id)

    # Storing

    async def _store(self) -> None:
        """Stores what is found, until it is told that no more will be."""
        while (found := await self._found.get()) is not None:
            if isinstance(found, record_pb2.MatchRecord):
                await self._store_record(found)
                continue
            version_id, text = found
            with logged(f"output of version {version_id} is not kept"):
                await asyncio.to_thread(self._ground.store.set_log, version_id, text)

    async def _store_record(self, record: record_pb2.MatchRecord) -> None:
        """Stores a record; tries again for a while when the database does not answer. LeaseLost is final."""
        for wait_s in (*STORE_AGAIN_S, None):
            try:
                await asyncio.to_thread(self._ground.store.add_records, self.table, [record])
                break
            except LeaseLost:
                raise
            except ArenaError as trouble:
                if wait_s is None:
                    raise
                warning("not stored yet", match=record.match_id, trouble=str(trouble))
                await asyncio.sleep(wait_s)
        self._ground.hub.publish(MatchStored(record.match_id, tuple(seat.bot for seat in record.seats)))
        self._ground.hub.touch()

    async def _give_back(self, reason: str) -> None:
        """The table waits for another try, or is void where its deals may be known: a no contest."""
        table, store = self.table, self._ground.store
        event("table given back", table=table.table_id, reason=reason)
        if self.person is not None:
            self.person.give_up(reason)
        is_void = table.is_fresh and table.kind is TableKind.RATED
        with contextlib.suppress(LeaseLost):
            await asyncio.to_thread(store.void if is_void else store.requeue, table, reason)


class _Here:
    """Tells a play of its table in the server's own process."""

    def __init__(self, play: Play) -> None:
        self._play = play

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


def has_known_deals(table: Table) -> bool:
    """Whether a rated table with a remote bot was begun before: it must not be played again."""
    begun = table.tries - (table.state is TableState.PLAYING)
    return table.kind is TableKind.RATED and table.is_fresh and begun > 0


@contextlib.contextmanager
def logged(what: str) -> Iterator[None]:
    """Notes what the database refuses; the league goes on, and tries again later."""
    try:
        yield
    except ArenaError as error:
        warning("database", what=what, trouble=str(error))


async def _end(task: asyncio.Task[Any]) -> None:
    """Ends a task and waits until it has ended; what it raised stays with it."""
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))


def _raise_first(task: asyncio.Task[None]) -> None:
    """Raises what a task that is over has raised, the first of a group for all of it."""
    error = None if task.cancelled() else task.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        raise error
