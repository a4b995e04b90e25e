"""A Smart Bots server is told what such servers were always told, and its answers are read strictly."""

from __future__ import annotations

import json

import pytest

from arena.bots.smart_bots.words import Reply, answer_to, card_number, card_word, request_for
from arena.referee.record import ruleset_message
from arena.rules import CALLBREAK, PRESETS, Card
from arena.v1 import play_pb2
from tests.sdk.bots import call_ask, play_ask

RULES = ruleset_message(CALLBREAK)
CALL_BRIDGE = ruleset_message(PRESETS["call-bridge"])
CALL, PLAY = call_ask(1, match_id=1), play_ask(1, match_id=1)


def said(value: object) -> Reply:
    return Reply(200, json.dumps({"value": value}).encode())


def decided(answer: play_pb2.Answer) -> tuple[str | None, int, str]:
    kind = answer.WhichOneof("decision")
    return kind, int(getattr(answer, kind)) if kind else 0, answer.note


def test_every_card_has_its_word_and_the_ace_is_1() -> None:
    words = [card_word(card) for card in Card]

    assert [card_number(word) for word in words] == list(Card)
    assert [card_word(Card.SPADES_ACE), card_word(Card.HEARTS_TEN), card_word(Card.CLUBS_TWO)] == [
        "1S",
        "TH",
        "2C",
    ]
    assert [card_number(word) for word in ("AS", "10S", "s1", "", 7, None, ["1S"])] == [None] * 7


def test_bid_is_asked_as_the_protocol_has_it() -> None:
    path, body = request_for(CALL, RULES)

    nobody = {"totalPoints": 0.0, "bid": 0, "won": 0}
    assert path == "/bid"
    assert body == {
        "timeBudget": 14 * 500 + 10_000 // 5,
        "playerId": "P2",
        "playerIds": ["P0", "P1", "P2", "P3"],
        "cards": ["1S", "QS", "TS", "1H", "6H", "5H", "KC", "9C", "7C", "2C", "JD", "4D", "3D"],
        "context": {"round": 1, "players": dict.fromkeys(("P0", "P1", "P2", "P3"), nobody)},
    }


def test_play_is_asked_with_the_trick_and_the_history_in_play_order() -> None:
    path, body = request_for(PLAY, RULES)

    assert path == "/play"
    assert body["played"] == ["3C", "8C"]
    assert body["history"] == [[2, ["1S", "2S", "3S", "4S"], 2], [2, ["2C", "5C", "1C", "4C"], 0]]
    assert body["context"]["players"]["P0"] == {"totalPoints": 5.1, "bid": 2, "won": 1}
    assert body["timeBudget"] == 11 * 500 + 9_250 // 3


def test_points_are_said_in_points_to_one_decimal_place() -> None:
    _, body = request_for(PLAY, RULES)

    points = [player["totalPoints"] for player in body["context"]["players"].values()]
    assert json.dumps(points) == "[5.1, 0.0, 0.1, 0.0]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, ("call", 3, "")),
        (0, ("call", 0, "")),
        (9, ("call", 9, "")),
        (10**12, ("call", 2**32 - 1, "")),
        (-1, (None, 0, "bid -1: a whole number was wanted")),
        (3.0, (None, 0, "bid 3.0: a whole number was wanted")),
        (True, (None, 0, "bid true: a whole number was wanted")),
        (None, (None, 0, "bid null: a whole number was wanted")),
        ("3", (None, 0, 'bid "3": a whole number was wanted')),
    ],
)
def test_bid_is_taken_as_it_is_under_the_rules_that_such_bots_know(
    value: object, expected: tuple[str | None, int, str]
) -> None:
    assert decided(answer_to(CALL, said(value), RULES)) == expected


@pytest.mark.parametrize(("value", "call"), [(1, 2), (2, 2), (8, 8), (9, 8)])
def test_bid_is_moved_into_the_range_of_other_rules(value: int, call: int) -> None:
    answer = answer_to(CALL, said(value), CALL_BRIDGE)

    assert answer.call == call
    assert answer.note == (
        "" if call == value else f"bid {value}, taken for {call}: these rules allow 2 to 8"
    )


def test_card_is_read_by_its_word() -> None:
    assert decided(answer_to(PLAY, said("KC"), RULES)) == ("card", Card.CLUBS_KING, "")
    assert decided(answer_to(PLAY, said("AC"), RULES))[0] is None


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (Reply(500, b"<h1>Oh</h1>\nat line 7"), "HTTP 500: <h1>Oh</h1>"),
        (Reply(404), "HTTP 404"),
        (Reply(200, b"KC"), 'HTTP 200: {"value": ...} was wanted, not KC'),
        (Reply(200, b'["KC"]'), 'HTTP 200: {"value": ...} was wanted, not ["KC"]'),
        (Reply(200, b"\xff\xfe"), 'HTTP 200: {"value": ...} was wanted, not \ufffd\ufffd'),
        (Reply(problem="no answer to POST /play"), "no answer to POST /play"),
    ],
)
def test_reply_that_is_no_answer_decides_nothing_and_says_why(reply: Reply, note: str) -> None:
    assert decided(answer_to(PLAY, reply, RULES)) == (None, 0, note)


def test_note_is_no_longer_than_a_note_may_be() -> None:
    answer = answer_to(PLAY, Reply(500, b"x" * 5000), RULES)

    assert len(answer.note) == 200
