"""The plan past this machine: what the simulation must show whatever the costs are."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.costs import Costs
from benchmarks.scale import CORES, DESIGNS, Tournament, simulate, table

ROOT = Path(__file__).parent.parent.parent
COSTS = Costs(
    decisions=200.0,
    decision_us={24: 100.0, 250: 30.0},
    start_s=0.3,
    record_bytes=2000,
    take_us=20.0,
    store_us=200.0,
    stored_bytes=3000.0,
    schedule_us=5.0,
    merge_us=0.1,
    online_us=100.0,
    fit_us=15.0,
)
ONE_STORE, LONGER_JOBS, MANY_STORES = DESIGNS


def test_few_cores_are_bound_by_play_and_many_by_the_one_store() -> None:
    few = simulate(ONE_STORE, COSTS, cores=2, thinking_us=0)
    many = simulate(ONE_STORE, COSTS, cores=8192, thinking_us=0)

    assert few.bound != "the centre"
    assert many.bound == "the centre"
    assert many.matches_per_s < 1e6 / (COSTS.store_us + COSTS.take_us)


def test_rate_grows_with_cores_until_the_centre_is_busy() -> None:
    one, hundred = (simulate(MANY_STORES, COSTS, cores=cores, thinking_us=0) for cores in (1, 100))

    assert 80 < hundred.matches_per_s / one.matches_per_s < 120


def test_longer_jobs_spend_less_on_starting_bots() -> None:
    short, long = (simulate(design, COSTS, cores=2, thinking_us=0) for design in (ONE_STORE, LONGER_JOBS))

    assert short.starting_share > 0.5 > long.starting_share
    assert long.matches_per_s > 3 * short.matches_per_s


def test_thinking_bots_leave_the_centre_idle() -> None:
    thinking = simulate(ONE_STORE, COSTS, cores=128, thinking_us=100_000)

    assert thinking.bound == "play"
    assert thinking.centre_busy < 0.1


def test_same_costs_give_the_same_simulation() -> None:
    assert simulate(ONE_STORE, COSTS, cores=16, thinking_us=0) == simulate(
        ONE_STORE, COSTS, cores=16, thinking_us=0
    )


def test_table_has_a_row_for_every_design_and_number_of_cores() -> None:
    told = list(table(Tournament(bots=10, matches=10**6, thinking_us=0), replace(COSTS, start_s=0.0)))

    assert sum(line.startswith("| jobs of") for line in told) == len(DESIGNS) * len(CORES)
    assert any(line.startswith("- records: 2.0 GB; stored: 3.0 GB") for line in told)


def test_costs_are_measured_and_told() -> None:
    program = [sys.executable, "-m", "benchmarks", "scale", "--quick", "--bots", "50"]

    ran = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=55, check=False)

    assert ran.returncode == 0, ran.stderr
    assert "- a bot's start: " in ran.stdout
    assert "| jobs of 250 sets, stores at the nodes | 8,192 |" in ran.stdout
