"""Promises of the PettingZoo environment: its own tests, the arena's deals, rewards, masks, text."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from arena.env.actions import action_of_call, card_of_action
from arena.env.aec import AGENTS, CallBreakEnv, env
from arena.errors import ArenaError
from arena.rules.deals import deal
from arena.rules.house_rules import find_ruleset
from arena.rules.rounds import IllegalCall, IllegalCard
from tests.env.plays import NAMES, SEED

# What PettingZoo's test says of every environment with masks that it does not know by name.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]

SHORT = find_ruleset("callbreak+rounds=2")


def fresh(**options: Any) -> CallBreakEnv:
    made = CallBreakEnv(SHORT, **options)
    made.reset(seed=int(SEED.text))
    return made


def lowest_action(made: CallBreakEnv) -> int:
    return int(made.observe(made.agent_selection)["action_mask"].argmax())


def play_out(made: CallBreakEnv) -> dict[str, float]:
    """Takes the lowest action to the end of the match; the rewards of each agent, added up."""
    earned = dict.fromkeys(AGENTS, 0.0)
    while made.agents:
        is_dead = made.terminations[made.agent_selection]
        made.step(None if is_dead else lowest_action(made))  # type: ignore[arg-type]
        for agent, reward in made.rewards.items():
            earned[agent] += reward
    return earned


@pytest.mark.parametrize("ask_forced_plays", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_passes_the_api_test_of_pettingzoo(name: str, ask_forced_plays: bool) -> None:
    api_test(env(find_ruleset(name), ask_forced_plays=ask_forced_plays), num_cycles=80)


def test_passes_the_api_test_unwrapped() -> None:
    api_test(CallBreakEnv(), num_cycles=80)


@pytest.mark.parametrize("ask_forced_plays", [True, False])
def test_passes_the_seed_test_of_pettingzoo(ask_forced_plays: bool) -> None:
    seed_test(partial(env, SHORT, ask_forced_plays=ask_forced_plays), num_cycles=40)


def test_passes_the_parallel_test_as_a_turn_based_environment() -> None:
    parallel_api_test(turn_based_aec_to_parallel(CallBreakEnv(SHORT)), num_cycles=150)


def test_deals_are_those_of_the_arena() -> None:
    made = fresh()
    first = made.match.round.dealt
    made.reset()
    second = made.match.round.dealt
    made.reset(options={"set_number": 17})

    assert first == deal(SEED, 0, 1)
    assert second == deal(SEED, 1, 1)
    assert made.match.round.dealt == deal(SEED, 17, 1)


def test_without_a_seed_the_deals_differ_from_run_to_run() -> None:
    first, second = CallBreakEnv(), CallBreakEnv()
    first.reset()
    second.reset()

    assert first.match.round.dealt != second.match.round.dealt


def test_scores_as_rewards_add_up_to_the_totals() -> None:
    made = fresh()
    earned = play_out(made)

    assert [round(10 * earned[agent]) for agent in AGENTS] == made.match.totals_tenths
    assert len(made.match.finished) == 2


def test_margins_as_rewards_add_up_to_nothing() -> None:
    made = fresh(reward="margin")
    earned = play_out(made)
    totals = [total / 10 for total in made.match.totals_tenths]

    assert sum(earned.values()) == pytest.approx(0)
    assert earned["seat_0"] == pytest.approx(totals[0] - sum(totals[1:]) / 3)


def test_forced_plays_are_made_unless_they_are_asked_for() -> None:
    legal_of = {True: [], False: []}  # type: dict[bool, list[int]]
    for ask_forced_plays, counts in legal_of.items():
        made = fresh(ask_forced_plays=ask_forced_plays)
        while not any(made.terminations.values()):
            counts.append(int(made.observe(made.agent_selection)["action_mask"].sum()))
            made.step(lowest_action(made))

    assert len(legal_of[True]) == 2 * 56
    assert 1 in legal_of[True]
    assert [count for count in legal_of[True] if count > 1] == legal_of[False]


def test_only_the_agent_that_is_to_act_has_legal_actions() -> None:
    made = fresh()
    masks = [made.observe(agent)["action_mask"].any() for agent in AGENTS]

    assert masks == [agent == made.agent_selection for agent in AGENTS]


def test_illegal_action_raises_and_changes_nothing() -> None:
    made = fresh()
    with pytest.raises(IllegalCall, match="seat 0 called 9: 1 to 8 may be called"):
        made.step(action_of_call(9))
    for _ in range(4):
        made.step(action_of_call(1))
    held_by_others = np.flatnonzero(made.observe("seat_0")["action_mask"] == 0)[0]
    with pytest.raises(IllegalCard, match=f"seat 0 played {card_of_action(int(held_by_others))} to trick 1"):
        made.step(int(held_by_others))

    assert made.agent_selection == "seat_0"
    assert made.match.round.decision == 4
    assert not any(made.rewards.values())


def test_card_when_a_call_is_due_is_refused() -> None:
    with pytest.raises(ValueError, match="action 3 is no call"):
        fresh().step(3)


def test_text_shows_the_table() -> None:
    made = fresh(render_mode="ansi")
    before = made.render()
    for _ in range(4):
        made.step(action_of_call(2))
    made.step(lowest_action(made))

    assert before == (
        "callbreak+rounds=2, round 1 of 2, seat 3 dealt\n"
        "> seat 0  total    0.0  call  -  won  0  3C 5C KC TD QD 5H 9H KH AH 3S 8S JS KS\n"
        "  seat 1  total    0.0  call  -  won  0  4C 7C TC 6D 7D KD AD 2H 3H 6H JH QH 4S\n"
        "  seat 2  total    0.0  call  -  won  0  8C QC 2D 3D 8D JD 4H 7H 8H TH 5S 7S 9S\n"
        "  seat 3  total    0.0  call  -  won  0  2C 6C 9C JC AC 4D 5D 9D 2S 6S TS QS AS\n"
        "calls are due, 1 to 8"
    )
    assert made.render() == (
        "callbreak+rounds=2, round 1 of 2, seat 3 dealt\n"
        "  seat 0  total    0.0  call  2  won  0  5C KC TD QD 5H 9H KH AH 3S 8S JS KS\n"
        "> seat 1  total    0.0  call  2  won  0  4C 7C TC 6D 7D KD AD 2H 3H 6H JH QH 4S\n"
        "  seat 2  total    0.0  call  2  won  0  8C QC 2D 3D 8D JD 4H 7H 8H TH 5S 7S 9S\n"
        "  seat 3  total    0.0  call  2  won  0  2C 6C 9C JC AC 4D 5D 9D 2S 6S TS QS AS\n"
        "trick 1, led by seat 0: 3C"
    )


def test_text_says_when_the_match_is_over() -> None:
    made = fresh(render_mode="ansi")
    play_out(made)

    assert str(made.render()).endswith("\nthe match is over")


def test_nothing_is_rendered_without_a_mode_and_an_unknown_mode_is_refused() -> None:
    assert fresh().render() is None
    with pytest.raises(ArenaError, match="render_mode is 'human'; allowed: None or 'ansi'"):
        CallBreakEnv(render_mode="human")
