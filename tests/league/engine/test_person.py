"""A seat for a person: what they see is theirs to see, and what they may not do is said in words."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.league import plays as plays_module
from arena.league.model import TableKind, TableState
from arena.league.person import NotNow, PersonSeat
from arena.league.reasons import card_name, why_not
from arena.league.store import LeagueStore
from arena.rules import CALLBREAK, Card, Trick, card_list, card_set, cards, find_ruleset, legal_cards
from tests.league.engine.arenas import Arena, Shelf, arena_at_work, enter_house, new_season, tables_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    with LeagueStore.open(f"sqlite:///{tmp_path}/league.sqlite3") as opened:
        yield opened


@pytest.fixture
async def arena(store: LeagueStore, tmp_path: Path) -> AsyncIterator[Arena]:
    """An arena where only house bots play, so that nothing else is in play."""
    new_season(store, rounds=2)
    shelf = Shelf()
    enter_house(store, shelf)
    async with arena_at_work(store, shelf, tmp_path / "run") as at_work:
        yield at_work


async def asked(seat: PersonSeat) -> dict[str, Any]:
    """The view when the person is to answer, or the match is over."""
    while not (view := seat.view()).get("asked") and view["state"] in ("waiting", "playing"):
        async with asyncio.timeout(60):
            await seat.changed(seat.revision)
    return view


def cards_in(view: object) -> set[int]:
    """Every number in a view that is a card's; numbers that are something else are left out by name."""
    if isinstance(view, dict):
        others = ("revision", "seconds_left", "scores_tenths", "totals_tenths")
        keys = {int(key) for key in view if isinstance(key, str) and key.isdecimal()}
        return keys.union(*(cards_in(value) for key, value in view.items() if key not in others))
    if isinstance(view, list):
        return set().union(*(cards_in(value) for value in view))
    return {view} & set(map(int, Card)) if isinstance(view, int) else set()


def answer(seat: PersonSeat, view: dict[str, Any], chance: random.Random) -> None:
    """Something legal."""
    if view["asked"] == "call":
        seat.answer(call=chance.choice(view["legal_calls"]))
    else:
        seat.answer(card=chance.choice(view["legal_cards"]))


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_person_plays_a_match_to_its_end(arena: Arena, store: LeagueStore) -> None:
    seat = await arena.engine.seat_person()
    chance = random.Random(4)
    views = []
    while (view := await asked(seat))["state"] == "playing":
        views.append(view)
        answer(seat, view, chance)

    record = seat.record
    assert record is not None
    assert view["state"] == "over"
    assert view["totals_tenths"] == list(record.total_tenths)
    assert view["places"] == list(record.places)
    assert [one["asked"] for one in views].count("card") == 26
    assert not record.faults
    await arena.until(lambda: not arena.engine.tables_in_play)
    assert store.record(seat.match_id) == record
    assert {entry.matches for entry in store.entries(store.season(""))} == {0}


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_no_card_of_another_hand_is_ever_in_the_persons_view(arena: Arena) -> None:
    seat = await arena.engine.seat_person()
    chance = random.Random(5)
    views = []
    while (view := await asked(seat))["state"] == "playing":
        views.append(view)
        answer(seat, view, chance)
        views.append(seat.view())

    record = seat.record
    assert record is not None
    for view in views:
        json.dumps(view)
        dealt = record.rounds[view["round"] - 1]
        own = set(dealt.hands[:13])
        before = set(record.rounds[0].plays) if view["round"] == 2 else set()
        shown = [card for trick in (*view["tricks"], view["trick"]) for card in trick["cards"]]
        assert shown == list(dealt.plays[: len(shown)])
        assert cards_in(view) <= own | set(shown) | before
        assert set(view["hand"]) == own - set(shown)


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_what_may_not_be_done_is_said_in_words_and_changes_nothing(arena: Arena) -> None:
    seat = await arena.engine.seat_person()
    with pytest.raises(NotNow, match="it is not your turn"):
        seat.answer(card=0x12)
    view = await asked(seat)
    with pytest.raises(NotNow, match="1 to 8 may be called"):
        seat.answer(call=9)
    with pytest.raises(NotNow, match="a call is to be made first"):
        seat.answer(card=view["hand"][0])
    with pytest.raises(NotNow, match="one answer"):
        seat.answer()
    assert seat.view()["asked"] == "call"
    seat.answer(call=1)

    refused = 0
    while (view := await asked(seat))["state"] == "playing":
        if view["asked"] == "card":
            foreign = next(card for card in map(int, Card) if card not in view["hand"])
            with pytest.raises(NotNow, match="not in your hand"):
                seat.answer(card=foreign)
            with pytest.raises(NotNow, match="the calls are made"):
                seat.answer(call=1)
        for card, words in view["why_not"].items():
            assert words.startswith("must ")
            assert int(card) not in view["legal_cards"]
            with pytest.raises(NotNow, match=words):
                seat.answer(card=int(card))
            refused += 1
        assert set(view["why_not"]) == {str(card) for card in view["hand"] if view["asked"] == "card"} - {
            str(card) for card in view["legal_cards"]
        }
        answer(seat, view, random.Random(1))

    assert refused > 0
    assert seat.record is not None
    assert not seat.record.faults


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_match_of_a_person_who_leaves_is_void(arena: Arena, store: LeagueStore) -> None:
    seat = await arena.engine.seat_person(["house-greedy", "house-random", "house-lowest"])
    await asked(seat)

    seat.leave()
    await arena.until(lambda: not arena.engine.tables_in_play)

    table = tables_of(store)[0]
    assert (table.state, table.reason) == (TableState.VOID, "the person left")
    assert (seat.state, seat.view()["reason"]) == ("void", "the person left")
    assert store.stored_match_ids(table) == set()
    with pytest.raises(NotNow):
        seat.answer(call=1)


