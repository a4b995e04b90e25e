"""`arena rerun`: the same match again by the same bots, or where it differs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import arena, quick_bots
from tests.store.played import all_played, plan_of, run_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

Capsys = pytest.CaptureFixture[str]
MATCH = "t000-s00000-r1"
# Plays its lowest or its highest card as a file says that is no part of it.
MOODY = """
from pathlib import Path
from arena.sdk import Bot, run


class Moody(Bot):
    max_parallel_matches = 4

    def call(self, view):
        return 1

    def play(self, view):
        mood = Path({mood!r}).read_text()
        return (max if mood == "high" and view.round_number == 2 else min)(view.legal_cards)


run(Moody())
"""


@pytest.fixture(scope="module")
def spring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bots ant, bee and cat, who play low, and moody with its mood; the run comes beside them."""
    place = tmp_path_factory.mktemp("spring")
    bots = quick_bots(place / "bots", "ant", "bee", "cat")
    (place / "mood").write_text("low")
    (bots / "moody.py").write_text(MOODY.format(mood=str(place / "mood")))
    return place


@pytest.fixture
def run(spring: Path, capsys: Capsys) -> Path:
    """The finished run's folder, in the mood in which it was played."""
    folder = spring / "run"
    (spring / "mood").write_text("low")
    if not folder.exists():
        options = ("--sets", 1, "--rounds", 2, "--sandbox", "none", "--seed", 3, "--time", "5+60")
        assert arena(capsys, "tournament", "--bots", spring / "bots", "--out", folder, *options).status == 0
    return folder


def test_bots_that_play_the_same_again_are_said_to(capsys: Capsys, run: Path) -> None:
    said = arena(capsys, "rerun", run, MATCH)

    assert (said.status, said.err) == (0, "")
    assert said.out == f"{MATCH}: identical: 2 rounds, every call, card, fault, score and place\n"


def test_first_decision_that_differs_is_told_and_is_the_exit_status(
    capsys: Capsys, run: Path, spring: Path
) -> None:
    (spring / "mood").write_text("high")

    said = arena(capsys, "rerun", run, MATCH)
    document = json.loads(arena(capsys, "rerun", run, MATCH, "--json").out)

    assert said.status == 1
    differs, then, now = said.out.splitlines()
    assert differs.startswith(f"{MATCH}: differs at round 2, trick 1, seat ")
    assert differs.endswith("(moody)")
    assert then.startswith("  then  played ")
    assert now.startswith("  now   played ")
    assert document["difference"]["bot"] == "moody"
    assert document["difference"]["now"]["decided"] in now
    assert not document["is_identical"]


def test_changed_bot_of_the_match_is_refused_by_its_name(capsys: Capsys, run: Path, spring: Path) -> None:
    cat = spring / "bots" / "cat.py"
    before = cat.read_text()
    cat.write_text(f"{before}\n# sharper claws\n")

    mistake = arena(capsys, "rerun", run, MATCH).mistake
    cat.write_text(before)

    assert "bot cat was changed" in mistake
    assert "ant" not in mistake.replace("want", "")


def test_changed_bot_of_another_match_is_no_matter(capsys: Capsys, tmp_path: Path) -> None:
    plan = plan_of()
    folder = run_in(tmp_path / "run", plan, all_played(plan))

    mistake = arena(capsys, "rerun", folder, "t000-s00000-r0").mistake

    assert all(f"bots/{name}" in mistake for name in ("ant", "bee", "cat", "dog"))
    assert "eel" not in mistake


def test_match_that_is_not_there_is_a_mistake(capsys: Capsys, run: Path) -> None:
    assert "there is no match t000-s00009-r0" in arena(capsys, "rerun", run, "t000-s00009-r0").mistake
