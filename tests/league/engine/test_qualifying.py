"""A submission's first match: what lets a bot in, and in which words one is turned away."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import load_bot
from arena.errors import ArenaError
from arena.league import workers as workers_module
from arena.league.store import LeagueStore
from tests.bots.processes import script_bot
from tests.league.engine.arenas import Arena, Shelf, arena_at_work, matches_of, new_season, tables_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

BAD_BOTS = Path(__file__).parents[2] / "bad_bots"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    with LeagueStore.open(f"sqlite:///{tmp_path}/league.sqlite3") as opened:
        yield opened


@pytest.fixture
async def arena(store: LeagueStore, tmp_path: Path) -> AsyncIterator[Arena]:
    new_season(store, rounds=3, time_control="0.5+2")
    async with arena_at_work(store, Shelf(), tmp_path / "run") as at_work:
        yield at_work


async def test_bot_that_plays_to_the_end_is_let_in_and_nothing_is_listed(
    arena: Arena, store: LeagueStore
) -> None:
    verdict = await arena.engine.qualify(load_bot(HOUSE_BOTS["house-greedy"]))

    assert verdict.is_passed
    assert verdict.detail.startswith("played its first match to the end: ")
    assert "replaced" not in verdict.detail
    assert (matches_of(store), tables_of(store)) == ([], [])


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("crash_mid_match", "CRASHED in round "),
        ("crash_at_start", "CRASHED before the first card: "),
        ("illegal_card", "ILLEGAL_CARD in round "),
        ("future_version", "VERSION before the first card: "),
    ],
)
async def test_bot_that_does_not_is_turned_away_in_words(arena: Arena, bad: str, says: str) -> None:
    verdict = await arena.engine.qualify(load_bot(BAD_BOTS / f"{bad}.py"))

    assert not verdict.is_passed
    assert says in verdict.detail


async def test_faults_that_take_no_seat_are_told(arena: Arena, tmp_path: Path) -> None:
    once = """
    from arena.sdk import Bot, run

    class Once(Bot):
        def call(self, view):
            return 99 if view.round_number == 1 else 1

        def play(self, view):
            return view.legal_cards[0]

    run(Once())
    """
    verdict = await arena.engine.qualify(script_bot(tmp_path, once))

    assert verdict.is_passed
    assert "1 of its decisions were replaced, first: ILLEGAL_CALL" in verdict.detail


async def test_dead_workers_are_nobodys_refusal(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "MODULE", "arena.league.model")  # has no main

    with pytest.raises(ArenaError, match="the first match of house_lowest could not be played"):
        await arena.engine.qualify(load_bot(HOUSE_BOTS["house-lowest"]))
