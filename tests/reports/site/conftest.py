"""Owns what tests of the site share: one report for all that only read it, and one browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.chromium import started_chromium
from tests.reports.site.sites import Run, run_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished tournament of five bots with its report; not to be changed."""
    return run_of(tmp_path_factory.mktemp("report") / "spring", sets=2)


# A module, not the session: while it is open this thread counts as running an event loop, and no test of
# another module that needs one of its own could be played.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A real Chromium with a profile of its own."""
    with started_chromium() as browser:
        yield browser
