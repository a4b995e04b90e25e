"""Owns the order of the packages: each imports only those above it, never one below."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# From the top of the table in CONTRIBUTING.md down.
ORDER = ["v1", "rules", "referee", "bots", "tournament", "ratings", "store", "reports", "league", "web"]

# What each part may import of `arena`. Any part may import itself, `arena.errors` and `arena` (its version).
ALLOWED = {part: set(ORDER[:i]) for i, part in enumerate(ORDER)} | {
    "rules": set(),
    "errors": set(),
    "env": {"rules"},
    "sdk": {"v1", "rules"},
    "cli": {*ORDER, "sdk"},
    "__main__": {"cli"},
    # The files of house bots are programs: run as bots are, imported by nobody.
    "house bot": {"rules", "sdk"},
    # What `arena new` copies: programs too.
    "templates": {"sdk"},
}
FREE_TO_ALL = {"", "errors"}

# Third parties that some parts must not know, so that they can be used, tested and read without them.
OTHERS_ALLOWED = {
    "errors": set[str](),
    "rules": set[str](),
    "referee": {"google"},
    "ratings": {"google", "numpy", "trueskill"},
    "env": {"gymnasium", "numpy", "pettingzoo"},
    "sdk": {"google", "grpc"},
    "v1": {"google"},
}


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a file imports."""

    path: Path
    line: int
    module: str

    @property
    def root(self) -> str:
        return self.module.partition(".")[0]

    @property
    def part(self) -> str:
        """Part of the arena that is imported: `rules` of `arena.rules.cards`."""
        return (self.module + ".").split(".")[1]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.module}"


def imports_of(source: str, *, path: Path) -> Iterator[Import]:
    """Every import of a file, inside functions and under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (Import(path, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} has a relative import"
            yield from (Import(path, node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def part_of(path: Path) -> str:
    """Part of the arena that a file, relative to the checkout, belongs to."""
    if path.parts[:3] == ("arena", "bots", "house") and path.name != "__init__.py":
        return "house bot"
    return path.parts[1].removesuffix(".py").removeprefix("__init__")


def arrows_down(source: str, *, path: Path) -> list[str]:
    """Imports that the order forbids, in words."""
    part = part_of(path)
    may = ALLOWED.get(part, set()) | FREE_TO_ALL | {part}
    return [
        f"{found}, and {part or 'arena'} may import only {sorted(may - FREE_TO_ALL - {part})}"
        for found in imports_of(source, path=path)
        if found.root == "arena" and is_part(found.part) and found.part not in may
    ]


def is_part(name: str) -> bool:
    """Whether `arena.<name>` is a module, not a name defined in `arena/__init__.py`."""
    return name in ALLOWED or (ROOT / "arena" / name).is_dir() or (ROOT / "arena" / f"{name}.py").is_file()


def strangers(source: str, *, path: Path) -> list[str]:
    """Third parties that the file's part must not know, in words."""
    allowed = OTHERS_ALLOWED.get(part_of(path))
    if allowed is None:
        return []
    known = allowed | sys.stdlib_module_names | {"arena"}
    return [str(found) for found in imports_of(source, path=path) if found.root not in known]


def arena_files() -> list[Path]:
    return sorted(path.relative_to(ROOT) for path in (ROOT / "arena").rglob("*.py"))


def test_every_part_of_the_arena_has_its_place() -> None:
    parts = {part_of(path) for path in arena_files()} - {""}

    assert parts <= set(ALLOWED), "give it a place in ALLOWED and in CONTRIBUTING.md"


def test_contributing_says_the_same() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    words = page.replace("\n", " ")
    beside = {part: needs for part, needs in ALLOWED.items() if part not in ORDER and part not in FREE_TO_ALL}

    assert f"    {', '.join(ORDER)}\n" in page
    for part, needs in beside.items():
        listed = " and ".join(f"`{need}`" for need in sorted(needs, key=[*ORDER, "sdk", "cli"].index))
        is_said = part == "cli" or re.search(rf"{part}\b[^;.]* needs? only {listed}", words)
        assert is_said, f"{part} needs only {listed}"


def test_no_import_points_down() -> None:
    found = [arrow for path in arena_files() for arrow in arrows_down((ROOT / path).read_text(), path=path)]

    assert not found, "\n".join(found)


def test_each_part_knows_only_the_third_parties_it_may() -> None:
    found = [name for path in arena_files() for name in strangers((ROOT / path).read_text(), path=path)]

    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("arena/rules/cards.py", "import arena.referee.clocks"),
        ("arena/rules/cards.py", "from arena.v1 import game_pb2"),
        ("arena/rules/cards.py", "from arena import bots"),
        ("arena/referee/match.py", "def f():\n    from arena.bots.gateway import Gateway"),
        ("arena/tournament/runner.py", "from arena.store import open_store"),
        ("arena/sdk/bot.py", "from arena.referee.faults import Fault"),
        ("arena/reports/table.py", "from arena.cli import main"),
        ("arena/bots/gateway.py", "from arena.sdk import Bot"),
        ("arena/bots/house/house_lowest.py", "from arena.bots import keeper"),
        ("arena/__init__.py", "from arena.rules import Card"),
    ],
)
def test_arrow_that_points_down_is_found(path: str, source: str) -> None:
    assert len(arrows_down(source, path=Path(path))) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "arena/rules/cards.py",
            "import enum\nfrom arena.errors import ArenaError\nfrom arena.rules import deals",
        ),
        ("arena/store/rows.py", "from arena.tournament.plan import Plan\nfrom arena.v1 import record_pb2"),
        ("arena/bots/house/house_lowest.py", "from arena.sdk import Bot"),
        ("arena/cli/main.py", "import arena.web\nfrom arena import sdk, __version__"),
    ],
)
def test_arrow_that_points_up_is_none(path: str, source: str) -> None:
    assert arrows_down(source, path=Path(path)) == []


def test_stranger_in_the_rules_is_found() -> None:
    path = Path("arena/rules/cards.py")

    assert strangers("import numpy as np", path=path) == ["arena/rules/cards.py:1 imports numpy"]


def test_rules_run_on_the_standard_library_alone() -> None:
    modules = [
        ".".join(path.with_suffix("").parts) for path in arena_files() if path.parts[:2] == ("arena", "rules")
    ]
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); " + "; ".join(f"import {m}" for m in modules)

    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)
