"""Owns the tests of cards and sets of cards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import (
    FULL_DECK,
    Card,
    Suit,
    card_list,
    card_numbers,
    card_set,
    card_text,
    cards,
    contains,
)
from tests.rules.boards import DECK_TEXT

some_cards = st.sets(st.sampled_from(list(Card)))


def test_a_card_is_its_suit_times_sixteen_plus_its_rank() -> None:
    assert Card["CLUBS_TWO"].value == 0x12
    assert Card["SPADES_ACE"].value == 0x4E
    assert all(card == card.suit * 16 + card.rank for card in Card)


def test_there_are_52_cards_and_their_names_say_suit_and_rank() -> None:
    assert len(Card) == 52
    assert Card["HEARTS_TEN"].suit is Suit.HEARTS
    assert Card["HEARTS_TEN"].rank == 10


def test_card_text_is_rank_then_suit() -> None:
    assert [str(card) for card in Card] == list(DECK_TEXT)
    assert f"{Card.SPADES_ACE}" == "AS"
    assert f"{Card.HEARTS_TEN:>4}" == "  TH"


@pytest.mark.parametrize("text", DECK_TEXT)
def test_text_of_a_card_is_read_back(text: str) -> None:
    assert str(Card.parse(text)) == text


@pytest.mark.parametrize("text", ["", "A", "SA", "as", "10S", "1S", "AX", "ASS", " AS", "AS\n", "0x4E"])
def test_text_that_is_no_card_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="is no card") as refusal:
        Card.parse(text)

    assert repr(text) in str(refusal.value)


def test_a_set_is_written_in_any_order_and_shown_by_number() -> None:
    assert card_text(cards("3S 9H 2C")) == "2C 9H 3S"
    assert card_list(cards("AS 2C")) == [Card.CLUBS_TWO, Card.SPADES_ACE]
    assert cards("") == 0
    assert card_text(0) == ""


def test_a_card_that_comes_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="9H is there twice"):
        cards("9H 3S 9H")


@pytest.mark.parametrize("number", [0, 1, 0x10, 0x11, 0x1F, 0x4F, 0x52, -1, 255])
def test_a_number_that_is_no_card_is_in_no_set(number: int) -> None:
    assert not contains(FULL_DECK, number)
    with pytest.raises(ValueError, match="is not a valid Card"):
        card_set([number])


@given(some_cards)
def test_sets_and_lists_say_the_same(held: set[Card]) -> None:
    board = card_set(held)

    assert card_list(board) == sorted(held)
    assert card_numbers(board) == sorted(map(int, held))
    assert cards(card_text(board)) == board
    assert board.bit_count() == len(held)
    assert board < 2**64
    assert {card for card in Card if contains(board, card)} == held


def test_lists_of_numbers_are_plain_ints() -> None:
    assert {type(number) for number in card_numbers(FULL_DECK)} == {int}
