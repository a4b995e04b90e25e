"""Matches between bot objects in one process: the arena's rules and views without the arena."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.rules import (
    CALLBREAK,
    PRESETS,
    Card,
    IllegalCall,
    IllegalCard,
    Ruleset,
    Seed,
    card_list,
    deal,
    score_tenths,
    with_rules,
)
from arena.sdk import Bot, MatchEnd, MatchStart, RoundEnd, View
from arena.sdk.local import import_bot, play_match, play_set
from tests.sdk.bots import Listener, Lowest


class Highest(Lowest):
    """Plays its highest legal card."""

    def play(self, view: View) -> Card:
        return max(view.legal_cards, key=lambda card: card.rank)


class Random(Bot):
    """Does anything that is legal."""

    def call(self, view: View) -> int:
        return view.random.choice(view.legal_calls)

    def play(self, view: View) -> Card:
        return view.random.choice(view.legal_cards)


ONE_ROUND = with_rules(CALLBREAK, {"rounds": "1"})


@pytest.mark.parametrize("rules", PRESETS.values(), ids=lambda rules: rules.name)
def test_match_has_its_rounds_scores_and_places(rules: Ruleset) -> None:
    result = play_match([Random(), Lowest(), Random(), Highest()], rules, seed=3)

    assert len(result.rounds) == rules.rounds
    for finished in result.rounds:
        expected = [
            score_tenths(call, won, rules)
            for call, won in zip(finished.calls, finished.tricks_won, strict=True)
        ]
        assert list(finished.scores_tenths) == expected
    assert result.totals_tenths == tuple(
        sum(column) for column in zip(*(finished.scores_tenths for finished in result.rounds), strict=True)
    )
    assert min(result.places) == 1


def test_deals_are_those_of_a_tournament_with_that_seed() -> None:
    result = play_match([Lowest()] * 4, seed=3, set_number=8)

    drawn = Seed.parse("3").value
    assert [finished.dealt for finished in result.rounds] == [
        deal(drawn, 8, number, 0) for number in range(1, 6)
    ]


def test_same_seed_same_match() -> None:
    bots = [Random(), Random(), Random(), Random()]

    assert play_match(bots, seed=3) == play_match(bots, seed=3)
    assert play_match(bots, seed=3) != play_match(bots, seed=4)


def test_forced_plays_are_not_asked() -> None:
    listener = Listener()
    play_match([listener, Lowest(), Lowest(), Lowest()], ONE_ROUND, seed=3)

    plays = [view for view in listener.views() if not view.is_calling]
    assert len(plays) < 13
    assert all(len(view.legal_cards) > 1 for view in plays)


def test_forced_plays_are_asked_for_when_the_bot_wants_them() -> None:
    class Stateful(Listener):
        ask_forced_plays = True

    listener = Stateful()
    play_match([listener, Lowest(), Lowest(), Lowest()], ONE_ROUND, seed=3)

    assert len(listener.views()) == 14


def test_bots_hear_of_start_rounds_and_end() -> None:
    listener = Listener()
    result = play_match([Lowest(), listener, Lowest(), Lowest()], ONE_ROUND, seed=3)

    start, *_, round_end, match_end = listener.heard
    assert isinstance(start, MatchStart)
    assert (start.seat, start.rules) == (1, ONE_ROUND)
    assert isinstance(round_end, RoundEnd)
    assert round_end.scores_tenths == result.rounds[0].scores_tenths
    assert len(round_end.tricks) == 13
    assert isinstance(match_end, MatchEnd)
    assert (match_end.totals_tenths, match_end.places) == (result.totals_tenths, result.places)


def test_a_view_stays_as_it_was_when_play_goes_on() -> None:
    listener = Listener()
    play_match([listener, Lowest(), Lowest(), Lowest()], ONE_ROUND, seed=3)

    first_play = listener.views()[1]
    assert len(first_play.hand) == 13
    assert len(first_play.unseen) + len(first_play.trick) == 39


def test_illegal_card_raises_with_a_sentence() -> None:
    class Revoker(Lowest):
        def play(self, view: View) -> Card:
            return view.unseen[0]

    with pytest.raises(IllegalCard, match="seat 0 played"):
        play_match([Revoker(), Lowest(), Lowest(), Lowest()], seed=3)


def test_illegal_call_raises_with_a_sentence() -> None:
    class Braggart(Lowest):
        def call(self, view: View) -> int:
            return 9

    with pytest.raises(IllegalCall, match="seat 0 called 9"):
        play_match([Braggart(), Lowest(), Lowest(), Lowest()], seed=3)


def test_rotated_set_gives_equal_bots_equal_points() -> None:
    assert len(set(play_set([Lowest()] * 4, seed=3))) == 1


def test_rotated_set_gives_each_bot_each_seat_with_its_neighbour_behind() -> None:
    listeners = [Listener() for _ in range(4)]
    play_set(listeners, ONE_ROUND, seed=3)

    seats = [[told.seat for told in bot.heard if isinstance(told, MatchStart)] for bot in listeners]
    assert seats == [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]


def test_three_bots_make_no_match() -> None:
    with pytest.raises(ArenaError, match="3 were given"):
        play_match([Lowest(), Lowest(), Lowest()])


def test_bot_of_a_folder_or_file_is_imported(tmp_path: Path) -> None:
    source = "from arena.sdk import Bot\nclass Mine(Bot):\n    name = 'mine'\n"
    (tmp_path / "bot.py").write_text(source)

    assert import_bot(tmp_path).name == "mine"
    assert import_bot(tmp_path / "bot.py").name == "mine"


def test_file_without_a_bot_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("from arena.sdk import Bot\n")

    with pytest.raises(ArenaError, match=r"bot\.py: 0 subclasses of Bot"):
        import_bot(tmp_path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no Python file"):
        import_bot(tmp_path / "nobody")


def test_hands_dealt_are_the_hands_seen() -> None:
    listener = Listener()
    result = play_match([listener, Lowest(), Lowest(), Lowest()], ONE_ROUND, seed=3)

    assert listener.views()[0].hand == tuple(card_list(result.rounds[0].dealt[0]))
