"""Owns what tests of the league's pages share: a league with matches, and one browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from tests.chromium import started_chromium
from tests.web.leagues import League

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FROM_OUR_PAGE = {"origin": "http://testserver"}


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """A season of five bots that nobody has played in."""
    found = League(tmp_path)
    yield found
    found.store.close()


@pytest.fixture
def visitor(league: League) -> Iterator[TestClient]:
    """Somebody who looks at the league's pages, and whose browser says where its requests come from."""
    with TestClient(league.app(), headers=FROM_OUR_PAGE, follow_redirects=False) as client:
        yield client


# A module, not the session: see tests/chromium.py.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A real Chromium with a profile of its own."""
    with started_chromium() as browser:
        yield browser
