"""Owns what hostile bots try: one short program for each attack, and the small world that they try it on.

An attack prints a line that begins with GOT when it worked, and in other lines how it was stopped. Standard
library only, so that the same attacks can be run by an ordinary user with the system's own Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.bots.launcher import launch
from arena.bots.manifest import load_bot
from arena.bots.sandbox import Exit, Sandbox

__all__ = ["ATTACKS", "Attack", "Outcome", "World", "a_world", "try_attack"]

SECRET = "the organiser's secret"


@dataclass(frozen=True, slots=True)
class Attack:
    """`source` is the bot's program. `has_control`: without a sandbox it works, and is safe to show.

    It is run `runs` times, each in a process of its own, and must never work.
    """

    name: str
    source: str
    has_control: bool = True
    runs: int = 1


@dataclass(frozen=True, slots=True)
class World:
    """What there is to attack, told to the bot in full: a sandbox must hold even when everything is known."""

    secret: str
    neighbour: str
    results: str
    home: str
    tcp_port: int
    address: str
    abstract: str
    victim: int
    other_socket: str


@dataclass(frozen=True, slots=True)
class Outcome:
    said: str
    exit: Exit

    @property
    def worked(self) -> bool:
        return any(line.startswith("GOT") for line in self.said.splitlines())


@contextlib.contextmanager
def a_world(folder: Path) -> Iterator[World]:
    """Secrets, servers and a process for the attacks to go for, below `folder`."""
    folder.chmod(0o755)
    for name in ("arena/results", "bots/neighbour", "home"):
        (folder / name).mkdir(parents=True)
    for name in ("secret", "arena/results/plan.json", "bots/neighbour/bot.py", "home/.ssh"):
        (folder / name).write_text(SECRET)
    os.environ["ARENA_TEST_SECRET"] = SECRET
    with contextlib.ExitStack() as held:
        tcp = held.enter_context(_listening(socket.AF_INET, ("0.0.0.0", 0)))
        abstract = f"arena-test-{os.getpid()}-{os.urandom(4).hex()}"
        held.enter_context(_listening(socket.AF_UNIX, "\0" + abstract))
        other = held.enter_context(_socket_folder()) + "/other"
        held.enter_context(_listening(socket.AF_UNIX, other))
        victim = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        held.callback(victim.wait)
        held.callback(victim.kill)
        assert victim.stdin is not None
        held.enter_context(victim.stdin)
        yield World(
            secret=str(folder / "secret"),
            neighbour=str(folder / "bots" / "neighbour" / "bot.py"),
            results=str(folder / "arena" / "results" / "plan.json"),
            home=str(folder / "home" / ".ssh"),
            tcp_port=tcp.getsockname()[1],
            address=_own_address(),
            abstract=abstract,
            victim=victim.pid,
            other_socket=other,
        )
    del os.environ["ARENA_TEST_SECRET"]


async def try_attack(attack: Attack, world: World, folder: Path, *, sandbox: Sandbox) -> Outcome:
    """Runs the attack as often as it wants to; what it said each time, and how it ended the last time."""
    outcomes = [await _run(attack, world, folder, sandbox) for _ in range(attack.runs)]
    return Outcome("".join(outcome.said for outcome in outcomes), outcomes[-1].exit)


async def _run(attack: Attack, world: World, folder: Path, sandbox: Sandbox) -> Outcome:
    """Runs the attack as a bot in a folder of its own below `folder`, with a socket of its own."""
    bot = folder / "bots" / "".join(letter if letter.isalnum() else "-" for letter in attack.name)
    bot.mkdir(exist_ok=True)
    (bot / "bot.py").write_text(
        PRELUDE.format(world=json.dumps(asdict(world))) + textwrap.dedent(attack.source)
    )
    (bot / "bot.toml").write_text(
        f'name = "{bot.name}"\nversion = "1"\nlanguage = "python"\ncommand = ["python", "bot.py"]\n'
    )
    (bot / "link").unlink(missing_ok=True)
    (bot / "link").symlink_to(world.secret)
    with _socket_folder() as sockets, _listening(socket.AF_UNIX, f"{sockets}/own"):
        address = f"unix://{sockets}/own"
        async with launch(load_bot(bot), address=address, sandbox=sandbox) as process:
            ended = await process.wait()
            return Outcome(process.output.cut(attack.name).decode(errors="replace"), ended)


def _socket_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder with a short path: a socket's may not have more than 107 bytes."""
    return tempfile.TemporaryDirectory(prefix="arena-")


