"""Owns the promise that CI runs what it says: a skipped test fails there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SKIPPING = """
import pytest

def test_that_cannot_run_here():
    pytest.skip("no such tool")
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text())
    return pytester


def test_skipped_test_passes_by_default(suite: pytest.Pytester) -> None:
    suite.makepyfile(SKIPPING)

    suite.runpytest().assert_outcomes(skipped=1)


def test_skipped_test_fails_where_all_are_promised(suite: pytest.Pytester) -> None:
    suite.makepyfile(SKIPPING)

    result = suite.runpytest("--no-skips")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*promises every test: Skipped: no such tool"])


def test_skipped_module_fails_where_all_are_promised(suite: pytest.Pytester) -> None:
    suite.makepyfile("import pytest; pytest.importorskip('no_such_module')")

    suite.runpytest("--no-skips").assert_outcomes(errors=1)


def test_test_marked_may_skip_is_no_failure_anywhere(suite: pytest.Pytester) -> None:
    suite.makepyfile(SKIPPING.replace("def test", "@pytest.mark.may_skip\ndef test"))

    suite.runpytest("--no-skips").assert_outcomes(skipped=1)


def test_expected_failure_is_no_skip(suite: pytest.Pytester) -> None:
    suite.makepyfile(SKIPPING.replace("def test", "@pytest.mark.xfail\ndef test").replace("skip(", "fail("))

    suite.runpytest("--no-skips").assert_outcomes(xfailed=1)
