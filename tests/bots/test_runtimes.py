"""A language's installation is readable as far as it is needed, and nothing that a bot names by itself is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.runtimes import readable_for


def python_home(folder: Path) -> Path:
    """Something that looks like an installed Python."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python3").touch(mode=0o755)
    (folder / "lib" / "python3.11").mkdir(parents=True)
    (folder / "lib" / "python3.11" / "os.py").touch()
    (folder / "diary.txt").touch()
    return folder


def test_arenas_own_python_is_readable_with_its_environment() -> None:
    readable = readable_for(Path(sys.executable), is_python=True, is_trusted=True)

    for prefix in {sys.prefix, sys.base_prefix}:
        is_inside = Path(prefix).is_relative_to("/usr")
        assert is_inside or Path(prefix, "lib") in readable.paths
        assert Path(prefix, "bin") in readable.search_path


def test_environment_is_followed_to_the_python_it_was_made_from(tmp_path: Path) -> None:
    base = python_home(tmp_path / "base")
    environment = tmp_path / "project" / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").touch()
    (environment / "bin" / "python").symlink_to("python3")
    (environment / "bin" / "python3").symlink_to(base / "bin" / "python3")

    readable = readable_for(environment / "bin" / "python", is_python=False, is_trusted=False)

    assert set(readable.paths) == {
        environment / "bin",
        environment / "pyvenv.cfg",
        base / "bin",
        base / "lib",
    }


def test_only_the_known_parts_of_an_installation_are_readable(tmp_path: Path) -> None:
    home = python_home(tmp_path / "home")

    readable = readable_for(home / "bin" / "python3", is_python=False, is_trusted=True)

    assert home / "diary.txt" not in readable.paths
    assert home not in readable.paths


def test_home_folder_of_the_operator_is_no_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = python_home(tmp_path / "operator")
    monkeypatch.setenv("HOME", str(home))

    readable = readable_for(home / "bin" / "python3", is_python=False, is_trusted=True)

    assert readable.paths == (home / "bin" / "python3",)


def test_unknown_program_is_readable_alone_when_the_operator_chose_it_and_not_at_all_when_the_bot_did(
    tmp_path: Path,
) -> None:
    program = tmp_path / "secret"
    program.touch()

    assert readable_for(program, is_python=False, is_trusted=True).paths == (program,)
    assert readable_for(program, is_python=False, is_trusted=False).paths == ()


def test_program_under_usr_needs_nothing_more() -> None:
    assert readable_for(Path("/usr/bin/env"), is_python=False, is_trusted=True).paths == ()


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")

    assert tmp_path / "one" in readable_for(tmp_path / "one", is_python=False, is_trusted=True).paths


def java_home(folder: Path) -> Path:
    """Something that looks like an installed Java of Debian's."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "lib").mkdir()
    (folder / "lib" / "modules").touch()
    (folder / "conf").symlink_to("/etc/java-99-openjdk/conf")
    return folder


def test_java_brings_its_configuration_and_is_told_its_memory(tmp_path: Path) -> None:
    home = java_home(tmp_path / "jdk")

    readable = readable_for(home / "bin" / "java", is_python=False, is_trusted=True)

    assert readable.is_java
    assert Path("/etc/java-99-openjdk") in readable.paths
    assert not readable_for(Path("/usr/bin/env"), is_python=False, is_trusted=True).is_java


def test_maven_brings_its_configuration_and_the_java_it_runs_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java, maven = java_home(tmp_path / "jdk"), tmp_path / "maven"
    for folder in ("bin", "boot", "lib"):
        (maven / folder).mkdir(parents=True)
    (maven / "bin" / "mvn").touch()
    (maven / "lib" / "maven-core-9.jar").touch()
    (maven / "conf").symlink_to("/etc/maven")
    monkeypatch.setenv("PATH", str(java / "bin"))

    readable = readable_for(maven / "bin" / "mvn", is_python=False, is_trusted=True)

    assert {Path("/etc/maven"), Path("/etc/java-99-openjdk"), java / "bin"} <= set(readable.paths)
    assert readable.search_path == (maven / "bin", java / "bin")


def test_two_programs_that_run_together_may_read_what_each_needs(tmp_path: Path) -> None:
    first, second = python_home(tmp_path / "first"), python_home(tmp_path / "second")
    needs = [
        readable_for(home / "bin" / "python3", is_python=False, is_trusted=True) for home in (first, second)
    ]

    joined = needs[0].joined(needs[1])

    assert set(joined.paths) == {*needs[0].paths, *needs[1].paths}
    assert joined.search_path == (first / "bin", second / "bin")
