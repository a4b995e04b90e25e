"""Owns what `arena report` promises on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.reports.site.sites import run_of

WITHOUT = """\
import sys
sys.modules[{module!r}] = None
from arena.cli.group import run
sys.exit(run(sys.argv[1:]))
"""


def arena(*words: str | Path, without: str = "nothing") -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", WITHOUT.format(module=without)]
    return subprocess.run([*program, *map(str, words)], capture_output=True, text=True, check=False)


def test_report_prints_the_page_to_open(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=16)
    done = arena("report", run.folder, "--out", tmp_path / "public" / "spring")

    assert (done.returncode, done.stderr) == (0, "")
    page = Path(done.stdout.strip())
    assert page == tmp_path / "public" / "spring" / "index.html"
    assert page.is_file()
    assert {path.name for path in page.parent.parent.iterdir()} == {"spring"}


def test_report_of_nothing_is_a_mistake_in_one_line(tmp_path: Path) -> None:
    done = arena("report", tmp_path)

    assert done.returncode == 2
    assert done.stderr == f"arena: {tmp_path}: no tournament there (plan.json is missing)\n"


def test_report_does_not_replace_what_is_none(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=16)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("dear")
    done = arena("report", run.folder, "--out", tmp_path / "mine")

    assert done.returncode == 2
    assert "is there already and is not a report" in done.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_report_without_its_extra_says_what_to_install(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=16)
    done = arena("report", run.folder, without="vl_convert")

    assert done.returncode == 2
    assert "needs vl_convert, which is not installed: pip install 'callbreak-arena[report]'" in done.stderr
