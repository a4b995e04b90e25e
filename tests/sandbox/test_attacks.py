"""Each attack fails inside the sandbox, and the control run shows that it is real outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap
from arena.bots.sandbox import NoSandbox
from tests.sandbox.attacks import ATTACKS, Attack, World, a_world, try_attack

by_name = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
with_control = pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if attack.has_control], ids=lambda attack: attack.name
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        yield world


@by_name
async def test_attack_fails_inside(attack: Attack, world: World, tmp_path: Path, sandbox: Bubblewrap) -> None:
    outcome = await try_attack(attack, world, tmp_path, sandbox=sandbox)

    assert not outcome.worked, outcome.said
    assert "Traceback" not in outcome.said
    assert "sandbox could not" not in outcome.exit.reason, outcome.said


@with_control
async def test_attack_is_real_outside(attack: Attack, world: World, tmp_path: Path) -> None:
    outcome = await try_attack(attack, world, tmp_path, sandbox=NoSandbox())

    assert outcome.worked, outcome.said
