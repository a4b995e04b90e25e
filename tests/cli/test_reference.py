"""The run that is committed follows from its plan, and comes again bit for bit, times aside."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.tournament.plan import read_plan
from tests.cli.commands import arena
from tools.pictures import standings_svg

Capsys = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results" / "reference"


def test_reference_run_verifies(capsys: Capsys) -> None:
    said = arena(capsys, "verify", REFERENCE)

    assert said.status == 0, said.out
    assert said.out.startswith(f"{REFERENCE}: 80 matches verified")


@pytest.mark.slow
@pytest.mark.parametrize("match_id", ["t000-s00000-r0", "t004-s00019-r3"])
def test_a_match_of_it_comes_again_with_the_sample_bots_of_today(capsys: Capsys, match_id: str) -> None:
    said = arena(capsys, "rerun", REFERENCE, match_id)

    assert said.status == 0, f"{said.out}{said.err}; if a sample bot was changed: see results/README.md"


def test_its_standings_are_the_ones_beside_it(capsys: Capsys) -> None:
    document = json.loads(arena(capsys, "standings", REFERENCE, "--format", "json").out)
    kept = json.loads((REFERENCE / "standings.json").read_text())

    assert (document["seed"], document["matches"]) == (kept["seed"], kept["matches"])
    for row, other in zip(document["rows"], kept["rows"], strict=True):
        assert row.pop("faults") == other.pop("faults")
        assert row == pytest.approx(other)
    assert (
        arena(capsys, "standings", REFERENCE, "--format", "md").out
        == (REFERENCE / "standings.md").read_text()
    )


def test_command_beside_it_names_its_bots_and_its_seed() -> None:
    [command] = re.findall(
        r"^arena tournament .*$", (ROOT / "results" / "README.md").read_text(), re.MULTILINE
    )
    words, plan = command.split(), read_plan(REFERENCE)

    assert [words[i + 1] for i, word in enumerate(words) if word == "--only"] == [
        e.name for e in plan.entrants
    ]
    for option, value in (
        ("--seed", plan.seed_text),
        ("--sets", str(plan.schedule.sets_per_table)),
        ("--time", plan.time_control),
        ("--sandbox", plan.sandbox),
    ):
        assert words[words.index(option) + 1] == value


def test_readme_shows_its_table() -> None:
    kept = ROOT / "docs" / "pictures" / "standings.svg"

    assert "docs/pictures/standings.svg" in (ROOT / "README.md").read_text()
    assert kept.read_text(encoding="utf-8") == standings_svg(), "make pictures, and look at them"
    assert "http" not in kept.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
