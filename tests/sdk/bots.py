"""Owns the small bots and messages that the tests of the SDK play with."""

from __future__ import annotations

from typing import Any

from arena.sdk import Bot, Card, MatchEnd, MatchStart, RoundEnd, View
from arena.sdk.messages import messages
from arena.v1 import game_pb2, play_pb2

LIMIT_S = 0.5
BANK_S = 10.0


class Lowest(Bot):
    """Calls the minimum, plays the lowest legal card."""

    name = "lowest"
    version = "1.2.3"

    def call(self, view: View) -> int:
        return min(view.legal_calls)

    def play(self, view: View) -> Card:
        return min(view.legal_cards, key=lambda card: card.rank)


class Listener(Lowest):
    """Keeps everything that it is told, in order."""

    def __init__(self) -> None:
        self.heard: list[View | MatchStart | RoundEnd | MatchEnd] = []

    def call(self, view: View) -> int:
        self.heard.append(view)
        return super().call(view)

    def play(self, view: View) -> Card:
        self.heard.append(view)
        return super().play(view)

    def match_start(self, start: MatchStart) -> None:
        self.heard.append(start)

    def round_end(self, end: RoundEnd) -> None:
        self.heard.append(end)

    def match_end(self, end: MatchEnd) -> None:
        self.heard.append(end)

    def views(self) -> list[View]:
        """The decisions that were asked."""
        return [told for told in self.heard if isinstance(told, View)]


def read(response: play_pb2.PlayResponse) -> Any:
    """The message as a bot's own classes read it off the wire."""
    return messages().play_response.FromString(response.SerializeToString())


def sent(request: Any) -> play_pb2.PlayRequest:
    """What a bot sent, as the arena's classes read it off the wire."""
    return play_pb2.PlayRequest.FromString(request.SerializeToString())


def match_start(match_id: int, *, seat: int = 2) -> play_pb2.MatchStart:
    """The start of a match of one round under the default rules."""
    start = play_pb2.MatchStart(match_id=match_id, seat=seat)
    start.ruleset.name = "callbreak+rounds=1"
    start.ruleset.call_min, start.ruleset.call_max = 1, 8
    start.ruleset.follow = game_pb2.FOLLOW_MUST_BEAT
    start.ruleset.undertrump = game_pb2.UNDERTRUMP_FREE
    start.ruleset.success = game_pb2.SUCCESS_AT_LEAST
    start.ruleset.overtrick_tenths = 1
    start.ruleset.rounds = 1
    start.ruleset.redeal_face_ranks = "JQK"
    start.time_control.limit.FromMilliseconds(int(LIMIT_S * 1000))
    start.time_control.bank.FromMilliseconds(int(BANK_S * 1000))
    return start


def numbers(text: str) -> list[Any]:
    """Cards written as text, in the order written, as the wire has them."""
    return [Card.parse(word) for word in text.split()]


def call_ask(ask_id: int, *, match_id: int) -> play_pb2.Ask:
    """A call that is due from seat 2, which calls first."""
    return play_pb2.Ask(
        ask_id=ask_id,
        match_id=match_id,
        decision=play_pb2.DECISION_CALL,
        seat=2,
        round=1,
        dealer=1,
        hand=numbers("2C 7C 9C KC 3D 4D JD 5H 6H AH TS QS AS"),
        legal_calls=range(1, 9),
        calls=[0, 0, 0, 0],
        tricks_won=[0, 0, 0, 0],
        trick_leader=2,
        limit={"nanos": 500_000_000},
        bank_left={"seconds": 10},
        random_seed=7,
    )


def play_ask(ask_id: int, *, match_id: int) -> play_pb2.Ask:
    """A card that is due from seat 2 in the third round, to the third trick."""
    return play_pb2.Ask(
        ask_id=ask_id,
        match_id=match_id,
        decision=play_pb2.DECISION_PLAY,
        seat=2,
        round=3,
        dealer=1,
        hand=numbers("7C 9C KC 3D 4D JD 5H 6H AH TS QS"),
        legal_cards=numbers("9C KC"),
        calls=[2, 3, 1, 4],
        tricks_won=[1, 0, 1, 0],
        trick_leader=0,
        trick=numbers("3C 8C"),
        history=numbers("AS 2S 3S 4S 2C 5C AC 4C"),
        history_leaders=[2, 2],
        score_tenths=[20, -30, 11, 40, 31, 30, -10, -40],
        limit={"nanos": 500_000_000},
        bank_left={"seconds": 9, "nanos": 250_000_000},
        last_latency={"nanos": 2_000_000},
        random_seed=7,
    )
