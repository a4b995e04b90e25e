"""Clocks on a busy machine: bots that answer at once are never charged, however many tables there are."""

from __future__ import annotations

import os

import pytest

from arena.cli.options import default_jobs
from tests.chaos.busy import play_busy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.chaos,
    pytest.mark.may_skip,
    pytest.mark.skipif("ARENA_BUSY" not in os.environ, reason="starves the machine: set ARENA_BUSY"),
    pytest.mark.timeout(600),
]


def test_many_tables_on_busy_cores_are_charged_with_nothing() -> None:
    clocked = play_busy(tables=15, bots=6, sets=1, loops=default_jobs())

    assert clocked.faults == ()
    assert clocked.matches == 60
