"""Owns how tests play at one real table: four bots in real processes, a plan made for the occasion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.rules import CALLBREAK, Ruleset, Seed, commitment, with_rules
from arena.tournament.plan import PLAN_FORMAT, Job, Plan, PlannedEntrant
from arena.tournament.schedule import PlannedMatch, ScheduleOptions, match_id_of, seats_of
from arena.tournament.table import play_job
from arena.v1 import record_pb2

OnLoss = Callable[[str, str, str], None]


def plan_of(
    bots: Sequence[Entrant],
    *,
    seed: Seed,
    rules: Ruleset,
    time_control: str,
    startup_s: float,
    freeze: bool,
) -> Plan:
    """A plan for one table; bots are numbered in their order and so named where names repeat."""
    names = [bot.name for bot in bots]
    return Plan(
        format=PLAN_FORMAT,
        arena_version="test",
        name="test",
        ruleset=rules,
        time_control=time_control,
        strikes=3,
        startup_s=startup_s,
        sandbox="none",
        freeze=freeze,
        seed_text=seed.text,
        seed_commitment=commitment(seed).hex(),
        is_practice=seed.is_practice,
        entrants=tuple(
            PlannedEntrant(
                name=bot.name if names.count(bot.name) == 1 else f"{bot.name}-{number}",
                version=bot.version,
                content_hash=bot.content_hash,
                path=str(bot.path),
                language=bot.language,
                protocol=bot.protocol,
                is_house=False,
            )
            for number, bot in enumerate(bots)
        ),
        schedule=ScheduleOptions(format="round-robin", sets_per_table=1),
        schedule_digest="",
    )


async def play_table(
    bots: Sequence[Entrant],
    *,
    seed: Seed,
    log_dir: Path,
    time_control: str = "5+10",
    startup_s: float = 30.0,
    rounds: int = 1,
    sets: int = 1,
    rotations: Sequence[int] = (0,),
    on_loss: OnLoss = lambda bot, kind, detail: None,
    freeze: bool = False,
    sandbox: Sandbox | None = None,
) -> list[record_pb2.MatchRecord]:
    """Records of some sets of one table, in the order in which the matches ended."""
    matches = [
        PlannedMatch(
            match_id=match_id_of(0, number, rotation),
            position=4 * number + rotation,
            table=0,
            set_number=number,
            rotation=rotation,
            seats=seats_of((0, 1, 2, 3), order=0, rotation=rotation),
        )
        for number in range(sets)
        for rotation in rotations
    ]
    return await play_matches(
        bots,
        matches,
        seed=seed,
        log_dir=log_dir,
        time_control=time_control,
        startup_s=startup_s,
        rounds=rounds,
        on_loss=on_loss,
        freeze=freeze,
        sandbox=sandbox,
    )


async def play_matches(
    bots: Sequence[Entrant],
    matches: Sequence[PlannedMatch],
    *,
    seed: Seed,
    log_dir: Path,
    time_control: str = "5+10",
    startup_s: float = 30.0,
    rounds: int = 1,
    on_loss: OnLoss = lambda bot, kind, detail: None,
    freeze: bool = False,
    sandbox: Sandbox | None = None,
) -> list[record_pb2.MatchRecord]:
    """Records of these matches between `bots`, in the order in which they ended."""
    rules = with_rules(CALLBREAK, {"rounds": str(rounds)})
    records: list[record_pb2.MatchRecord] = []
    await play_job(
        Job("test", 0, (0, 1, 2, 3), tuple(matches)),
        plan=plan_of(
            bots, seed=seed, rules=rules, time_control=time_control, startup_s=startup_s, freeze=freeze
        ),
        entrants=dict(enumerate(bots)),
        on_record=records.append,
        on_loss=on_loss,
        log_dir=log_dir,
        sandbox=sandbox,
    )
    return records
