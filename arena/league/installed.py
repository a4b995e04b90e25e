"""Owns the bots of a league on this machine's disk: unpacked and built, one folder for each bundle.

Only a cache: what is missing is made again from the store's bundle. It must not know how a bot was admitted.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from arena.bots.archive import BundleLimits, unpack_bot
from arena.bots.build import BuildError, build_bot
from arena.bots.bundle import everything_in
from arena.bots.limits import Limits
from arena.bots.manifest import MANIFEST_NAME, Entrant, load_bot
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError
from arena.league.model import Version

__all__ = ["BUILD_LIMITS", "BUILD_S", "MOST_BUILT_BYTES", "Installed", "build_in"]

BUILD_S = 300.0
BUILD_LIMITS = Limits(
    memory_bytes=4 << 30,
    processes=512,
    open_files=4096,
    file_bytes=512 << 20,
    tmp_bytes=1 << 30,
)
MOST_BUILT_BYTES = 1 << 30
"""What a bot's folder may hold, while it is built and after."""

LOOK_S = 0.5
"""How often it is looked how large a folder has become."""


class BundleStore(Protocol):
    """What is needed of the store."""

    def bundle(self, sha256: str) -> bytes: ...


class Installed:
    """The admitted bots, ready to start. Belongs to the server's event loop."""

    def __init__(
        self, store: BundleStore, sandbox: Sandbox | None, folder: Path, *, limits: BundleLimits | None = None
    ) -> None:
        """`folder` is this arena's own."""
        self._store = store
        self._sandbox = sandbox
        self._folder = folder
        self._limits = limits or BundleLimits()
        self._ready: dict[str, asyncio.Task[Entrant]] = {}

    async def entrant(self, version: Version) -> Entrant:
        """The bot ready to start; unpacked and built first when it is not on this machine yet.

        ArenaError when it cannot be had here: a bundle that is not in the store, a build that fails here.
        """
        if self._sandbox is None:
            raise ArenaError("this arena has no sandbox, and starts no submitted bots")
        sha256 = version.bundle_sha256
        making = self._ready.get(sha256)
        if making is None or (making.done() and (making.cancelled() or making.exception())):
            making = self._ready[sha256] = asyncio.create_task(self._make(version, self._sandbox))
        return await asyncio.shield(making)

    async def adopt(self, entrant: Entrant, *, sha256: str, unpacked: Path, builds: Path) -> None:
        """Takes over the folders of a bot that was unpacked to `unpacked` and built in `builds`."""
        await asyncio.to_thread(self._move, unpacked, self._unpacked(sha256))
        await asyncio.to_thread(self._move, builds / entrant.content_hash, self._built(entrant.content_hash))

    async def _make(self, version: Version, sandbox: Sandbox) -> Entrant:
        place = self._unpacked(version.bundle_sha256)
        entrant = await asyncio.to_thread(self._loaded, place, version)
        if entrant is None:
            data = await asyncio.to_thread(self._store.bundle, version.bundle_sha256)
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
            entrant = await asyncio.to_thread(unpack_bot, data, place, limits=self._limits)
        return await build_in(entrant, self._folder / "builds", sandbox)

    def _loaded(self, place: Path, version: Version) -> Entrant | None:
        """The bot that was unpacked before, if it is still what was admitted."""
        if not place.is_dir():
            return None
        try:
            single = None if (place / MANIFEST_NAME).exists() else next(place.glob("*.py"), None)
            entrant = load_bot(single or place)
        except ArenaError:
            return None
        return entrant if entrant.content_hash == version.content_hash else None

    def _unpacked(self, sha256: str) -> Path:
        return self._folder / "bots" / sha256

    def _built(self, content_hash: str) -> Path:
        return self._folder / "builds" / content_hash

    def _move(self, source: Path, target: Path) -> None:
        """Moves a folder that is there to a place that is free; what is there already stays."""
        if source.is_dir() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)


async def build_in(entrant: Entrant, cache: Path, sandbox: Sandbox) -> Entrant:
    """The entrant built in `cache`, in the sandbox and without the network.

    Raises BuildError; one that fills the disk is ended when it has written more than is allowed.
    """
    if not entrant.build:
        return entrant
    building = asyncio.create_task(
        build_bot(
            entrant,
            cache=cache,
            sandbox=sandbox,
            limits=BUILD_LIMITS,
            time_limit_s=BUILD_S,
            has_network=False,
        )
    )
    watching = asyncio.create_task(_outgrown(entrant, cache))
    try:
        await asyncio.wait((building, watching), return_when=asyncio.FIRST_COMPLETED)
        if not building.done():
            watching.result()
            raise _too_large(entrant)
    finally:
        for task in (building, watching):
            task.cancel()
        await asyncio.wait((building, watching))
    built = building.result()
    if await asyncio.to_thread(_size_of, [built.folder]) > MOST_BUILT_BYTES:
        await asyncio.to_thread(shutil.rmtree, built.folder.parent, ignore_errors=True)
        raise _too_large(entrant)
    return built


async def _outgrown(entrant: Entrant, cache: Path) -> None:
    """Returns when the build of `entrant` has written more than it may."""
    size = 0
    while size <= MOST_BUILT_BYTES:
        await asyncio.sleep(LOOK_S)
        size = await asyncio.to_thread(_size_at_work, entrant, cache)


def _size_at_work(entrant: Entrant, cache: Path) -> int:
    """Bytes in the folders in which the bot is being built."""
    return _size_of(cache.glob(f".{entrant.content_hash[:16]}-*"))


def _size_of(folders: Iterable[Path]) -> int:
    size = 0
    for folder in folders:
        for path in everything_in(folder):
            with contextlib.suppress(OSError):  # gone since it was listed
                size += path.lstat().st_size
    return size


def _too_large(entrant: Entrant) -> BuildError:
    return BuildError(
        f"{entrant.name}: its build writes more than {MOST_BUILT_BYTES >> 20} MiB, which is the limit"
    )
