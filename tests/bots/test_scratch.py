"""Folders for sockets are gone with their owner, or with the next arena after an owner that was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.bots.scratch import scratch_folder, sweep

ROOT = Path(__file__).parents[2]
OWNER = """
import sys
from arena.bots.scratch import scratch_folder

with scratch_folder() as folder:
    (folder / "a.sock").touch()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own, for this process and for those it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def start_owner() -> tuple[subprocess.Popen[str], Path]:
    """Another process with a folder of its own, and that folder."""
    pipe = subprocess.PIPE
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=pipe, stdout=pipe, text=True, cwd=ROOT)
    assert owner.stdout is not None
    return owner, Path(owner.stdout.readline().strip())


def test_folder_is_gone_after_its_context_with_all_that_was_in_it(place: Path) -> None:
    with scratch_folder() as folder:
        (folder / "b.sock").touch()
        assert folder.parent == place

    assert list(place.iterdir()) == []


def test_folder_in_use_stays_and_one_whose_owner_was_killed_is_swept_up(place: Path) -> None:
    owner, folder = start_owner()
    with owner:
        sweep()
        assert (folder / "a.sock").exists()

        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert (folder / "a.sock").exists()

    with scratch_folder() as mine:
        assert list(place.iterdir()) == [mine]


def test_what_is_no_folder_of_sockets_is_left_alone(place: Path) -> None:
    (place / "arena-match-logs").mkdir()
    (place / "arena-bots-file").touch()
    (place / "arena-bots-link").symlink_to(place / "arena-match-logs")

    sweep()

    assert len(list(place.iterdir())) == 3
