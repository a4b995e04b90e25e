"""Owns the bots of a node: each unpacked once and built once for its content hash, whoever asks first.

They stay in the user's cache folder for the next run. It must not know how they came to the node.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from arena.bots.build import build_bot, default_cache
from arena.bots.bundle import unpack
from arena.bots.manifest import Entrant, runnable
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError

__all__ = ["default_depot", "settle"]


def default_depot() -> Path:
    """Where a node keeps bots that came to it: `callbreak-arena/bots` in the user's cache folder."""
    return default_cache().with_name("bots")


def settle(
    entrant: Entrant,
    *,
    fetch: Callable[[], bytes],
    sandbox: Sandbox,
    depot: Path | None = None,
    builds: Path | None = None,
) -> Entrant:
    """The entrant of another machine, as it can be started on this one.

    `fetch` gets its bundle, and is called only when no bot of its content hash is here. Whoever else wants
    the same bot waits meanwhile. Raises ArenaError when its files cannot be kept, it cannot be built, or what
    it is started with is not installed.
    """
    depot = depot or default_depot()
    with _locked(depot, entrant.content_hash):
        place = depot / entrant.content_hash
        if not place.is_dir():
            _unpack(fetch(), place, content_hash=entrant.content_hash)
        is_file = entrant.is_single_file
        here = replace(entrant, folder=place, path=place / entrant.path.name if is_file else place)
        if reason := runnable(here):
            raise ArenaError(f"bot {entrant.name} cannot run: {reason}")
        return asyncio.run(build_bot(here, cache=builds, sandbox=sandbox))


@contextmanager
def _locked(depot: Path, content_hash: str) -> Iterator[None]:
    """Keeps others of this node from one bot."""
    try:
        depot.mkdir(parents=True, exist_ok=True)
        lock = os.open(depot / f".{content_hash}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ArenaError(f"{depot}: cannot keep bots there: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _unpack(packed: bytes, place: Path, *, content_hash: str) -> None:
    """Makes `place` as a whole or not at all."""
    draft = Path(tempfile.mkdtemp(prefix=f".{content_hash[:16]}-", dir=place.parent))
    try:
        unpack(packed, draft, content_hash=content_hash)
        draft.chmod(0o755)
        draft.rename(place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
