"""Builders of plans and of matches played without any bot, for tests of what comes after play."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from arena.referee.faults import FaultKind
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import Isolation
from arena.rules import Ruleset, Seed, card_list, commitment, find_ruleset
from arena.store.standings import figures_of
from arena.store.writer import StoreWriter
from arena.tournament.designs import choose_schedule
from arena.tournament.plan import (
    PLAN_FORMAT,
    Comparison,
    Plan,
    PlannedEntrant,
    plan_digest,
    schedule_of,
    write_plan,
)
from arena.tournament.schedule import PlannedMatch, ScheduleOptions, build_schedule
from arena.tournament.table import setup_of
from arena.v1 import record_pb2

SHORT = find_ruleset("callbreak+rounds=2")
BOTS = ("ant", "bee", "cat", "dog", "eel")

Misbehave = Callable[[RefereedMatch], FaultKind | None]


def plan_of(
    bots: Sequence[str] = BOTS,
    *,
    schedule: ScheduleOptions | None = None,
    sets: int = 1,
    seed: str = "7",
    ruleset: Ruleset = SHORT,
    name: str = "spring",
    comparison: Comparison | None = None,
    until_separated: int = 0,
) -> Plan:
    """A round robin of bots that exist in name only."""
    options = schedule or choose_schedule(len(bots), sets=sets)
    parsed = Seed.parse(seed)
    return Plan(
        format=PLAN_FORMAT,
        arena_version="0",
        name=name,
        ruleset=ruleset,
        time_control="0.5+10",
        strikes=3,
        startup_s=30.0,
        sandbox="none",
        freeze=False,
        seed_text=seed,
        seed_commitment=commitment(parsed).hex(),
        is_practice=parsed.is_practice,
        entrants=tuple(entrant(bot) for bot in bots),
        schedule=options,
        schedule_digest=build_schedule(options, len(bots)).digest(),
        comparison=comparison,
        until_separated=until_separated,
    )


def entrant(bot: str) -> PlannedEntrant:
    """A bot that is nowhere."""
    return PlannedEntrant(
        name=bot,
        version="1.0",
        content_hash=bot.encode().hex(),
        path=f"../bots/{bot}",
        language="python",
        protocol="grpc",
        is_house=False,
    )


def nobody_errs(match: RefereedMatch) -> FaultKind | None:
    """All behave."""
    return None


def played(plan: Plan, planned: PlannedMatch, misbehave: Misbehave = nobody_errs) -> record_pb2.MatchRecord:
    """The match as bots play it that call and play at random: the same whenever it is played.

    The first entrant of the plan plays its highest legal card, and so is better or worse than the rest.
    """
    match = RefereedMatch(setup_of(planned, plan, Isolation.NONE))
    match.begin()
    while match.seat != NOBODY:
        kind = misbehave(match)
        if kind is not None:
            match.fail(kind, answer="ff", detail="no \x1b[31mred\x1b[0m answer", took_ns=2_000_000)
        elif match.is_calling:
            match.call(2, took_ns=1_500_000, note="two")
        else:
            match.play(_card(match, is_first=planned.seats[match.seat] == 0), took_ns=800_000)
    return record_of(match, started_unix_us=1_700_000_000_000_000, duration_us=123_456)


def _card(match: RefereedMatch, *, is_first: bool) -> int:
    legal = card_list(match.game.round.legal)
    if is_first:
        return max(legal, key=lambda card: card.rank)
    return random.Random(match.random_seed()).choice(legal)


def all_played(plan: Plan, misbehave: Misbehave = nobody_errs) -> list[record_pb2.MatchRecord]:
    """Every match of the plan, in schedule order."""
    return [played(plan, planned, misbehave) for planned in schedule_of(plan).matches()]


def run_in(
    folder: Path, plan: Plan, records: Iterable[record_pb2.MatchRecord], *, is_rated: bool = True
) -> Path:
    """A run's folder as a tournament leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_plan(plan, folder)
    with new_store(folder, plan) as store:
        store.add(records)
        if is_rated:
            store.keep_ratings(figures_of(plan, store))
        store.settle()
    return folder


def new_store(folder: Path, plan: Plan) -> StoreWriter:
    """An empty store of a plan that lies in the folder."""
    bots = [(one.name, one.version) for one in plan.entrants]
    return StoreWriter.create(folder, plan_digest=plan_digest(folder), bots=bots)
