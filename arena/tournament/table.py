"""Owns the unit of work: four bots at one table play the matches of a job, pass by pass.

A pass plays one rotation of every set; between passes every bot is ended and started afresh, so that no bot
process ever sees a deal twice. It must not know how records are kept or how they look.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from arena.bots.floor import Chair, FinishedMatch, Floor, Loss, Seating
from arena.bots.heartbeat import Heartbeat
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import Entrant
from arena.bots.sandbox import NoSandbox, Sandbox
from arena.referee.clocks import TimeControl
from arena.referee.record import record_of
from arena.referee.setup import Isolation, MatchSetup, SeatSetup
from arena.rules import Seed
from arena.tournament.plan import Job, Plan
from arena.tournament.schedule import PlannedMatch
from arena.v1 import record_pb2

__all__ = ["play_job", "setup_of"]

OnRecord = Callable[[record_pb2.MatchRecord], None]
OnLoss = Callable[[str, str, str], None]
"""Called with a bot's name, the kind of fault, and the cause, whenever a bot's process or stream is lost."""


async def play_job(
    job: Job,
    *,
    plan: Plan,
    entrants: Mapping[int, Entrant],
    on_record: OnRecord,
    on_loss: OnLoss = lambda bot, kind, detail: None,
    log_dir: Path,
    sandbox: Sandbox | None = None,
) -> None:
    """Plays the matches of `job` and hands over each record as its match ends.

    `entrants` are the bots by their number in the plan, `log_dir` is where their output goes. Raises only for
    what is no bot's fault.
    """
    seed = Seed.parse(plan.seed_text)
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        async with Heartbeat(time.monotonic_ns) as heartbeat:
            for rotation in range(4):
                matches = [match for match in job.matches if match.rotation == rotation]
                if matches:
                    table = _Pass(
                        job, plan, entrants, on_record, on_loss, log_dir, sandbox, folder, heartbeat
                    )
                    await table.play(matches, seed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def setup_of(match: PlannedMatch, plan: Plan, seed: Seed, isolation: Isolation) -> MatchSetup:
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
        seed=seed,
    )


class _Pass:
    """One rotation of a job's sets, played by processes that are started for it and ended after it."""

    def __init__(
        self,
        job: Job,
        plan: Plan,
        entrants: Mapping[int, Entrant],
        on_record: OnRecord,
        on_loss: OnLoss,
        log_dir: Path,
        sandbox: Sandbox | None,
        folder: Path,
        heartbeat: Heartbeat,
    ) -> None:
        self._plan = plan
        self._on_record = on_record
        self._on_loss = on_loss
        self._heartbeat = heartbeat
        self._log_dir = log_dir
        self._sandbox = sandbox or NoSandbox()
        self._bots = {
            number: LocalBot(
                entrants[number],
                folder=folder,
                preset=plan.ruleset.name.partition("+")[0],
                startup_s=plan.startup_s,
                now_ns=time.monotonic_ns,
                log_dir=log_dir,
                sandbox=self._sandbox,
            )
            for number in job.entrants
        }
        self._chairs = {number: Chair(plan.entrants[number].name, bot) for number, bot in self._bots.items()}
        self._bot_of = {id(self._chairs[number]): bot for number, bot in self._bots.items()}

    async def play(self, matches: list[PlannedMatch], seed: Seed) -> None:
        """Plays `matches`, all of one rotation."""
        isolation = Isolation[self._sandbox.name.upper()]
        floor = Floor(
            list(self._chairs.values()),
            heartbeat=self._heartbeat,
            now_ns=time.monotonic_ns,
            startup_s=self._plan.startup_s,
            on_finished=self._finish,
            on_loss=self._tell_loss,
        )
        await floor.play(
            [self._seating(match, setup_of(match, self._plan, seed, isolation)) for match in matches]
        )

    def _seating(self, match: PlannedMatch, setup: MatchSetup) -> Seating:
        first, second, third, fourth = (self._chairs[number] for number in match.seats)
        return Seating(setup, (first, second, third, fourth))

    def _finish(self, finished: FinishedMatch) -> None:
        took_ns = finished.ended_ns - finished.began_ns
        stalls = [
            (max(0, began_ns - finished.began_ns) // 1000, (ended_ns - began_ns) // 1000)
            for began_ns, ended_ns in self._heartbeat.stalls_between(finished.began_ns, finished.ended_ns)
        ]
        record = record_of(
            finished.match,
            started_unix_us=(time.time_ns() - took_ns) // 1000,
            duration_us=took_ns // 1000,
            stalls=stalls,
            output=[self._output(chair, finished) for chair in finished.chairs],
        )
        self._on_record(record)

    def _output(self, chair: Chair, finished: FinishedMatch) -> str:
        """Keeps what the bot printed during the match; the log's name when there was anything."""
        bot = self._bot_of[id(chair)]
        if not bot.output_since(finished.match.setup.match_id):
            return ""
        log = bot.process.output.log if bot.process is not None else None
        return "" if log is None else f"{self._log_dir.name}/{log.name}"

    def _tell_loss(self, chair: Chair, loss: Loss) -> None:
        self._bot_of[id(chair)].output_since("lost")
        self._on_loss(chair.name, loss.kind.name, loss.detail)
