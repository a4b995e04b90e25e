"""Owns the tests of views: what a seat may see, all of it, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from random import Random
from typing import Any

import pytest

from arena.rules import CALLBREAK, Match, View, card_list, card_numbers, deal, view_of
from tests.rules.boards import play, play_out

SEED = bytes(range(32))


def match_of(set_number: int = 0) -> Match:
    return Match(CALLBREAK, partial(deal, SEED, set_number))


def shown(view: View) -> dict[str, Any]:
    return {field.name: getattr(view, field.name) for field in fields(View)}


def test_view_has_these_fields_and_no_other() -> None:
    assert [field.name for field in fields(View)] == [
        "seat",
        "round_number",
        "dealer",
        "rules",
        "hand",
        "is_calling",
        "legal_calls",
        "legal_cards",
        "calls",
        "tricks_won",
        "trick_leader",
        "trick",
        "history",
        "history_leaders",
        "scores_tenths",
    ]
    assert not hasattr(view_of(match_of()), "__dict__")


def test_caller_sees_its_hand_the_legal_calls_and_the_calls_so_far() -> None:
    match = match_of()
    match.round.call(4)

    view = view_of(match)

    assert (view.seat, view.dealer, view.round_number, view.is_calling) == (1, 3, 1, True)
    assert view.hand == card_numbers(match.round.hands[1])
    assert view.legal_calls == [1, 2, 3, 4, 5, 6, 7, 8]
    assert view.legal_cards == []
    assert view.calls == [4, 0, 0, 0]


def test_player_sees_the_trick_and_its_legal_cards() -> None:
    match = match_of()
    for number in (1, 2, 3, 4):
        match.round.call(number)
    match.round.play(match.round.lowest_legal_card())

    view = view_of(match)

    assert (view.seat, view.trick_leader, view.is_calling) == (1, 0, False)
    assert view.trick == match.round.trick
    assert view.legal_calls == []
    assert view.legal_cards == card_numbers(match.round.legal_cards())
    assert view.hand == card_numbers(match.round.hands[1])


def test_scores_of_finished_rounds_are_seen_in_the_next() -> None:
    match = match_of()
    play_out(match.round, Random(1))
    finished = match.next_round()

    view = view_of(match)

    assert view.scores_tenths == list(finished.scores_tenths)
    assert view.history == view.history_leaders == view.trick == []
    assert (view.round_number, view.dealer, view.seat) == (2, 0, 1)


def test_round_that_is_over_has_no_view() -> None:
    match = match_of()
    play_out(match.round, Random(1))

    with pytest.raises(ValueError, match="no decision is due"):
        view_of(match)


def test_cards_and_calls_of_a_view_are_plain_ints() -> None:
    view = view_of(match_of())

    assert {type(number) for number in view.hand + view.legal_calls} == {int}


def views_of_match(match: Match, random: Random) -> Any:
    """Every view of a random match, each with the match as it stood."""
    while not match.is_over:
        state = match.round
        while not state.is_over:
            yield view_of(match)
            if state.is_calling:
                state.call(random.choice(state.legal_calls))
            else:
                state.play(random.choice(card_list(state.legal_cards())))
        match.next_round()


def test_no_view_shows_a_card_that_another_seat_still_holds() -> None:
    match = match_of(3)
    for view in views_of_match(match, Random(4)):
        hidden = {
            card for seat in range(4) if seat != view.seat for card in card_numbers(match.round.hands[seat])
        }
        assert not hidden & {*view.hand, *view.legal_cards, *view.trick, *view.history}
        assert set(view.hand) == set(card_numbers(match.round.hands[view.seat]))


def test_view_is_the_same_whatever_the_others_hold() -> None:
    """Two deals that differ in hidden hands alone give equal views to the seat that can not tell."""
    hands = deal(SEED, 5, 1, 0)
    swapped = (hands[0], hands[2], hands[3], hands[1])
    one, other = Match(CALLBREAK, lambda *_: hands), Match(CALLBREAK, lambda *_: swapped)

    assert shown(view_of(one)) == shown(view_of(other))


def test_view_shares_no_list_with_the_match() -> None:
    match = match_of(6)
    random = Random(6)
    for _ in range(3):
        play_out(match.round, random)
        match.next_round()
    for number in (1, 2, 3, 4):
        match.round.call(number)
    for _ in range(6):
        match.round.play(match.round.lowest_legal_card())

    view = view_of(match)
    before = {name: repr(value) for name, value in shown(view_of(match)).items()}
    for value in shown(view).values():
        if isinstance(value, list):
            value.clear()

    assert {name: repr(value) for name, value in shown(view_of(match)).items()} == before


def test_old_view_does_not_change_as_play_goes_on() -> None:
    match = match_of(7)
    for number in (1, 2, 3, 4):
        match.round.call(number)
    view = view_of(match)
    before = repr(view)

    play(match.round, " ".join(str(card) for card in card_list(match.round.legal_cards())[:1]))

    assert repr(view) == before
