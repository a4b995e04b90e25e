"""The benchmark of watchers runs and tells every row; what the figures are is no test's business."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_all_watchers_see_every_change() -> None:
    options = ["--watchers", "5", "--bots", "8", "--changes", "2", "--idle", "0.1"]
    program = [sys.executable, "-m", "benchmarks.league_watchers", *options]
    ran = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=55, check=False)

    assert ran.returncode == 0, ran.stderr
    assert "5 watchers of a table of 8 bots, 2 changes" in ran.stdout
    assert ran.stdout.count(" ms") >= 3
    assert ran.stderr == ""
