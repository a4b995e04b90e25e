"""Promises of batches of matches: dealers, redeals and totals as in single ones, fair deals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.env.dealing import asks_for_redeal, random_deals, seeded_deals
from arena.env.match_batch import MatchBatch
from arena.errors import ArenaError
from arena.rules.cards import FULL_DECK, card_numbers
from arena.rules.deals import deal
from arena.rules.house_rules import find_ruleset
from arena.rules.matches import Match, redeal_of
from arena.rules.rulesets import CALLBREAK
from tests.env.plays import SEED, batch, decide_at_random, generator
from tests.rules.boards import ONE_SUIT_EACH

ALL = np.arange(2000)


@pytest.mark.parametrize("name", ["callbreak", "callbreak-master+redeal=on+rounds=6"])
def test_seeded_batch_is_the_same_matches_as_one_by_one(name: str) -> None:
    rules = find_ruleset(name)
    numbers = generator()
    matches = MatchBatch(rules, seeded_deals(SEED, range(40)), size=40)
    singles = [Match(rules, partial(deal, SEED, set_number)) for set_number in range(40)]
    while not matches.is_over:
        now = matches.round
        assert [one.round_number for one in singles] == [matches.round_number] * 40
        assert [one.dealer for one in singles] == [matches.dealer] * 40
        assert [list(one.round.dealt) for one in singles] == now.dealt.T.tolist()
        assert [len(one.redeals) for one in singles] == matches.redeals.tolist()
        while not now.is_over:
            decide_at_random(matches, numbers)
        for i, one in enumerate(singles):
            for call in np.roll(now.calls[:, i], -(one.dealer + 1)).tolist():
                one.round.call(call)
            for card in now.plays[:, i].tolist():
                one.round.play(card)
            one.next_round()
        matches.next_round()
        assert [one.totals_tenths for one in singles] == matches.totals_tenths.T.tolist()
    assert all(one.is_over for one in singles)


def test_random_deal_is_52_cards_thirteen_a_seat() -> None:
    hands = random_deals(generator())(1, 0, ALL)

    assert hands.shape == (4, 2000)
    assert (np.bitwise_count(hands) == 13).all()
    assert (np.bitwise_or.reduce(hands, axis=0) == FULL_DECK).all()


def test_random_deals_give_every_card_to_every_seat_equally_often() -> None:
    hands = random_deals(generator())(1, 0, ALL)

    for number in card_numbers(FULL_DECK):
        had = (hands >> np.uint64(number - 16) & np.uint64(1)).sum(axis=1)
        assert abs(had.astype(int) - 500).max() < 100  # five standard deviations


def test_random_deals_come_again_with_the_same_seed_and_differ_otherwise() -> None:
    first, again, other = (random_deals(generator(seed))(1, 0, ALL) for seed in (1, 1, 2))

    assert (first == again).all()
    assert (first != other).mean() > 0.99


@pytest.mark.parametrize("name", ["callbreak", "lakdi+redeal=on", "callbreak+redeal=on+redeal_face_ranks=QA"])
def test_deals_are_thrown_in_for_the_reasons_of_the_rules(name: str) -> None:
    rules = find_ruleset(name)
    hands = random_deals(generator())(1, 0, ALL)

    expected = [redeal_of(dealt, rules) is not None for dealt in hands.T.tolist()]

    assert asks_for_redeal(hands, rules).tolist() == expected


def test_deals_that_are_thrown_in_again_and_again_are_an_error() -> None:
    def hopeless(round_number: int, attempt: int, matches: NDArray[np.intp]) -> NDArray[np.uint64]:
        return np.repeat(np.array(ONE_SUIT_EACH, np.uint64)[:, None], len(matches), axis=1)

    with pytest.raises(ArenaError, match="round 1: 100 deals in a row were thrown in"):
        MatchBatch(find_ruleset("callbreak+redeal=on"), hopeless, size=2)


def test_batch_of_no_matches_is_refused() -> None:
    with pytest.raises(ArenaError, match="size is 0; allowed: 1 match or more"):
        MatchBatch(CALLBREAK, random_deals(generator()), size=0)


def test_round_is_settled_once_it_is_over_and_not_after_the_match() -> None:
    matches = batch(find_ruleset("callbreak+rounds=1"))
    with pytest.raises(ValueError, match="not over"):
        matches.next_round()
    while not matches.round.is_over:
        decide_at_random(matches, generator())
    matches.next_round()

    with pytest.raises(ValueError, match="the matches are over"):
        matches.next_round()
