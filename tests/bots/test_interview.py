"""`arena check` finds what is wrong with a bot, in words, and nothing wrong with a good one."""

from __future__ import annotations

import json
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bubblewrap import Bubblewrap
from arena.bots.cases import CASES, Case, deal_case
from arena.bots.interview import EMPTY_BANK, LATER_VERSION, MANY, SECOND_START, TRIALS
from arena.cli.group import run
from arena.rules import FULL_DECK, PRESETS, Card, Round, Ruleset, cards, with_rules
from tests.bots.test_bad_bots import EXPECTED

ROOT = Path(__file__).parent.parent.parent
RULESETS = [*PRESETS.values(), with_rules(PRESETS["callbreak"], {"undertrump": "forced", "call_max": "13"})]
# What does not spoil a match and is wrong all the same: the kind of finding, and its words.
NUISANCES = {
    "duplicate_answers": ("DUPLICATE", "ask 1 was answered twice; the second answer is dropped"),
    "flood_of_output": ("OUTPUT", "it printed 27.0 MB"),
    "forker": ("DAEMON", "processes that have outlived what started them: 1"),
    "huge_note": ("NOTE", "a note of 50012 characters; the first 200 are kept"),
    "ignores_sigterm": ("GOODBYE", "the process goes on 10 s after Goodbye"),
    "second_stream": ("STREAM", "streams opened beside the first, and refused: 1"),
}
# What a bot may do, as docs/authors.md says: it is worth a note, and no reason to fail.
ALLOWED = {
    "prints_and_reads": ("OUTPUT", "kept beside the results, and no part of the protocol"),
    "slow_drip": ("PIECES", "8 asks of a Turn were answered in as many messages"),
}
WRONG = {
    name: (expected.kind.name, "") for name, expected in EXPECTED.items() if expected.kind is not None
} | NUISANCES
OPTIONS = ["--ruleset", "callbreak", "--time", "0.2+0.2", "--startup", "3"]


def _legal_now(case: Case, rules: Ruleset) -> tuple[Round, list[Card]]:
    deal = deal_case(case, rules)
    round_ = Round(deal.hands, dealer=3, rules=rules)
    for _ in range(4):
        round_.call(rules.call_min)
    for card in deal.script:
        round_.play(card)
    return round_, [card for card in Card if round_.legal & card.bit]


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_comes_about_under_every_ruleset(case: Case, rules: Ruleset) -> None:
    round_, _ = _legal_now(case, rules)
    deal = deal_case(case, rules)

    assert round_.turn == deal.seat
    assert cards(case.holds) & ~deal.hands[deal.seat] == 0
    assert deal.hands[0] | deal.hands[1] | deal.hands[2] | deal.hands[3] == FULL_DECK


@pytest.mark.parametrize(
    ("name", "must"),
    [
        ("must beat the card led", "AH"),
        ("must beat the best card of the suit, not the card led", "QH"),
        ("void, must overtrump", "JS"),
        ("spades led, must beat", "QS"),
    ],
)
def test_hard_case_leaves_no_losing_card(name: str, must: str) -> None:
    case = next(case for case in CASES if case.name == name)
    round_, legal = _legal_now(case, PRESETS["callbreak"])
    best = round_.trick[-1]

    assert Card.parse(must) in legal
    assert all(card > best or card.suit is not Card(best).suit for card in legal)


