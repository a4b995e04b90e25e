"""Owns `arena check`: does this bot speak the protocol and play legally?"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import ArenaCommand

if TYPE_CHECKING:
    from arena.bots.findings import Report
    from arena.bots.manifest import Entrant
    from arena.bots.sandbox import Sandbox

__all__ = ["command"]

FAILED = 1


@click.command(
    "check",
    cls=ArenaCommand,
    example="arena check mybot\narena check mybot --ruleset call-bridge --json",
    help=(
        "Does this bot speak the protocol and play legally? It is walked through canned deals with every hard"
        " case of every ruleset that it knows, then through many matches at once, words of a later version,"
        " an empty bank and a second start; what is wrong is told in words, with the view that caused it."
        " Exit status 1 when something is wrong. A BOT is a folder, a NAME.py or the name of a house bot."
    ),
)
@click.argument("bot")
@click.option(
    "--ruleset", "names", metavar="NAME|FILE.toml", multiple=True, help="Only these; by default all."
)
@click.option(
    "--time", "time_text", metavar="LIMIT+BANK", default="0.5+10", show_default=True, help="Seconds."
)
@click.option("--startup", type=click.FloatRange(0, min_open=True), default=30.0, help="Seconds to start in.")
@click.option("--sandbox", "sandbox_name", type=click.Choice(["bwrap", "none"]), help="How it is confined.")
@click.option("--json", "is_json", is_flag=True, help="One JSON document.")
def command(
    *,
    bot: str,
    names: tuple[str, ...],
    time_text: str,
    startup: float,
    sandbox_name: str | None,
    is_json: bool,
) -> int:
    """See the help text."""
    from arena.bots.bubblewrap import choose_sandbox
    from arena.cli.entrants import bot_or_house_bot, built
    from arena.cli.output import print_json, print_lines

    sandbox, _ = choose_sandbox(sandbox_name)
    entrant = built(bot_or_house_bot(bot), sandbox)
    report = _examined(entrant, sandbox, names, time_text, startup)
    if is_json:
        print_json(_document(entrant, report))
    else:
        print_lines(_lines(entrant, report))
    return 0 if report.passed else FAILED


def _examined(
    entrant: Entrant, sandbox: Sandbox, names: tuple[str, ...], time_text: str, startup_s: float
) -> Report:
    from arena.bots.interview import examine
    from arena.bots.local_bot import LocalBot
    from arena.bots.scratch import scratch_folder
    from arena.cli.options import chosen_ruleset
    from arena.referee import TimeControl
    from arena.rules import PRESETS

    time_control = TimeControl.parse(time_text)
    rulesets = [chosen_ruleset(name, (), None) for name in names] or list(PRESETS.values())

    async def run(folder: Path) -> Report:
        subject = LocalBot(
            entrant,
            folder=folder,
            preset=None,
            startup_s=startup_s,
            now_ns=time.monotonic_ns,
            sandbox=sandbox,
            keeps_door_open=True,
        )
        return await examine(
            subject,
            rulesets=rulesets,
            time_control=time_control,
            startup_s=startup_s,
            now_ns=time.monotonic_ns,
        )

    with scratch_folder() as folder:
        return asyncio.run(run(folder))


def _lines(entrant: Entrant, report: Report) -> list[str]:
    from arena.reports.text import harmless

    lines = [f"{entrant.name} {entrant.version}: {_summary(report)}"]
    for finding in report.findings:
        weight = "WRONG" if finding.is_error else "note"
        lines.append(f"{weight}: {finding.place}: {finding.kind}: {harmless(finding.text)}")
        if finding.view:
            lines.append(f"  {finding.view}")
    return lines


def _summary(report: Report) -> str:
    played = (
        f"{report.cases} cases under {', '.join(report.rulesets)}"
        if report.rulesets
        else "no case was played"
    )
    wrong = len(report.errors)
    verdict = "nothing is wrong" if report.passed else f"{wrong} wrong"
    times = report.decision_ms
    if not times:
        return f"{verdict}; {played}"
    speed = f"{sum(times) / len(times):.1f} ms each, {max(times):.1f} at most"
    return f"{verdict}; {played}, {len(times)} decisions, {speed}"


def _document(entrant: Entrant, report: Report) -> dict[str, Any]:
    times = report.decision_ms
    return {
        "bot": entrant.name,
        "version": entrant.version,
        "passed": report.passed,
        "rulesets": report.rulesets,
        "cases": report.cases,
        "decisions": len(times),
        "mean_decision_ms": sum(times) / len(times) if times else None,
        "max_decision_ms": max(times) if times else None,
        "findings": [
            {
                "severity": "error" if finding.is_error else "note",
                "kind": finding.kind,
                "ruleset": finding.ruleset,
                "case": finding.case,
                "text": finding.text,
                "view": finding.view,
            }
            for finding in report.findings
        ],
    }
