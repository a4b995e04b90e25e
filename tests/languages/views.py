"""Owns the views that every steady bot must answer alike, sampled from matches under many rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import cast

from google.protobuf.duration_pb2 import Duration

from arena.referee.record import ruleset_message, time_control_message
from arena.rules import CALLBREAK, PRESETS, Ruleset, Seed, deal, with_rules
from arena.rules.cards import card_numbers
from arena.rules.matches import Match
from arena.rules.views import View, view_of
from arena.v1 import game_pb2, play_pb2

SEED = 20_240_229
MATCHES = 64
VIEWS_PER_MATCH = 16

RULESETS = (
    *(with_rules(preset, {"rounds": "2"}) for preset in PRESETS.values()),
    with_rules(CALLBREAK, {"rounds": "2", "undertrump": "forced", "call_max": "13", "overtrick_tenths": "3"}),
    with_rules(
        CALLBREAK, {"rounds": "2", "success": "exact_or_one_over", "bonus_call": "5", "bonus_points": "0"}
    ),
)


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """The rules of a match and some of its views, in the order in which they came up."""

    match_id: int
    rules: Ruleset
    views: tuple[View, ...]

    def start(self) -> play_pb2.MatchStart:
        """How the bot is told of the match."""
        return play_pb2.MatchStart(
            match_id=self.match_id,
            ruleset=ruleset_message(self.rules),
            time_control=time_control_message(5 * 10**9, 10 * 10**9),
        )

    def ask(self, number: int) -> play_pb2.Ask:
        """The view of that number as a question; its id is one that a double cannot hold."""
        view = self.views[number]
        return play_pb2.Ask(
            ask_id=2**63 + 1 + number * MATCHES + self.match_id,
            match_id=self.match_id,
            decision=play_pb2.DECISION_CALL if view.is_calling else play_pb2.DECISION_PLAY,
            seat=view.seat,
            round=view.round_number,
            dealer=view.dealer,
            hand=_cards(view.hand),
            legal_calls=view.legal_calls,
            legal_cards=_cards(view.legal_cards),
            calls=view.calls,
            tricks_won=view.tricks_won,
            trick_leader=view.trick_leader,
            trick=_cards(view.trick),
            history=_cards(view.history),
            history_leaders=view.history_leaders,
            score_tenths=view.scores_tenths,
            limit=Duration(seconds=5),
            bank_left=Duration(seconds=10),
            random_seed=2**64 - 1 - number,
        )


def recorded_matches() -> list[RecordedMatch]:
    """The same matches each time: all rulesets by turns, some played at random and some by rough sense."""
    random = Random(SEED)
    return [_record(number, random) for number in range(MATCHES)]


def turns(matches: list[RecordedMatch]) -> Iterator[play_pb2.Turn]:
    """All the views of all the matches: in each turn one of each match."""
    for number in range(VIEWS_PER_MATCH):
        yield play_pb2.Turn(asks=[match.ask(number) for match in matches])


def _record(number: int, random: Random) -> RecordedMatch:
    rules = RULESETS[number % len(RULESETS)]
    match = Match(rules, partial(deal, Seed.parse(str(SEED)).value, number))
    boldness = random.random()
    seen: list[View] = []
    while not match.is_over:
        while not match.round.is_over:
            view = view_of(match)
            if view.is_calling or len(view.legal_cards) > 1:
                seen.append(view)
            _decide(match, view, random, boldness)
        match.next_round()
    chosen = sorted(random.sample(range(len(seen)), VIEWS_PER_MATCH - 2))
    calls = random.sample([i for i, view in enumerate(seen) if view.is_calling and i not in chosen], 2)
    return RecordedMatch(number + 1, rules, tuple(seen[i] for i in sorted([*chosen, *calls])))


def _decide(match: Match, view: View, random: Random, boldness: float) -> None:
    """Any legal answer; high cards the more often the bolder the match."""
    now = match.round
    if now.is_calling:
        now.call(random.choice(list(now.legal_calls)[:5]))
        return
    legal = sorted(card_numbers(now.legal), key=lambda card: card % 16)
    now.play(legal[-1] if random.random() < boldness else random.choice(legal))


def _cards(numbers: list[int]) -> list[game_pb2.Card]:
    return cast(list[game_pb2.Card], numbers)
