"""Owns the sandbox of the tests with real bots: this machine's, or a skip with its reason."""

from __future__ import annotations

import pytest

from arena.bots.bubblewrap import Bubblewrap, SandboxError, find_bubblewrap


@pytest.fixture(scope="session")
def bwrap() -> Bubblewrap:
    """bwrap as this user may use it here."""
    try:
        return find_bubblewrap()
    except SandboxError as error:
        pytest.skip(str(error))
