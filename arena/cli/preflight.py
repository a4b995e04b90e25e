"""Owns the look at every bot before the first match: does it start, greet, and play one round legally?

What is wrong is a warning. The bot plays all the same, and what it does wrong then is counted as its faults.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from arena.bots.cases import CASES
from arena.bots.interview import Report, examine
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.bots.scratch import scratch_folder
from arena.referee.clocks import TimeControl
from arena.reports.text import harmless
from arena.tournament.plan import Plan

__all__ = ["warnings_of"]


def warnings_of(entrants: Sequence[Entrant], plan: Plan, sandbox: Sandbox, *, at_once: int) -> list[str]:
    """A line for each bot with which something is wrong; `at_once` bots are looked at together."""
    with scratch_folder() as folder:
        reports = asyncio.run(_reports(entrants, plan, sandbox, folder=folder, at_once=at_once))
    return [
        f"warning: {entrant.name}: {finding.kind}: {harmless(finding.text)}"
        for entrant, report in zip(entrants, reports, strict=True)
        for finding in [each for each in report.findings if each.is_error][:1]
    ]


async def _reports(
    entrants: Sequence[Entrant], plan: Plan, sandbox: Sandbox, *, folder: Path, at_once: int
) -> list[Report]:
    free = asyncio.Semaphore(at_once)

    async def look_at(entrant: Entrant) -> Report:
        async with free:
            bot = LocalBot(
                entrant,
                folder=folder,
                preset=plan.ruleset.name.partition("+")[0],
                startup_s=plan.startup_s,
                now_ns=time.monotonic_ns,
                sandbox=sandbox,
            )
            return await examine(
                bot,
                rulesets=[plan.ruleset],
                cases=CASES[:1],
                time_control=TimeControl.parse(plan.time_control),
                startup_s=plan.startup_s,
                now_ns=time.monotonic_ns,
            )

    async with asyncio.TaskGroup() as group:
        looking = [group.create_task(look_at(entrant)) for entrant in entrants]
    return [task.result() for task in looking]
