"""Owns how a league's table is played: rotation by rotation, with bots that are started for each match.

It must not know the store, nor whether it runs in a worker or in the server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from arena.bots.floor import Chair, FinishedMatch, Floor, Guest, Loss, Seating
from arena.bots.heartbeat import Heartbeat
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.league.live import SeenRound
from arena.referee.clocks import TimeControl
from arena.referee.record import record_of
from arena.referee.refereed import RefereedMatch
from arena.referee.setup import Isolation, MatchSetup, SeatSetup
from arena.rules import Ruleset, Seed, find_ruleset
from arena.v1 import record_pb2

__all__ = [
    "STARTUP_S",
    "SeatPlan",
    "TablePlan",
    "TableWatcher",
    "local_guest",
    "output_of",
    "play_table",
    "seen_of",
    "seen_of_record",
]

STARTUP_S = 30.0
LOOK_S = 0.25
"""How often it is looked how a match goes on."""

LOG_BYTES = 64 * 1024
_CALLS = 4


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who plays at a table: a version, as its records name it. 0 is nobody's version."""

    version_id: int
    bot: str
    version: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table with all that its matches follow from. It holds the season's seed: no bot may ever see it.

    Rotation r is the match `match_ids[r]` at `first_position + r`, on the deals of `set_numbers[r]`, and
    seats `seats[(seat + r) % 4]`; `rotations` are those to play.
    """

    table_id: int
    kind: str
    rotations: tuple[int, ...]
    match_ids: tuple[str, ...]
    first_position: int
    set_numbers: tuple[int, ...]
    seats: tuple[SeatPlan, SeatPlan, SeatPlan, SeatPlan]
    ruleset: str
    time_control: str
    strikes: int
    seed_text: str

    @property
    def rules(self) -> Ruleset:
        """The ruleset that `ruleset` names."""
        return find_ruleset(self.ruleset)

    def seated(self, rotation: int) -> tuple[SeatPlan, SeatPlan, SeatPlan, SeatPlan]:
        """Who sits where, by seat."""
        first, second, third, fourth = (self.seats[(seat + rotation) % 4] for seat in range(4))
        return first, second, third, fourth

    def setup(self, rotation: int, isolation: Isolation) -> MatchSetup:
        """What the referee needs of a match."""
        first, second, third, fourth = (
            SeatSetup(one.bot, one.version, one.content_hash) for one in self.seated(rotation)
        )
        return MatchSetup(
            match_id=self.match_ids[rotation],
            seats=(first, second, third, fourth),
            rules=self.rules,
            time_control=TimeControl.parse(self.time_control),
            strikes_allowed=self.strikes,
            position=self.first_position + rotation,
            table=self.table_id,
            set_number=self.set_numbers[rotation],
            rotation=rotation,
            isolation=isolation,
            seed=Seed.parse(self.seed_text),
        )

    def to_document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> TablePlan:
        """What `to_document` made."""
        first, second, third, fourth = (SeatPlan(**seat) for seat in document["seats"])
        lists = {name: tuple(document[name]) for name in ("rotations", "match_ids", "set_numbers")}
        return cls(**{**document, **lists, "seats": (first, second, third, fourth)})


class TableWatcher(Protocol):
    """Who is told how a table goes on."""

    def seen(self, rotation: int, match: RefereedMatch) -> None:
        """The match is in play; told when it has begun and then a few times a second."""
        ...

    def finished(self, rotation: int, record: record_pb2.MatchRecord) -> None:
        """The match is over."""
        ...

    def printed(self, version_id: int, text: str) -> None:
        """What a bot's process wrote during the match that ended, its last 64 KiB."""
        ...

    def lost(self, bot: str, kind: str, detail: str) -> None:
        """A bot's process or stream is gone."""
        ...


async def play_table(
    plan: TablePlan,
    *,
    guests: Mapping[int, Callable[[], Guest]],
    heartbeat: Heartbeat,
    isolation: Isolation,
    watcher: TableWatcher,
    log_dir: Path,
) -> None:
    """Plays the rotations of `plan`; raises only for what is no bot's fault.

    `guests` makes each version's guest anew for each match, so that no process sees a deal twice. What a
    guest raises that is not Refused ends the table.
    """
    for rotation in plan.rotations:
        await _Match(plan, rotation, heartbeat, watcher, log_dir).play(guests, isolation)


