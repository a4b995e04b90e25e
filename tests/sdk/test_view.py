"""What the author of a bot sees when the bot has to decide."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from arena.rules import CALLBREAK, Card, Trick, card_list, cards
from arena.sdk import Replacement, Time, View
from arena.sdk.local import play_match
from arena.sdk.messages import messages
from arena.sdk.session import Session
from arena.v1 import game_pb2, play_pb2
from tests.sdk.bots import Listener, call_ask, match_start, play_ask, read


def view_of(ask: play_pb2.Ask) -> View:
    bot = Listener()
    turn = play_pb2.Turn(match_starts=[match_start(ask.match_id)], asks=[ask])
    list(Session(bot, messages()).replies(read(play_pb2.PlayResponse(turn=turn))))
    return bot.views()[0]


def in_order(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def test_call_view() -> None:
    view = view_of(call_ask(71, match_id=4))

    assert view.is_calling
    assert view.legal_calls == (1, 2, 3, 4, 5, 6, 7, 8)
    assert view.legal_cards == ()
    assert (view.seat, view.dealer, view.round_number, view.match_id) == (2, 1, 1, 4)
    assert view.hand == in_order("2C 7C 9C KC 3D 4D JD 5H 6H AH TS QS AS")
    assert (view.trick, view.history, view.tricks, view.scores_tenths) == ((), (), (), ())
    assert view.time == Time(limit_s=0.5, bank_left_s=10.0, last_latency_s=None)


def test_play_view() -> None:
    view = view_of(play_ask(71, match_id=4))

    assert not view.is_calling
    assert view.legal_calls == ()
    assert view.legal_cards == (Card.CLUBS_NINE, Card.CLUBS_KING)
    assert view.trick == in_order("3C 8C")
    assert view.trick_leader == 0
    assert view.tricks == (Trick.of("AS 2S 3S 4S", leader=2), Trick.of("2C 5C AC 4C", leader=2))
    assert [trick.winner for trick in view.tricks] == [2, 0]
    assert view.history == in_order("AS 2S 3S 4S 2C 5C AC 4C")
    assert (view.calls, view.tricks_won) == ((2, 3, 1, 4), (1, 0, 1, 0))
    assert view.scores_tenths == ((20, -30, 11, 40), (31, 30, -10, -40))
    assert view.time == Time(limit_s=0.5, bank_left_s=9.25, last_latency_s=0.002)
    assert view.rules.name == "callbreak+rounds=1"


def test_unseen_is_the_rest_of_the_deck() -> None:
    view = view_of(play_ask(71, match_id=4))

    seen = {*view.hand, *view.trick, *view.history}
    assert set(view.unseen) == set(Card) - seen
    assert len(view.unseen) == 52 - len(seen)


def test_random_numbers_follow_from_the_seed_of_the_ask() -> None:
    view = view_of(call_ask(71, match_id=4))

    assert view.random.random() == random.Random(7).random()
    assert view.random is view.random


def test_replaced_decisions_are_told() -> None:
    ask = play_ask(71, match_id=4)
    ask.replacements.add(
        kind=game_pb2.FAULT_KIND_ILLEGAL_CARD,
        detail="not in hand",
        card=game_pb2.CARD_SPADES_TWO,
        strikes=1,
        strikes_allowed=3,
    )

    replaced = Replacement("ILLEGAL_CARD", "not in hand", Card.SPADES_TWO, strikes=1, strikes_allowed=3)
    assert view_of(ask).replacements == (replaced,)


@given(st.integers(0, 2**32))
def test_a_local_view_says_the_same_as_the_ask_of_the_same_decision(seed: int) -> None:
    bot = Listener()
    play_match([bot, bot, bot, bot], CALLBREAK, seed=seed)

    for view in bot.views()[::17]:
        seen = {*view.hand, *view.trick, *view.history}
        assert len(view.hand) + len(view.unseen) + len(view.trick) + len(view.history) == 52
        assert not seen & set(view.unseen)
        assert set(view.legal_cards) <= set(view.hand)
        assert list(view.hand) == card_list(cards(" ".join(map(str, view.hand))))
        assert sum(view.tricks_won) == len(view.tricks)
        assert len(view.scores_tenths) == view.round_number - 1
