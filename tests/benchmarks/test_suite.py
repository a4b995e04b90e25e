"""The benchmarks run and tell every row; what the figures are is no test's business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.contenders import BATCHED, CONTENDERS, ECHO, FLASK, ONE_ASK, POLLED_ECHO, RULES, THROUGHPUT
from benchmarks.report import table, targets
from benchmarks.sample import Sample
from benchmarks.suite import UNAVAILABLE, Measured

ROOT = Path(__file__).parent.parent.parent
OF_EACH_KIND = ["rules", "socket-4", "echo-4", "arena-1", "arena-16", "flask-1", "aiohttp-16", "lines-16"]
NOT_EVERYWHERE = ["waitress-1", "openspiel-hearts", "rlcard-bridge"]


def benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=55, check=False)


def sample_of(name: str, *options: str) -> Sample:
    ran = benchmarks("sample", name, "--seconds", "0.05", "--matches", "1", *options)
    assert ran.returncode == 0, ran.stderr
    return Sample(**json.loads(ran.stdout))


def measured(name: str, per_s: int) -> Measured:
    return Measured(CONTENDERS[name], [Sample(per_s, 1.0, 0.5, 0.5)], [])


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_sample_counts_decisions_and_time(name: str) -> None:
    sample = sample_of(name)

    assert sample.decisions > 0
    assert sample.seconds > 0
    assert sample.arena_cpu_s > 0


@pytest.mark.parametrize("name", ["arena-1", "lines-1"])
def test_null_bots_are_measured_too(name: str) -> None:
    assert sample_of(name, "--null").decisions > 0


@pytest.mark.parametrize("name", NOT_EVERYWHERE)
def test_peer_that_is_not_installed_says_what_to_install(name: str) -> None:
    ran = benchmarks("sample", name, "--seconds", "0.05")

    assert ran.returncode in (0, UNAVAILABLE), ran.stderr
    assert "decisions" in ran.stdout or "pip install" in ran.stdout


def test_run_prints_machine_table_and_targets(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"

    ran = benchmarks("--quick", "--only", "rules", "lines-1", "--json", str(kept))

    assert ran.returncode == 0, ran.stderr
    assert "load average" in ran.stdout
    assert "| rules alone, one process | 1 |" in ran.stdout
    assert "| JSON lines over pipes | 1 |" in ran.stdout
    assert "rules alone, decisions/s: " in ran.stdout
    assert set(json.loads(kept.read_text())["contenders"]) == {"rules", "lines-1"}


def test_every_contender_has_its_row_and_ratios() -> None:
    rows = table([measured(one.name, 1000 if one.name == ECHO else 500) for one in THROUGHPUT])[2:]

    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [one.title for one in THROUGHPUT]
    assert all(row.split(" | ")[-2] in ("0.50", "1.00") for row in rows)


def test_targets_are_told_with_what_was_reached() -> None:
    names = [RULES, ECHO, POLLED_ECHO, ONE_ASK, BATCHED[0], FLASK[0]]

    told = [str(target) for target in targets([measured(name, 1000) for name in names])]

    assert told[0] == "rules alone, decisions/s: 1,000 of 500,000, missed; 1,000 by processor time"
    one_ask, of_tuned = told[1:3]
    assert one_ask.endswith("bare echo as gRPC comes: 1.00 of 0.90, met; 1.00 by processor time")
    assert of_tuned.endswith("bare echo with the arena's poller: 1.00 of 0.90, met; 1.00 by processor time")
    assert len(told) == 6
