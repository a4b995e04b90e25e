"""Owns `arena sprt`: two versions of a bot hold the same hands until it is known whether one is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import ArenaCommand
from arena.cli.options import (
    Wishes,
    executor_option,
    faulty_option,
    jobs_option,
    play_options,
    strict_option,
)
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.bots.manifest import Entrant
    from arena.bots.sandbox import Sandbox
    from arena.tournament.plan import Comparison

__all__ = ["command"]

HOUSE_OPPONENTS = ("house-greedy", "house-greedy", "house-lowest")
SEATS_LEFT = 3

EXAMPLE = """\
arena sprt --candidate mybot --baseline mybot-1.0
arena sprt --candidate new --baseline old --opponents sample_bots/counting --points1 0.3 --max-sets 3000"""


@click.command(
    "sprt",
    cls=ArenaCommand,
    example=EXAMPLE,
    help=(
        "Is the candidate better than the baseline? Both hold the same hands against the same three"
        " opponents, set after set, until the difference is known to be at least --points1 or at most"
        " --points0 points a match (Wald's sequential test). Exit status 0 when the candidate is better, 1"
        " when it is not or when it is not known after --max-sets. The results are kept as those of a"
        " tournament are; an interrupted comparison goes on with `arena resume`."
    ),
)
@click.option("--candidate", required=True, metavar="BOT", help="The new version.")
@click.option("--baseline", required=True, metavar="BOT", help="What it is compared with.")
@click.option(
    "--opponents",
    multiple=True,
    metavar="BOT",
    help="Against whom; up to three times, fewer sit on several seats. By default house bots.",
)
@click.option("--points0", type=float, default=0.0, show_default=True, help="No better than this, or")
@click.option("--points1", type=float, default=0.5, show_default=True, help="better by this, a match.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance of a false `better`.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Chance of a false `not better`.")
@click.option("--max-sets", "sets", type=click.IntRange(1), metavar="N", help="By default 1000.")
@play_options
@jobs_option
@executor_option
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Where the run lands.")
@faulty_option
@strict_option
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def command(
    *,
    candidate: str,
    baseline: str,
    opponents: tuple[str, ...],
    points0: float,
    points1: float,
    alpha: float,
    beta: float,
    jobs: int | None,
    executor: str,
    out: Path | None,
    strict: bool,
    is_json: bool,
    **wishes: Any,
) -> int:
    """See the help text. Everything is checked before the run's folder is made."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.cli.admission import admitted
    from arena.cli.comparing import run_comparison
    from arena.cli.planning import check_wishes, conditions, free_folder, make_plan
    from arena.cli.runs import Run
    from arena.cli.workplace import workplace
    from arena.tournament.plan import write_plan

    question = _question(points0, points1, alpha, beta)
    wished = Wishes.taken_from(wishes)
    check_wishes(wished)
    if len(opponents) > SEATS_LEFT:
        raise ArenaError(f"--opponents: three seats are left; {len(opponents)} bots were given")
    sandbox, _ = choose_sandbox(wished.sandbox)
    with workplace(executor, jobs) as place:
        entrants = _entrants([candidate, baseline], opponents or HOUSE_OPPONENTS, sandbox)
        folder = free_folder(out, f"sprt-{entrants[0].name}")
        admitted(
            entrants,
            conditions(wished, sandbox=sandbox, at_once=place.at_once_here),
            named=[entrant.name for entrant in entrants],
            admits_faulty=wished.admit_faulty,
        )
        plan = make_plan(
            wished,
            name=folder.name,
            folder=folder,
            entrants=entrants,
            sandbox=sandbox.name,
            comparison=question,
        )
        write_plan(plan, folder)
        run = Run(folder, plan, entrants, place)
        return run_comparison(run, question, is_strict=strict, is_json=is_json)


def _question(points0: float, points1: float, alpha: float, beta: float) -> Comparison:
    """What is asked; ArenaError for bounds that no test can have."""
    from arena.ratings.sequential import SequentialTest
    from arena.tournament.plan import Comparison

    SequentialTest(points0, points1, alpha, beta)
    return Comparison(points0, points1, alpha, beta)


def _entrants(versions: Sequence[str], opponents: Sequence[str], sandbox: Sandbox) -> list[Entrant]:
    """The two versions and their three opponents, built, each with a name of its own."""
    from arena.cli.entrants import bot_or_house_bot, built, with_own_names

    candidate, baseline = (built(bot_or_house_bot(text), sandbox) for text in versions)
    if candidate.content_hash == baseline.content_hash:
        raise ArenaError(f"--candidate {versions[0]} and --baseline {versions[1]} are the same bot")
    if candidate.name == baseline.name:
        candidate = replace(candidate, name=f"{candidate.name}-candidate")
        baseline = replace(baseline, name=f"{baseline.name}-baseline")
    seated = [opponents[seat % len(opponents)] for seat in range(SEATS_LEFT)]
    others = [built(bot_or_house_bot(text), sandbox) for text in seated]
    return with_own_names([candidate, baseline, *others])