def local_guest(
    entrant: Entrant, *, plan: TablePlan, folder: Path, log_dir: Path, sandbox: Sandbox
) -> Callable[[], Guest]:
    """Makes guests that are processes of this machine; `folder` is for their sockets."""
    return lambda: LocalBot(
        entrant,
        folder=folder,
        preset=plan.rules.name.partition("+")[0],
        startup_s=STARTUP_S,
        now_ns=time.monotonic_ns,
        log_dir=log_dir,
        sandbox=sandbox,
        most_parallel=1,
    )


def output_of(log_dir: Path, bot: str) -> str:
    """The last 64 KiB of what the processes of `bot` wrote into `log_dir`; what was read is removed."""
    text = b""
    for log in sorted(log_dir.glob(f"{bot}-*.log"), key=lambda path: path.stat().st_mtime_ns):
        if log.name.removeprefix(f"{bot}-").removesuffix(".log").isdecimal():
            text += log.read_bytes()[-LOG_BYTES:]
            log.unlink()
    return text[-LOG_BYTES:].decode(errors="replace")


def seen_of(match: RefereedMatch) -> tuple[SeenRound, ...]:
    """What was called and played so far."""
    done = [
        SeenRound(played.dealer, _in_order(played.dealer, played.calls), played.plays)
        for played in match.game.finished
    ]
    if not match.is_over:
        now = match.game.round
        calls = _in_order(now.dealer, now.calls)[: min(now.decision, _CALLS)]
        done.append(SeenRound(now.dealer, calls, (*now.history, *now.trick)))
    return tuple(done)


def seen_of_record(record: record_pb2.MatchRecord) -> tuple[SeenRound, ...]:
    """The same of a match that is over."""
    return tuple(
        SeenRound(played.dealer, _in_order(played.dealer, played.calls), tuple(played.plays))
        for played in record.rounds
    )


def _in_order(dealer: int, by_seat: Sequence[int]) -> tuple[int, ...]:
    return tuple(by_seat[(dealer + 1 + i) % 4] for i in range(4))


@dataclass(frozen=True, slots=True)
class _Match:
    """One match of a table, with bots of its own."""

    plan: TablePlan
    rotation: int
    heartbeat: Heartbeat
    watcher: TableWatcher
    log_dir: Path

    async def play(self, guests: Mapping[int, Callable[[], Guest]], isolation: Isolation) -> None:
        seats = self.plan.seated(self.rotation)
        first, second, third, fourth = (Chair(one.bot, guests[one.version_id]()) for one in seats)
        chairs = (first, second, third, fourth)
        floor = Floor(
            chairs,
            heartbeat=self.heartbeat,
            now_ns=time.monotonic_ns,
            startup_s=STARTUP_S,
            on_finished=self._finish,
            on_loss=self._lose,
        )
        try:
            async with _looking(floor, self._look):
                await floor.play([Seating(self.plan.setup(self.rotation, isolation), chairs)])
        finally:
            for one in seats:
                if text := output_of(self.log_dir, one.bot):
                    self.watcher.printed(one.version_id, text)

    def _look(self, match: RefereedMatch) -> None:
        self.watcher.seen(self.rotation, match)

    def _finish(self, finished: FinishedMatch) -> None:
        took_ns = finished.ended_ns - finished.began_ns
        stalls = [
            (max(0, began_ns - finished.began_ns) // 1000, (ended_ns - began_ns) // 1000)
            for began_ns, ended_ns in self.heartbeat.stalls.between(finished.began_ns, finished.ended_ns)
        ]
        for chair in finished.chairs:
            chair.guest.keep_output(finished.match.setup.match_id)
        record = record_of(
            finished.match,
            started_unix_us=(time.time_ns() - took_ns) // 1000,
            duration_us=took_ns // 1000,
            stalls=stalls,
        )
        self.watcher.finished(self.rotation, record)

    def _lose(self, chair: Chair, loss: Loss) -> None:
        chair.guest.keep_output(f"lost: {loss.kind.name}: {loss.detail}")
        self.watcher.lost(chair.name, loss.kind.name, loss.detail)


@asynccontextmanager
async def _looking(floor: Floor, look: Callable[[RefereedMatch], None]) -> AsyncIterator[None]:
    """Looks at what is in play on `floor` a few times a second while the context lasts."""

    async def keep_looking() -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for match in floor.in_play:
                look(match)

    looking = asyncio.create_task(keep_looking())
    try:
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
