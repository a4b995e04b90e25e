"""A record told in words."""

from __future__ import annotations

from arena.reports.replay import match_lines, scorecard_lines
from arena.rules import find_ruleset
from arena.v1 import record_pb2
from tests.store.played import all_played, plan_of

RECORD = all_played(plan_of(["ant", "bee", "cat", "dog"]))[0]


def test_every_card_dealt_is_seen_in_the_hands_and_in_the_tricks() -> None:
    lines = list(match_lines(RECORD, only_round=1, is_plain=True))
    hands = [line.split("   ")[-1].split() for line in lines if " calls " in line]
    tricks = [line.split()[1:] for line in lines if "*" in line]

    ranks = "".join(word for hand in hands for word in hand[1::2])
    assert sorted(ranks.replace("-", "")) == sorted("23456789TJQKA" * 4)
    assert len(tricks) == 13
    assert len({card.strip(">*") for trick in tricks for card in trick}) == 52


def test_leader_and_winner_are_marked_once_a_trick() -> None:
    lines = [line for line in match_lines(RECORD, only_round=2) if "*" in line]

    assert len(lines) == 13
    assert all(line.count(">") == 1 and line.count("*") == 1 for line in lines)


def test_scorecard_ends_with_totals_and_places() -> None:
    *_, totals, places = scorecard_lines(RECORD)

    assert totals.split()[0] == "total"
    assert len(totals.split()) == 5
    assert [int(place) for place in places.split()[1:]] == list(RECORD.places)


def test_redeals_are_told() -> None:
    rules = find_ruleset("callbreak+rounds=2+redeal=on+redeal_face_ranks=J")
    records = all_played(plan_of(["ant", "bee", "cat", "dog"], ruleset=rules, sets=12))

    told = [line for record in records for line in match_lines(record) if "thrown in" in line]

    assert any("has no face card" in line for line in told)


def test_note_of_a_bot_is_shown_where_it_was_made_and_harmless() -> None:
    record = record_pb2.MatchRecord.FromString(RECORD.SerializeToString())
    record.rounds[0].notes[0].text = "\x1b[31mmine\n"

    text = "\n".join(match_lines(record, only_round=1))

    assert "notes: \\x1b[31mmine\\x0a" in text


def test_lines_fit_a_terminal() -> None:
    assert max(len(line) for line in match_lines(RECORD)) <= 80
