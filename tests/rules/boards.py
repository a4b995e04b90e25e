"""Owns builders for the rules' tests: hands, rounds and matches in card text, rulesets to test with."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from arena.rules import CALLBREAK, FULL_DECK, Card, CardSet, Match, Round, Ruleset, card_list, card_set, cards

DECK_TEXT = tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")

ONE_SUIT_EACH = tuple(cards(" ".join(DECK_TEXT[13 * seat : 13 * seat + 13])) for seat in range(4))
"""Seat 0 holds the clubs, 1 the diamonds, 2 the hearts, 3 the spades."""

PRESET_NAMES = ("callbreak", "callbreak-short", "call-bridge", "callbreak-master")
HOUSE_NAMES = (
    "callbreak+undertrump=forced",
    "callbreak+call_max=13",
    "callbreak+bonus_call=8+bonus_points=13",
    "call-bridge+undertrump=forced+overtrick_tenths=2",
    "callbreak-master+follow=must_beat+undertrump=forced+overtrick_tenths=1+bonus_call=5",
)


def shuffled_hands(random: Random) -> list[CardSet]:
    """Four random hands."""
    deck = card_list(FULL_DECK)
    random.shuffle(deck)
    return [card_set(deck[13 * seat : 13 * seat + 13]) for seat in range(4)]


def hands_with(*known: str) -> list[CardSet]:
    """Four hands of thirteen: by seat the cards given, filled up with the lowest numbers that are left."""
    hands = [cards(text) for text in known] + [0] * (4 - len(known))
    left = card_list(FULL_DECK & ~sum(hands))
    for seat, hand in enumerate(hands):
        missing = 13 - hand.bit_count()
        hands[seat] |= card_set(left[:missing])
        left = left[missing:]
    return hands


def called(
    hands: Sequence[CardSet] = ONE_SUIT_EACH,
    *,
    dealer: int = 3,
    rules: Ruleset = CALLBREAK,
    calls: Sequence[int] = (3, 3, 3, 3),
) -> Round:
    """A round whose calls are made, in turn order from the seat after the dealer."""
    state = Round(hands, dealer=dealer, rules=rules)
    for number in calls:
        state.call(number)
    return state


def play(state: Round, text: str) -> None:
    """Plays the cards of a text in order."""
    for word in text.split():
        state.play(Card.parse(word))


def play_out(state: Round, random: Random) -> None:
    """Random legal calls and plays until the round is over."""
    while state.is_calling:
        state.call(random.choice(state.legal_calls))
    while not state.is_over:
        state.play(random.choice(card_list(state.legal_cards())))


def play_match(match: Match, random: Random) -> None:
    """Random legal decisions until the match is over."""
    while not match.is_over:
        play_out(match.round, random)
        match.next_round()
