"""Builders of a league with matches, of its web server, and of a table for a person without processes."""

from __future__ import annotations

import asyncio
import random
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette

from arena.bots.codec import ask_of, ask_writer, settle
from arena.bots.line import Line
from arena.errors import ArenaError
from arena.league.hub import Hub
from arena.league.live import Live, SeenRound
from arena.league.model import NewToken, Replays, Season, StoredMatch, TableKind
from arena.league.person import PersonSeat
from arena.league.store import LeagueStore
from arena.referee.clocks import TimeControl
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import MatchSetup, SeatSetup
from arena.rules import Seed, card_list, find_ruleset
from arena.v1 import play_pb2, record_pb2
from arena.web import WebContext, create_app
from tests.league.store.league import admitted, leased, played

DATABASE = "league.sqlite3"
RULESET = "callbreak+rounds=2"
HOSTILE = "<script>alert(1)</script>"
BOTS = {"ant": "ann", "bee": "ann", "cat": "cem", "dog": "cem", "eel": "mal<b>lory"}
STARTS_WITHIN_S = 30.0


class League:
    """A league's store with bots and matches, and what its web server is made of."""

    def __init__(
        self, folder: Path, *, replays: Replays = Replays.AT_ONCE, bots: Sequence[str] = tuple(BOTS)
    ) -> None:
        self.folder = folder
        self.store = LeagueStore.open(f"sqlite:///{folder / DATABASE}")
        self.season = self.store.open_season(
            "spring", ruleset=RULESET, time_control="0.5+10", strikes=3, replays=replays
        )
        self.versions = {
            bot: admitted(self.store, bot, author=author, label="1.0<i>").version_id
            for bot, author in BOTS.items()
            if bot in bots
        }
        self.hub = Hub(self.store)
        self.live = Live(self.hub, now_s=time.monotonic, trick_delay_s=0.0, card_pace_s=0.05)
        self.connected: set[int] = set()
        self.tables: list[ScriptedTable] = []
        self.context = WebContext(
            store=self.store,
            hub=self.hub,
            live=self.live,
            seat_person=self.seat_person,
            submit_address="127.0.0.1:7878",
            connected=lambda: frozenset(self.connected),
        )

    def app(self) -> Starlette:
        """The web server's application."""
        return create_app(self.context)

    def play(
        self, *bots: str, kind: TableKind = TableKind.RATED, luck: str = "", faulty: int = NOBODY
    ) -> list[str]:
        """A set of these four bots, stored; the ids of its matches."""
        season = self.store.season("spring")
        table = leased(self.store, season, [self.versions[bot] for bot in bots], kind=kind)
        records = [
            played(self.store, season, table, rotation, luck=luck, faulty=faulty) for rotation in range(4)
        ]
        self.store.add_records(table, records)
        self.hub.touch()
        return list(table.match_ids)

    def play_some(self, sets: int = 3) -> None:
        """Sets of all bots in turn; some of them with faults."""
        names = list(self.versions)
        for number in range(sets):
            four = [names[(number + seat) % len(names)] for seat in range(4)]
            self.play(*four, luck=str(number), faulty=number % 4 if number % 2 else NOBODY)

    def rename(self, bot: str, name: str) -> None:
        """Gives a bot a name that no store would take."""
        with sqlite3.connect(self.folder / DATABASE) as database:
            database.execute(
                "UPDATE bots SET name = ?, name_folded = ? WHERE name = ?", (name, name.casefold(), bot)
            )
        self.versions = {name if one == bot else one: version for one, version in self.versions.items()}

    def first_match(self) -> StoredMatch:
        """The newest stored match."""
        return self.store.matches(self.season).matches[0]

    def show_live(self, *bots: str, rounds: int = 2, upto: int = 56) -> str:
        """A match of these bots comes on view, with `upto` decisions of its last round; its id."""
        table = leased(self.store, self.season, [self.versions[bot] for bot in bots])
        record = played(self.store, self.season, table, 0)
        seen = [_seen(played_round) for played_round in record.rounds[:rounds]]
        last = seen[-1]
        seen[-1] = SeenRound(last.dealer, last.calls[:upto], last.plays[: max(0, upto - 4)])
        match_id = table.match_ids[0]
        rules = find_ruleset(self.season.ruleset)
        self.live.begin(match_id, table_id=table.table_id, kind=TableKind.RATED, bots=bots, rules=rules)
        self.live.see(match_id, seen)
        return match_id

    def token(self, author: str = "ann", *, is_organiser: bool = False) -> NewToken:
        """A token of that author."""
        return self.store.issue_token(self.store.author(author, is_organiser=is_organiser), label="test")

    async def seat_person(self, opponents: Sequence[str] | None) -> PersonSeat:
        """A table with a person and bots that play at random within this process."""
        if opponents is not None and len(set(opponents)) != 3:
            raise ArenaError("three different opponents are needed")
        table = ScriptedTable(self.store.season("spring"), opponents or list(self.versions)[:3])
        self.tables.append(table)
        return table.seat


