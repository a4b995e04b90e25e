"""Owns what of the machine a bot's language needs to be readable inside a sandbox; must not know the sandbox.

A declared table, not a guess: a program is followed through its symbolic links, and at each step the table
says whether it stands inside an installation (a Python, node, Java or Maven home, a Rust or Go toolchain),
whose known parts are then readable. A program from the operator's PATH that the table does not know is
readable as the one file that it is; one that a bot names by a path of its own is not, or a bot could name
anything. Whatever lies under /usr is readable anyway.
"""

from __future__ import annotations

import os
import shutil
import site
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import arena

__all__ = ["ARENA_PACKAGE", "BUILD_VARIABLES", "Readable", "readable_for"]

_ALWAYS_READABLE = (Path("/usr"), Path("/etc/alternatives"))
ARENA_PACKAGE = Path(arena.__file__).parent
_MAX_LINKS = 40


@dataclass(frozen=True, slots=True)
class Readable:
    """Files and folders of the machine that a program needs, at the same paths, and where programs lie."""

    paths: tuple[Path, ...]
    search_path: tuple[Path, ...]
    environment: tuple[tuple[str, str], ...]
    is_java: bool
    """True for a Java machine, which must be told how much memory it has: it would ask the machine."""

    def joined(self, other: Readable) -> Readable:
        """What two programs need together."""
        return Readable(
            paths=tuple(_without_covered((*self.paths, *other.paths))),
            search_path=tuple(dict.fromkeys((*self.search_path, *other.search_path))),
            environment=self.environment + other.environment,
            is_java=self.is_java or other.is_java,
        )


def _is_python_home(home: Path) -> bool:
    return any(home.glob("lib/python3*/os.py")) or (home / "pyvenv.cfg").is_file()


def _is_node_home(home: Path) -> bool:
    return (home / "include" / "node").is_dir() or (home / "lib" / "node_modules").is_dir()


def _is_java_home(home: Path) -> bool:
    return (home / "lib" / "modules").is_file()


def _is_maven_home(home: Path) -> bool:
    return (home / "boot").is_dir() and any(home.glob("lib/maven-core*.jar"))


def _is_go_home(home: Path) -> bool:
    return (home / "VERSION").is_file() and (home / "pkg" / "tool").is_dir()


def _is_rust_toolchain(home: Path) -> bool:
    return (home / "lib" / "rustlib").is_dir()


BUILD_VARIABLES = frozenset(
    {
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE"),
        *("GOPROXY", "GOSUMDB", "GONOSUMDB", "GOFLAGS", "GOTOOLCHAIN"),
        *("CARGO_NET_OFFLINE", "CARGO_HTTP_CAINFO", "RUSTUP_AUTO_INSTALL", "RUSTUP_TOOLCHAIN"),
        *("npm_config_registry", "NPM_CONFIG_REGISTRY", "PIP_INDEX_URL", "UV_INDEX_URL", "MAVEN_OPTS"),
        *("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "SOURCE_DATE_EPOCH"),
    }
)
"""The operator's variables that a build in a sandbox is given: where to fetch from and how to compile.

Everything else (paths outside, tokens) is not a bot's business.
"""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of installation: how its home, the folder above `bin`, is told, and what of it is needed.

    Only parts, since a virtual environment may be made in a folder of other things.
    """

    is_home: Callable[[Path], bool]
    parts: tuple[str, ...]


_KINDS = (
    _Kind(_is_python_home, ("bin", "lib", "lib64", "include", "pyvenv.cfg")),
    _Kind(_is_node_home, ("bin", "lib", "include")),
    _Kind(_is_java_home, ("bin", "lib", "conf", "jmods", "include", "release")),
    _Kind(_is_maven_home, ("bin", "lib", "boot", "conf")),
    _Kind(_is_go_home, ("bin", "lib", "pkg", "src", "go.env", "VERSION")),
    _Kind(_is_rust_toolchain, ("bin", "lib", "libexec")),
)


@cache  # asked at every start of a bot, on the event loop; installations stay where they are meanwhile
def readable_for(program: Path, *, is_python: bool, is_trusted: bool) -> Readable:
    """What `program` (absolute) needs.

    `is_python` when it is the arena's own interpreter; `is_trusted` when the operator's PATH chose it.
    """
    steps = list(_links(program))
    homes = [home for step in steps if (home := _home_of(step)) is not None]
    if any(map(_is_maven_home, homes)):
        homes += _java_homes()
    if is_python:
        homes += [Path(sys.prefix), Path(sys.base_prefix)]
    paths = [path for home in homes for path in _parts_of(home)]
    if is_trusted:
        paths += [step for step in steps if _home_of(step) is None]
    if is_python and site.ENABLE_USER_SITE and Path(site.getusersitepackages()).is_dir():
        paths.append(Path(site.getusersitepackages()))
    paths += [etc for home in homes for etc in _etc_of(home)]
    search_path = dict.fromkeys(home / "bin" for home in homes)
    rustup = _rustup_home(program) if is_trusted else None
    if rustup:
        paths += [program.parent, rustup / "toolchains", rustup / "settings.toml"]
        search_path[program.parent] = None
    return Readable(
        paths=tuple(_without_covered(paths)),
        search_path=tuple(search_path),
        environment=(("RUSTUP_HOME", str(rustup)),) if rustup else (),
        is_java=any(map(_is_java_home, homes)),
    )


def _rustup_home(program: Path) -> Path | None:
    """Where the toolchains lie when `program` is rustup's stand-in for one of their programs."""
    if Path(os.path.realpath(program)).name != "rustup":
        return None
    return Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))


def _home_of(program: Path) -> Path | None:
    home = program.parent.parent
    is_too_wide = Path.home().is_relative_to(home)
    return home if program.parent.name == "bin" and not is_too_wide and any(_parts_of(home)) else None


def _parts_of(home: Path) -> Iterator[Path]:
    """What is needed of an installation; nothing when `home` is none."""
    for kind in _KINDS:
        if kind.is_home(home):
            yield from (home / part for part in kind.parts if (home / part).exists())


def _links(program: Path) -> Iterator[Path]:
    """`program`, what it links to, and so on; and the end of it all with every folder resolved."""
    step = program
    for _ in range(_MAX_LINKS):
        yield step
        if not step.is_symlink():
            break
        step = Path(os.path.normpath(step.parent / step.readlink()))
    yield Path(os.path.realpath(program))


def _java_homes() -> list[Path]:
    """The Java that Maven runs on: it looks for one by itself, on the PATH."""
    java = shutil.which("java")
    return [home for step in _links(Path(java)) if (home := _home_of(step)) is not None] if java else []


def _etc_of(home: Path) -> Iterator[Path]:
    """A Debian or Fedora Java or Maven keeps its configuration in /etc, behind links."""
    if _is_java_home(home) or _is_maven_home(home):
        for link in (home / "conf", home / "lib" / "security", *home.glob("conf/*"), *home.glob("lib/*.cfg")):
            target = Path(os.path.realpath(link))
            if link.is_symlink() and target.is_relative_to("/etc"):
                yield Path(*target.parts[:3])


def _is_always_readable(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _ALWAYS_READABLE)


def _without_covered(paths: Iterable[Path]) -> list[Path]:
    """`paths` without doubles, in order, less what is readable anyway or lies in another of them."""
    unique = list(dict.fromkeys(path for path in paths if not _is_always_readable(path)))
    return [
        path for path in unique if not any(path != other and path.is_relative_to(other) for other in unique)
    ]
