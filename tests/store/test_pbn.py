"""Portable Bridge Notation: read back by a reader that knows the standard alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.store.export import match_document
from arena.store.pbn import PBN_HEAD, board_lines
from arena.v1 import record_pb2
from tests.store.played import all_played, plan_of

ASKED_FOR = (
    "Event Site Date Board West North East South Dealer Vulnerable Deal Scoring Declarer Contract Result"
)
COMPASS = "NESW"


@dataclass
class Board:
    tags: dict[str, str] = field(default_factory=dict)
    sections: dict[str, list[str]] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)


def read(text: str) -> list[Board]:
    """Boards are parted by an empty line; lines after a tag, up to the next, are its section."""
    boards, last = [Board()], ""
    for line in text.splitlines():
        if line.startswith("%"):
            continue
        if not line:
            boards.append(Board())
        elif tag := re.fullmatch(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]', line):
            last = tag[1]
            boards[-1].tags[last] = re.sub(r"\\(.)", r"\1", tag[2])
        elif line.startswith("{"):
            assert line.index("}") == len(line) - 1
            boards[-1].comments.append(line[1:-1])
        else:
            boards[-1].sections.setdefault(last, []).append(line)
    return [board for board in boards if board.tags]


def card(text: str) -> str:
    """KH, of HK."""
    return text[::-1]


def hands_of(board: Board) -> dict[str, set[str]]:
    first, _, told = board.tags["Deal"].partition(":")
    seats = COMPASS[COMPASS.index(first) :] + COMPASS[: COMPASS.index(first)]
    return {
        seat: {rank + suit for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks}
        for seat, hand in zip(seats, told.split(), strict=True)
    }


def eel_errs(match: RefereedMatch) -> FaultKind | None:
    is_eel = match.setup.seats[match.seat].bot == "eel"
    return FaultKind.MALFORMED if is_eel and not match.faults else None


PLAN = plan_of()
RECORDS = all_played(PLAN, eel_errs)


def boards_of(record: record_pb2.MatchRecord, event: str = "spring") -> list[Board]:
    return read("\n".join([*PBN_HEAD, *board_lines(record, event=event)]))


@pytest.fixture(scope="module", params=[0, 7, 19])
def pair(request: pytest.FixtureRequest) -> tuple[list[Board], dict[str, Any]]:
    record = RECORDS[request.param]
    return boards_of(record), match_document(record)


def test_each_round_is_a_board_with_the_tags_that_the_standard_asks_for(
    pair: tuple[list[Board], dict[str, Any]],
) -> None:
    boards, match = pair

    assert len(boards) == len(match["rounds"])
    for board, played in zip(boards, match["rounds"], strict=True):
        assert " ".join(list(board.tags)[:15]) == ASKED_FOR
        assert [board.tags[point] for point in ("North", "East", "South", "West")] == match["bots"]
        assert board.tags["Dealer"] == COMPASS[played["dealer"]]
        assert board.tags["CallBreakMatch"] == match["match_id"]
        assert (board.tags["Declarer"], board.tags["Contract"], board.tags["Result"]) == ("", "", "")


def test_deal_is_the_one_that_was_dealt(pair: tuple[list[Board], dict[str, Any]]) -> None:
    boards, match = pair

    for board, played in zip(boards, match["rounds"], strict=True):
        assert [hands_of(board)[point] for point in COMPASS] == [set(hand) for hand in played["hands"]]


def test_play_has_a_column_a_seat_from_the_first_leader(pair: tuple[list[Board], dict[str, Any]]) -> None:
    boards, match = pair

    for board, played in zip(boards, match["rounds"], strict=True):
        first = COMPASS.index(board.tags["Play"])
        assert first == (played["dealer"] + 1) % 4
        for line, trick in zip(board.sections["Play"], played["tricks"], strict=True):
            by_seat = {(first + column) % 4: card(word) for column, word in enumerate(line.split())}
            order = [(trick["leader"] + turn) % 4 for turn in range(4)]
            assert [by_seat[seat] for seat in order] == trick["cards"]


def test_calls_stand_in_the_order_in_which_they_were_made(pair: tuple[list[Board], dict[str, Any]]) -> None:
    boards, match = pair

    for board, played in zip(boards, match["rounds"], strict=True):
        told = [line.split() for line in board.sections["CallBreakTable"]]
        seats = [(played["dealer"] + 1 + turn) % 4 for turn in range(4)]
        assert [row[0] for row in told] == [COMPASS[seat] for seat in seats]
        assert [int(row[1]) for row in told] == [played["calls"][seat] for seat in seats]
        assert [int(row[2]) for row in told] == [played["tricks_won"][seat] for seat in seats]
        assert [float(row[3]) * 10 for row in told] == [played["scores_tenths"][seat] for seat in seats]


def test_matches_of_a_set_share_their_board_numbers_and_deals() -> None:
    told = [
        (board.tags["Board"], board.tags["Deal"]) for record in RECORDS[:8] for board in boards_of(record)
    ]

    assert len(set(told)) == 2 * 2
    assert len({number for number, _ in told}) == 2 * 2


def test_fault_is_a_comment_on_one_line() -> None:
    record = next(record for record in RECORDS if record.faults)

    [comment] = [comment for board in boards_of(record) for comment in board.comments]

    assert "MALFORMED" in comment
    assert "\x1b" not in comment


def test_names_and_words_cannot_leave_their_place() -> None:
    record = record_pb2.MatchRecord.FromString(next(r for r in RECORDS if r.faults).SerializeToString())
    record.faults[0].detail = 'no } [Deal "x"]\n[Event "y"] ünd'

    boards = boards_of(record, event='the "big\\one"\n[Site "z"]')

    assert len(boards) == 2
    assert boards[0].tags["Event"] == 'the "big\\one" [Site "z"]'
    assert sum(len(board.comments) for board in boards) == 1


def test_every_line_is_short_ascii() -> None:
    for record in RECORDS:
        for line in board_lines(record, event="spring"):
            assert line.isascii()
            assert len(line) <= 255
