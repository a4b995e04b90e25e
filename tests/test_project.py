"""Owns what the project as a whole promises: what it ships, what it pins, and what no file of it may say."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
LOCKS = ["build.txt", "dev.txt", "league.txt", "run.txt"]

# Written in pieces, or this file would be the first to say them.
REGISTRY_HOSTS = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "crates" + ".io",
    "npm" + "js.org",
    "npm" + "js.com",
    "yarn" + "pkg.com",
    "proxy." + "golang.org",
    "sum." + "golang.org",
    "maven" + ".org",
    "apache.org/" + "maven",
    "deb." + "debian.org",
    "ubuntu" + ".com",
    "docker" + ".io",
]
REGISTRY_OPTIONS = ["--index" + "-url", "--extra-index" + "-url", "--trusted" + "-host"]
PLACES_OF_ONE_MACHINE = re.compile(r"(?<![\w.~*-])/(?:wo" + r"rk|ro" + r"ot)(?![\w-])|\.\./sha" + "red")


def committed_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    """Where the pattern is in what is committed: `path:line`. Binary files are looked through as Latin-1."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in committed_files()
        for number, line in enumerate(path.read_text("latin-1").splitlines(), start=1)
        if pattern.search(line)
    ]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def pinned(lock: str) -> set[str]:
    """Lines `name==version`, with its condition if any, of a file of requirements."""
    lines = (ROOT / "requirements" / lock).read_text().splitlines()
    return {line.rstrip("\\ ") for line in lines if re.match(r"[a-z0-9]", line)}


def distribution(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


@pytest.mark.needs_git
def test_no_committed_file_names_a_registry() -> None:
    words = [re.escape(word) for word in REGISTRY_HOSTS + REGISTRY_OPTIONS]

    assert lines_with(re.compile("|".join(words))) == []


@pytest.mark.needs_git
def test_no_committed_file_names_a_place_of_one_machine() -> None:
    assert lines_with(PLACES_OF_ONE_MACHINE) == []


@pytest.mark.parametrize(
    "text", ["see /wo" + "rk/x", "'/ro" + "ot'", "cd ../sha" + "red/", "HOME=/ro" + "ot", "/ro" + "ot/.cache"]
)
def test_place_of_one_machine_is_found(text: str) -> None:
    assert PLACES_OF_ONE_MACHINE.search(text)


@pytest.mark.parametrize(
    "text",
    ["tests/wo" + "rk/x", "/wo" + "rkers", "docs/ro" + "ot.md", "./wo" + "rk", "https://a.b/ro" + "ots"],
)
def test_other_paths_are_left_alone(text: str) -> None:
    assert not PLACES_OF_ONE_MACHINE.search(text)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_exact_and_hashed(lock: str) -> None:
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / "requirements" / lock).read_text())[1:]
    loose = [entry.split()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry]

    assert entries
    assert loose == []


def test_pins_cover_what_pyproject_asks_for() -> None:
    asked = project()["project"]["dependencies"]
    extras = project()["project"]["optional-dependencies"]
    by_makers = [line for line in extras["dev"] + extras["bench"] if not line.startswith("callbreak-arena")]

    assert {distribution(line) for line in asked} <= {distribution(pin) for pin in pinned("run.txt")}
    assert {distribution(line) for line in by_makers} <= {distribution(pin) for pin in pinned("dev.txt")}


def test_pins_agree_with_each_other() -> None:
    assert pinned("run.txt") | pinned("build.txt") <= pinned("dev.txt"), "run `make lock`"


def test_every_dependency_has_bounds_below_and_above() -> None:
    dependencies = project()["project"]["dependencies"]

    assert [line for line in dependencies if ">=" not in line or "<" not in line] == []


def test_changelog_speaks_of_the_version_at_hand() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)

    assert {"Unreleased", project()["project"]["version"]} & set(headings)


def test_hooks_fetch_nothing() -> None:
    repositories = re.findall(r"repo: *(\S+)", (ROOT / ".pre-commit-config.yaml").read_text())

    assert repositories == ["local"]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_within_the_project_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text())

    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.needs_make
def test_make_alone_lists_what_can_be_made() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    assert "make demo" in listed
    assert "make test" in listed


@pytest.mark.needs_git
def test_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", tmp_path, ROOT], check=True)
    [wheel] = tmp_path.glob("callbreak_arena-*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("arena/")}

    committed = {path.relative_to(ROOT).as_posix() for path in committed_files()}
    assert {name for name in committed if name.startswith("arena/")} <= shipped
    assert "arena/v1/arena.binpb" in shipped
