"""What spectators see: cards that were played, when they help nobody any more, and never one that was not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from arena.league.hub import Event, Hub, LiveChanged
from arena.league.live import LINGER_S, Live, LiveMatch, SeenRound
from arena.league.model import TableKind
from arena.league.tables import seen_of, seen_of_record
from arena.referee.record import record_of
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import MatchSetup, SeatSetup
from arena.rules import Card, Ruleset, Seed, card_list, card_numbers, find_ruleset
from arena.v1 import record_pb2

RULES = find_ruleset("callbreak+rounds=2")
BOTS = ("ant", "bee", "cat", "dog")


class NoStore:
    """A hub's store where nobody asks for a table."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


@dataclass
class Stage:
    """A live view with a clock that the test moves, and what it published."""

    shows_cards: bool = True
    most_shown: int = 16
    now_s: float = 1000.0
    told: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        hub = Hub(NoStore())  # type: ignore[arg-type]
        hub.publish = self.told.append  # type: ignore[method-assign,assignment]
        self.live = Live(hub, now_s=lambda: self.now_s, most_shown=self.most_shown)

    def begin(self, match_id: str = "m1", *, rules: Ruleset = RULES) -> None:
        """A match comes on view."""
        self.live.begin(
            match_id,
            table_id=7,
            kind=TableKind.RATED,
            bots=BOTS,
            rules=rules,
            has_cards=self.shows_cards,
        )

    def wait(self, seconds: float) -> None:
        """Lets time pass, a bit at a time."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.now_s = min(end_s, self.now_s + 0.05)
            self.live.tick()

    def match(self) -> LiveMatch:
        """The match on view."""
        found = self.live.match("m1")
        assert found is not None
        return found


def new_match(seed: str = "7") -> RefereedMatch:
    """A match that begins."""
    first, second, third, fourth = (SeatSetup(bot) for bot in BOTS)
    match = RefereedMatch(
        MatchSetup(match_id="m1", seats=(first, second, third, fourth), rules=RULES, seed=Seed.parse(seed))
    )
    match.begin(ask_forced=(True, True, True, True))
    return match


def decisions(match: RefereedMatch, seed: int) -> Iterator[None]:
    """Plays the match at random, one decision at a time."""
    chance = random.Random(seed)
    while match.seat != NOBODY:
        if match.is_calling:
            match.call(chance.randint(1, 5), took_ns=1)
        else:
            match.play(chance.choice(card_list(match.game.round.legal)), took_ns=1)
        yield


def finished(match: RefereedMatch) -> record_pb2.MatchRecord:
    """The record of the match, played to its end."""
    for _ in decisions(match, 5):
        pass
    return record_of(match, started_unix_us=0, duration_us=0)


def cards_shown(match: LiveMatch) -> set[int]:
    """Every number in the document that is a card's."""
    found: set[int] = set()

    def look(value: object) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                if name not in ("table_id", "revision"):  # numbers that are no cards
                    look(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                look(inner)
        elif isinstance(value, int) and value in set(Card):
            found.add(value)

    look({name: value for name, value in match.document().items() if "tenths" not in name})
    return found


@pytest.mark.parametrize("seed", range(5))
def test_no_card_is_ever_shown_before_its_trick_was_played(seed: int) -> None:
    stage, match = Stage(), new_match(str(seed))
    chance = random.Random(seed)
    stage.begin()
    for _ in decisions(match, seed):
        stage.live.see("m1", seen_of(match))
        stage.wait(chance.choice([0.0, 0.1, 0.5, 3.0]))
        shown = stage.match()
        held = {card for hand in match.game.round.hands for card in card_numbers(hand)}
        in_trick = set(match.game.round.trick)
        if shown.round == match.game.round_number and not match.is_over:
            assert not cards_shown(shown) & (held | in_trick)
        assert shown.round <= match.game.round_number


def test_whole_record_is_shown_trick_by_trick_and_nothing_of_it_early() -> None:
    stage = Stage()
    record = finished(new_match())
    stage.begin()
    stage.live.end("m1", seen_of_record(record), places=record.places)
    order = [(r, card) for r, played in enumerate(record.rounds, 1) for card in played.plays]

    shown_before = 0
    while not stage.match().is_over:
        stage.wait(0.25)
        shown = stage.match()
        count = sum(len(trick.cards) for trick in (*shown.tricks, shown.trick)) + 52 * (shown.round - 1)
        assert shown_before <= count <= shown_before + 2
        expected = {card for r, card in order[:count] if r == shown.round}
        assert cards_shown(shown) == expected
        shown_before = count

    assert shown_before == 104


def test_card_of_a_trick_in_play_waits_for_the_whole_trick_and_the_delay() -> None:
    stage, match = Stage(), new_match()
    steps = decisions(match, 1)
    stage.begin()
    for _ in range(7):  # four calls and three cards
        next(steps)
    stage.live.see("m1", seen_of(match))
    stage.wait(60.0)
    assert cards_shown(stage.match()) == set()
    next(steps)
    stage.live.see("m1", seen_of(match))

    stage.wait(0.9)
    before = cards_shown(stage.match())
    stage.wait(2.0)

    assert before == set()
    assert cards_shown(stage.match()) == set(match.game.round.history[:4])


def test_end_of_the_view_is_what_the_record_says() -> None:
    stage = Stage()
    record = finished(new_match())
    stage.begin()
    stage.live.end("m1", seen_of_record(record), places=record.places)

    while not stage.match().is_over:
        stage.wait(1.0)

    shown = stage.match()
    assert shown.totals_tenths == tuple(record.total_tenths)
    assert shown.places == tuple(record.places)
    assert shown.scores_tenths == tuple(tuple(played.score_tenths) for played in record.rounds)
    assert shown.tricks_won == tuple(record.rounds[-1].tricks_won)
    assert shown.calls == tuple(record.rounds[-1].calls)


def test_scores_and_places_are_not_given_away_before_their_time() -> None:
    stage = Stage()
    record = finished(new_match())
    stage.begin()
    stage.live.end("m1", seen_of_record(record), places=record.places)

    stage.wait(15.0)

    shown = stage.match()
    assert (shown.round, shown.scores_tenths, shown.places, shown.is_over) == (1, (), (), False)


def test_match_leaves_the_view_some_time_after_its_end() -> None:
    stage = Stage()
    record = finished(new_match())
    stage.begin()
    stage.live.end("m1", seen_of_record(record), places=record.places)
    while not stage.match().is_over:
        stage.wait(1.0)

    stage.wait(LINGER_S + 1.0)

    assert stage.live.match("m1") is None
    assert stage.live.tick() is None


def test_season_that_keeps_its_records_shows_no_card() -> None:
    stage = Stage(shows_cards=False)
    record = finished(new_match())
    stage.begin()
    stage.live.end("m1", seen_of_record(record), places=record.places)

    while not stage.match().is_over:
        stage.wait(1.0)
        assert cards_shown(stage.match()) == set()

    assert sum(stage.match().tricks_won) == 13


def test_only_so_many_matches_are_on_view() -> None:
    stage = Stage(most_shown=2)
    for match_id in ("m1", "m2", "m3"):
        stage.begin(match_id)

    assert [match.match_id for match in stage.live.matches()] == ["m1", "m2"]
    assert stage.live.match("m3") is None


def test_match_that_will_not_be_finished_leaves_at_once() -> None:
    stage = Stage()
    stage.begin()

    stage.live.drop("m1")

    assert stage.live.matches() == []
    assert stage.told[-1] == LiveChanged("m1")


def test_every_change_is_told_and_nothing_else() -> None:
    stage, match = Stage(), new_match()
    stage.begin()
    for _ in decisions(match, 2):
        if match.game.round.decision == 12:
            break
    stage.live.see("m1", seen_of(match))
    stage.told.clear()
    seen = [stage.match().revision]
    for _ in range(200):
        told_before = len(stage.told)
        stage.wait(0.05)
        changed = stage.match().revision != seen[-1]
        assert (len(stage.told) > told_before) == changed
        seen.append(stage.match().revision)

    assert seen[-1] == 12


def test_view_is_drawn_once_for_all_who_look() -> None:
    stage, match = Stage(), new_match()
    stage.begin()
    next(decisions(match, 1))
    stage.live.see("m1", seen_of(match))
    stage.wait(5.0)

    assert stage.match() is stage.match()


def test_before_the_first_call_the_table_is_empty() -> None:
    stage = Stage()
    stage.begin()

    shown = stage.match()
    assert (shown.round, shown.dealer, shown.turn, shown.calls) == (1, 3, 0, (0, 0, 0, 0))
    assert shown.totals_tenths == (0, 0, 0, 0)
    assert SeenRound(3, (), ()).ready == 0
