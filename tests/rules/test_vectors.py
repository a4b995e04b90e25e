"""Owns the check of the published vectors: rules worked out by hand, and rounds that bots really played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from arena.rules import (
    Card,
    IllegalCall,
    RedealReason,
    Round,
    Ruleset,
    Trick,
    card_text,
    cards,
    find_ruleset,
    legal_cards,
    redeal_reason,
    score_tenths,
)
from tests.rules.boards import ONE_SUIT_EACH

VECTORS = Path(__file__).parent / "vectors"
RULES: dict[str, Any] = json.loads((VECTORS / "rule_vectors.json").read_text())
REAL: dict[str, Any] = json.loads((VECTORS / "real_rounds.json").read_text(), parse_float=Decimal)


def board(words: Sequence[str]) -> int:
    return cards(" ".join(words))


def rulesets(name: str) -> list[Ruleset]:
    """The rulesets that a vector's `ruleset` stands for."""
    names = {"both": ["callbreak", "callbreak-master"], "callbreak+redeal": ["callbreak+redeal=on"]}
    return [find_ruleset(each) for each in names.get(name, [name])]


def test_the_vectors_are_all_there() -> None:
    assert sum(len(part) for part in RULES.values() if isinstance(part, list)) == 79
    assert len(REAL["rounds"]) == 2


@pytest.mark.parametrize("vector", RULES["legal"])
def test_legal_cards_are_those_of_the_vector(vector: dict[str, Any]) -> None:
    trick = Trick.of(" ".join(vector["trick"]), leader=vector["leader"])

    assert trick.to_play == vector["to_play"]
    for rules in rulesets(vector["ruleset"]):
        assert card_text(legal_cards(board(vector["hand"]), trick, rules)) == card_text(
            board(vector["legal"])
        )


@pytest.mark.parametrize("vector", RULES["score"])
def test_score_is_that_of_the_vector(vector: dict[str, Any]) -> None:
    for rules in rulesets(vector["ruleset"]):
        assert score_tenths(vector["call"], vector["won"], rules) == vector["score_tenths"]


@pytest.mark.parametrize("vector", RULES["trick_winner"])
def test_winner_of_the_trick_is_that_of_the_vector(vector: dict[str, Any]) -> None:
    assert Trick.of(" ".join(vector["trick"]), leader=vector["leader"]).winner == vector["winner"]


@pytest.mark.parametrize("vector", RULES["call_range"])
def test_calls_are_accepted_and_refused_as_in_the_vector(vector: dict[str, Any]) -> None:
    for rules in rulesets(vector["ruleset"]):
        for number in vector["accept"]:
            Round(ONE_SUIT_EACH, dealer=3, rules=rules).call(number)
        for number in vector["reject"]:
            with pytest.raises(IllegalCall):
                Round(ONE_SUIT_EACH, dealer=3, rules=rules).call(number)


@pytest.mark.parametrize("vector", RULES["redeal"])
def test_hands_are_thrown_in_as_in_the_vector(vector: dict[str, Any]) -> None:
    for rules in rulesets(vector["ruleset"]):
        reason = redeal_reason(board(vector["hand"]), rules)

        assert (reason is not None) == vector["redeal"]
        if "no spade" in vector["note"]:
            assert reason is RedealReason.NO_SPADE


def replayed(written: dict[str, Any]) -> Round:
    """The round played again, each trick's leader and winner compared on the way."""
    hands = [board(hand) for hand in written["hands"]]
    state = Round(hands, dealer=written["dealer"], rules=find_ruleset("callbreak"))
    while state.is_calling:
        state.call(written["calls"][state.turn])
    for trick in written["tricks"]:
        assert state.turn == trick["leader"]
        won_before = state.tricks_won[trick["winner"]]
        for card in trick["cards"]:
            state.play(Card.parse(card))
        assert state.tricks_won[trick["winner"]] == won_before + 1
    return state


@pytest.mark.parametrize("written", REAL["rounds"])
def test_really_played_rounds_are_legal_to_the_last_card(written: dict[str, Any]) -> None:
    """`errors` holds the plays that the competition's server refused, by seat: there are none."""
    assert written["errors"] == {}
    state = replayed(written)

    assert state.is_over
    assert state.history == [Card.parse(card) for trick in written["tricks"] for card in trick["cards"]]


def test_really_played_rounds_score_as_the_competition_scored_them() -> None:
    totals = [0, 0, 0, 0]
    for written in REAL["rounds"]:
        scores = replayed(written).scores_tenths()
        totals = [total + score for total, score in zip(totals, scores, strict=True)]

        assert totals == [10 * points for points in written["cumulative_scores"]]
