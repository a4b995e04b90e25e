"""Lesson 6: learning. How many tricks a hand takes is learnt from two million hands, not guessed.

`model.json` is written by examples/train_caller.py. The hands that it learnt from were played as `play`
does below, under the rules of callbreak: the model knows what this bot makes of a hand. Change `play`, and
train again.
"""

from __future__ import annotations

import json
from math import exp
from pathlib import Path
from typing import Any

from arena.sdk import Bot, Card, Suit, Trick, View, run, score_tenths

MODEL = Path(__file__).parent / "model.json"


class Learned(Bot):
    """Calls what is worth most, given how likely each number of tricks is; leads trumps and masters first."""

    name = "learned"
    version = "1.0.0"
    max_parallel_matches = 64

    def __init__(self) -> None:
        self.model = Model(json.loads(MODEL.read_text(encoding="utf-8")))

    def call(self, view: View) -> int:
        chances = self.model.chances(view.hand)

        def worth(call: int) -> float:
            return sum(chance * score_tenths(call, won, view.rules) for won, chance in enumerate(chances))

        return max(view.legal_calls, key=worth)

    def play(self, view: View) -> Card:
        plain = {card for card in view.legal_cards if card.suit is not Suit.SPADES}
        masters = {card for card in view.legal_cards if is_master(card, view)}
        losers = plain - masters
        if not view.trick:
            return lowest_of(masters - plain, masters, plain, view.legal_cards)
        winners = {card for card in view.legal_cards if wins(card, view)}
        if len(view.trick) == 3:
            return lowest_of(winners, losers, plain, view.legal_cards)
        return lowest_of(winners & masters & plain, winners, losers, plain, view.legal_cards)


class Model:
    """A small network: 52 inputs, one layer of rectified units, and an output for each number of tricks."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.hidden: list[list[float]] = weights["hidden"]
        self.hidden_bias: list[float] = weights["hidden_bias"]
        self.output: list[list[float]] = weights["output"]
        self.output_bias: list[float] = weights["output_bias"]

    def chances(self, hand: tuple[Card, ...]) -> list[float]:
        """How likely each number of tricks is, from 0 to 13."""
        rows = [self.hidden[i] for i in inputs_of(hand)]
        units = [max(0.0, sum(column)) for column in zip(self.hidden_bias, *rows, strict=True)]
        scores = list(self.output_bias)
        for unit, weights in zip(units, self.output, strict=True):
            if unit:
                scores = [score + unit * weight for score, weight in zip(scores, weights, strict=True)]
        powers = [exp(score - max(scores)) for score in scores]
        return [power / sum(powers) for power in powers]


def inputs_of(hand: tuple[Card, ...]) -> list[int]:
    """The inputs that are 1: 13 for each suit, the plain suit with the highest cards third, spades last."""
    ranks = {suit: sorted((card.rank for card in hand if card.suit is suit), reverse=True) for suit in Suit}
    plain = sorted(ranks[suit] for suit in (Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS))
    return [13 * i + rank - 2 for i, held in enumerate((*plain, ranks[Suit.SPADES])) for rank in held]


def lowest_of(*groups: set[Card] | tuple[Card, ...]) -> Card:
    """The card of the lowest rank in the first group that is not empty."""
    group = next(group for group in groups if group)
    return min(group, key=lambda card: (card.rank, card.suit))


def is_master(card: Card, view: View) -> bool:
    """Whether nobody else holds a higher card of its suit."""
    return all(other.rank < card.rank for other in view.unseen if other.suit is card.suit)


def wins(card: Card, view: View) -> bool:
    """Whether the card would be the best of the trick so far."""
    return Trick(view.trick_leader, (*view.trick, card)).winner == view.seat


if __name__ == "__main__":
    run(Learned())
