"""Bots in other languages play whole matches: card for card as Python's does, and in the sandbox."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from arena.bots.bubblewrap import SandboxError, find_bubblewrap
from arena.bots.manifest import Entrant, load_bot
from arena.rules import Seed
from arena.v1 import record_pb2
from tests.languages.languages import COMPILED, PYTHON, SAMPLE_BOTS, Language, built, param
from tests.languages.small_arena import SmallArena, meet
from tests.languages.views import recorded_matches, turns
from tests.tournament.tables import play_table

SEED = Seed.parse("11")


@lru_cache(maxsize=1)
def reference() -> Entrant:
    return load_bot(SAMPLE_BOTS / PYTHON.folder)


async def table_with(bot: Entrant, folder: Path) -> list[record_pb2.MatchRecord]:
    """A set of two rounds a match between this bot and three of the Python bot, all rotations at once."""
    others = [reference()] * 3
    rotations = (0, 1, 2, 3)
    records = await play_table([bot, *others], seed=SEED, log_dir=folder, rounds=2, rotations=rotations)
    return sorted(records, key=lambda record: record.match_id)


def plays(records: list[record_pb2.MatchRecord]) -> list[list[tuple[list[int], list[int]]]]:
    """Calls and cards, in play order, of every round of every match."""
    return [[(list(one.calls), list(one.plays)) for one in record.rounds] for record in records]


@pytest.mark.parametrize("language", [param(language) for language in COMPILED])
async def test_table_plays_card_for_card_as_one_of_python_bots(language: Language, tmp_path: Path) -> None:
    bot = await built(SAMPLE_BOTS / language.folder)
    right = await table_with(reference(), tmp_path)

    records = await table_with(bot, tmp_path)

    assert [list(record.faults) for record in records] == [[]] * 4
    assert plays(records) == plays(right)


@pytest.mark.parametrize("language", [param(language) for language in COMPILED])
async def test_bot_runs_in_the_sandbox_within_the_default_limits(language: Language, tmp_path: Path) -> None:
    try:
        sandbox = find_bubblewrap()
    except SandboxError as error:
        pytest.skip(str(error))
    bot = await built(SAMPLE_BOTS / language.folder)
    matches = recorded_matches()
    arena = SmallArena([match.start() for match in matches], list(turns(matches))[:2])

    heard = await meet(arena, bot, tmp_path, address="unix", sandbox=sandbox)

    assert heard.exit
    assert (heard.exit.code, len(heard.answers)) == (0, 2 * len(matches)), heard.output
