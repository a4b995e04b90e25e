"""A broken bot costs a tournament one line: it is left out before the first match, unless it is wanted in."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.tournament.plan import read_plan
from tests.cli.commands import Said, arena, quick_bots

Capsys = pytest.CaptureFixture[str]
BAD_BOTS = Path(__file__).parent.parent / "bad_bots"
BOT = """
import time
from arena.sdk import Bot, run


class Odd(Bot):
    def call(self, view):
        {call}
        return view.legal_calls[0]

    def play(self, view):
        {play}
        return view.legal_cards[0]


run(Odd())
"""
GOOD = ("ant", "bee", "cat", "dog")


def odd_bot(folder: Path, *, call: str = "pass", play: str = "pass") -> None:
    """A bot called `odd`, with something to do before each call and card."""
    (folder / "odd.py").write_text(BOT.format(call=call, play=play))


def tournament(capsys: Capsys, folder: Path, *options: object) -> Said:
    """A short one between the bots of this folder."""
    short = ("--sets", 1, "--rounds", 1, "--seed", 3, "--sandbox", "none")
    return arena(capsys, "tournament", "--bots", folder / "bots", "--out", folder / "run", *short, *options)


def names_in(folder: Path) -> list[str]:
    """The entrants of the run that was planned there."""
    return [entrant.name for entrant in read_plan(folder / "run").entrants]


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return quick_bots(tmp_path / "bots", *GOOD)


def test_broken_bot_is_left_out_in_one_line_that_says_what_to_do(
    capsys: Capsys, tmp_path: Path, bots: Path
) -> None:
    odd_bot(bots, call="return 99")

    said = tournament(capsys, tmp_path)

    [line] = [line for line in said.err.splitlines() if "odd" in line]
    assert said.status == 0
    assert line == (
        "left out: odd: callbreak+rounds=1, leads the first trick: ILLEGAL_CALL: seat 0 called 99: 1 to 8 may"
        f" be called (`arena check {bots / 'odd.py'}` tells more; --admit-faulty has it play all the same)"
    )
    assert names_in(tmp_path) == [*GOOD]


def test_broken_bot_that_was_named_is_an_error(capsys: Capsys, tmp_path: Path, bots: Path) -> None:
    odd_bot(bots, play="1 / 0")

    said = tournament(capsys, tmp_path, "--only", "odd", "--only", "ant", "--only", "bee")

    assert "odd: callbreak+rounds=1, leads the first trick: CRASHED: exit status 1" in said.mistake
    assert "ZeroDivisionError" in said.mistake
    assert not (tmp_path / "run").exists()


def test_broken_bot_plays_all_the_same_where_that_is_wanted(
    capsys: Capsys, tmp_path: Path, bots: Path
) -> None:
    odd_bot(bots, call="return 99")

    said = tournament(capsys, tmp_path, "--admit-faulty", "--only", "odd", "--only", "ant", "--only", "bee")

    assert said.status == 0
    assert said.err.startswith("warning: odd: callbreak+rounds=1, leads the first trick: ILLEGAL_CALL: ")
    assert read_plan(tmp_path / "run").admits_faulty
    assert "odd" in names_in(tmp_path)


@pytest.mark.slow
def test_slow_answer_is_no_reason_to_leave_a_bot_out(capsys: Capsys, tmp_path: Path, bots: Path) -> None:
    odd_bot(bots, call="time.sleep(0.05)")

    said = tournament(capsys, tmp_path, "--time", "0.01+0")

    assert said.status == 0
    assert "left out" not in said.err
    assert "odd" in names_in(tmp_path)


@pytest.mark.slow
def test_bot_that_never_answers_is_left_out(capsys: Capsys, tmp_path: Path, bots: Path) -> None:
    odd_bot(bots, play="time.sleep(600)")

    said = tournament(capsys, tmp_path, "--time", "0.1+0", "--startup", 4)

    assert "left out: odd: callbreak+rounds=1, leads the first trick: TIMEOUT: no answer within" in said.err
    assert names_in(tmp_path) == [*GOOD]


def test_house_bots_take_the_seats_of_those_left_out(capsys: Capsys, tmp_path: Path) -> None:
    odd_bot(quick_bots(tmp_path / "bots", "ant", "bee"), call="return 99")

    tournament(capsys, tmp_path)

    assert len(names_in(tmp_path)) == 4
    assert {"ant", "bee"} < {*names_in(tmp_path)}
    assert "odd" not in names_in(tmp_path)


def test_nothing_is_played_when_too_few_are_left(capsys: Capsys, tmp_path: Path) -> None:
    odd_bot(quick_bots(tmp_path / "bots", "ant"), call="return 99")

    said = tournament(capsys, tmp_path)

    assert said.status == 2
    assert said.err.splitlines()[-1].endswith("a tournament needs two bots at least; these can play: ant")
    assert not (tmp_path / "run").exists()


def test_comparison_refuses_a_broken_bot(capsys: Capsys, tmp_path: Path, bots: Path) -> None:
    odd_bot(bots, call="return 99")

    said = arena(
        capsys,
        *("sprt", "--candidate", bots / "odd.py", "--baseline", bots / "ant.py", "--max-sets", 1),
        *("--rounds", 1, "--sandbox", "none", "--out", tmp_path / "run"),
    )

    assert "odd: callbreak+rounds=1, leads the first trick: ILLEGAL_CALL" in said.mistake
    assert not (tmp_path / "run").exists()
