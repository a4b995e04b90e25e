"""Promises of observations: all that a view has, nothing that it has not, in batches too."""

from __future__ import annotations

from itertools import chain
from random import Random
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.env.actions import CARD_OF_ACTION
from arena.env.dealing import seeded_deals
from arena.env.layout import HIGHEST, LAYOUT, OBSERVATION_SIZE, bounds
from arena.env.match_batch import MatchBatch
from arena.env.observations import observation_of, observations_of
from arena.rules.cards import FULL_DECK, card_numbers, card_set
from arena.rules.house_rules import find_ruleset
from arena.rules.matches import Match
from arena.rules.views import View, view_of
from tests.env.plays import SEED, decide_at_random, decisions_of, generator, single

_T = TypeVar("_T")


def field(row: NDArray[np.int8], name: str) -> NDArray[np.int8]:
    return row[LAYOUT[name].columns]


def card_fields(row: NDArray[np.int8], name: str) -> list[list[int]]:
    """The cards of each relative seat."""
    return [CARD_OF_ACTION[columns == 1].tolist() for columns in field(row, name).reshape(-1, 52)]


def history_in(row: NDArray[np.int8], *, first_leader: int) -> tuple[list[int], list[int]]:
    """The finished tricks in play order and their leaders, by relative seat, told from an observation."""
    numbers = dict(zip(CARD_OF_ACTION.tolist(), field(row, "trick_number").tolist(), strict=True))
    player = {card: seat for seat, played in enumerate(card_fields(row, "played")) for card in played}
    history: list[int] = []
    leaders: list[int] = []
    for trick in range(1, max(numbers.values()) + 1):
        leaders.append(_winner(history[-4:], leaders[-1]) if leaders else first_leader)
        fallen = [card for card in player if numbers[card] == trick]
        history += sorted(fallen, key=lambda card: (player[card] - leaders[-1]) % 4)
    return history, leaders


def _winner(trick: list[int], leader: int) -> int:
    best = max(trick, key=lambda card: (card >> 4 == 4, card >> 4 == trick[0] >> 4, card))
    return (leader + trick.index(best)) % 4


def turned(by_seat: list[_T], seat: int) -> list[_T]:
    return by_seat[seat:] + by_seat[:seat]


def assert_tells(row: NDArray[np.int8], view: View) -> None:
    """Checks that every field of a view can be told from the observation."""
    seat = view.seat
    totals = [sum(view.scores_tenths[i::4]) for i in range(4)]
    leader = (view.trick_leader - seat) % 4
    trick = [card for i in range(4) for card in card_fields(row, "trick")[(leader + i) % 4]]
    history, leaders = history_in(row, first_leader=(view.dealer + 1 - seat) % 4)
    assert card_fields(row, "hand") == [view.hand]
    assert trick == view.trick
    assert history == view.history
    assert leaders == [(one - seat) % 4 for one in view.history_leaders]
    assert field(row, "trick_leader").tolist() == [int(i == leader) for i in range(4)]
    assert field(row, "dealer").tolist() == [int(i == (view.dealer - seat) % 4) for i in range(4)]
    assert field(row, "calls").tolist() == turned(view.calls, seat)
    assert field(row, "tricks_won").tolist() == turned(view.tricks_won, seat)
    assert (10 * field(row, "points").astype(int) + field(row, "tenths")).tolist() == turned(totals, seat)
    assert field(row, "round_number").tolist() == [view.round_number]
    assert field(row, "rounds_left").tolist() == [view.rules.rounds - view.round_number]
    assert field(row, "is_calling").tolist() == [view.is_calling]


@pytest.mark.parametrize("name", ["callbreak", "callbreak-master"])
def test_observation_tells_all_that_the_view_tells(name: str) -> None:
    match = single(find_ruleset(name))
    for _ in decisions_of(match, Random(1)):
        assert_tells(observation_of(match, match.round.turn), view_of(match))


def swapped(match: Match, *, seen_by: int, numbers: Random) -> Match:
    """The match with the cards that `seen_by` cannot see dealt out anew among the other three."""
    hands = match.round.hands
    others = [seat for seat in range(4) if seat != seen_by]
    hidden = [card for seat in others for card in card_numbers(hands[seat])]
    numbers.shuffle(hidden)
    for seat in others:
        count = hands[seat].bit_count()
        hands[seat], hidden = card_set(hidden[:count]), hidden[count:]
    return match


def test_no_seat_can_tell_what_the_others_hold() -> None:
    for stop in (0, 3, 20, 40):
        for seat in range(4):
            match = single()
            for decision, _ in enumerate(decisions_of(match, Random(stop))):
                if decision == stop:
                    break
            before = observation_of(match, seat)
            hands = list(match.round.hands)

            after = observation_of(swapped(match, seen_by=seat, numbers=Random(1)), seat)

            assert match.round.hands != hands
            assert (before == after).all()


def test_seat_that_is_not_to_decide_sees_its_own_hand_and_the_same_table() -> None:
    match = single()
    for decision, _ in enumerate(decisions_of(match, Random(1))):
        if decision == 30:
            break
    rows = [observation_of(match, seat) for seat in range(4)]

    for seat, row in enumerate(rows):
        assert card_fields(row, "hand") == [card_numbers(match.round.hands[seat])]
        on_table = card_fields(row, "trick")
        assert turned(on_table, (-seat) % 4) == card_fields(rows[0], "trick")


@pytest.mark.parametrize(
    "name", ["callbreak", "callbreak-master+redeal=on", "call-bridge+bonus_call=2+bonus_points=99"]
)
def test_batch_observes_what_each_match_alone_would_show(name: str) -> None:
    rules = find_ruleset(name)
    numbers = generator()
    matches = MatchBatch(rules, seeded_deals(SEED, range(5)), size=5)
    singles = [single(rules, set_number=i) for i in range(5)]
    while not matches.is_over:
        now = matches.round
        while not now.is_over:
            expected = [observation_of(one, one.round.turn) for one in singles]
            assert (observations_of(matches) == np.array(expected)).all()
            decide_at_random(matches, numbers)
            for i, one in enumerate(singles):
                if one.round.is_calling:
                    one.round.call(int(now.calls[one.round.turn, i]))
                else:
                    one.round.play(int(now.plays[now.decision - 5, i]))
        matches.next_round()
        for one in singles:
            one.next_round()


def test_fields_fill_the_columns_without_a_gap() -> None:
    starts = [field.start for field in LAYOUT.values()]
    ends = [field.columns.stop for field in LAYOUT.values()]

    assert starts == [0, *ends[:-1]]
    assert ends[-1] == OBSERVATION_SIZE


def test_values_stay_within_the_bounds() -> None:
    lows, highs = bounds()
    match = single(find_ruleset("callbreak+call_max=13+bonus_call=1+bonus_points=1000+rounds=4"))
    for _ in decisions_of(match, Random(1)):
        row = observation_of(match, match.round.turn)
        assert (row >= lows).all()
        assert (row <= highs).all()
    assert max(match.totals_tenths) > 10 * HIGHEST, "the match was to leave the range"


def test_observation_after_the_last_trick_shows_every_card_played() -> None:
    match = single(find_ruleset("callbreak+rounds=1"))
    for _ in decisions_of(match, Random(1)):
        pass
    row = observation_of(match, 2)

    assert card_set(chain.from_iterable(card_fields(row, "played"))) == FULL_DECK
    assert not field(row, "hand").any()
