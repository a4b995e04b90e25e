"""Control groups limit, freeze and count one bot, where this process was given a subtree of them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.cgroups import GroupTree, find_group_tree, tree_at
from arena.bots.limits import Limits
from tests.bots.processes import until


@pytest.fixture
def tree() -> GroupTree:
    found = find_group_tree()
    if found is None:
        pytest.skip("this process was given no subtree of control groups (version 2)")
    return found


async def burner_in(group: Path) -> asyncio.subprocess.Process:
    """A process in `group` that does nothing but burn CPU time."""
    burner = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", f"echo 0 > {group}/cgroup.procs; while :; do :; done"
    )
    await until(lambda: str(burner.pid) in (group / "cgroup.procs").read_text().split())
    return burner


@pytest.mark.may_skip
async def test_group_freezes_counts_and_vanishes(tree: GroupTree) -> None:
    with tree.group(Limits()) as group:
        burner = await burner_in(group.path)
        try:
            await until(lambda: group.cpu_ns() > 0)
            group.freeze()
            await until(lambda: "frozen 1" in (group.path / "cgroup.events").read_text())
            frozen_at = group.cpu_ns()
            await asyncio.sleep(0.05)  # the burner would use it
            assert group.cpu_ns() == frozen_at
            group.thaw()
            await until(lambda: group.cpu_ns() > frozen_at)
            assert group.out_of_memory_kills() == 0
        finally:
            burner.kill()
            await burner.wait()

    assert not group.path.exists()


@pytest.mark.may_skip
async def test_groups_of_a_killed_arena_are_swept_up_and_others_stay(tree: GroupTree) -> None:
    gone = await asyncio.create_subprocess_exec("/bin/true")
    await gone.wait()
    left = tree.root / f"callbreak-bot-{gone.pid}-1"
    left.mkdir()

    with tree.group(Limits()) as group:
        tree.sweep()

        assert group.path.exists()
    assert not left.exists()


@pytest.fixture
def delegated(tree: GroupTree) -> Iterator[Path]:
    """A group below ours that is marked as systemd marks one with `Delegate=yes`."""
    group = tree.root / f"callbreak-test-{os.getpid()}"
    group.mkdir()
    try:
        os.setxattr(group, "trusted.delegate", b"1")
        yield group
    except OSError as error:
        pytest.skip(f"cannot mark a group as delegated: {error}")
    finally:
        for leaf in (*group.glob("*/"), group):
            leaf.rmdir()


@pytest.mark.may_skip
async def test_delegated_group_is_found_and_its_processes_step_aside_into_a_leaf(delegated: Path) -> None:
    program = """
import sys
from pathlib import Path
from arena.bots.cgroups import find_group_tree
from arena.bots.limits import Limits
group = Path(sys.argv[1])
(group / "cgroup.procs").write_text("0")
first, second = find_group_tree(), find_group_tree()
assert first is not None and first == second and first.root == group, (first, second)
assert (group / "cgroup.procs").read_text() == ""
with first.group(Limits()) as bot:
    assert bot.path.parent == group
print("found")
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        delegated,
        cwd=Path(__file__).parents[2],
        stdout=asyncio.subprocess.PIPE,
    )

    said, _ = await process.communicate()

    assert said == b"found\n"


@pytest.mark.may_skip
async def test_group_that_nobody_delegated_is_left_alone(delegated: Path) -> None:
    os.setxattr(delegated, "trusted.delegate", b"0")
    program = """
import sys
from pathlib import Path
from arena.bots.cgroups import find_group_tree
(Path(sys.argv[1]) / "cgroup.procs").write_text("0")
print(find_group_tree())
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        delegated,
        cwd=Path(__file__).parents[2],
        stdout=asyncio.subprocess.PIPE,
    )

    said, _ = await process.communicate()

    assert said == b"None\n"


def test_limits_are_written_as_far_as_the_tree_has_controllers(tmp_path: Path) -> None:
    limits = Limits(memory_bytes=1000, processes=5, cpus=0.5)

    assert GroupTree(tmp_path, frozenset())._settings(limits) == {}
    assert GroupTree(tmp_path, frozenset({"memory", "pids", "cpu"}))._settings(limits) == {
        "memory.max": "1000",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "7",
        "cpu.max": "50000 100000",
    }
    assert GroupTree(tmp_path, frozenset({"cpu"}))._settings(Limits()) == {}


def test_folder_that_is_no_control_group_is_no_tree(tmp_path: Path) -> None:
    assert tree_at(tmp_path) is None
