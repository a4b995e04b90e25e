"""Owns what holds in every round and match, whatever is dealt and decided, under any ruleset."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import (
    FULL_DECK,
    Card,
    IllegalCall,
    IllegalCard,
    Match,
    Round,
    Ruleset,
    card_list,
    card_set,
    deal,
    find_ruleset,
    places,
    with_rules,
)
from tests.rules.boards import HOUSE_NAMES, PRESET_NAMES, shuffled_hands
from tests.rules.test_rounds import state_of

rulesets = st.sampled_from([find_ruleset(name) for name in PRESET_NAMES + HOUSE_NAMES])
deals = st.randoms(use_true_random=False).map(shuffled_hands)


@st.composite
def rounds_begun(draw: st.DrawFn) -> Round:
    return Round(draw(deals), dealer=draw(st.integers(0, 3)), rules=draw(rulesets))


def steps(state: Round, data: st.DataObject) -> Iterator[int]:
    """Plays a round by drawn decisions, yielding before each."""
    random = data.draw(st.randoms(use_true_random=False))
    while not state.is_over:
        yield state.decision
        if state.is_calling:
            state.call(random.choice(state.legal_calls))
        else:
            state.play(random.choice(card_list(state.legal_cards())))


@given(rounds_begun(), st.data())
def test_52_cards_are_there_at_every_step(state: Round, data: st.DataObject) -> None:
    for decision in steps(state, data):
        on_table = [*state.history, *state.trick]
        held = [card for hand in state.hands for card in card_list(hand)]
        assert len(held) + len(on_table) == 52
        assert card_set([*held, *on_table]) == FULL_DECK
        assert len(on_table) == max(0, decision - 4)


@given(rounds_begun(), st.data())
def test_legal_cards_are_some_of_the_hand_and_never_none(state: Round, data: st.DataObject) -> None:
    for _ in steps(state, data):
        if not state.is_calling:
            legal = state.legal_cards()
            assert legal
            assert legal & ~state.hands[state.turn] == 0
            assert state.lowest_legal_card() in card_list(legal)


@settings(max_examples=30)
@given(rounds_begun(), st.data(), st.integers(0, 55))
def test_everything_illegal_is_refused_and_changes_nothing(
    state: Round, data: st.DataObject, when: int
) -> None:
    for decision in steps(state, data):
        if decision == when:
            break
    before = state_of(state)
    legal = set(card_list(state.legal_cards()))
    for card in [*(set(Card) - legal), 0, 17, 0x4F, -1, 2**70]:
        with pytest.raises(IllegalCard):
            state.play(card)
    for number in {*range(-1, 16)} - {*state.legal_calls}:
        with pytest.raises(IllegalCall):
            state.call(number)
    assert state_of(state) == before


@given(rounds_begun(), st.data())
def test_thirteen_tricks_are_shared_out_and_scores_are_whole_tenths(
    state: Round, data: st.DataObject
) -> None:
    for _ in steps(state, data):
        assert sum(state.tricks_won) == len(state.history_leaders) == len(state.history) // 4
    assert sum(state.tricks_won) == 13
    for call, score in zip(state.calls, state.scores_tenths(), strict=True):
        assert type(score) is int
        assert score == -10 * call or 10 * call <= score <= 10 * max(call, 13) + 13 * 2


@given(rounds_begun(), st.data())
def test_winner_of_each_trick_leads_the_next(state: Round, data: st.DataObject) -> None:
    won_before = list(state.tricks_won)
    for _ in steps(state, data):
        if state.tricks_won != won_before:
            (winner,) = (seat for seat in range(4) if state.tricks_won[seat] != won_before[seat])
            assert state.turn == state.trick_leader == winner
            won_before = list(state.tricks_won)
        assert state.turn == (state.trick_leader + len(state.trick)) % 4 or state.is_calling


@settings(max_examples=25)
@given(rulesets, st.integers(0, 1000), st.booleans(), st.randoms(use_true_random=False))
def test_match_replays_from_its_decisions_to_the_same_result(
    rules: Ruleset, set_number: int, redeal: bool, random: Random
) -> None:
    rules = with_rules(rules, {"redeal": "on" if redeal else "off"})
    first, second = (Match(rules, lambda *place: deal(bytes(32), set_number, *place)) for _ in range(2))
    while not first.is_over:
        state, twin = first.round, second.round
        while not state.is_over:
            if state.is_calling:
                state.call(random.choice(state.legal_calls))
            else:
                state.play(random.choice(card_list(state.legal_cards())))
        while twin.is_calling:
            twin.call(state.calls[twin.turn])
        for card in state.history:
            twin.play(card)
        assert first.next_round() == second.next_round()
    assert second.is_over
    assert first.totals_tenths == second.totals_tenths
    assert [sum(row.scores_tenths) for row in first.finished] == [
        sum(first.scores_tenths[4 * at : 4 * at + 4]) for at in range(rules.rounds)
    ]


@given(st.lists(st.integers(-500, 500), min_size=4, max_size=4), st.sets(st.integers(0, 3)))
def test_places_follow_points_and_forfeited_seats_come_last(totals: list[int], forfeited: set[int]) -> None:
    ranks = places(totals, forfeited)

    assert min(ranks) == 1
    for seat in range(4):
        assert ranks[seat] == 1 + sum(other < ranks[seat] for other in ranks)
        for other in range(4):
            if seat in forfeited and other not in forfeited:
                assert ranks[seat] > ranks[other]
            if (seat in forfeited) == (other in forfeited) and seat not in forfeited:
                assert (ranks[seat] < ranks[other]) == (totals[seat] > totals[other])