async def test_person_may_leave_before_the_match_begins(arena: Arena, store: LeagueStore) -> None:
    seat = await arena.engine.seat_person()
    seat.leave()

    await arena.until(lambda: not arena.engine.tables_in_play)

    assert (seat.state, tables_of(store)[0].reason) == ("void", "the person left")


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_decision_that_came_too_late_is_made_for_the_person_and_told(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plays_module, "PERSON_TIME", "4+0")
    seat = await arena.engine.seat_person()
    await asked(seat)
    chance = random.Random(6)

    await arena.until(lambda: seat.view()["notices"] != [])
    told = seat.view()["notices"]
    while (view := await asked(seat))["state"] == "playing":
        answer(seat, view, chance)

    record = seat.record
    assert record is not None
    assert told == ["no answer within the limit of 4 s: 1 was chosen for you"]
    assert [fault.seat for fault in record.faults].count(0) == 1


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_draining_arena_gives_up_the_persons_match_at_once(arena: Arena) -> None:
    seat = await arena.engine.seat_person()
    await asked(seat)

    await arena.engine.drain()

    assert (seat.state, seat.view()["reason"]) == ("void", "the arena was stopped")
    with pytest.raises(ArenaError, match="nothing is played here"):
        await arena.engine.seat_person()


@pytest.mark.parametrize(
    ("opponents", "says"),
    [
        (["house-greedy"], "three different opponents are needed"),
        (["house-greedy", "house-greedy", "house-lowest"], "three different opponents are needed"),
        (["house-greedy", "house-lowest", "nobody"], "nobody is no local bot that plays now"),
    ],
)
async def test_opponents_that_cannot_be_had_are_named(arena: Arena, opponents: list[str], says: str) -> None:
    with pytest.raises(ArenaError, match=says):
        await arena.engine.seat_person(opponents)


async def test_person_sits_with_the_names_of_the_table(arena: Arena, store: LeagueStore) -> None:
    seat = await arena.engine.seat_person(["house-greedy", "house-random", "house-lowest"])

    view = seat.view()
    assert view["bots"] == ["person", "house-greedy", "house-random", "house-lowest"]
    assert (view["seat"], view["state"]) == (0, "waiting")
    assert tables_of(store)[0].kind is TableKind.PERSON
    assert tables_of(store)[0].is_fresh


@pytest.mark.parametrize(
    ("card", "hand", "trick", "says"),
    [
        ("2H", "2H KH", "QH", "must beat the queen of hearts"),
        ("2C", "2C 3H", "QH", "must follow hearts"),
        ("2C", "2C 3S", "QH", "must trump"),
        ("2C", "2C 9S", "QH 4S", "must overtrump the 4 of spades"),
        ("3S", "3S 9S 2C", "QH 4S", "must overtrump the 4 of spades"),
        ("2C", "2C 3S", "QH 4S", ""),
        ("2H", "2H 3H", "QH", ""),
        ("2H", "2H KH", "QH 2S", ""),
        ("2C", "2C 9S", "", ""),
        ("3S", "3S AS", "TS", "must beat the 10 of spades"),
    ],
)
def test_reasons_are_what_card_players_say(card: str, hand: str, trick: str, says: str) -> None:
    held = [int(one) for one in card_list(cards(hand))]
    laid = [int(Card.parse(word)) for word in trick.split()]

    assert why_not(int(Card.parse(card)), held, laid, CALLBREAK) == says


def test_spade_that_cannot_win_is_due_where_the_rules_force_it() -> None:
    rules = find_ruleset("callbreak+undertrump=forced")
    held = [int(Card.parse("3S")), int(Card.parse("2C"))]
    laid = [int(Card.parse("QH")), int(Card.parse("4S"))]

    assert why_not(held[1], held, laid, rules) == "must still play a spade"


@pytest.mark.parametrize("ruleset", ["callbreak", "call-bridge", "callbreak+undertrump=forced"])
def test_there_is_a_reason_exactly_for_what_is_not_legal(ruleset: str) -> None:
    chance, rules = random.Random(9), find_ruleset(ruleset)
    for _ in range(500):
        deck = chance.sample(list(Card), 16)
        trick = Trick(0, tuple(deck[: chance.randint(0, 3)]))
        hand = deck[3 : 3 + chance.randint(1, 13)]
        legal = card_list(legal_cards(card_set(hand), trick, rules))
        for card in hand:
            reason = why_not(card, hand, trick.cards, rules)
            assert (reason == "") == (card in legal)


def test_cards_have_the_names_that_players_use() -> None:
    assert [card_name(Card.parse(text)) for text in ("TC", "JD", "QH", "KS", "AS")] == [
        "10 of clubs",
        "jack of diamonds",
        "queen of hearts",
        "king of spades",
        "ace of spades",
    ]
