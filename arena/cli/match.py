"""Owns `arena match`: four bots, one match, nothing kept."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import Wishes, play_options
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.bots.manifest import Entrant
    from arena.v1 import record_pb2

__all__ = ["command"]


@click.command(
    "match",
    cls=ArenaCommand,
    example=(
        "arena match sample_bots/greedy sample_bots/lowest sample_bots/random house-greedy\n"
        "arena match mybot mybot mybot house-greedy --quiet --seed 7"
    ),
    help=(
        "Play one match between four bots, who sit in this order on seats 0 to 3, and tell it card by card. A"
        " BOT is a folder, a NAME.py or the name of a house bot; the same may sit on several seats."
    ),
)
@click.argument("bots", metavar="BOT BOT BOT BOT", nargs=-1)
@play_options
@click.option("--quiet", is_flag=True, help="Only the scorecard.")
@click.option("--json", "is_json", is_flag=True, help="One JSON document, as `export` writes it.")
def command(*, bots: tuple[str, ...], quiet: bool, is_json: bool, **wishes: Any) -> None:
    """See the help text."""
    from arena.cli.output import is_plain, print_json, print_lines, say
    from arena.reports.replay import match_lines, scorecard_lines
    from arena.store.export import match_document

    if len(bots) != 4:
        raise ArenaError(f"a match needs four bots; {len(bots)} were given")
    logs = Path(tempfile.mkdtemp(prefix="arena-match-"))
    plan_seed, record = _played(bots, Wishes.taken_from(wishes), logs)
    if is_json:
        print_json(match_document(record))
    else:
        print_lines(scorecard_lines(record) if quiet else match_lines(record, is_plain=is_plain()))
    say(f"seed {plan_seed}")
    if record.faults:
        say(f"{len(record.faults)} faults; what the bots printed is kept in {logs}")
    else:
        shutil.rmtree(logs, ignore_errors=True)


def _played(bots: Sequence[str], wishes: Wishes, logs: Path) -> tuple[str, record_pb2.MatchRecord]:
    """The seed and the record of the match."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.cli.entrants import bot_or_house_bot, built
    from arena.cli.planning import check_wishes, make_plan
    from arena.tournament.plan import Job, schedule_of
    from arena.tournament.table import play_job

    check_wishes(wishes)
    sandbox, _ = choose_sandbox(wishes.sandbox)
    entrants = _with_own_names([built(bot_or_house_bot(text), sandbox) for text in bots])
    wished = replace(wishes, sets=1)
    plan = make_plan(wished, name="match", folder=logs, entrants=entrants, sandbox=sandbox.name)
    schedule = schedule_of(plan)
    records: list[record_pb2.MatchRecord] = []
    asyncio.run(
        play_job(
            Job("match", 0, schedule.tables[0], (schedule.match_at(0),)),
            plan=plan,
            entrants=dict(enumerate(entrants)),
            on_record=records.append,
            log_dir=logs,
            sandbox=sandbox,
        )
    )
    return plan.seed_text, records[0]


def _with_own_names(entrants: Sequence[Entrant]) -> list[Entrant]:
    """The same bots; one that sits on several seats is `name-2` and so on from the second."""
    named: list[Entrant] = []
    for entrant in entrants:
        taken = {one.name for one in named}
        names = [entrant.name, *(f"{entrant.name}-{number}" for number in range(2, 6))]
        named.append(replace(entrant, name=next(name for name in names if name not in taken)))
    return named
