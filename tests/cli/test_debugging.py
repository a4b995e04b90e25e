"""A match that its author watches: what the bot is asked, answers and prints; a bot started by hand."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.house import HOUSE_BOTS
from tests.cli.commands import arena, quick_bots, start

pytestmark = pytest.mark.slow

Capsys = pytest.CaptureFixture[str]
OPTIONS = ("--rounds", 1, "--seed", 3, "--sandbox", "none", "--quiet")
QUICK = (*OPTIONS, "--time", "20+60")
OTHERS = ("house-lowest", "house-lowest", "house-lowest")
TALKATIVE = """
import sys

from arena.sdk import Bot, run


class Talkative(Bot):
    def call(self, view):
        print("I hold", len(view.hand))
        view.note("two it is")
        return 2

    def play(self, view):
        sys.stderr.write("half a line, ")
        sys.stderr.write("to lead\\n" if not view.trick else "\\x1b[2J unfinished")
        return view.legal_cards[0]


run(Talkative())
"""
ILLEGAL = """
from arena.sdk import Bot, run


class Illegal(Bot):
    def call(self, view):
        return 99

    def play(self, view):
        return min(view.unseen)


run(Illegal())
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def bot(folder: Path, name: str, program: str) -> Path:
    file = folder / f"{name}.py"
    file.write_text(program)
    return file


def test_every_decision_is_told_with_what_the_bot_printed_before_it(capsys: Capsys, tmp_path: Path) -> None:
    said = arena(
        capsys, "match", OTHERS[0], bot(tmp_path, "talkative", TALKATIVE), *OTHERS[1:], *QUICK, "--debug", 1
    )

    assert said.status == 0
    told = [line for line in said.err.splitlines() if line.startswith("[1 talkative]")]
    assert told[0] == "[1 talkative] match starts: callbreak+rounds=1, seat 1, 20.00 s, 60.00 s in the bank"
    call = told.index("[1 talkative] round 1, to call 1 to 8, dealt by seat 3")
    assert told[call + 1].startswith("[1 talkative]   hand ♠ ")
    assert told[call + 2].startswith("[1 talkative]   by seat: calls 1 - - -, tricks 0 0 0 0, points 0.0 0.0")
    assert told[call + 3] == "[1 talkative]   | I hold 13"
    assert told[call + 4].startswith("[1 talkative]   answers 2 after ")
    assert told[call + 4].endswith('; notes "two it is"')
    printed = [line for line in told if "half a line, " in line]
    assert printed
    assert all("to lead" in line or "\\x1b[2J unfinished" in line for line in printed)
    assert told[-2].startswith("[1 talkative] round 1 ends, call/tricks and points by seat: 1/")
    assert told[-1].startswith("[1 talkative] match ends, points by seat: ")
    assert "\x1b" not in said.err
    assert said.out.startswith("round   0 house-lowest")


def test_a_refused_answer_is_told_as_the_bot_is_told_of_it(capsys: Capsys, tmp_path: Path) -> None:
    said = arena(capsys, "match", bot(tmp_path, "illegal", ILLEGAL), *OTHERS, *QUICK, "--debug", 0)

    told = [line for line in said.err.splitlines() if line.startswith("[0 illegal]")]
    assert any("answers 99 after" in line for line in told)
    refused = [line for line in told if "] ! ILLEGAL_C" in line]
    assert [line.rpartition("; ")[2] for line in refused] == [f"strike {n} of 3" for n in (1, 2, 3)]
    assert "; a call of 1 instead;" in refused[0]
    assert any("! the seat is forfeited: ILLEGAL_CALL, ILLEGAL_CARD, ILLEGAL_CARD" in line for line in told)


def test_watching_changes_nothing_that_is_played(capsys: Capsys, tmp_path: Path) -> None:
    seats = (bot(tmp_path, "talkative", TALKATIVE), *OTHERS)

    plain = arena(capsys, "match", *seats, *QUICK, "--json")
    watched = arena(capsys, "match", *seats, *OPTIONS, "--json", "--debug", 0, "--debug", 2, "--no-clock")

    assert json.loads(watched.out) == json.loads(plain.out)
    assert "the clock is off" in watched.err
    assert "[0 talkative] match starts: callbreak+rounds=1, seat 0, no clock" in watched.err
    assert "[2 house-lowest-2] match ends" in watched.err


