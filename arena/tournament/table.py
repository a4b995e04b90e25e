"""Owns the unit of work: four bots at one table play the matches of a job, pass by pass.

A pass plays one rotation of every set; between passes every bot is ended and started afresh, so that no bot
process ever sees a deal twice. It must not know how records are kept or how they look.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.bots.codec import MOST_PARALLEL_MATCHES
from arena.bots.floor import Chair, FinishedMatch, Floor, Guest, Loss, Seating
from arena.bots.heartbeat import Heartbeat
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import Entrant
from arena.bots.sandbox import NoSandbox, Sandbox
from arena.bots.scratch import scratch_folder
from arena.bots.watched import LineWatcher
from arena.referee.clocks import TimeControl
from arena.referee.record import record_of
from arena.referee.setup import Isolation, MatchSetup, SeatSetup
from arena.tournament.plan import Job, Plan
from arena.tournament.schedule import PlannedMatch
from arena.v1 import record_pb2

__all__ = ["StartedByHand", "play_job", "setup_of"]

OnRecord = Callable[[record_pb2.MatchRecord], None]
OnLoss = Callable[[str, str, str], None]
"""Called with a bot's name, the kind of fault, and the cause, whenever a bot's process or stream is lost."""


class StartedByHand(Protocol):
    """Makes the guest for a bot that the arena does not start; see `arena.bots.waiting_bot`."""

    def __call__(
        self, *, folder: Path, preset: str | None, now_ns: Callable[[], int], watcher: LineWatcher | None
    ) -> Guest: ...


async def play_job(
    job: Job,
    *,
    plan: Plan,
    entrants: Mapping[int, Entrant],
    on_record: OnRecord,
    on_loss: OnLoss = lambda bot, kind, detail: None,
    log_dir: Path,
    sandbox: Sandbox | None = None,
    most_parallel: int = MOST_PARALLEL_MATCHES,
    watchers: Mapping[int, LineWatcher] | None = None,
    by_hand: Mapping[int, StartedByHand] | None = None,
) -> None:
    """Plays the matches of `job` and hands over each record as its match ends.

    `entrants` are the bots by their number in the plan, `log_dir` is where their output goes; at most
    `most_parallel` matches are played at once. `watchers` listen in on the bots with their numbers, and bots
    `by_hand` are started by somebody else. Raises only for what is no bot's fault.
    """
    with scratch_folder() as folder:
        async with Heartbeat(time.monotonic_ns) as heartbeat:
            table = _Table(
                plan=plan,
                entrants={number: entrants[number] for number in job.entrants},
                heartbeat=heartbeat,
                on_record=on_record,
                on_loss=on_loss,
                folder=folder,
                log_dir=log_dir,
                sandbox=sandbox or NoSandbox(),
                most_parallel=most_parallel,
                watchers=watchers or {},
                by_hand=by_hand or {},
            )
            for rotation in range(4):
                await table.play_pass([match for match in job.matches if match.rotation == rotation])


def setup_of(match: PlannedMatch, plan: Plan, isolation: Isolation) -> MatchSetup:
    """What the referee needs of a planned match."""
    seats = [plan.entrants[number] for number in match.seats]
    first, second, third, fourth = (SeatSetup(bot.name, bot.version, bot.content_hash) for bot in seats)
    return MatchSetup(
        match_id=match.match_id,
        seats=(first, second, third, fourth),
        rules=plan.ruleset,
        time_control=TimeControl.parse(plan.time_control),
        strikes_allowed=plan.strikes,
        position=match.position,
        table=match.table,
        set_number=match.set_number,
        rotation=match.rotation,
        isolation=isolation,
        freeze=plan.freeze,
        seed=plan.seed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """What is the same in every pass of a job. `folder` is for sockets, `log_dir` for what bots print."""

    plan: Plan
    entrants: Mapping[int, Entrant]
    heartbeat: Heartbeat
    on_record: OnRecord
    on_loss: OnLoss
    folder: Path
    log_dir: Path
    sandbox: Sandbox
    most_parallel: int
    watchers: Mapping[int, LineWatcher]
    by_hand: Mapping[int, StartedByHand]

    async def play_pass(self, matches: Sequence[PlannedMatch]) -> None:
        """Plays `matches` with bots that are started for them and ended after them."""
        if not matches:
            return
        isolation = Isolation[self.sandbox.name.upper()]
        chairs = {
            number: Chair(self.plan.entrants[number].name, self._guest(number)) for number in self.entrants
        }
        floor = Floor(
            list(chairs.values()),
            heartbeat=self.heartbeat,
            now_ns=time.monotonic_ns,
            startup_s=self.plan.startup_s,
            on_finished=self._finish,
            on_loss=self._lose,
        )
        seatings = []
        for match in matches:
            first, second, third, fourth = (chairs[number] for number in match.seats)
            seatings.append(Seating(setup_of(match, self.plan, isolation), (first, second, third, fourth)))
        await floor.play(seatings)

    def _guest(self, number: int) -> Guest:
        preset = self.plan.ruleset.name.partition("+")[0]
        watcher = self.watchers.get(number)
        if number in self.by_hand:
            return self.by_hand[number](
                folder=self.folder, preset=preset, now_ns=time.monotonic_ns, watcher=watcher
            )
        return LocalBot(
            self.entrants[number],
            folder=self.folder,
            preset=preset,
            startup_s=self.plan.startup_s,
            now_ns=time.monotonic_ns,
            log_dir=self.log_dir,
            sandbox=self.sandbox,
            most_parallel=self.most_parallel,
            freeze=self.plan.freeze,
            watcher=watcher,
        )

    def _finish(self, finished: FinishedMatch) -> None:
        took_ns = finished.ended_ns - finished.began_ns
        stalls = [
            (max(0, began_ns - finished.began_ns) // 1000, (ended_ns - began_ns) // 1000)
            for began_ns, ended_ns in self.heartbeat.stalls.between(finished.began_ns, finished.ended_ns)
        ]
        record = record_of(
            finished.match,
            started_unix_us=(time.time_ns() - took_ns) // 1000,
            duration_us=took_ns // 1000,
            stalls=stalls,
            output=[self._output(chair, finished.match.setup.match_id) for chair in finished.chairs],
        )
        self.on_record(record)

    def _output(self, chair: Chair, label: str) -> str:
        """Keeps what the bot printed since this was last done; the log's name when there was anything."""
        log = chair.guest.keep_output(label)
        return "" if log is None else f"{self.log_dir.name}/{log.name}"

    def _lose(self, chair: Chair, loss: Loss) -> None:
        chair.guest.keep_output("lost")
        self.on_loss(chair.name, loss.kind.name, loss.detail)
