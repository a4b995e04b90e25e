"""Owns that the command on the run's page really plays the same tournament."""

from __future__ import annotations

import shlex
from dataclasses import replace

import click
import pytest

from arena.cli.sprt import command as sprt
from arena.cli.tournament import command as tournament
from arena.reports.site.run_facts import command_of, rules_of
from arena.reports.site.wording import card_text, duration_text, two_figures
from arena.rules import find_ruleset
from arena.tournament.designs import choose_schedule
from arena.tournament.plan import Comparison
from arena.tournament.schedule import PAIRED, ScheduleOptions
from tests.store.played import plan_of

BOTS = tuple(f"bot{number:02d}" for number in range(9))


def options_of(text: str) -> dict[str, object]:
    """What the command's own parser makes of it."""
    words = shlex.split(text)
    assert words[:2] == ["arena", "tournament"]
    with click.Context(tournament) as ctx:
        tournament.parse_args(ctx, words[2:])
        return ctx.params


def test_command_of_a_tournament_that_goes_on_until_it_is_known() -> None:
    options = options_of(command_of(plan_of(BOTS[:5], until_separated=900), is_complete=True))

    assert (options["until_separated"], options["max_matches"]) == (True, 900)


def test_command_of_a_comparison() -> None:
    question = Comparison(points0=0.1, points1=0.7, alpha=0.02, beta=0.1)
    plan = plan_of(BOTS[:5], schedule=ScheduleOptions(PAIRED, 300), comparison=question)

    words = shlex.split(command_of(plan, is_complete=False))

    assert words[:2] == ["arena", "sprt"]
    with click.Context(sprt) as ctx:
        sprt.parse_args(ctx, words[2:])
        asked = ctx.params
    assert (asked["candidate"], asked["baseline"], asked["opponents"]) == (BOTS[0], BOTS[1], BOTS[2:5])
    assert (asked["points0"], asked["points1"], asked["alpha"], asked["beta"]) == (0.1, 0.7, 0.02, 0.1)
    assert (asked["sets"], asked["seed"], asked["time_text"]) == (300, "SEED", "0.5+10")


@pytest.mark.parametrize(
    ("bots", "chosen"),
    [
        (5, {"sets": 3}),
        (9, {"format_name": "balanced", "matches_per_bot": 64}),
        (9, {"format_name": "balanced", "matches_per_bot": 64, "sets": 2}),
        (5, {"format_name": "balanced", "matches_per_bot": 32}),
        (9, {"format_name": "gauntlet", "hero": 2, "matches_per_bot": 48}),
        (6, {"format_name": "gauntlet", "hero": 0, "sets": 1}),
        (6, {"format_name": "gauntlet", "hero": 1, "matches_per_bot": 48}),
    ],
)
def test_command_gives_the_same_schedule(bots: int, chosen: dict[str, object]) -> None:
    schedule = choose_schedule(bots, **chosen)  # type: ignore[arg-type]
    options = options_of(command_of(plan_of(BOTS[:bots], schedule=schedule), is_complete=True))
    hero = options["hero"]

    assert schedule == choose_schedule(
        bots,
        format_name=str(options["format_name"]),
        sets=options["sets"],  # type: ignore[arg-type]
        matches_per_bot=options["matches_per_bot"],  # type: ignore[arg-type]
        hero=None if hero is None else BOTS.index(str(hero)),
    )


def test_command_gives_the_same_conditions() -> None:
    plan = replace(
        plan_of(BOTS[:4], ruleset=find_ruleset("call-bridge+rounds=7")),
        time_control="0.25+3",
        strikes=2,
        freeze=True,
        admits_faulty=True,
    )
    options = options_of(command_of(plan, is_complete=True))

    assert options["ruleset"] == "call-bridge+rounds=7"
    assert (options["seed"], options["time_text"], options["strikes"]) == ("7", "0.25+3", 2)
    assert (options["sandbox"], options["freeze"], options["startup"]) == ("none", True, 30.0)
    assert options["admit_faulty"] is True
    assert options["only"] == BOTS[:4]


def test_house_bots_are_asked_for_when_they_did_not_fill_empty_seats() -> None:
    plan = plan_of(BOTS[:4])
    house = [replace(one, name=f"house-{one.name}", path=one.name, is_house=True) for one in plan.entrants]
    filled = replace(plan, entrants=(*plan.entrants[:3], house[3]))
    joined = replace(plan, entrants=(*plan.entrants[:4], house[3]))

    assert "--include-house" not in command_of(filled, is_complete=True)
    assert "--include-house" in command_of(joined, is_complete=True)


def test_seed_of_an_unfinished_run_stays_secret() -> None:
    plan = plan_of(seed="12345678901")

    assert "12345678901" not in command_of(plan, is_complete=False)


def test_rules_beside_the_preset() -> None:
    preset, rules = rules_of(find_ruleset("callbreak-master+rounds=7+bonus_points=10"))

    assert preset == "callbreak-master"
    assert {rule.name: (rule.value, rule.preset) for rule in rules if rule.differs} == {
        "rounds": ("7", "5"),
        "bonus_points": ("10", "13"),
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.42, "0.42 s"), (3.21, "3.2 s"), (12.4, "12 s"), (185.2, "3 min 05 s"), (7625, "2 h 07 min")],
)
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(("value", "text"), [(0.424, "0.42"), (4.24, "4.2"), (42.4, "42"), (None, "-")])
def test_two_figures_count(value: float | None, text: str) -> None:
    assert two_figures(value) == text


@pytest.mark.parametrize(
    ("text", "shown"), [("KH", "K♥"), ("TC", "10♣"), ("9", "9"), ("ff\x1b", r"ff\x1b"), ("", "-")]
)
def test_answers_are_shown_as_cards_where_they_are(text: str, shown: str) -> None:
    assert card_text(text) == shown
