"""Owns one bot's process tree: starts it, watches it, stops it, and leaves nothing of it behind.

A program of its own, run as `python -I -S -E keeper.py` with one end of a Unix socket pair as its standard
input. It imports nothing of the arena and only what starts fast (`signal` and `json` would double its
start-up). When the socket closes, for whatever reason (the arena's SIGKILL too), the whole tree is killed:
the bot's process group, and every descendant, since the keeper is the subreaper that inherits daemons.

The arena sends the length of a specification in decimal and a newline, then the specification: NUL-separated
strings, in this order: working folder; "1" when the first process is a wrapper (bwrap) that must not get the
polite signal itself, else "0"; the folder of the control group to enter, or nothing; file descriptors to
close once the bot runs, comma-separated; paths to remove if the arena vanishes, their number first; the
command, its number of words first; the environment as NAME=VALUE, number first. Later it sends lines: `end
SECONDS` (SIGTERM, that long to go, then SIGKILL), `stop`, `continue`.

The keeper answers in lines: `started PID` or `failed REASON`; `stopped` and `continued`; `exited STATUS` or
`killed SIGNAL` (numbers) once the bot's first process is gone; at last `clear`, or `left NUMBER` when some
could not be killed. Then it closes the socket.
"""

# pathlib and contextlib would be slow to load at every start of a bot
# ruff: noqa: PTH106, PTH108, PTH112, PTH123, PTH208, SIM105

from __future__ import annotations

import ctypes
import os
import select
import sys
import time

try:  # the public module loads enum, which takes half as long as all the rest of the keeper's start
    import _signal as signal  # type: ignore[import-not-found]
except ImportError:
    import signal

CONTROL = 0
GIVE_UP_S = 10.0
_TERM_AGAIN_MS = 20.0
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_IS_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None) if _IS_LINUX else None
_DEAF_TO = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Only the arena tells the keeper to end: were it to die of a hang-up, the bot's daemons would stay."""


class Specification:
    """What the arena asked the keeper to run; see the module for the order of the fields."""

    def __init__(self, payload: bytes) -> None:
        self._words = iter(payload.split(b"\0"))
        self.cwd = next(self._words)
        self.is_wrapped = next(self._words) == b"1"
        self.group = next(self._words)
        self.close_fds = [int(fd) for fd in next(self._words).split(b",") if fd]
        self.leftovers = self._counted()
        self.command = self._counted()
        self.environment = dict(word.split(b"=", 1) for word in self._counted())

    def _counted(self) -> list[bytes]:
        return [next(self._words) for _ in range(int(next(self._words)))]


