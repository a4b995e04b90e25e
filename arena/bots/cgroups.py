"""Owns control groups (version 2, where the arena was given a subtree): limits, freezing, CPU time of a bot.

Knows no bot and no sandbox. Without a subtree there are no groups, and the sandbox says what is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from arena.bots.limits import Limits

__all__ = ["Group", "GroupTree", "find_group_tree", "tree_at"]

_CONTROLLERS = ("memory", "pids", "cpu")
_MAY_BE_MISSING = ("memory.swap.max",)  # a kernel without swap accounting
_SANDBOX_PROCESSES = 2  # of bubblewrap's own
_OWN_LEAF = "arena"
_PREFIX = "callbreak-bot-"  # then the process id of the arena, and a number
_CPU_PERIOD_US = 100_000
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Group:
    """The control group of one bot."""

    path: Path

    def freeze(self) -> None:
        """No process of the group runs until it is thawed; signals that kill still do."""
        (self.path / "cgroup.freeze").write_text("1")

    def thaw(self) -> None:
        (self.path / "cgroup.freeze").write_text("0")

    def cpu_ns(self) -> int:
        """CPU time that the group has used, all processes together, ended ones included."""
        return self._counter("cpu.stat", "usage_usec") * 1000

    def out_of_memory_kills(self) -> int:
        """How many processes of the group were killed because it reached its memory limit."""
        return self._counter("memory.events", "oom_kill")

    def _counter(self, file: str, key: str) -> int:
        try:
            lines = (self.path / file).read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in lines if line.split()[0] == key), 0)


@dataclass(frozen=True, slots=True)
class GroupTree:
    """A folder of the cgroup file system in which the arena may make groups."""

    root: Path
    controllers: frozenset[str]

    @contextmanager
    def group(self, limits: Limits) -> Iterator[Group]:
        """A new group with these limits (those that the tree's controllers can hold), removed at the end."""
        path = self.root / f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
        path.mkdir()
        try:
            for name, value in self._settings(limits).items():
                if name not in _MAY_BE_MISSING or (path / name).exists():
                    (path / name).write_text(value)
            yield Group(path)
        finally:
            _remove(path)

    def sweep(self) -> None:
        """Removes the empty groups that killed arenas left."""
        for path in self.root.glob(f"{_PREFIX}*"):
            owner = path.name.removeprefix(_PREFIX).partition("-")[0]
            if not Path("/proc", owner).exists():
                _remove(path)

    def _settings(self, limits: Limits) -> dict[str, str]:
        settings: dict[str, str] = {}
        if "memory" in self.controllers:
            settings["memory.max"] = str(limits.memory_bytes)
            settings["memory.oom.group"] = "1"
            settings["memory.swap.max"] = "0"
        if "pids" in self.controllers:
            settings["pids.max"] = str(limits.processes + _SANDBOX_PROCESSES)
        if "cpu" in self.controllers and limits.cpus is not None:
            settings["cpu.max"] = f"{int(limits.cpus * _CPU_PERIOD_US)} {_CPU_PERIOD_US}"
        return settings


def find_group_tree() -> GroupTree | None:
    """The subtree that this process was given; None when there is none.

    Given means: the whole file system is ours (its root, or the root of a container's), or systemd delegated
    the group that we are in (`systemd-run --user --scope -p Delegate=yes arena ...`). In a delegated group
    the processes first move to a leaf called `arena`, since only a group without processes may share out
    controllers; worker processes, which start in that leaf, find the same tree.
    """
    own = _own_group()
    if own is None or not os.access(own, os.W_OK):
        return None
    if own.name == _OWN_LEAF and os.access(own.parent, os.W_OK):
        return tree_at(own.parent)
    is_true_root = not (own / "cgroup.type").exists()
    if is_true_root:
        return tree_at(own)
    if not _is_delegated(own) or not _move_into_leaf(own):
        return None
    return tree_at(own)


def tree_at(root: Path) -> GroupTree | None:
    """The tree at `root`, with what of memory, pids and cpu can be switched on there; None if unusable."""
    control = root / "cgroup.subtree_control"
    try:
        available = set((root / "cgroup.controllers").read_text().split())
        for controller in _CONTROLLERS:
            if controller in available and controller not in control.read_text().split():
                control.write_text(f"+{controller}")
        enabled = set(control.read_text().split())
    except OSError:
        return None
    return GroupTree(root, frozenset(enabled.intersection(_CONTROLLERS)))


def _own_group() -> Path | None:
    try:
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        groups = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    inside = next((line[3:] for line in groups if line.startswith("0::")), None)
    for fields in (line.split() for line in mounts):
        if inside is not None and fields[fields.index("-") + 1] == "cgroup2":
            relative = os.path.relpath(inside, fields[3])
            return None if relative.startswith("..") else Path(fields[4]) / relative
    return None


def _is_delegated(group: Path) -> bool:
    is_namespace_root = Path("/proc/self/cgroup").read_text().strip().endswith("0::/")
    if is_namespace_root:
        return True
    for attribute in ("user.delegate", "trusted.delegate"):
        try:
            if os.getxattr(group, attribute) == b"1":
                return True
        except OSError:
            continue
    return False


def _move_into_leaf(group: Path) -> bool:
    leaf = group / _OWN_LEAF
    try:
        leaf.mkdir(exist_ok=True)
        for pid in (group / "cgroup.procs").read_text().split():
            _move(pid, leaf)
        return not (group / "cgroup.procs").read_text().split()
    except OSError:
        return False


def _move(pid: str, leaf: Path) -> None:
    with suppress(ProcessLookupError):  # it ended meanwhile
        (leaf / "cgroup.procs").write_text(pid)


def _remove(path: Path) -> None:
    with suppress(OSError):  # a process that cannot be killed is still in it, or the keeper was faster
        path.rmdir()