@pytest.mark.parametrize("has_port", [False, True], ids=["socket", "port"])
def test_bot_started_by_hand_takes_its_seat(capsys: Capsys, tmp_path: Path, has_port: bool) -> None:
    mine = quick_bots(tmp_path / "bots", "mine") / "mine.py"
    seats = (OTHERS[0], mine, *OTHERS[1:])
    wanted = ("--wait", 1, *(("--port", free_port()) if has_port else ()))
    with start("match", *seats, *QUICK, "--json", *wanted, "--debug", 1) as playing:
        assert playing.stderr is not None
        assert playing.stderr.readline().startswith("waiting for mine on seat 1: start it, in ")
        address, command = playing.stderr.readline().strip().split(" ", 1)
        assert address.startswith("ARENA_ADDRESS=127.0.0.1:" if has_port else "ARENA_ADDRESS=unix:///")
        assert command.endswith("mine.py")
        name, _, value = address.partition("=")
        environment = {**os.environ, name: value, "PYTHONPATH": str(Path.cwd())}
        by_hand = subprocess.run([sys.executable, mine], env=environment, check=False)
        out, err = playing.communicate()

    assert (playing.returncode, by_hand.returncode) == (0, 0), err
    assert "[1 mine] match ends" in err
    undisturbed = arena(capsys, "match", *seats, *QUICK, "--json")
    assert json.loads(out) == json.loads(undisturbed.out)


def test_a_bot_started_by_hand_that_leaves_forfeits_its_seat(tmp_path: Path) -> None:
    leaver = bot(tmp_path, "leaver", TALKATIVE.replace("return 2", "sys.exit(1)"))
    with start("match", leaver, *OTHERS, *QUICK, "--json", "--wait", 0) as playing:
        assert playing.stderr is not None
        playing.stderr.readline()
        address = playing.stderr.readline().split()[0].partition("=")[2]
        environment = {**os.environ, "ARENA_ADDRESS": address, "PYTHONPATH": str(Path.cwd())}
        subprocess.run([sys.executable, leaver], env=environment, check=False, stdout=subprocess.DEVNULL)
        out, _ = playing.communicate()

    document = json.loads(out)
    assert document["forfeited"] == [0]
    assert [(fault["kind"], fault["detail"]) for fault in document["faults"]] == [
        ("CRASHED", "its stream ended")
    ]


def test_interrupt_while_waiting_ends_everything(tmp_path: Path) -> None:
    mine = quick_bots(tmp_path / "bots", "mine") / "mine.py"
    with start("match", mine, *OTHERS, *QUICK, "--wait", 0) as playing:
        assert playing.stderr is not None
        playing.stderr.readline()
        address = Path(playing.stderr.readline().split()[0].partition("unix://")[2])
        assert address.exists()
        playing.send_signal(signal.SIGINT)
        playing.communicate()

    assert playing.returncode == 130
    assert not address.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--debug", "4"), "--debug"),
        (("--no-clock", "--time", "1+1"), "--no-clock and --time 1+1 contradict each other"),
        (("--port", "5005"), "--port 5005 is for one bot: give --wait SEAT once"),
        (("--port", "5005", "--wait", "0", "--wait", "1"), "give --wait SEAT once"),
    ],
)
def test_options_that_contradict_each_other_are_named(
    capsys: Capsys, options: tuple[str, ...], message: str
) -> None:
    house = next(iter(HOUSE_BOTS))

    assert message in arena(capsys, "match", house, house, house, house, *options).mistake


def test_port_that_is_taken_is_named(capsys: Capsys) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = arena(capsys, "match", *OTHERS, OTHERS[0], *QUICK, "--wait", 0, "--port", port)

    assert f"--port {port}: cannot listen on 127.0.0.1: Address already in use" in said.mistake