class Keeper:
    """The state of one bot's tree; `run` returns when nothing is left of it."""

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self.leader = 0
        self.is_leader_gone = False
        self.arena_is_gone = False
        self.term_deadline: float | None = None
        self.terminated: set[int] = set()
        self.pending = b""
        self.wake_r, wake_w = os.pipe()
        os.set_blocking(wake_w, False)
        os.set_blocking(self.wake_r, False)
        signal.set_wakeup_fd(wake_w, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Starts the bot and serves the arena until the bot's tree is gone."""
        self.leader = start(self.spec)
        detach_output(self.spec.close_fds)
        self.say(f"started {self.leader}")
        poll = select.poll()
        poll.register(CONTROL, select.POLLIN)
        poll.register(self.wake_r, select.POLLIN)
        while not self.is_done():
            for fd, _ in poll.poll(self.timeout_ms()):
                self.hear() if fd == CONTROL else self.drain_wakeups()
            self.reap()
            if self.term_deadline is not None and self.spec.is_wrapped:
                self.terminate_wrapped()
        left = self.kill_tree()
        if self.arena_is_gone:
            remove(self.spec.leftovers)
        self.say(f"left {left}" if left else "clear")

    def is_done(self) -> bool:
        is_overdue = self.term_deadline is not None and time.monotonic() >= self.term_deadline
        return self.is_leader_gone or self.arena_is_gone or is_overdue

    def timeout_ms(self) -> float | None:
        if self.term_deadline is None:
            return None
        left_ms = max(0.0, self.term_deadline - time.monotonic()) * 1000 + 1
        return min(left_ms, _TERM_AGAIN_MS) if self.spec.is_wrapped else left_ms

    def drain_wakeups(self) -> None:
        try:
            os.read(self.wake_r, 4096)
        except BlockingIOError:
            pass

    def hear(self) -> None:
        """Reads what the arena sent; an end of file means that it is gone."""
        try:
            received = os.read(CONTROL, 4096)
        except (ConnectionError, InterruptedError):
            received = b""
        self.arena_is_gone = not received
        *lines, self.pending = (self.pending + received).split(b"\n")
        for line in lines:
            self.obey(line.split())

    def obey(self, words: list[bytes]) -> None:
        if words[0] == b"stop":
            self.signal_until_quiet(signal.SIGSTOP)
            self.say("stopped")
        elif words[0] == b"continue":
            self.signal_all(signal.SIGCONT)
            self.say("continued")
        elif words[0] == b"end":
            self.term_deadline = time.monotonic() + float(words[1])
            self.ask_to_end()

    def ask_to_end(self) -> None:
        """SIGTERM to the bot's process group; not to a wrapper's, whose end would kill the bot at once."""
        self.signal_all(signal.SIGCONT)
        if not self.spec.is_wrapped:
            send(-self.leader, signal.SIGTERM)

    def terminate_wrapped(self) -> None:
        """SIGTERM, once, to each process that a wrapper started: it may not have come to the bot yet."""
        for pid in descendants(os.getpid()):
            if pid != self.leader and pid not in self.terminated:
                self.terminated.add(pid)
                send(pid, signal.SIGTERM)

    def signal_all(self, number: int) -> None:
        for pid in descendants(os.getpid()):
            send(pid, number)
        if not _IS_LINUX:
            send(-self.leader, number)

    def signal_until_quiet(self, number: int) -> None:
        """Signals every process, and again whatever was forked meanwhile (a bounded number of times)."""
        known: set[int] = set()
        for _ in range(50):
            fresh = set(descendants(os.getpid())) - known
            for pid in fresh:
                send(pid, number)
            if not fresh:
                break
            known |= fresh
        if not _IS_LINUX:
            send(-self.leader, number)

    def reap(self) -> bool:
        """Collects whatever has ended and reports the first process's end; False when no child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.leader:
                self.is_leader_gone = True
                if os.WIFSIGNALED(status):
                    self.say(f"killed {os.WTERMSIG(status)}")
                else:
                    self.say(f"exited {os.WEXITSTATUS(status)}")

    def kill_tree(self) -> int:
        """Kills until no child is left; the number of processes that would not go."""
        if not self.is_leader_gone:
            send(-self.leader, signal.SIGKILL)
        deadline = time.monotonic() + GIVE_UP_S
        if self.reap():
            self.signal_until_quiet(signal.SIGSTOP)  # so that a fork bomb cannot outrun the killing
        while self.reap():
            for pid in descendants(os.getpid()):
                send(pid, signal.SIGKILL)
            if time.monotonic() > deadline:
                return len(descendants(os.getpid()))
            select.select([self.wake_r], [], [], 0.01)
            self.drain_wakeups()
        if not _IS_LINUX:
            send(-self.leader, signal.SIGKILL)
        return 0

    def say(self, line: str) -> None:
        """One line to the arena; nothing when nobody listens any more."""
        try:
            os.write(CONTROL, line.encode() + b"\n")
        except OSError:
            self.arena_is_gone = True


def start(spec: Specification) -> int:
    """Executes the bot in a session of its own; its process id. OSError when it cannot be executed."""
    report_r, report_w = os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become_bot(spec, report_w, keeper)
    os.close(report_w)
    report = os.read(report_r, 16)
    os.close(report_r)
    if report:
        os.waitpid(pid, 0)
        raise OSError(int(report), os.strerror(int(report)))
    return pid


def _become_bot(spec: Specification, report_w: int, keeper: int) -> None:
    try:
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != keeper:
            os._exit(127)
        signal.set_wakeup_fd(-1)
        for number in (*_DEAF_TO, signal.SIGPIPE, signal.SIGXFSZ):  # the last two Python ignores
            signal.signal(number, signal.SIG_DFL)
        if spec.group:
            enter_group(spec.group)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.chdir(spec.cwd)
        os.execve(spec.command[0], spec.command, spec.environment)
    except OSError as error:
        os.write(report_w, str(error.errno).encode())
    finally:
        os._exit(127)


def enter_group(group: bytes) -> None:
    """Moves this process into a control group, so that all it starts is in it too."""
    fd = os.open(group + b"/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
    os.write(fd, b"0")
    os.close(fd)


def detach_output(fds: list[int]) -> None:
    """Lets go of the bot's pipes, so that they end when the bot's processes do."""
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)
    for fd in fds:
        os.close(fd)


def descendants(root: int) -> list[int]:
    """Process ids of everything below `root`, parents first. Empty where /proc does not exist."""
    if not _IS_LINUX:
        return []
    found: list[int] = []
    frontier = [root]
    while frontier:
        born = children(frontier.pop())
        found += born
        frontier += born
    return found


def children(pid: int) -> list[int]:
    """Process ids of the children of `pid`; empty when it is gone, and where /proc does not exist."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb", buffering=0) as file:
                found += [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass  # it ended while we looked: its children are ours now
    return found


def send(pid: int, number: int) -> None:
    """A signal to a process, or to a group when negative; nothing when it is gone already."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def prctl(option: int, value: int) -> None:
    """prctl(2) on Linux, nothing elsewhere."""
    if _LIBC:
        _LIBC.prctl(option, value, 0, 0, 0)


def remove(paths: list[bytes]) -> None:
    """Removes what the vanished arena would have removed itself: files, and folders that are empty."""
    for path in paths:
        try:
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
        except OSError:
            pass


def read_specification() -> Specification:
    size = b""
    while not size.endswith(b"\n"):
        byte = os.read(CONTROL, 1)
        if not byte:
            os._exit(1)
        size += byte
    payload = b""
    while len(payload) < int(size):
        chunk = os.read(CONTROL, int(size) - len(payload))
        if not chunk:
            os._exit(1)
        payload += chunk
    return Specification(payload)


def main() -> None:
    """Runs one bot to its end."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for number in _DEAF_TO:
        signal.signal(number, signal.SIG_IGN)
    keeper = Keeper(read_specification())
    try:
        keeper.run()
    except OSError as error:
        keeper.say(f"failed {error.strerror}")
    os._exit(0)


if __name__ == "__main__":
    main()
