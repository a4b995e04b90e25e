"""Whatever is done to a tournament's processes and streams: nothing is lost, doubled or changed."""

from __future__ import annotations

import pytest

from tests.chaos.driver import chaos

pytestmark = [pytest.mark.slow, pytest.mark.chaos, pytest.mark.timeout(600)]

FAULTS = 20
SEED = 2026


def test_disturbed_tournament_ends_as_if_nobody_had_disturbed_it() -> None:
    outcome = chaos(faults=FAULTS, seed=SEED, sets=2)

    assert outcome.findings == []
    assert len(outcome.blows) == FAULTS
