"""Owns the comparison of the rules with the naive model, on many thousand positions of random play."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from arena.rules import (
    Card,
    IllegalCard,
    Round,
    Ruleset,
    Trick,
    card_text,
    cards,
    find_ruleset,
    legal_cards,
    places,
    score_tenths,
)
from tests.rules import naive
from tests.rules.boards import DECK_TEXT, HOUSE_NAMES, PRESET_NAMES, shuffled_hands

POSITIONS = 20_800
ROUNDS = POSITIONS // 52

pytestmark = pytest.mark.parametrize("name", PRESET_NAMES + HOUSE_NAMES)


def naive_legal(hand: list[str], trick: list[str], rules: Ruleset) -> set[str]:
    return set(naive.may_play(hand, trick, follow=rules.follow.value, undertrump=rules.undertrump.value))


def naive_score(call: int, won: int, rules: Ruleset) -> int:
    return naive.score(
        call,
        won,
        success=rules.success.value,
        overtrick_tenths=rules.overtrick_tenths,
        bonus_call=rules.bonus_call,
        bonus_points=rules.bonus_points,
    )


class NaiveTable:
    """Hands, trick, turn and tricks won as card text and counts, moved on by the naive model alone."""

    def __init__(self, hands: list[list[str]], leader: int) -> None:
        self.hands = hands
        self.trick: list[str] = []
        self.leader = leader
        self.won = [0, 0, 0, 0]

    @property
    def turn(self) -> int:
        return (self.leader + len(self.trick)) % 4

    def play(self, card: str) -> None:
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        if len(self.trick) == 4:
            self.leader = naive.winner(self.leader, self.trick)
            self.won[self.leader] += 1
            self.trick = []


def random_rounds(rules: Ruleset, random: Random) -> Iterator[tuple[Round, NaiveTable]]:
    """Rounds with their calls made, each beside its naive table."""
    for number in range(ROUNDS):
        hands = shuffled_hands(random)
        state = Round(hands, dealer=number % 4, rules=rules)
        while state.is_calling:
            state.call(random.randint(rules.call_min, rules.call_max))
        yield state, NaiveTable([card_text(hand).split() for hand in hands], leader=(number + 1) % 4)


def test_every_position_of_random_rounds_is_judged_alike(name: str) -> None:
    rules, random = find_ruleset(name), Random(name)
    positions = 0
    for state, table in random_rounds(rules, random):
        for _ in range(52):
            legal = naive_legal(table.hands[table.turn], table.trick, rules)
            trick = Trick(table.leader, tuple(Card.parse(card) for card in table.trick))
            assert state.turn == table.turn
            assert set(card_text(state.legal_cards()).split()) == legal
            assert legal_cards(state.hands[state.turn], trick, rules) == state.legal_cards()
            card = random.choice(sorted(legal))
            state.play(Card.parse(card))
            table.play(card)
            assert state.tricks_won == table.won
            positions += 1
        assert state.is_over
        scores = [naive_score(call, won, rules) for call, won in zip(state.calls, table.won, strict=True)]
        assert state.scores_tenths() == scores
        assert places(scores) == [naive.place(scores, seat) for seat in range(4)]
    assert positions >= 20_000


def test_every_card_that_the_naive_model_forbids_is_refused(name: str) -> None:
    rules, random = find_ruleset(name), Random(name)
    for state, table in random_rounds(rules, random):
        if random.random() < 0.9:
            continue
        for _ in range(52):
            legal = naive_legal(table.hands[table.turn], table.trick, rules)
            for card in DECK_TEXT:
                if card not in legal:
                    with pytest.raises(IllegalCard):
                        state.play(Card.parse(card))
            card = random.choice(sorted(legal))
            state.play(Card.parse(card))
            table.play(card)


def test_tricks_and_hands_that_no_round_leads_to_are_judged_alike(name: str) -> None:
    """Any trick with any hand, also ones that legal play never reaches: more spades, more voids."""
    rules, random = find_ruleset(name), Random(name)
    for _ in range(5_000):
        drawn = random.sample(DECK_TEXT, random.randint(1, 16))
        size = random.randint(0, min(3, len(drawn) - 1))
        on_table, hand = drawn[:size], drawn[size:]
        trick = Trick.of(" ".join(on_table), leader=random.randrange(4))
        assert card_text(legal_cards(cards(" ".join(hand)), trick, rules)).split() == sorted(
            naive_legal(hand, on_table, rules), key=DECK_TEXT.index
        )
        if on_table:
            assert trick.winner == naive.winner(trick.leader, on_table)


def test_every_call_with_every_number_of_tricks_scores_alike(name: str) -> None:
    rules = find_ruleset(name)
    for call in range(rules.call_min, rules.call_max + 1):
        for won in range(14):
            assert score_tenths(call, won, rules) == naive_score(call, won, rules)
