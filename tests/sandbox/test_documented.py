"""docs/security.md tells every attack that is tried, and whether it is shown to work outside."""

from __future__ import annotations

from pathlib import Path

from tests.sandbox.attacks import ATTACKS

PAGE = Path(__file__).parents[2] / "docs" / "security.md"


def test_every_attack_is_a_row_of_the_page() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    told = {row[0].removeprefix("| "): row[1] == "yes" for row in rows}

    for attack in ATTACKS:
        assert told.get(attack.name) is attack.has_control, attack.name
