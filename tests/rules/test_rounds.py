"""Owns the tests of one round in play: its states, what it refuses and in what words."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random

import pytest

from arena.rules import (
    CALLBREAK,
    FULL_DECK,
    Card,
    IllegalCall,
    IllegalCard,
    Round,
    Trick,
    card_list,
    card_text,
    cards,
    find_ruleset,
    legal_cards,
    with_rules,
)
from tests.rules.boards import ONE_SUIT_EACH, called, hands_with, play, play_out, shuffled_hands


def state_of(state: Round) -> dict[str, object]:
    return {name: copy.deepcopy(getattr(state, name)) for name in Round.__slots__ if name != "rules"}


def unchanged_by(state: Round, attempt: Callable[[], None], refusal: type[ValueError]) -> str:
    """The message with which `attempt` is refused, after making sure that it changed nothing."""
    before = state_of(state)
    with pytest.raises(refusal) as refused:
        attempt()
    assert state_of(state) == before
    return str(refused.value)


def test_round_begins_with_the_call_of_the_seat_after_the_dealer() -> None:
    state = Round(ONE_SUIT_EACH, dealer=1, rules=CALLBREAK)

    assert (state.turn, state.trick_leader, state.decision) == (2, 2, 0)
    assert state.is_calling
    assert not state.is_over
    assert state.legal_calls == range(1, 9)
    assert state.legal_cards() == 0
    assert state.calls == [0, 0, 0, 0]


def test_calls_go_round_and_the_first_caller_leads() -> None:
    state = called(dealer=1, calls=(5, 6, 7, 8))

    assert state.calls == [7, 8, 5, 6]
    assert not state.is_calling
    assert (state.turn, state.decision) == (2, 4)
    assert state.legal_calls == range(0)
    assert state.legal_cards() == ONE_SUIT_EACH[2]


def test_leader_may_lead_any_card_spades_too() -> None:
    state = called(hands_with("AS 2C", "3C", "4C", "5C"))

    assert state.legal_cards() == state.hands[0]
    state.play(Card.SPADES_ACE)
    assert state.trick == [Card.SPADES_ACE]


def test_finished_trick_goes_to_the_history_and_its_winner_leads() -> None:
    state = called(hands_with("AC 2D", "3C 3D", "4C 2S", "KC AD"))
    play(state, "AC 3C 4C KC")

    assert state.history == card_list(cards("AC")) + card_list(cards("3C 4C KC"))
    assert state.history_leaders == [0]
    assert state.tricks_won == [1, 0, 0, 0]
    assert (state.turn, state.trick_leader, state.trick) == (0, 0, [])


def test_played_cards_leave_the_hand_and_the_deal_is_kept() -> None:
    hands = hands_with("AC", "3C", "4C", "KC")
    state = called(hands)
    play(state, "AC 3C")

    assert state.hands[0] == hands[0] & ~cards("AC")
    assert state.dealt == tuple(hands)
    assert state.decision == 6


def test_round_is_over_after_thirteen_tricks() -> None:
    state = called(calls=(1, 2, 3, 4))
    while not state.is_over:
        state.play(state.lowest_legal_card())

    assert (state.turn, state.decision, state.legal_cards()) == (-1, 56, 0)
    assert sum(state.tricks_won) == 13
    assert len(state.history) == 52
    assert state.hands == [0, 0, 0, 0]
    assert state.scores_tenths() == [-10, -20, -30, 40 + 9]


def test_round_that_is_not_over_has_no_scores() -> None:
    with pytest.raises(ValueError, match="the round is not over"):
        called().scores_tenths()


@pytest.mark.parametrize("number", [0, 9, 13, -1, 100])
def test_call_out_of_range_is_refused_and_changes_nothing(number: int) -> None:
    state = Round(ONE_SUIT_EACH, dealer=0, rules=CALLBREAK)

    message = unchanged_by(state, lambda: state.call(number), IllegalCall)

    assert message == f"seat 1 called {number}: 1 to 8 may be called"


def test_call_after_the_calls_is_refused() -> None:
    state = called()

    assert unchanged_by(state, lambda: state.call(3), IllegalCall) == "3 was called when no call was due"


def test_card_before_the_calls_is_refused() -> None:
    state = Round(ONE_SUIT_EACH, dealer=3, rules=CALLBREAK)

    message = unchanged_by(state, lambda: state.play(Card.CLUBS_TWO), IllegalCard)

    assert message == "seat 0 played 2C when a call was due"


def test_nothing_can_be_done_after_the_end() -> None:
    state = Round(ONE_SUIT_EACH, dealer=3, rules=CALLBREAK)
    play_out(state, Random(1))

    message = unchanged_by(state, lambda: state.play(Card.CLUBS_TWO), IllegalCard)
    assert message == "2C was played after the round was over"
    unchanged_by(state, lambda: state.call(3), IllegalCall)
    with pytest.raises(IllegalCard, match="no card is due"):
        state.lowest_legal_card()


# Hands by seat, cards played before, the card that is refused, and why. Seat 0 leads.
REFUSALS = {
    "revoke": (
        ("2S", "AC 9S 4S", "5C"),
        ("2S", "AC"),
        "seat 1 played AC to trick 1: spades were led and 4S 9S were in hand",
    ),
    "revoke with one left": (
        ("2C", "9C AD", "5H"),
        ("2C", "AD"),
        "seat 1 played AD to trick 1: clubs were led and 9C was in hand",
    ),
    "not beaten": (
        ("KH", "4H AH"),
        ("KH", "4H"),
        "seat 1 played 4H to trick 1: hearts were led, KH was to be beaten and AH was in hand",
    ),
    "not trumped": (
        ("KH", "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 3S 4S"),
        ("KH", "9C"),
        "seat 1 played 9C to trick 1: hearts were led, KH was to be beaten and 3S 4S were in hand",
    ),
    "not in hand": (
        ("KH", "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 3S 4S"),
        ("KH", "AS"),
        "seat 1 played AS to trick 1: it was not in hand, 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 3S 4S were",
    ),
    "no card": (("KH",), ("KH", 0x51), "seat 1 played 81 to trick 1: that is no card"),
}


@pytest.mark.parametrize(("known", "played", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusal_of_a_card_says_what_was_allowed(
    known: tuple[str, ...], played: tuple[str, str | int], message: str
) -> None:
    state = called(hands_with(*known))
    before, refused = played
    play(state, str(before))
    number = refused if isinstance(refused, int) else Card.parse(refused)

    assert unchanged_by(state, lambda: state.play(number), IllegalCard) == message


def test_refusal_of_a_discard_where_trumping_low_is_forced_says_so() -> None:
    forced = with_rules(CALLBREAK, {"undertrump": "forced"})
    void = "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD"
    state = called(hands_with("KH", f"{void} AS KS", "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 4S 3S"), rules=forced)
    play(state, "KH KS")

    message = unchanged_by(state, lambda: state.play(Card.CLUBS_TWO), IllegalCard)

    assert message == "seat 2 played 2C to trick 1: hearts were led, a spade was due and 3S 4S were in hand"


def test_refusal_names_the_trick() -> None:
    state = called(hands_with("AC 2D", "3C 3D", "4C 2S", "KC AD"))
    play(state, "AC 3C 4C KC")

    with pytest.raises(IllegalCard, match="seat 0 played AC to trick 2: it was not in hand"):
        state.play(Card.CLUBS_ACE)


@pytest.mark.parametrize(
    ("legal", "lowest"),
    [("AS 2D 2C", "2C"), ("AS 2D 3C", "2D"), ("2S 2H 3C", "2H"), ("2S 3C", "2S"), ("AS KS", "KS")],
)
def test_lowest_legal_card_is_lowest_by_rank_then_by_suit(legal: str, lowest: str) -> None:
    state = called()
    state.legal = cards(legal)

    assert state.lowest_legal_card() is Card.parse(lowest)


BAD_DEALS = {
    "three hands": ONE_SUIT_EACH[:3],
    "five hands": (*ONE_SUIT_EACH, 0),
    "a card twice": (*ONE_SUIT_EACH[:3], ONE_SUIT_EACH[2]),
    "fourteen and twelve": (
        ONE_SUIT_EACH[0] | cards("2D"),
        ONE_SUIT_EACH[1] & ~cards("2D"),
        *ONE_SUIT_EACH[2:],
    ),
    "no card": (ONE_SUIT_EACH[0] | 1, *ONE_SUIT_EACH[1:]),
}


@pytest.mark.parametrize("hands", BAD_DEALS.values(), ids=BAD_DEALS)
def test_hands_that_are_no_deal_are_refused(hands: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="a deal is 52 different cards"):
        Round(hands, dealer=3, rules=CALLBREAK)


def test_copy_goes_its_own_way() -> None:
    random = Random(2)
    state = called(shuffled_hands(random))
    for _ in range(18):
        state.play(random.choice(card_list(state.legal_cards())))
    before = state_of(state)

    twin = state.copy()
    assert state_of(twin) == before
    play_out(twin, random)

    assert twin.is_over
    assert state_of(state) == before


def test_trick_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="four at most"):
        Trick.of("2C 3C 4C 5C 6C", leader=0)
    with pytest.raises(ValueError, match="2C is there twice"):
        Trick.of("2C 2C", leader=0)
    with pytest.raises(ValueError, match="nothing has been led"):
        _ = Trick.of("", leader=0).winner


def test_complete_trick_takes_no_more_cards() -> None:
    complete = Trick.of("2C 3C 4C 5C", leader=1)

    assert complete.winner == 0
    with pytest.raises(ValueError, match="the trick is complete"):
        _ = complete.to_play
    with pytest.raises(ValueError, match="the trick is complete"):
        legal_cards(cards("6C"), complete, CALLBREAK)


def test_trick_in_play_tells_who_is_winning_and_who_is_next() -> None:
    trick = Trick.of("KD 2D AD", leader=3)

    assert (trick.winner, trick.to_play, trick.best) == (1, 2, Card.DIAMONDS_ACE)


def test_whole_hand_is_legal_at_the_lead_under_every_preset() -> None:
    for name in ("callbreak", "call-bridge", "callbreak-master"):
        assert legal_cards(cards("AS 2C"), Trick.of("", leader=0), find_ruleset(name)) == cards("AS 2C")
    assert card_text(FULL_DECK).split()[0] == "2C"
