"""Owns `arena match`: four bots, one match, nothing kept."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import socket
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import Wishes, play_options
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.bots.manifest import Entrant
    from arena.bots.sandbox import Sandbox
    from arena.bots.watched import LineWatcher
    from arena.tournament.plan import Plan
    from arena.tournament.table import StartedByHand
    from arena.v1 import record_pb2

__all__ = ["command"]

SEATS = 4
LOOPBACK = "127.0.0.1"
DAY_S = 86_400.0
NO_CLOCK = "86400+86400"
"""The longest that a time control can be: a day a decision."""

seat_number = click.IntRange(0, SEATS - 1)


@click.command(
    "match",
    cls=ArenaCommand,
    example=(
        "arena match sample_bots/greedy sample_bots/lowest sample_bots/random house-greedy\n"
        "arena match mybot mybot mybot house-greedy --quiet --seed 7\n"
        "arena match mybot house-greedy house-greedy house-lowest --debug 0\n"
        "arena match mybot house-greedy house-greedy house-lowest --wait 0 --port 5005 --no-clock"
    ),
    help=(
        "Play one match between four bots, who sit in this order on seats 0 to 3, and tell it card by card. A"
        " BOT is a folder, a NAME.py or the name of a house bot; the same may sit on several seats."
    ),
)
@click.argument("bots", metavar="BOT BOT BOT BOT", nargs=-1)
@play_options
@click.option(
    "--debug",
    "debugged",
    type=seat_number,
    multiple=True,
    metavar="SEAT",
    help="Tell, as it happens, what the bot on that seat is asked, answers, notes and prints (on stderr).",
)
@click.option(
    "--wait",
    "awaited",
    type=seat_number,
    multiple=True,
    metavar="SEAT",
    help="Wait for the bot on that seat to be started by hand, under a debugger say.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="With --wait: the loopback port that it dials, not a socket.",
)
@click.option("--no-clock", is_flag=True, help="No limit of time for anybody.")
@click.option("--quiet", is_flag=True, help="Only the scorecard.")
@click.option("--json", "is_json", is_flag=True, help="One JSON document, as `export` writes it.")
def command(
    *,
    bots: tuple[str, ...],
    debugged: tuple[int, ...],
    awaited: tuple[int, ...],
    port: int | None,
    no_clock: bool,
    quiet: bool,
    is_json: bool,
    **wishes: Any,
) -> None:
    """See the help text."""
    from arena.cli.output import is_plain, print_json, print_lines, say
    from arena.reports.replay import match_lines, scorecard_lines
    from arena.store.export import match_document

    if len(bots) != SEATS:
        raise ArenaError(f"a match needs four bots; {len(bots)} were given")
    if port is not None and len(set(awaited)) != 1:
        raise ArenaError(f"--port {port} is for one bot: give --wait SEAT once")
    if port is not None:
        _check_free(port)
    wished = _wishes_of(wishes, is_clock_off=no_clock, has_to_wait=bool(awaited))
    logs = Path(tempfile.mkdtemp(prefix="arena-match-"))
    table = _Table(wished, logs, frozenset(debugged), frozenset(awaited), port)
    if no_clock:
        say("the clock is off: everybody has a day for each decision, and the record says so")
    plan_seed, record = table.play(bots)
    if is_json:
        print_json(match_document(record))
    else:
        print_lines(scorecard_lines(record) if quiet else match_lines(record, is_plain=is_plain()))
    say(f"seed {plan_seed}")
    if record.faults:
        say(f"{len(record.faults)} faults; what the bots printed is kept in {logs}")
    else:
        shutil.rmtree(logs, ignore_errors=True)


def _check_free(port: int) -> None:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((LOOPBACK, port))
        except OSError as trouble:
            raise ArenaError(f"--port {port}: cannot listen on {LOOPBACK}: {trouble.strerror}") from None


def _wishes_of(given: dict[str, Any], *, is_clock_off: bool, has_to_wait: bool) -> Wishes:
    """What was asked for; a bot under a debugger has a day to become ready."""
    from arena.cli.planning import check_wishes

    wishes = Wishes.taken_from(given)
    if is_clock_off and wishes.time_text is not None:
        raise ArenaError(f"--no-clock and --time {wishes.time_text} contradict each other")
    check_wishes(wishes)
    if is_clock_off:
        wishes = replace(wishes, time_text=NO_CLOCK)
    if wishes.startup is None and (is_clock_off or has_to_wait):
        wishes = replace(wishes, startup=DAY_S)
    return replace(wishes, sets=1)


@dataclass(frozen=True, slots=True)
class _Table:
    """How the match is played: whom to watch, whom to wait for."""

    wishes: Wishes
    logs: Path
    debugged: frozenset[int]
    awaited: frozenset[int]
    port: int | None

    def play(self, bots: Sequence[str]) -> tuple[str, record_pb2.MatchRecord]:
        """The seed and the record of the match."""
        from arena.bots.bubblewrap import choose_sandbox
        from arena.cli.planning import make_plan
        from arena.tournament.plan import Job, schedule_of
        from arena.tournament.table import play_job

        sandbox, _ = choose_sandbox(self.wishes.sandbox)
        entrants = self._entrants(bots, sandbox)
        plan = make_plan(self.wishes, name="match", folder=self.logs, entrants=entrants, sandbox=sandbox.name)
        schedule = schedule_of(plan)
        records: list[record_pb2.MatchRecord] = []
        asyncio.run(
            play_job(
                Job("match", 0, schedule.tables[0], (schedule.match_at(0),)),
                plan=plan,
                entrants=dict(enumerate(entrants)),
                on_record=records.append,
                log_dir=self.logs,
                sandbox=sandbox,
                watchers=self._watchers(plan),
                by_hand=self._by_hand(entrants),
            )
        )
        return plan.seed_text, records[0]

    def _entrants(self, bots: Sequence[str], sandbox: Sandbox) -> list[Entrant]:
        """The bots by seat; one that is started by hand need not be able to start here."""
        from arena.cli.entrants import bot_or_house_bot, built, with_own_names

        found = [bot_or_house_bot(text) for text in bots]
        return with_own_names(
            [bot if seat in self.awaited else built(bot, sandbox) for seat, bot in enumerate(found)]
        )

    def _watchers(self, plan: Plan) -> Mapping[int, LineWatcher]:
        from arena.cli.output import is_plain, say
        from arena.reports.commentary import Commentary

        return {
            seat: Commentary(say, seat=seat, bot=plan.entrants[seat].name, is_plain=is_plain())
            for seat in self.debugged
        }

    def _by_hand(self, entrants: Sequence[Entrant]) -> Mapping[int, StartedByHand]:
        from arena.bots.waiting_bot import WaitingBot

        return {
            seat: partial(WaitingBot, on_waiting=partial(_ask_to_start, entrants[seat], seat), port=self.port)
            for seat in self.awaited
        }


def _ask_to_start(entrant: Entrant, seat: int, address: str) -> None:
    from arena.cli.output import say

    say(f"waiting for {entrant.name} on seat {seat}: start it, in {entrant.folder}, with")
    say(f"  ARENA_ADDRESS={address} {shlex.join(entrant.command)}")
