"""The benchmark of remote bots runs and tells every row; what the figures are is no test's business."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_remote_bots_play_and_every_row_is_told() -> None:
    program = [sys.executable, "-m", "benchmarks.league_bots", "--bots", "4", "--seconds", "8"]
    ran = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)

    assert ran.returncode == 0, ran.stderr
    assert "4 remote bots connected" in ran.stdout
    assert "matches looked into | 0 |" in ran.stdout
    assert ran.stdout.count("| ") > 8
