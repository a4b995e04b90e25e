"""Owns a test for each trap that real implementations fell into, in the order of the rules' list."""

from __future__ import annotations

from random import Random

import pytest

from arena.rules import (
    CALLBREAK,
    Card,
    IllegalCard,
    Match,
    RedealReason,
    Round,
    Trick,
    card_set,
    cards,
    deal,
    find_ruleset,
    legal_cards,
    places,
    redeal_reason,
    score_tenths,
    with_rules,
)
from tests.rules.boards import ONE_SUIT_EACH, PRESET_NAMES, called, play_match

MASTER = find_ruleset("callbreak-master")
REDEAL = with_rules(CALLBREAK, {"redeal": "on"})


@pytest.mark.parametrize("name", PRESET_NAMES)
@pytest.mark.parametrize("call", [2, 5, 7])
def test_exact_call_is_made_and_scores_itself(name: str, call: int) -> None:
    assert score_tenths(call, call, find_ruleset(name)) == 10 * call


def test_overtricks_are_summed_in_whole_tenths() -> None:
    """As floats, ten rounds of 1.1 make 10.999999999999998."""
    assert sum(1.1 for _ in range(10)) != 11
    assert sum(score_tenths(1, 2, CALLBREAK) for _ in range(10)) == 110
    assert all(type(score_tenths(2, won, CALLBREAK)) is int for won in range(14))


def test_totals_of_a_match_are_whole_tenths() -> None:
    match = Match(CALLBREAK, lambda round_number, attempt: deal(bytes(32), 0, round_number, attempt))
    play_match(match, Random(1))

    assert {type(total) for total in match.totals_tenths} == {int}
    assert sum(match.scores_tenths) == sum(match.totals_tenths)


def test_calls_count_tens_of_tenths_and_overtricks_single_ones() -> None:
    assert score_tenths(4, 6, CALLBREAK) == 42
    assert score_tenths(4, 3, CALLBREAK) == -40
    assert score_tenths(9, 9, MASTER) == 130
    assert score_tenths(9, 8, MASTER) == -90


def test_follower_must_beat_the_best_card_of_the_suit_if_it_can() -> None:
    trick = Trick.of("9H KH", leader=0)

    assert legal_cards(cards("AH TH 4H 2S"), trick, CALLBREAK) == cards("AH")


def test_follower_must_beat_when_spades_are_led_too() -> None:
    assert legal_cards(cards("QS TS 2S 8D"), Trick.of("JS", leader=0), CALLBREAK) == cards("QS")


def test_follower_need_not_beat_in_a_trumped_trick() -> None:
    trick = Trick.of("9H 2S", leader=0)

    assert legal_cards(cards("AH TH 4H 7S"), trick, CALLBREAK) == cards("AH TH 4H")


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_void_seat_must_trump_an_untrumped_trick(name: str) -> None:
    trick = Trick.of("KD 2D", leader=0)

    assert legal_cards(cards("3S 9H 2C"), trick, find_ruleset(name)) == cards("3S")


def test_discard_is_never_the_card_to_beat() -> None:
    trick = Trick.of("5C AD 8C", leader=0)

    assert legal_cards(cards("QC TC 3C"), trick, CALLBREAK) == cards("QC TC")
    assert trick.winner == 2


def test_lower_spade_is_not_demanded_of_a_void_seat() -> None:
    trick = Trick.of("KH 9S", leader=0)

    assert legal_cards(cards("8S 3S 8D 2C"), trick, CALLBREAK) == cards("8S 3S 8D 2C")


def test_lower_spade_is_demanded_where_the_house_rule_says_so() -> None:
    forced = with_rules(CALLBREAK, {"undertrump": "forced"})

    assert legal_cards(cards("8S 3S 8D 2C"), Trick.of("KH 9S", leader=0), forced) == cards("8S 3S")
    assert legal_cards(cards("TS 3S 8D 2C"), Trick.of("KH 9S", leader=0), forced) == cards("TS")
    assert legal_cards(cards("8D 2C"), Trick.of("KH 9S", leader=0), forced) == cards("8D 2C")


def test_follower_that_cannot_beat_still_follows() -> None:
    trick = Trick.of("KH", leader=0)

    assert legal_cards(cards("9H 4H AS AD"), trick, CALLBREAK) == cards("9H 4H")


def test_deal_and_first_call_go_round_the_table() -> None:
    match = Match(CALLBREAK, lambda round_number, attempt: ONE_SUIT_EACH)
    first_to_call, dealers = [], []
    while not match.is_over:
        dealers.append(match.round.dealer)
        first_to_call.append(match.round.turn)
        for number in (1, 2, 3, 4):
            match.round.call(number)
        assert match.round.turn == first_to_call[-1], "who calls first leads first"
        while not match.round.is_over:
            match.round.play(match.round.lowest_legal_card())
        match.next_round()

    assert dealers == [3, 0, 1, 2, 3]
    assert first_to_call == [0, 1, 2, 3, 0]


def test_seats_level_on_points_share_the_place_whatever_their_number() -> None:
    assert places([100, 100, 50, 40]) == [1, 1, 3, 4]
    assert places([40, 100, 50, 100]) == [4, 1, 3, 1]
    assert places([10, 10, 10, 10]) == [1, 1, 1, 1]
    assert places([-30, 10, -30, -30]) == [2, 1, 2, 2]


@pytest.mark.parametrize("seat", [-1, 4, 255])
def test_number_that_is_no_seat_is_refused(seat: int) -> None:
    with pytest.raises(ValueError, match="is no seat"):
        Round(ONE_SUIT_EACH, dealer=seat, rules=CALLBREAK)
    with pytest.raises(ValueError, match="is no seat"):
        Trick.of("KD", leader=seat)


@pytest.mark.parametrize("number", [0, 1, 0x11, 0x1F, 0x20, 0x4F, 0x52, 255, -1, -0x32, 2**40])
def test_number_that_is_no_card_is_refused(number: int) -> None:
    state = called()

    with pytest.raises(IllegalCard, match="that is no card"):
        state.play(number)
    with pytest.raises(ValueError, match="is not a valid Card"):
        card_set([number])
    with pytest.raises(ValueError, match="is not a valid Card"):
        Card(number)


NO_FACE_CARD = "9S 5S 2S TH 7H 4H 8D 3D 9C 2C 4C 5C 6C"


def test_ace_is_no_face_card_by_default() -> None:
    hand = cards(NO_FACE_CARD.replace("9S", "AS").replace("TH", "AH"))

    assert redeal_reason(hand, REDEAL) is RedealReason.NO_FACE_CARD


def test_ace_is_a_face_card_where_the_house_rule_says_so() -> None:
    aces_too = with_rules(REDEAL, {"redeal_face_ranks": "JQKA"})

    assert redeal_reason(cards(NO_FACE_CARD), aces_too) is RedealReason.NO_FACE_CARD
    assert redeal_reason(cards(NO_FACE_CARD.replace("9S", "AS")), aces_too) is None
