"""Fixtures of the service's tests: a store of one's own, and this machine's sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap, SandboxError, find_bubblewrap
from arena.league.store import LeagueStore
from tests.league.service.calls import Desk, desk_of


@pytest.fixture(scope="session")
def bwrap() -> Bubblewrap:
    """bwrap as this user may use it here."""
    try:
        return find_bubblewrap()
    except SandboxError as error:
        pytest.skip(str(error))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    """An empty league."""
    with LeagueStore.open(f"sqlite:///{tmp_path / 'league.sqlite3'}") as store:
        yield store


@pytest.fixture
async def desk(store: LeagueStore) -> AsyncIterator[Desk]:
    """The service on a loopback port, before an empty league."""
    async with desk_of(store) as desk:
        yield desk
