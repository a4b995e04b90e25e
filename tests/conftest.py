"""Owns how the whole suite runs: Hypothesis profiles, markers for tools, and skips that CI refuses."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# Markers of tests that need a program, and the program: without it they skip, or fail under --no-skips.
PROGRAMS = {
    "needs_chromium": "chromium",
    "needs_git": "git",
    "needs_make": "make",
    "needs_go": "go",
    "needs_cargo": "cargo",
    "needs_node": "npm",
    "needs_java": "mvn",
    "needs_cpp": "grpc_cpp_plugin",
    "needs_postgres": "initdb",
    "needs_openssl": "openssl",
}

# Programs that Debian keeps where PATH does not lead, one folder a version.
APART = {"initdb": Path("/usr/lib/postgresql")}
# The same for modules.
MODULES = {
    "needs_ray": "ray",
}

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """CI promises every test: with this a skipped one fails."""
    parser.addoption(
        "--no-skips",
        action="store_true",
        help="a skipped test fails, unless marked `may_skip`",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers that PROGRAMS and MODULES define."""
    for marker, program in PROGRAMS.items():
        config.addinivalue_line("markers", f"{marker}: needs the program `{program}`")
    for marker, module in MODULES.items():
        config.addinivalue_line("markers", f"{marker}: needs the module `{module}`")
    config.addinivalue_line("markers", "may_skip: may be skipped in CI too")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose program or module is not there."""
    for marker, program in PROGRAMS.items():
        if item.get_closest_marker(marker) and find_program(program) is None:
            pytest.skip(f"{program} is not installed")
    for marker, module in MODULES.items():
        if item.get_closest_marker(marker) and importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


def find_program(program: str) -> str | None:
    """Where a program of PROGRAMS is, the newest of several versions; None when it is not there."""
    folders = sorted(map(str, APART[program].glob("*/bin")), reverse=True) if program in APART else []
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(folders))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under --no-skips, turns a skip into a failure that repeats its reason."""
    report = yield
    is_expected = hasattr(report, "wasxfail") or item.get_closest_marker("may_skip") is not None
    if report.skipped and item.config.getoption("--no-skips") and not is_expected:
        _refuse_skip(report, item.nodeid)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself as a whole."""
    report = yield
    if report.skipped and collector.config.getoption("--no-skips"):
        _refuse_skip(report, collector.nodeid)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport, node_id: str) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"{node_id} was skipped, and this run promises every test: {reason}"