@contextlib.contextmanager
def _listening(family: socket.AddressFamily, address: tuple[str, int] | str) -> Iterator[socket.socket]:
    """A server that greets whoever connects."""
    with socket.socket(family) as server:
        server.bind(address)
        server.listen()
        threading.Thread(target=_greet, args=(server,), daemon=True).start()
        yield server
        server.shutdown(socket.SHUT_RDWR)


def _greet(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(SECRET.encode())


def _own_address() -> str:
    """An address of this machine that is not loopback, if it has one."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return "127.0.0.1"


PRELUDE = """\
import ctypes, errno, glob, json, os, signal, socket, stat, sys, time
WORLD = json.loads({world!r})
SECRET = "the organiser's secret"
SOCKET = os.environ["ARENA_ADDRESS"].removeprefix("unix://")
LIBC = ctypes.CDLL(None, use_errno=True)

def got(what):
    print("GOT", what, flush=True)

def attempt(what, action):
    try:
        result = action()
    except (OSError, MemoryError, ValueError) as error:
        print("stopped:", what, error, flush=True)
        return None
    got(f"{{what}}: {{result}}")
    return result

def read(path):
    with open(path, errors="replace") as file:
        return file.read(100)

def call(name, *arguments):
    result = getattr(LIBC, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

"""

ATTACKS = (
    Attack("reads a secret that it knows the path of", "attempt('secret', lambda: read(WORLD['secret']))"),
    Attack("reads a secret through a link in its folder", "attempt('link', lambda: read('link'))"),
    Attack("reads another bot's folder", "attempt('neighbour', lambda: read(WORLD['neighbour']))"),
    Attack("reads another bot's folder beside its own", "attempt('up', lambda: read('../neighbour/bot.py'))"),
    Attack("reads the arena's results", "attempt('results', lambda: read(WORLD['results']))"),
    Attack("reads a home folder", "attempt('home', lambda: read(WORLD['home']))"),
    Attack(
        "reads what the system keeps of its users",
        """
        mine = os.path.join("/", "root", ".bashrc")
        for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/var/log", mine, "/home"):
            attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else read(path))
        """,
    ),
    Attack(
        "reads the environment or the memory of the arena",
        """
        for path in glob.glob("/proc/[0-9]*"):
            if path == f"/proc/{os.getpid()}":
                continue
            try:
                if SECRET in open(path + "/environ").read():
                    got(path)
            except OSError as error:
                print("stopped:", error)
        """,
    ),
    Attack(
        "inherits a secret in its own environment",
        """
        if SECRET in open("/proc/self/environ").read():
            got("environ")
        for name in os.environ:
            if "TEST_SECRET" in name:
                got(name)
        """,
        has_control=False,
    ),
    Attack(
        "inherits an open file",
        """
        for fd in range(3, 256):
            try:
                got(os.readlink(f"/proc/self/fd/{fd}"))
            except OSError:
                pass
        """,
        has_control=False,
    ),
    Attack(
        "connects to loopback",
        """
        address = ("127.0.0.1", WORLD["tcp_port"])
        attempt("loopback", lambda: socket.create_connection(address, 2).recv(100))
        """,
    ),
    Attack(
        "connects to the machine's own address",
        """
        address = (WORLD["address"], WORLD["tcp_port"])
        attempt("own address", lambda: socket.create_connection(address, 2).recv(100))
        """,
    ),
    Attack(
        "sends a packet outside",
        """
        def send():
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender.connect((WORLD["address"], 9))
            return sender.send(b"x")
        attempt("packet", send)
        """,
    ),
    Attack(
        "connects to an abstract socket",
        """
        def connect():
            client = socket.socket(socket.AF_UNIX)
            client.connect("\\0" + WORLD["abstract"])
            return client.recv(100)
        attempt("abstract", connect)
        """,
    ),
    Attack(
        "connects to another bot's socket",
        """
        def connect():
            client = socket.socket(socket.AF_UNIX)
            client.connect(WORLD["other_socket"])
            return client.recv(100)
        attempt("other socket", connect)
        """,
    ),
    Attack("signals another process", "attempt('signal', lambda: os.kill(WORLD['victim'], 0))"),
    Attack(
        "lists other processes",
        """
        if os.path.exists(f"/proc/{WORLD['victim']}/cmdline"):
            got("cmdline of " + read(f"/proc/{WORLD['victim']}/cmdline"))
        """,
    ),
    Attack(
        "kills everything that it can",
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            os.kill(-1, signal.SIGTERM)
        except OSError as error:
            print("stopped:", error)
        """,
        has_control=False,
    ),
    Attack(
        "traces a process",
        """
        PTRACE_TRACEME = 0
        attempt("ptrace", lambda: call("ptrace", PTRACE_TRACEME, 0, 0, 0))
        """,
    ),
    Attack(
        "looks for a process of the arena's to trace",
        """
        PTRACE_SEIZE = 0x4206
        for pid in [WORLD["victim"], os.getppid(), 1]:
            attempt(f"seize {pid}", lambda: call("ptrace", PTRACE_SEIZE, pid, 0, 0))
        """,
        has_control=False,
    ),
    Attack(
        "makes a user namespace",
        "attempt('unshare', lambda: call('unshare', 0x10000000))",
    ),
    Attack(
        "makes a user namespace by clone",
        """
        import platform
        number = {"x86_64": 56, "aarch64": 220, "riscv64": 220}[platform.machine()]
        def clone():
            pid = LIBC.syscall(number, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
            if pid == 0:
                os._exit(0)
            if pid < 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            return os.waitpid(pid, 0)[1]
        attempt("clone", clone)
        """,
    ),
    Attack(
        "mounts",
        """
        os.makedirs("/tmp/arena-test-mount", exist_ok=True)
        LIBC.unshare(0x10000000 | 0x20000) if os.getuid() else LIBC.unshare(0x20000)
        LIBC.mount(b"none", b"/", None, 0x40000 | 0x4000, None)
        attempt("mount", lambda: call("mount", b"none", b"/tmp/arena-test-mount", b"tmpfs", 0, None))
        os.rmdir("/tmp/arena-test-mount") if not os.path.ismount("/tmp/arena-test-mount") else None
        """,
    ),
    Attack(
        "makes the read-only parts writable",
        """
        MS_REMOUNT, MS_BIND = 32, 4096
        for path in (b"/", b"/bot", b"/usr", b"/proc"):
            attempt(str(path), lambda: call("mount", None, path, None, MS_REMOUNT | MS_BIND, None))
            attempt(str(path), lambda: call("umount2", path, 2))
        """,
        has_control=False,
    ),
    Attack(
        "changes its root",
        """
        os.makedirs("/tmp/arena-test-root", exist_ok=True)
        if os.getuid():
            LIBC.unshare(0x10000000)
        attempt("chroot", lambda: os.chroot("/tmp/arena-test-root"))
        """,
    ),
    Attack(
        "has a user id or a capability of the organiser's",
        """
        status = dict(line.rstrip("\\n").split(":\\t", 1) for line in open("/proc/self/status"))
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            if int(status[kind], 16):
                got(f"{kind} {status[kind]}")
        if status["NoNewPrivs"] != "1":
            got("new privileges by exec")
        if "0" in status["Uid"].split() + status["Gid"].split() + status["Groups"].split():
            got("user " + status["Uid"])
        """,
    ),
    Attack(
        "becomes root",
        """
        attempt("setuid", lambda: os.setuid(0))
        attempt("setgid", lambda: os.setgid(0))
        attempt("setgroups", lambda: os.setgroups([0]))
        """,
        has_control=False,
    ),
    Attack(
        "writes anywhere but to its temporary folder",
        """
        ALLOWED = ("/tmp", "/dev/shm", "/proc/self/fd", "/proc/thread-self/fd")
        for folder, folders, files in os.walk("/"):
            if folder.startswith("/proc/") and folder.split("/")[2] not in ("sys", "irq", "bus"):
                folders.clear()
                continue
            if folder.startswith("/usr/") and folder.count("/") > 3:
                folders.clear()
            if folder.startswith(ALLOWED):
                folders.clear()
                continue
            try:
                open(os.path.join(folder, "arena-test-file"), "x").close()
                got(folder)
            except OSError:
                pass
            for name in files[:20]:
                path = os.path.join(folder, name)
                if stat.S_ISCHR(os.lstat(path).st_mode) or os.path.islink(path):
                    continue
                try:
                    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                    got(path)
                except OSError:
                    pass
        print("walked")
        """,
        has_control=False,
    ),
    Attack(
        "changes its own program",
        """
        attempt("append", lambda: open("bot.py", "a").write("# changed"))
        attempt("new file", lambda: open("memory", "w").write("what I saw"))
        attempt("mode", lambda: os.chmod("bot.py", 0o777))
        attempt("rename", lambda: os.rename("bot.py", "bot2.py"))
        """,
    ),
    Attack(
        "changes the kernel's settings",
        """
        for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger"):
            attempt(path, lambda: os.close(os.open(path, os.O_WRONLY)))
        attempt("host name", lambda: socket.sethostname("bot"))
        attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
        attempt("devices", lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(254, 0)))
        for path in glob.glob("/dev/[svn][dv]*") + glob.glob("/sys/*"):
            got(path)
        """,
        has_control=False,
    ),
    Attack(
        "deletes, renames or re-opens its socket",
        """
        attempt("chmod", lambda: os.chmod(SOCKET, 0o777))
        attempt("rename", lambda: os.rename(SOCKET, SOCKET + "2"))
        attempt("unlink", lambda: os.unlink(SOCKET if os.path.exists(SOCKET) else SOCKET + "2"))
        def replace():
            server = socket.socket(socket.AF_UNIX)
            server.bind(os.path.dirname(SOCKET) + "/second.sock")
            os.unlink(os.path.dirname(SOCKET) + "/second.sock")
        attempt("second socket", replace)
        """,
    ),
    Attack(
        "fills the disk",
        """
        written = 0
        for folder in ("/tmp", "/dev/shm"):
            try:
                for number in range(1000):
                    with open(f"{folder}/{number}", "wb", buffering=0) as file:
                        for _ in range(10):
                            written += file.write(bytes(1_000_000))
            except OSError as error:
                print("stopped:", folder, error)
        print("wrote", written)
        if written > 90_000_000:
            got(written)
        """,
        has_control=False,
    ),
    Attack(
        "writes one enormous file",
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with open("/tmp/large", "wb", buffering=0) as file:
            attempt("20 MB", lambda: [file.write(bytes(1_000_000)) for _ in range(20)])
        """,
        has_control=False,
    ),
    Attack(
        "is a fork bomb",
        """
        children = 0
        try:
            while children < 300:
                if os.fork() == 0:
                    time.sleep(1000)
                children += 1
        except OSError as error:
            print("stopped:", error)
        print("children", children)
        if children >= 64:
            got(children)
        """,
        has_control=False,
    ),
    Attack(
        "takes all memory",
        """
        taken = []
        try:
            while len(taken) < 80:
                taken.append(bytes(10_000_000))
        except MemoryError:
            print("stopped at", len(taken) * 10, "MB")
        if len(taken) > 55:
            got(len(taken))
        """,
        has_control=False,
    ),
    Attack(
        "opens files without end",
        """
        files = []
        try:
            while len(files) < 5000:
                files.append(open("/dev/null"))
        except OSError as error:
            print("stopped:", error)
        if len(files) > 256:
            got(len(files))
        """,
        has_control=False,
    ),
    Attack("leaves a core file", "os.abort()", has_control=False),
    Attack(
        "raises its limits",
        """
        import resource
        for name in ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE"):
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            if hard == resource.RLIM_INFINITY:
                got(name + " is unlimited")
            attempt(name, lambda: resource.setrlimit(kind, (hard + 1, hard + 1)))
        """,
        has_control=False,
    ),
    Attack(
        "chooses its core",
        "attempt('affinity', lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))",
    ),
    Attack(
        "talks through a lock on a file that all can read",
        """
        import fcntl
        path = sys.executable if os.access(sys.executable, os.R_OK) else "/usr/bin/env"
        with open(path, "rb") as file:
            attempt("flock", lambda: fcntl.flock(file, fcntl.LOCK_SH))
            query = bytes(64)
            attempt("getlk", lambda: fcntl.fcntl(file, fcntl.F_GETLK, query))
        """,
    ),
    Attack(
        "talks through watches on a file that all can read",
        """
        fd = LIBC.inotify_init1(0)
        attempt("inotify", lambda: call("inotify_add_watch", fd, b"/usr/bin/env", 0x20))
        """,
    ),
    Attack(
        "uses parts of the kernel that no bot needs",
        """
        import platform
        column = 0 if platform.machine() == "x86_64" else 1
        calls = {
            "keyctl": ((250, 219), (0, -3, 0)),
            "io_uring_setup": ((425, 425), (1, ctypes.create_string_buffer(256))),
            "process_vm_readv": ((310, 270), (os.getpid(), 0, 0, 0, 0, 0)),
            "kcmp": ((312, 272), (os.getpid(), os.getpid(), 1, 0, 0)),
        }
        for name, (numbers, arguments) in calls.items():
            attempt(name, lambda: call("syscall", numbers[column], *arguments))
        """,
    ),
    Attack(
        "opens a socket of another kind",
        """
        for family in (38, 17, 40, 44):  # AF_ALG, AF_PACKET, AF_VSOCK, AF_XDP
            attempt(f"family {family}", lambda: socket.socket(family, socket.SOCK_RAW if family == 17 else 5))
            attempt(f"family {family}", lambda: socket.socket(family, socket.SOCK_DGRAM))
        attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
        """,
    ),
    Attack(
        "calls the kernel in 32 bits, where numbers mean other calls",
        """
        import mmap, platform
        if platform.machine() != "x86_64":
            sys.exit()
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(bytes.fromhex("b814000000" "cd80" "c3"))  # mov eax, 20 (getpid); int 0x80; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        pid = os.fork()
        if pid == 0:
            ctypes.CFUNCTYPE(ctypes.c_int)(address)()
            os._exit(77)
        status = os.waitpid(pid, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 77:
            got("a 32-bit call")
        """,
    ),
    Attack(
        "gains rights from a program that has its owner's",
        """
        for folder in ("/usr/bin", "/usr/sbin", "/usr/lib"):
            for path, _, files in os.walk(folder):
                for name in files:
                    full = os.path.join(path, name)
                    mode = os.lstat(full).st_mode
                    if stat.S_ISREG(mode) and mode & stat.S_ISUID:
                        if not os.statvfs(full).f_flag & os.ST_NOSUID:
                            got(full)
        """,
    ),
    Attack(
        "looks for what an earlier process left",
        """
        for folder in ("/tmp", "/dev/shm", "/var/tmp", "."):
            try:
                if os.path.exists(folder + "/arena-test-memory"):
                    got(folder)
                    os.unlink(folder + "/arena-test-memory")
                else:
                    open(folder + "/arena-test-memory", "w").write("what I saw")
            except OSError as error:
                print("stopped:", error)
        """,
        runs=2,
    ),
)