def _seen(record: record_pb2.RoundRecord) -> SeenRound:
    first = (record.dealer + 1) % 4
    calls = [record.calls[(first + turn) % 4] for turn in range(4)]
    return SeenRound(record.dealer, tuple(calls), tuple(int(card) for card in record.plays))


class ScriptedTable:
    """A match between a person and three bots that call two and play at random."""

    def __init__(self, season: Season, opponents: Sequence[str]) -> None:
        names = ("person", *opponents)
        first, second, third, fourth = (SeatSetup(name, "1") for name in names)
        self.match = RefereedMatch(
            MatchSetup(
                match_id="with-a-person",
                seats=(first, second, third, fourth),
                rules=find_ruleset(season.ruleset),
                time_control=TimeControl.parse("120+120"),
                seed=Seed.parse("7"),
            )
        )
        self.seat = PersonSeat(
            "person",
            seat_id=secrets.token_urlsafe(16),
            match_id="with-a-person",
            now_ns=time.monotonic_ns,
        )
        self.seat.sit(0, names)
        self._left = asyncio.Event()
        self.seat.on_leave = self._left.set
        self._answer: asyncio.Future[play_pb2.Answer] | None = None
        self._task = asyncio.create_task(self._play())

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        """What the person answered."""
        if self._answer is not None:
            self._answer.set_result(request.answers.answers[0])

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        """A person's answers are always messages."""

    def due(self, line: Line) -> bytes | None:
        """What is asked is sent by `_ask`."""

    def lost(self, line: Line) -> None:
        """There is no stream to lose."""

    async def _play(self) -> None:
        match, seat = self.match, self.seat
        line = await seat.start()
        line.listener = self
        leaving = asyncio.create_task(self._left.wait())
        match.begin()
        while match.seat != NOBODY:
            seat.look(match)
            if match.seat != 0:
                self._decide()
                continue
            asking = asyncio.create_task(self._ask(line))
            await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                seat.give_up("the person left")
                return
        seat.finish(record_of(match, started_unix_us=1_700_000_000_000_000, duration_us=1))

    def _decide(self) -> None:
        if self.match.is_calling:
            self.match.call(2, took_ns=1)
        else:
            chance = random.Random(self.match.random_seed())
            self.match.play(chance.choice(card_list(self.match.game.round.legal)), took_ns=1)

    async def _ask(self, line: Line) -> None:
        ask = play_pb2.Ask.FromString(ask_of(self.match, 1, 1, ask_writer(self.match)))
        self._answer = asyncio.get_running_loop().create_future()
        line.sent_ns = time.monotonic_ns()
        line.write(play_pb2.PlayResponse(turn=play_pb2.Turn(asks=[ask])).SerializeToString())  # type: ignore[attr-defined]
        settle(self.match, await self._answer, 1)


class Served:
    """A league whose web server runs in a thread."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.loop: asyncio.AbstractEventLoop | None = None
        self.app = league.app()
        self.server = uvicorn.Server(
            uvicorn.Config(
                self.app, host="127.0.0.1", port=0, log_level="warning", timeout_graceful_shutdown=5
            )
        )
        self.server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]

    @property
    def origin(self) -> str:
        """Where it listens."""
        port = self.server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def call(self, what: Callable[[], Any]) -> Any:
        """Calls `what` in the server's event loop."""

        async def called() -> Any:
            return what()

        return self.run(called())

    def run(self, what: Coroutine[Any, Any, Any]) -> Any:
        """Runs a coroutine there."""
        assert self.loop is not None
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(STARTS_WITHIN_S)

    async def serve(self) -> None:
        """The whole life of the server."""
        self.loop = asyncio.get_running_loop()
        league = self.league
        async with asyncio.TaskGroup() as tasks:
            following = [tasks.create_task(league.hub.run()), tasks.create_task(league.live.run())]
            await self.server.serve()
            for task in following:
                task.cancel()


@contextmanager
def served(league: League) -> Iterator[Served]:
    """The league behind a port, until the test is over."""
    found = Served(league)
    thread = threading.Thread(target=lambda: asyncio.run(found.serve()))
    thread.start()
    deadline = time.monotonic() + STARTS_WITHIN_S
    while not found.server.started:
        assert time.monotonic() < deadline, "the server has not started"
        time.sleep(0.01)
    try:
        yield found
    finally:
        found.call(league.context.draining.set)
        found.server.should_exit = True
        thread.join()
        league.store.close()
