"""Owns the admission of bots to a tournament: each is examined, and one that fails is left out in a line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots.findings import Finding, Report
from arena.bots.interview import examine_for_admission
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import Entrant
from arena.bots.sandbox import Sandbox
from arena.bots.scratch import scratch_folder
from arena.cli.output import say
from arena.errors import ArenaError
from arena.referee.clocks import TimeControl
from arena.reports.text import harmless
from arena.rules import Ruleset

__all__ = ["Conditions", "admitted"]


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which bots are examined; `at_once` of them together."""

    rules: Ruleset
    time_control: TimeControl
    startup_s: float
    sandbox: Sandbox
    at_once: int


def admitted(
    entrants: Sequence[Entrant],
    conditions: Conditions,
    *,
    named: Collection[str] = (),
    admits_faulty: bool = False,
) -> list[Entrant]:
    """The bots with which nothing is wrong; the others are left out, each with a line that says why.

    With `admits_faulty` they play all the same, and the line is a warning. House bots are taken as they are.
    Raises ArenaError for bots that are `named` and fail.
    """
    strangers = [entrant for entrant in entrants if not entrant.is_house]
    faults = _faults(strangers, conditions)
    refused = [_refusal(entrant, faults[entrant.name]) for entrant in strangers if entrant.name in faults]
    if admits_faulty:
        for entrant in strangers:
            if entrant.name in faults:
                say(f"warning: {_told(entrant, faults[entrant.name])}")
        return list(entrants)
    if wanted := [_refusal(one, faults[one.name]) for one in strangers if one.name in {*named} & {*faults}]:
        raise ArenaError("; ".join(wanted))
    for line in refused:
        say(f"left out: {line}")
    return [entrant for entrant in entrants if entrant.name not in faults]


def _refusal(entrant: Entrant, finding: Finding) -> str:
    return (
        f"{_told(entrant, finding)} (`arena check {entrant.path}` tells more;"
        " --admit-faulty has it play all the same)"
    )


def _told(entrant: Entrant, finding: Finding) -> str:
    return f"{entrant.name}: {finding.place}: {finding.kind}: {harmless(finding.text)}"


def _faults(entrants: Sequence[Entrant], conditions: Conditions) -> dict[str, Finding]:
    """The first thing that is wrong with each bot that fails, by its name."""
    with scratch_folder() as folder:
        reports = asyncio.run(_reports(entrants, conditions, folder))
    return {
        entrant.name: report.errors[0]
        for entrant, report in zip(entrants, reports, strict=True)
        if report.errors
    }


async def _reports(entrants: Sequence[Entrant], conditions: Conditions, folder: Path) -> list[Report]:
    free = asyncio.Semaphore(conditions.at_once)

    async def look_at(entrant: Entrant) -> Report:
        async with free:
            bot = LocalBot(
                entrant,
                folder=folder,
                preset=conditions.rules.name.partition("+")[0],
                startup_s=conditions.startup_s,
                now_ns=time.monotonic_ns,
                sandbox=conditions.sandbox,
            )
            return await examine_for_admission(
                bot,
                rules=conditions.rules,
                time_control=conditions.time_control,
                startup_s=conditions.startup_s,
                now_ns=time.monotonic_ns,
            )

    async with asyncio.TaskGroup() as group:
        looking = [group.create_task(look_at(entrant)) for entrant in entrants]
    return [task.result() for task in looking]
