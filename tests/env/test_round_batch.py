"""Promises that many rounds at once are the same rounds as one by one: turns, legality, tricks, scores."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from arena.env.random_play import random_calls, random_cards
from arena.env.round_batch import RoundBatch
from arena.rules.cards import FULL_DECK, Card, cards
from arena.rules.house_rules import find_ruleset
from arena.rules.rounds import IllegalCall, IllegalCard, Round
from arena.rules.rulesets import CALLBREAK
from tests.env.plays import NAMES, batch, generator

ROUNDS = 10_000

# Seat 0 leads the two of hearts: seat 1 must beat it, seat 2 has no heart and must trump it, seat 3 then
# follows.
HANDS = (
    cards("2H 3H 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC"),
    cards("4H 9H KC AC 2D 3D 4D 5D 6D 7D 8D 9D TD"),
    cards("2S 3S 4S 5S 6S 7S 8S 9S TS JS JD QD KD"),
    cards("5H 6H 7H 8H TH JH QH KH AH AD QS KS AS"),
)
TWO_OF_HEARTS = int(Card.parse("2H"))
KING_OF_CLUBS = int(Card.parse("KC"))


def called_rounds(*, size: int) -> RoundBatch:
    """So many rounds with the same hands, in which seat 0 is to lead."""
    now = RoundBatch(np.repeat(np.array(HANDS, np.uint64)[:, None], size, axis=1), dealer=3, rules=CALLBREAK)
    for _ in range(4):
        now.call([2] * size)
    return now


def play_out(now: RoundBatch, numbers: np.random.Generator) -> list[list[list[int]]]:
    """Plays to the end; the turns, legal sets and decisions, each by round and then by decision."""
    turns, legal, decisions = [], [], []
    while not now.is_over:
        turns.append(now.turn)
        legal.append(now.legal)
        decisions.append(random_calls(now, numbers) if now.is_calling else random_cards(now.legal, numbers))
        (now.call if now.is_calling else now.play)(decisions[-1])
    return [np.array(rows).T.tolist() for rows in (turns, legal, decisions)]


def replay(one: Round, decisions: list[int]) -> tuple[list[int], list[int]]:
    """Makes these decisions; the turns and legal sets before each."""
    turns, legal = [], []
    for decision in decisions:
        turns.append(one.turn)
        legal.append(one.legal)
        (one.call if one.is_calling else one.play)(decision)
    return turns, legal


@pytest.mark.parametrize("name", NAMES)
def test_batch_plays_exactly_as_the_rules_do(name: str) -> None:
    rules = find_ruleset(name)
    numbers = generator(len(name))
    matches = batch(rules, size=-(-ROUNDS // rules.rounds))
    while not matches.is_over:
        now = matches.round
        turns, legal, decisions = play_out(now, numbers)
        singles = [Round(dealt, dealer=now.dealer, rules=rules) for dealt in now.dealt.T.tolist()]

        assert [replay(one, made) for one, made in zip(singles, decisions, strict=True)] == list(
            zip(turns, legal, strict=True)
        )
        assert [one.calls for one in singles] == now.calls.T.tolist()
        assert [one.tricks_won for one in singles] == now.tricks_won.T.tolist()
        assert [one.history for one in singles] == now.plays.T.tolist()
        assert [one.history_leaders for one in singles] == now.leaders.T.tolist()
        assert [one.scores_tenths() for one in singles] == matches.next_round().T.tolist()


def test_hands_shrink_by_what_is_played() -> None:
    now = called_rounds(size=2)

    now.play([TWO_OF_HEARTS, TWO_OF_HEARTS + 1])

    assert now.hands[:, 0].tolist() == [HANDS[0] ^ Card(TWO_OF_HEARTS).bit, *HANDS[1:]]
    assert now.hands[:, 1].tolist() == [HANDS[0] ^ Card(TWO_OF_HEARTS + 1).bit, *HANDS[1:]]
    assert now.hands_to_decide.tolist() == [HANDS[1], HANDS[1]]


def test_what_is_by_seat_can_be_had_from_the_seat_to_decide_on() -> None:
    now = called_rounds(size=1)
    now.play([TWO_OF_HEARTS])

    assert now.from_turn(now.dealt).T.tolist() == [[*HANDS[1:], HANDS[0]]]


def test_unseen_is_what_the_other_three_hold() -> None:
    now = called_rounds(size=1)
    now.play([TWO_OF_HEARTS])

    assert now.unseen.tolist() == [FULL_DECK ^ HANDS[1] ^ Card(TWO_OF_HEARTS).bit]


def test_winners_are_the_legal_cards_that_would_lead_the_trick() -> None:
    now = called_rounds(size=1)
    leading = now.winners.tolist()
    following = []
    for card in ["2H", "9H", "2S"]:
        now.play([int(Card.parse(card))])
        following.append(int(now.winners[0]))

    assert leading == [HANDS[0]]
    assert following == [cards("4H 9H"), cards("2S 3S 4S 5S 6S 7S 8S 9S TS JS"), 0]


def test_must_beat_and_must_trump_hold_in_a_batch() -> None:
    now = called_rounds(size=1)
    legal = []
    for card in ["2H", "4H", "2S"]:
        now.play([int(Card.parse(card))])
        legal.append(int(now.legal[0]))

    assert legal == [
        cards(due) for due in ("4H 9H", "2S 3S 4S 5S 6S 7S 8S 9S TS JS", "5H 6H 7H 8H TH JH QH KH AH")
    ]


@pytest.mark.parametrize("card", [KING_OF_CLUBS, TWO_OF_HEARTS + 2, 0, 15, 16, 31, 80, 255, 274, -238, 2**40])
def test_one_illegal_card_is_refused_and_changes_nothing(card: int) -> None:
    now = called_rounds(size=3)

    with pytest.raises(IllegalCard, match=f"match 1 of the batch: seat 0 played {card}"):
        now.play([TWO_OF_HEARTS, card, TWO_OF_HEARTS])

    assert now.decision == 4
    assert now.hands.T.tolist() == [list(HANDS)] * 3
    assert not now.plays.any()


@pytest.mark.parametrize("number", [0, 9, -1, 257])
def test_one_illegal_call_is_refused_and_changes_nothing(number: int) -> None:
    now = batch(size=2).round

    with pytest.raises(IllegalCall, match=f"match 1 of the batch: seat 0 called {number}: 1 to 8 may be"):
        now.call([1, number])

    assert now.decision == 0
    assert not now.calls.any()


def test_calls_when_cards_are_due_and_cards_when_calls_are_due_are_refused() -> None:
    with pytest.raises(IllegalCall, match="none was due"):
        called_rounds(size=1).call([1])
    with pytest.raises(IllegalCard, match="none was due"):
        batch(size=1).round.play([TWO_OF_HEARTS])


def test_nothing_may_be_played_after_the_end() -> None:
    now = batch(size=2).round
    play_out(now, generator())

    with pytest.raises(IllegalCard, match="none was due"):
        now.play(now.plays[-1])


@pytest.mark.parametrize("calls", [[1, 1, 1], [[1, 1]], [1.0, 1.0], 1, ["1", "1"]])
def test_what_is_not_one_whole_number_a_match_is_refused(calls: object) -> None:
    with pytest.raises(ValueError, match="one of 2 whole numbers is due"):
        batch(size=2).round.call(calls)  # type: ignore[arg-type]


def test_scores_come_at_the_end_and_not_before() -> None:
    with pytest.raises(ValueError, match="not over"):
        called_rounds(size=1).scores_tenths()


def test_a_round_has_56_decisions_in_every_match() -> None:
    now = batch(size=3).round
    turns, legal, decisions = play_out(now, generator())

    assert {len(row) for row in chain(turns, legal, decisions)} == {56}
