"""Owns what was really played, in words: rules, schedule, deals, clock, sandbox, and how to play it again."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from math import comb
from pathlib import PurePosixPath

from arena.referee.clocks import TimeControl
from arena.reports.site.tallies import Tallies
from arena.reports.site.wording import duration_text, plural, span
from arena.reports.text import harmless
from arena.rules import PRESETS, RULE_MEANINGS, Ruleset, rule_text
from arena.tournament.designs import quality_of
from arena.tournament.plan import Comparison, Plan
from arena.tournament.schedule import MATCHES_A_SET, PAIRED, Schedule

__all__ = ["Fact", "Rule", "command_of", "facts_of", "rules_of"]

FORMATS = {
    "round-robin": "round robin: every table of four bots",
    "balanced": "balanced tables: pairs meet equally often, as far as numbers allow",
    "gauntlet": "gauntlet: one bot against all others",
    PAIRED: "comparison: two versions, the same hands against the same opponents, until it is known",
}
SANDBOXES = {
    "bwrap": "bubblewrap: bots had no network, no files but their own, and nothing that lasted",
    "none": "none: the bots ran with all rights of who started them, and were trusted",
}
FREEZES = {
    True: "on: bots were stopped while nothing was asked of them",
    False: "off: bots could go on thinking while others played",
}
MANY_TABLES = 20_000
FEW_BOTS = 12


@dataclass(frozen=True, slots=True)
class Rule:
    """One field of the ruleset beside the preset's."""

    name: str
    value: str
    preset: str
    meaning: str

    @property
    def differs(self) -> bool:
        """Whether the preset has another value."""
        return self.value != self.preset


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the page: a name and a text, or a moment to be shown in the reader's zone, or code."""

    name: str
    text: str
    is_code: bool = False
    moment: datetime.datetime | None = None


def rules_of(played: Ruleset) -> tuple[str, list[Rule]]:
    """The preset's name, and every field of the ruleset that was played."""
    preset = PRESETS[played.name.split("+")[0]]
    return preset.name, [
        Rule(
            name=field.name,
            value=rule_text(getattr(played, field.name)),
            preset=rule_text(getattr(preset, field.name)),
            meaning=RULE_MEANINGS[field.name],
        )
        for field in fields(played)
        if field.name != "name"
    ]


def facts_of(
    plan: Plan, schedule: Schedule, tallies: Tallies, *, matches: tuple[int, int], is_complete: bool
) -> list[Fact]:
    """What was played, in the order in which it is asked for; `matches` are stored and planned."""
    stored, planned = matches
    told = f"{stored}, all that were planned" if is_complete else f"{stored} of {planned} planned"
    return [
        Fact("ruleset", plan.ruleset.name, is_code=True),
        Fact("format", FORMATS[plan.schedule.format]),
        Fact("schedule", "; ".join(_schedule_words(plan, schedule))),
        Fact("matches", told),
        *_times(tallies),
        *_seed_facts(plan, is_complete=is_complete),
        Fact("time control", _time_words(plan)),
        Fact(
            "strikes", f"{plan.strikes}: at that many faults in a match the seat is forfeited and comes last"
        ),
        Fact("sandbox", SANDBOXES.get(plan.sandbox, plan.sandbox)),
        Fact("freeze", FREEZES[plan.freeze]),
        Fact("stalls", _stall_words(tallies)),
        Fact("arena", f"callbreak-arena {plan.arena_version}"),
    ]


def command_of(plan: Plan, *, is_complete: bool) -> str:
    """The command that plays the same tournament again, given the same bots."""
    schedule = plan.schedule
    if plan.comparison is not None:
        return _comparing(plan, plan.comparison, is_complete=is_complete)
    words = ["arena", "tournament", "--bots", _bots_folder(plan), "--ruleset", plan.ruleset.name]
    words += ["--format", schedule.format, *_schedule_options(plan)]
    if plan.until_separated:
        words += ["--until-separated", "--max-matches", str(plan.until_separated)]
    words += [*_conditions(plan, is_complete=is_complete), *_chosen_bots(plan)]
    return shlex.join(harmless(word) for word in words)


