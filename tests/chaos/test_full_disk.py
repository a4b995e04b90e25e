"""A disk that is full or read-only is one clear line, and what was stored stays readable."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.group import INTERRUPTED
from tests.chaos.disks import Disk, NoDisk, disk_at
from tests.chaos.processes import wait_until_nobody_is_in
from tests.cli.commands import Said, arena, quick_bots, start, wait_for_results

pytestmark = [pytest.mark.slow, pytest.mark.chaos, pytest.mark.timeout(240)]

Capsys = pytest.CaptureFixture[str]
NAMES = ("ant", "bee", "cat", "dog")
OPTIONS = ("--seed", "11", "--rounds", "2", "--sandbox", "none", "--time", "5+60", "--jobs", "2")
SHORT, LONG = ("--sets", "4", *OPTIONS), ("--sets", "8", *OPTIONS)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return quick_bots(tmp_path / "bots", *NAMES)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk on which the plan and some matches find room, and no more."""
    (tmp_path / "disk").mkdir()
    try:
        with disk_at(tmp_path / "disk", size="240k") as disk:
            yield disk
    except NoDisk as reason:
        pytest.skip(str(reason))


def last_line(said: Said) -> str:
    """The one line of an operator's mistake, after what was told of the run."""
    assert said.status == 2, said
    assert "Traceback" not in said.err
    assert said.err.count("arena: ") == 1
    return said.err.splitlines()[-1]


def test_results_that_may_grow_no_more_end_the_run_in_one_line_and_it_goes_on_later(
    capsys: Capsys, bots: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with start("tournament", "--bots", bots, "--out", out, *SHORT) as playing:
        wait_for_results(playing)
        resource.prlimit(playing.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        _, err = playing.communicate()

    assert "results cannot be written" in last_line(Said(playing.returncode, "", err))
    assert str(out) in err.splitlines()[-1]
    assert not wait_until_nobody_is_in(bots, patience_s=60)
    assert arena(capsys, "standings", out).status == 0
    assert arena(capsys, "verify", out).status == 0
    assert arena(capsys, "resume", out).status == 0
    assert "16 matches verified" in arena(capsys, "verify", out).out


@pytest.mark.may_skip
def test_full_disk_ends_the_run_in_one_line_and_it_goes_on_once_there_is_room(bots: Path, disk: Disk) -> None:
    out = disk.place / "run"

    ended = disk.arena("tournament", "--bots", bots, "--out", out, *LONG)

    assert "results cannot be written" in last_line(ended)
    assert not wait_until_nobody_is_in(bots, patience_s=60)
    assert disk.arena("standings", out).out.lstrip().startswith("#  bot")
    assert "the tournament is not finished" in disk.arena("verify", out).out
    assert "cannot be written" in last_line(disk.arena("resume", out))
    disk.change("size=20m")
    assert disk.arena("resume", out).status == 0
    assert "32 matches verified" in disk.arena("verify", out).out


@pytest.mark.may_skip
def test_disk_without_room_for_a_plan_is_named(bots: Path, disk: Disk) -> None:
    disk.run("sh", "-c", 'cat /dev/zero > "$0"', str(disk.place / "ballast"))

    said = disk.arena("tournament", "--bots", bots, "--out", disk.place / "run", *SHORT)

    assert "run: the plan cannot be written: No space left" in last_line(said)


@pytest.mark.may_skip
def test_read_only_folder_can_be_read_and_is_not_resumed(bots: Path, disk: Disk) -> None:
    out = disk.place / "run"
    disk.change("size=20m")
    with disk.start("tournament", "--bots", bots, "--out", out, *SHORT) as playing:
        wait_for_results(playing)
        playing.send_signal(signal.SIGINT)
        playing.communicate()
    assert playing.returncode == INTERRUPTED
    disk.change("ro")

    standings, verified, resumed = (disk.arena(name, out) for name in ("standings", "verify", "resume"))

    assert standings.out.lstrip().startswith("#  bot")
    assert "verified" in verified.out
    assert "results.sqlite3: cannot be written" in last_line(resumed)
    again = disk.arena("tournament", "--bots", bots, "--out", disk.place / "other", *SHORT)
    assert "other: the plan cannot be written: Read-only file system" in last_line(again)
