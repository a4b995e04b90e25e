"""Owns the folders for bots' sockets: each goes with its owner, or is swept up after one that was killed.

An owner holds a lock on its folder, which no death can keep from being let go. That tells a folder in use
from one that was left behind. It must not know what is in them.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["scratch_folder", "sweep"]

PREFIX = "arena-bots-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A fresh folder in the system's temporary one, removed with all that is in it when the context ends.

    What killed arenas have left is swept up first.
    """
    sweep()
    folder, lock = _locked_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep() -> None:
    """Removes the folders of this user that killed arenas left; those in use stay."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # another user's, or gone already
            continue
        try:
            if os.fstat(lock).st_uid == os.getuid() and _is_free(lock):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def _locked_folder() -> tuple[Path, int]:
    """A folder and the open lock on it; another when a sweep came in between and took it for a leftover."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)


def _is_free(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
