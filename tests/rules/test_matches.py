"""Owns the tests of a match: rounds, totals, redeals, places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

import pytest

from arena.errors import ArenaError
from arena.rules import (
    CALLBREAK,
    CardSet,
    Match,
    Redeal,
    RedealReason,
    card_numbers,
    cards,
    deal,
    find_ruleset,
    places,
    redeal_of,
    with_rules,
)
from tests.rules.boards import ONE_SUIT_EACH, PRESET_NAMES, hands_with, play_match, play_out

SEED = bytes(range(32))
REDEAL = with_rules(CALLBREAK, {"redeal": "on"})

GOOD_DEAL = hands_with("2S JC", "3S QC", "4S KC", "5S JD")
NO_FACE = hands_with("2S JC", "3S QC", "4S 2C 3C 4C 5C 6C 7C 8C 9C TC 2D 3D 4D", "5S JD")


def even_deals(round_number: int, attempt: int) -> Sequence[CardSet]:
    return GOOD_DEAL


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_match_has_the_rounds_of_its_ruleset_and_adds_up(name: str) -> None:
    preset = find_ruleset(name)
    match = Match(preset, partial(deal, SEED, 4))
    play_match(match, Random(3))

    assert [finished.round_number for finished in match.finished] == list(range(1, preset.rounds + 1))
    scores = [finished.scores_tenths for finished in match.finished]
    assert match.totals_tenths == [sum(column) for column in zip(*scores, strict=True)]
    assert match.scores_tenths == [score for row in scores for score in row]


def test_finished_round_holds_all_that_was_decided() -> None:
    match = Match(CALLBREAK, partial(deal, SEED, 0))
    played = match.round
    play_out(played, Random(5))

    finished = match.next_round()

    assert finished is match.finished[0]
    assert finished.dealer == 3
    assert finished.dealt == deal(SEED, 0, 1, 0)
    assert finished.calls == tuple(played.calls)
    assert finished.plays == tuple(played.history)
    assert finished.leaders == tuple(played.history_leaders)
    assert finished.tricks_won == tuple(played.tricks_won)
    assert finished.scores_tenths == tuple(played.scores_tenths())
    assert finished.redeals == ()


def test_match_replays_from_its_finished_rounds_to_the_same_result() -> None:
    match = Match(CALLBREAK, partial(deal, SEED, 9))
    play_match(match, Random(8))

    again = Match(CALLBREAK, lambda round_number, attempt: match.finished[round_number - 1].dealt)
    for finished in match.finished:
        while again.round.is_calling:
            again.round.call(finished.calls[again.round.turn])
        for card in finished.plays:
            again.round.play(card)
        again.next_round()

    assert again.finished == match.finished
    assert again.totals_tenths == match.totals_tenths


def test_next_round_waits_for_the_end_of_this_one() -> None:
    match = Match(CALLBREAK, even_deals)

    with pytest.raises(ValueError, match="the round is not over"):
        match.next_round()

    assert (match.round_number, match.finished) == (1, [])


def test_match_that_is_over_has_no_next_round() -> None:
    match = Match(with_rules(CALLBREAK, {"rounds": "1"}), even_deals)
    play_match(match, Random(1))

    assert match.is_over
    with pytest.raises(ValueError, match="the match is over"):
        match.next_round()


def test_first_seat_that_asks_for_a_redeal_is_named_with_its_reason() -> None:
    assert redeal_of(ONE_SUIT_EACH, REDEAL) == Redeal(0, RedealReason.NO_SPADE)
    assert redeal_of(NO_FACE, REDEAL) == Redeal(2, RedealReason.NO_FACE_CARD)
    assert redeal_of(GOOD_DEAL, REDEAL) is None


def test_nothing_is_thrown_in_with_redeal_off() -> None:
    assert redeal_of(ONE_SUIT_EACH, CALLBREAK) is None
    assert Match(CALLBREAK, lambda round_number, attempt: ONE_SUIT_EACH).redeals == ()


def test_deal_is_thrown_in_for_the_next_one_with_the_same_dealer() -> None:
    stream = {(1, 0): ONE_SUIT_EACH, (1, 1): NO_FACE, (1, 2): GOOD_DEAL}
    match = Match(REDEAL, lambda *place: stream[place])

    assert match.round.dealt == tuple(GOOD_DEAL)
    assert match.round.dealer == match.dealer == 3
    assert match.redeals == (Redeal(0, RedealReason.NO_SPADE), Redeal(2, RedealReason.NO_FACE_CARD))


def test_redeals_are_kept_with_the_round_that_they_came_before() -> None:
    stream = {(1, 0): ONE_SUIT_EACH, (1, 1): GOOD_DEAL, (2, 0): GOOD_DEAL}
    match = Match(with_rules(REDEAL, {"rounds": "2"}), lambda *place: stream[place])
    play_match(match, Random(1))

    assert [finished.redeals for finished in match.finished] == [(Redeal(0, RedealReason.NO_SPADE),), ()]
    assert [finished.dealer for finished in match.finished] == [3, 0]


def test_a_hundred_redeals_in_a_row_are_made_and_no_more() -> None:
    asked = []

    def good_after(redeals: int) -> Match:
        def deals(round_number: int, attempt: int) -> Sequence[CardSet]:
            asked.append(attempt)
            return GOOD_DEAL if attempt >= redeals else ONE_SUIT_EACH

        return Match(REDEAL, deals)

    assert len(good_after(100).redeals) == 100
    asked.clear()
    with pytest.raises(ArenaError, match="round 1: 100 deals in a row were thrown in") as error:
        good_after(101)
    assert asked == list(range(101))
    assert "\n" not in str(error.value)


def test_redeal_throws_in_whole_deals_and_swaps_no_card() -> None:
    """Every deal that is played is one of the stream, the first that no hand has thrown in."""
    for set_number in range(60):
        match = Match(REDEAL, partial(deal, SEED, set_number))
        attempts = [deal(SEED, set_number, 1, attempt) for attempt in range(len(match.redeals) + 1)]

        assert match.round.dealt == attempts[-1]
        assert [redeal_of(hands, REDEAL) for hands in attempts] == [*match.redeals, None]


def test_dealt_hands_with_redeal_on_all_have_a_spade_and_a_face_card() -> None:
    match = Match(REDEAL, partial(deal, SEED, 11))
    play_match(match, Random(11))

    for finished in match.finished:
        for hand in finished.dealt:
            assert any(card >> 4 == 4 for card in card_numbers(hand))
            assert any(card & 15 in (11, 12, 13) for card in card_numbers(hand))


def test_reasons_have_the_numbers_of_the_protocol() -> None:
    assert [(reason.name, reason.value) for reason in RedealReason] == [("NO_SPADE", 1), ("NO_FACE_CARD", 2)]


@pytest.mark.parametrize(
    ("totals", "forfeited", "expected"),
    [
        ([10, 20, 30, 40], set(), [4, 3, 2, 1]),
        ([10, 20, 30, 40], {3}, [3, 2, 1, 4]),
        ([10, 20, 30, 40], {2, 3}, [2, 1, 3, 3]),
        ([40, 40, 30, 40], {0}, [4, 1, 3, 1]),
        ([10, 20, 30, 40], {1, 2, 3}, [1, 2, 2, 2]),
        ([10, 20, 30, 40], {0, 1, 2, 3}, [1, 1, 1, 1]),
    ],
)
def test_forfeited_seats_share_the_last_place(
    totals: list[int], forfeited: set[int], expected: list[int]
) -> None:
    assert places(totals, forfeited) == expected


def test_boards_of_the_tests_are_deals() -> None:
    assert cards("2S JC") & GOOD_DEAL[0] == cards("2S JC")
    assert sum(hand.bit_count() for hand in NO_FACE) == 52