def _comparing(plan: Plan, question: Comparison, *, is_complete: bool) -> str:
    candidate, baseline, *opponents = (PurePosixPath(one.path).name for one in plan.entrants)
    words = ["arena", "sprt", "--candidate", candidate, "--baseline", baseline]
    words += [word for name in opponents for word in ("--opponents", name)]
    for name in ("points0", "points1", "alpha", "beta"):
        words += [f"--{name}", f"{getattr(question, name):g}"]
    words += ["--max-sets", str(plan.schedule.sets_per_table), "--ruleset", plan.ruleset.name]
    return shlex.join(harmless(word) for word in [*words, *_conditions(plan, is_complete=is_complete)])


def _conditions(plan: Plan, *, is_complete: bool) -> list[str]:
    return [
        *("--seed", plan.seed_text if is_complete else "SEED"),
        *("--time", plan.time_control, "--strikes", str(plan.strikes), "--startup", f"{plan.startup_s:g}"),
        *("--sandbox", plan.sandbox),
        *(["--freeze"] if plan.freeze else []),
        *(["--admit-faulty"] if plan.admits_faulty else []),
    ]


def _schedule_words(plan: Plan, schedule: Schedule) -> Iterator[str]:
    sets = schedule.sets_per_table
    tables = len(schedule.tables)
    yield f"{tables} {plural('table', tables)}, {sets} {plural('set', sets)} of 4 matches each"
    if plan.until_separated:
        added = len(schedule.added)
        yield f"{added} {plural('table', added)} added where neighbours were not separated"
    if tables <= MANY_TABLES:
        quality = quality_of(schedule, len(plan.entrants))
        yield f"matches a bot {span(quality.matches)}, matches a pair {span(quality.meetings)}"


def _times(tallies: Tallies) -> Iterator[Fact]:
    if not tallies.first_unix_us:
        return
    first, last = (_moment(us) for us in (tallies.first_unix_us, tallies.last_unix_us))
    yield Fact("first match", "", moment=first)
    yield Fact("last match ended", "", moment=last)
    yield Fact("from first to last", duration_text((last - first).total_seconds()))


def _moment(unix_us: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(unix_us / 1e6, tz=datetime.UTC)


def _seed_facts(plan: Plan, *, is_complete: bool) -> Iterator[Fact]:
    yield Fact("seed commitment", plan.seed_commitment, is_code=True)
    if not is_complete:
        yield Fact("seed", "shown when every match is stored; its commitment was shown before the first")
        return
    yield Fact("seed", plan.seed_text, is_code=True)
    if plan.is_practice:
        yield Fact("", "A short seed, for practice: a bot could have searched for it from its own cards.")


def _time_words(plan: Plan) -> str:
    control = TimeControl.parse(plan.time_control)
    limit_s, bank_s = control.limit_ns / 1e9, control.bank_ns / 1e9
    within = f"{limit_s:g} s a decision, and {bank_s:g} s a match for what goes beyond"
    return f"{within}; {plan.startup_s:g} s to start"


def _stall_words(tallies: Tallies) -> str:
    if not tallies.stalls:
        return "the arena itself was never late"
    longest = duration_text(tallies.longest_stall_us / 1e6)
    return f"the arena itself was late {tallies.stalls} times, at most {longest}; no bot was charged for it"


def _schedule_options(plan: Plan) -> list[str]:
    schedule, bots = plan.schedule, len(plan.entrants)
    hero = ["--hero", plan.entrants[schedule.hero].name] if schedule.hero >= 0 else []
    sets = ["--sets", str(schedule.sets_per_table)]
    if schedule.base_blocks:
        size = len(schedule.base_blocks[0])
        matches = size * len(schedule.base_blocks) * schedule.sets_per_table * MATCHES_A_SET
        return [*hero, "--matches-per-bot", str(matches), *sets]
    if schedule.format == "balanced":
        return ["--matches-per-bot", str(comb(bots - 1, 3) * schedule.sets_per_table * MATCHES_A_SET)]
    return [*hero, *sets]


def _bots_folder(plan: Plan) -> str:
    """The name of the folder that the bots came from; where it lies is no reader's business."""
    folders = {PurePosixPath(one.path).parent.name for one in plan.entrants if not one.is_house}
    return folders.pop() if len(folders) == 1 and folders != {""} else "BOTS"


def _chosen_bots(plan: Plan) -> Sequence[str]:
    """House bots fill empty seats by themselves; more of them were asked for."""
    own = [one.name for one in plan.entrants if not one.is_house]
    house = len(plan.entrants) - len(own)
    chosen = [word for name in own for word in ("--only", name)] if len(own) <= FEW_BOTS else []
    return [*chosen, *(["--include-house"] if house and len(own) + house > 4 else [])]
