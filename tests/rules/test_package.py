"""Owns the tests of the package as a whole: what it exports and what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import arena.rules

ROOT = Path(__file__).parents[2]

LIST_MODULES = "import sys, arena.rules; print(*{name.partition('.')[0] for name in sys.modules})"


def test_every_public_name_is_there() -> None:
    assert len(set(arena.rules.__all__)) == len(arena.rules.__all__)
    assert all(hasattr(arena.rules, name) for name in arena.rules.__all__)


def test_rules_need_nothing_but_the_standard_library() -> None:
    """So that a bot's author can have them without gRPC, protobuf or anything else of the arena."""
    listed = subprocess.run(
        [sys.executable, "-S", "-c", LIST_MODULES], cwd=ROOT, capture_output=True, text=True, check=True
    )

    foreign = set(listed.stdout.split()) - set(sys.stdlib_module_names) - {"arena", "__main__"}
    assert not foreign
