"""Train a small model that says how many tricks a hand will take, for a bot to call by.

    python -m examples.train_caller --out sample_bots/learned/model.json

Half a million rounds are played in numpy by four seats that all follow `choose_cards`. From each hand and
the tricks it took, a network with one hidden layer learns how likely each number of tricks is; the bot then
makes the call that is worth most under the rules of its match. It takes about a minute, and needs numpy
alone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from arena.env import RoundBatch, card_columns, lowest_numbers, lowest_ranks, random_deals, up_to_highest
from arena.rules import CALLBREAK, FULL_DECK, SPADES, Ruleset, score_tenths

__all__ = ["Model", "best_calls", "choose_cards", "dealt_rounds", "inputs_of", "train"]

CardSets = NDArray[np.uint64]
Floats = NDArray[np.floating[Any]]

BATCH_ROUNDS: Final = 16_384
MOST_TRICKS: Final = 13
PLAIN_CARDS: Final = np.uint64(FULL_DECK & ~SPADES)


def choose_cards(now: RoundBatch) -> NDArray[np.uint8]:
    """The card that each seat to decide plays: the lowest of the first group below that is not empty.

    `play` of sample_bots/learned/bot.py is the same in plain Python, which a test holds it to.
    """
    plain = now.legal & PLAIN_CARDS
    masters = now.legal & ~up_to_highest(now.unseen)
    losers = plain & ~masters
    if now.cards_in_trick == 0:
        groups = [masters & ~plain, masters, plain, now.legal]
    elif now.cards_in_trick == 3:
        groups = [now.winners, losers, plain, now.legal]
    else:
        groups = [now.winners & masters & plain, now.winners, losers, plain, now.legal]
    chosen = groups[0]
    for group in groups[1:]:
        chosen = np.where(chosen, chosen, group)
    return lowest_numbers(lowest_ranks(chosen))


def dealt_rounds(
    rounds: int, generator: np.random.Generator, *, rules: Ruleset = CALLBREAK
) -> tuple[CardSets, NDArray[np.uint8]]:
    """Hands and the tricks that they took: four of each for each round played, in one row."""
    deals = random_deals(generator)
    hands, tricks = [], []
    for first in range(0, rounds, BATCH_ROUNDS):
        size = min(BATCH_ROUNDS, rounds - first)
        now = RoundBatch(deals(1, 0, np.arange(size)), dealer=3, rules=rules)
        while now.is_calling:
            now.call(np.full(size, rules.call_min))  # nobody looks at calls in play
        while not now.is_over:
            now.play(choose_cards(now))
        hands.append(now.dealt.ravel())
        tricks.append(now.tricks_won.ravel())
    return np.concatenate(hands), np.concatenate(tricks)


def inputs_of(hands: CardSets) -> Floats:
    """1 or 0 for each card of each hand, shape (hands, 52), the plain suits put in order.

    The suit with the highest cards comes last of the three: hands that differ only in the names of their
    plain suits are the same to the model, and spades stay where they are.
    """
    suits = np.ascontiguousarray(hands, "<u8").view("<u2").reshape(-1, 4).copy()
    suits[:, :3].sort(axis=1)
    return card_columns(suits.view("<u8").ravel()).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Model:
    """A network of 52 inputs, one layer of rectified units, and an output for each number of tricks."""

    hidden: Floats
    hidden_bias: Floats
    output: Floats
    output_bias: Floats

    @classmethod
    def fresh(cls, units: int, generator: np.random.Generator) -> Self:
        """A model that knows nothing yet."""
        hidden = generator.normal(0, (2 / 13) ** 0.5, (52, units)).astype(np.float32)
        output = generator.normal(0, 0.1, (units, MOST_TRICKS + 1)).astype(np.float32)
        return cls(hidden, np.zeros(units, np.float32), output, np.zeros(MOST_TRICKS + 1, np.float32))

    @property
    def weights(self) -> tuple[Floats, Floats, Floats, Floats]:
        """All that is learnt."""
        return self.hidden, self.hidden_bias, self.output, self.output_bias

    def chances(self, inputs: Floats) -> Floats:
        """How likely each number of tricks from 0 to 13 is: shape (hands, 14)."""
        return self._forward(inputs)[1]

    def loss(self, inputs: Floats, tricks: NDArray[np.uint8]) -> float:
        """Mean of -log(the chance given to what happened)."""
        chances = self.chances(inputs)[np.arange(len(tricks)), tricks]
        return float(-np.log(np.maximum(chances, 1e-9)).mean())

    def gradients(self, inputs: Floats, tricks: NDArray[np.uint8]) -> tuple[Floats, Floats, Floats, Floats]:
        """Slopes of the loss, in the order of `weights`."""
        units, chances = self._forward(inputs)
        error = chances / len(tricks)
        error[np.arange(len(tricks)), tricks] -= 1 / len(tricks)
        unit_error = (error @ self.output.T) * (units > 0)
        return inputs.T @ unit_error, unit_error.sum(axis=0), units.T @ error, error.sum(axis=0)

    def _forward(self, inputs: Floats) -> tuple[Floats, Floats]:
        units = np.maximum(inputs @ self.hidden + self.hidden_bias, 0)
        scores = units @ self.output + self.output_bias
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return units, powers / powers.sum(axis=1, keepdims=True)

    def to_json(self) -> str:
        """The model as the bot reads it, one row of weights a line."""
        names = ("hidden", "hidden_bias", "output", "output_bias")
        shown = {name: _rows_of_text(part) for name, part in zip(names, self.weights, strict=True)}
        return "{\n" + ",\n".join(f'"{name}": {rows}' for name, rows in shown.items()) + "\n}\n"


def _rows_of_text(part: Floats) -> str:
    rows = [json.dumps([round(float(weight), 3) for weight in row]) for row in np.atleast_2d(part)]
    return rows[0] if part.ndim == 1 else "[\n" + ",\n".join(rows) + "\n]"


def train(
    model: Model,
    inputs: Floats,
    tricks: NDArray[np.uint8],
    *,
    epochs: int,
    generator: np.random.Generator,
    rate: float = 0.005,
    batch: int = 1024,
) -> Iterator[Model]:
    """Fits the model in place with Adam, its rate falling to 0, and yields it after each epoch."""
    means = [np.zeros_like(part) for part in model.weights]
    squares = [np.zeros_like(part) for part in model.weights]
    steps = epochs * (len(tricks) // batch)
    step = 0
    for _ in range(epochs):
        order = generator.permutation(len(tricks))
        for first in range(0, len(tricks) - batch + 1, batch):
            chosen = order[first : first + batch]
            step += 1
            now = rate * (1 - step / (steps + 1))
            slopes = model.gradients(inputs[chosen], tricks[chosen])
            for part, slope, mean, square in zip(model.weights, slopes, means, squares, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.01 * (slope * slope - square)
                scale = np.sqrt(square / (1 - 0.99**step)) + 1e-8
                part -= now * mean / (1 - 0.9**step) / scale
        yield model


def best_calls(chances: Floats, rules: Ruleset = CALLBREAK) -> NDArray[np.intp]:
    """For each row of chances the call that is worth most on average."""
    calls = range(rules.call_min, rules.call_max + 1)
    worth = [[score_tenths(call, won, rules) for call in calls] for won in range(MOST_TRICKS + 1)]
    best: NDArray[np.intp] = (chances @ np.array(worth)).argmax(axis=1)
    return best + rules.call_min


def points_of(calls: NDArray[np.intp], tricks: NDArray[np.uint8], rules: Ruleset = CALLBREAK) -> float:
    """Points a round that these calls would have scored."""
    pairs = zip(calls.tolist(), tricks.tolist(), strict=True)
    return sum(score_tenths(call, won, rules) for call, won in pairs) / len(tricks) / 10


def main() -> None:
    """Play, train, say how good it is, and write the model."""
    parser = argparse.ArgumentParser(description="Train a model to call by.")
    parser.add_argument("--rounds", type=int, default=500_000, help="rounds to learn from, four hands each")
    parser.add_argument("--epochs", type=int, default=8, help="times that each hand is learnt from")
    parser.add_argument("--units", type=int, default=64, help="units of the hidden layer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="file to write, such as model.json")
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    started = time.monotonic()

    hands, tricks = dealt_rounds(options.rounds, generator)
    print(f"{len(tricks):,} hands played in {time.monotonic() - started:.0f} s")
    inputs = inputs_of(hands)
    test_hands, test_tricks = dealt_rounds(BATCH_ROUNDS, generator)
    test_inputs = inputs_of(test_hands)
    model = Model.fresh(options.units, generator)
    epochs = train(model, inputs, tricks, epochs=options.epochs, generator=generator)
    for epoch, model in enumerate(epochs, 1):
        loss, seconds = model.loss(test_inputs, test_tricks), time.monotonic() - started
        print(f"epoch {epoch}: loss {loss:.4f} on other hands, {seconds:.0f} s")

    points = points_of(best_calls(model.chances(test_inputs)), test_tricks)
    constant = max(points_of(np.full(len(test_tricks), call), test_tricks) for call in range(1, 9))
    print(f"points a round: {points:.2f} by the model's calls, {constant:.2f} by the best constant call")
    options.out.write_text(model.to_json(), encoding="utf-8")
    print(f"wrote {options.out} ({options.out.stat().st_size // 1024} KiB)")


if __name__ == "__main__":
    main()