def checked(capsys: pytest.CaptureFixture[str], bot: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Exit status and document of a check."""
    status = run(["check", str(bot), *options, "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, document


def found(document: dict[str, Any], severity: str) -> dict[str, str]:
    """Kind to text of the findings of this severity."""
    return {each["kind"]: each["text"] for each in document["findings"] if each["severity"] == severity}


def script(folder: Path, source: str) -> Path:
    """A bot that is one file."""
    path = folder / "script.py"
    path.write_text("from arena.sdk import Bot, run\n" + textwrap.dedent(source))
    return path


@pytest.mark.parametrize("bot", ["lowest", "random", "greedy", "counting", "learned", "steady"])
def test_sample_bot_passes(bot: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, document = checked(capsys, ROOT / "sample_bots" / bot, "--sandbox", "none")

    assert (status, document["passed"]) == (0, True)
    assert found(document, "note").keys() <= {"SLOW", "PIECES"}, "a busy machine is no fault"
    assert document["cases"] == len(CASES) * (len(PRESETS) + 1) + len(TRIALS) - 1


def test_every_bad_bot_is_found_wrong_or_allowed() -> None:
    assert {*WRONG} | {*ALLOWED} == {*EXPECTED}
    assert not {*WRONG} & {*ALLOWED}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_bad_bot_fails_in_words(
    name: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    bot = ROOT / "tests" / "bad_bots" / f"{name}.py"
    options = ["--sandbox", "none"]
    if EXPECTED[name].needs_sandbox:
        options = ["--sandbox", request.getfixturevalue("bwrap").name, "--startup", "30"]

    status, document = checked(capsys, bot, *OPTIONS, *options)

    kind, words = WRONG[name]
    assert status == 1
    assert words in found(document, "error")[kind]


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_what_a_bot_may_do_is_noted(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, document = checked(
        capsys, ROOT / "tests" / "bad_bots" / f"{name}.py", "--sandbox", "none", "--ruleset", "callbreak"
    )

    kind, words = ALLOWED[name]
    assert (status, found(document, "error")) == (0, {})
    assert words in found(document, "note")[kind]


@pytest.mark.parametrize("name", ["forker", "second_stream"])
def test_what_happens_beside_the_game_is_seen_in_the_sandbox_too(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], bwrap: Bubblewrap
) -> None:
    bot = tmp_path / name
    bot.mkdir()
    for file in ("_wire", name):
        shutil.copy(ROOT / "tests" / "bad_bots" / f"{file}.py", bot)
    command = json.dumps(["python", f"{name}.py"])
    (bot / "bot.toml").write_text(f'name="{name}"\nversion="1"\nlanguage="python"\ncommand={command}\n')

    status, document = checked(capsys, bot, "--sandbox", "bwrap", "--ruleset", "callbreak")

    kind, words = NUISANCES[name]
    assert status == 1
    assert words in found(document, "error")[kind]


def test_finding_is_told_in_a_line_with_the_view_that_caused_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = run(["check", str(ROOT / "tests/bad_bots/call_of_zero.py"), "--sandbox", "none", *OPTIONS])
    lines = capsys.readouterr().out.splitlines()

    assert status == 1
    told = "WRONG: callbreak, leads the first trick: ILLEGAL_CALL: seat 0 called 0: 1 to 8 may be called"
    assert lines[1] == told
    assert lines[2].startswith("  seat 0 held ")
    assert lines[2].endswith(", to call 1 to 8")


STALE = """
    class Slow(Bot):
        max_parallel_matches = 2

        def call(self, view):
            return 1

        def play(self, view):
            {body}
            return view.legal_cards[0]

    run(Slow())
"""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        # thinks as long as limit and bank together allow while the bank is full, and no shorter without one
        ("import time; time.sleep(0.3 if view.time.bank_left_s == 0 else 0)", "TIMEOUT"),
        ("view.time.bank_left_s or 1 / 0", "CRASHED"),
    ],
)
def test_bot_that_counts_on_its_bank_is_found(
    body: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = script(tmp_path, STALE.format(body=body))

    status, document = checked(capsys, bot, "--sandbox", "none", "--ruleset", "callbreak", "--time", "0.2+9")

    [wrong] = [each for each in document["findings"] if each["severity"] == "error"]
    assert (status, wrong["kind"]) == (1, kind)
    assert wrong["case"] == EMPTY_BANK


def test_bot_that_mixes_up_its_matches_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = script(
        tmp_path,
        """
        class Mixed(Bot):
            max_parallel_matches = 4
            hand = ()

            def call(self, view):
                self.hand = [*view.hand]
                return 1

            def play(self, view):
                card = next((card for card in self.hand if card in view.legal_cards), self.hand[0])
                self.hand.remove(card)
                return card

        run(Mixed())
        """,
    )

    status, document = checked(capsys, bot, "--sandbox", "none", "--ruleset", "callbreak")

    wrong = [each for each in document["findings"] if each["severity"] == "error"]
    assert status == 1
    assert {each["case"] for each in wrong} == {MANY}


def test_bot_that_does_not_start_twice_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = script(
        tmp_path,
        """
        import os, sys
        from pathlib import Path

        mark = Path(__file__).with_suffix(".lock")
        if mark.exists():
            sys.exit("another one is running")
        mark.touch()

        class Once(Bot):
            def call(self, view):
                return 1

            def play(self, view):
                return view.legal_cards[0]

        run(Once())
        """,
    )

    status, document = checked(capsys, bot, "--sandbox", "none", "--ruleset", "callbreak")

    [wrong] = [each for each in document["findings"] if each["severity"] == "error"]
    assert (status, wrong["kind"], wrong["case"]) == (1, "CRASHED", SECOND_START)
    assert "another one is running" in wrong["text"]


def test_bot_that_chokes_on_words_of_a_later_version_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "strict.py"
    shutil.copy(ROOT / "tests/bad_bots/_wire.py", tmp_path)
    path.write_text(
        "import os\n"
        "from google.protobuf.unknown_fields import UnknownFieldSet\n"
        "from _wire import Wire, proper\n"
        "wire = Wire()\n"
        "wire.hello()\n"
        "for response in wire.responses():\n"
        "    if len(UnknownFieldSet(response.turn)):\n"
        "        os._exit(7)\n"
        "    for start in response.turn.match_starts:\n"
        "        wire.ready(start.match_id)\n"
        "    for ask in response.turn.asks:\n"
        "        wire.answer(proper(ask))\n"
    )

    status, document = checked(capsys, path, "--sandbox", "none", "--ruleset", "callbreak")

    [wrong] = [each for each in document["findings"] if each["severity"] == "error"]
    assert (status, wrong["kind"], wrong["case"]) == (1, "CRASHED", LATER_VERSION)


def test_missing_bot_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["check", "no/such/bot"])
    captured = capsys.readouterr()

    assert status == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "no/such/bot" in captured.err
