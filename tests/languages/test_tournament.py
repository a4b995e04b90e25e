"""A tournament of the sample bots, in six languages and in the sandbox, has no fault."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.bots.bubblewrap import SandboxError, find_bubblewrap
from arena.bots.manifest import find_bots
from tests.cli.commands import arena
from tests.languages.languages import COMPILED, SAMPLE_BOTS, built


@pytest.mark.slow
@pytest.mark.timeout(2400)
@pytest.mark.needs_go
@pytest.mark.needs_cargo
@pytest.mark.needs_node
@pytest.mark.needs_java
@pytest.mark.needs_cpp
def test_sample_bots_in_six_languages_play_a_tournament_without_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        find_bubblewrap()
    except SandboxError as error:
        pytest.skip(str(error))
    bots = find_bots(SAMPLE_BOTS)

    for bot in bots:
        asyncio.run(built(bot.path))

    said = arena(
        capsys,
        *("tournament", "--bots", SAMPLE_BOTS, "--out", tmp_path / "run", "--sandbox", "bwrap", "--strict"),
        *("--format", "balanced", "--matches-per-bot", 4, "--rounds", 2, "--seed", 1, "--time", "10+60"),
    )

    assert {bot.language for bot in bots} == {"python", *(language.name for language in COMPILED)}
    assert "left out" not in said.err
    assert "warning" not in said.err
    assert said.status == 0, said.err
    assert [bot.name for bot in bots if bot.name not in said.out] == []
