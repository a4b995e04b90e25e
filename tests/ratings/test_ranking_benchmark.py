"""That the benchmark of ranks plays by the real rules and knows its field."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from arena.rules.cards import Card, card_list
from arena.rules.rounds import Round
from arena.rules.rulesets import CALLBREAK
from benchmarks.ranking import BALANCED_TABLES, balanced_sets, share_in_order
from benchmarks.ranking_bots import FIELD, PlayedRounds, deal, play_rounds

ROUNDS = 300


def card_of(bit: int) -> Card:
    (card,) = card_list(bit)
    return card


def replayed(hands: list[int], dealer: int, played: PlayedRounds, number: int) -> Round:
    """The round as the arena's own rules see it: they refuse what may not be played."""
    played_round = Round(hands, dealer=dealer, rules=CALLBREAK)
    for turn in range(4):
        played_round.call(int(played.calls[number, (dealer + 1 + turn) % 4]))
    for leader, trick in zip(played.leaders[number].tolist(), played.plays[number].tolist(), strict=True):
        assert played_round.turn == leader
        for bit in trick:
            played_round.play(card_of(bit))
    return played_round


def test_the_simulated_bots_play_by_the_arenas_rules() -> None:
    rng = np.random.default_rng(1)
    hands = deal(ROUNDS, rng)
    bots = rng.random((ROUNDS, len(FIELD))).argsort(axis=1)[:, :4]
    dealers = rng.integers(0, 4, ROUNDS)

    played = play_rounds(bots, hands, dealers, FIELD, rng)

    for number in range(ROUNDS):
        by_the_rules = replayed(hands[number].tolist(), int(dealers[number]), played, number)
        assert by_the_rules.is_over
        assert by_the_rules.tricks_won == played.won[number].tolist()
        assert by_the_rules.scores_tenths() == played.scores_tenths[number].tolist()


def test_the_balanced_schedule_lets_every_pair_meet_equally_often_on_every_seat() -> None:
    seats, set_ids = balanced_sets(6 * 14 * 4, np.random.default_rng(1))

    met = np.zeros((8, 8), dtype=int)
    for table in BALANCED_TABLES.tolist():
        for a, b in combinations(table, 2):
            met[a, b] += 1
    assert set(met[np.triu_indices(8, 1)].tolist()) == {3}
    assert all(np.bincount(seats[:, seat]).tolist() == [42] * 8 for seat in range(4))
    assert np.bincount(set_ids).tolist() == [4] * 84


def test_the_share_in_order_counts_pairs_and_halves_ties() -> None:
    assert share_in_order(np.array([4.0, 3.0, 2.0, 1.0])) == 1
    assert share_in_order(np.array([1.0, 1.0, 1.0])) == 0.5
    assert share_in_order(np.array([1.0, 2.0])) == 0
