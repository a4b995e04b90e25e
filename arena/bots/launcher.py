"""Owns a bot's running process: start, output, and end on every way out; must not know what it says."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import arena
from arena.bots import keeper
from arena.bots.cgroups import Group
from arena.bots.limits import Limits
from arena.bots.manifest import Entrant
from arena.bots.output import Output
from arena.bots.sandbox import Exit, Explain, NoSandbox, Sandbox, Start, explain_exit
from arena.errors import ArenaError

__all__ = ["BotProcess", "Exit", "LaunchError", "launch", "run", "start_of"]

START_S = 60.0
"""How long a keeper and the exec of the bot may take on a busy machine; the bot's start-up comes after."""
END_GRACE_S = 0.5
_KEEPER_GRACE_S = keeper.GIVE_UP_S + 2.0
_BRIDGE = ("-m", "arena.bots.smart_bots.bridge", "--")
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_PYTHON_ENVIRONMENT = {
    "PYTHONPATH": str(Path(arena.__file__).parent.parent),  # the arena may run from a checkout, uninstalled
    "PYTHONDONTWRITEBYTECODE": "1",  # a run leaves a bot's folder, and so its hash, alone
    "PYTHONUNBUFFERED": "1",  # what a killed bot printed last is what its author wants to see
    "PYTHONFAULTHANDLER": "1",
}


class LaunchError(ArenaError):
    """The bot's process could not be started here."""


class BotProcess:
    """A running bot. Made by `launch`, which also ends it."""

    def __init__(
        self, control: _Control, output: Output, *, pid: int, keeper_pid: int, group: Group | None
    ) -> None:
        self.output = output
        self.group = group
        """Its control group, which tells CPU time; None without one."""
        self.pid = pid
        """The bot's first process (the sandbox's, when there is one); leader of its process group."""
        self._control = control
        self._keeper_pid = keeper_pid

    @property
    def exit(self) -> Exit | None:
        """How it ended; None while it runs or its descendants are still being killed."""
        return self._control.exit.result() if self._control.exit.done() else None

    async def wait(self) -> Exit:
        """Returns when the bot's first process and everything it started are gone."""
        return await asyncio.shield(self._control.exit)

    async def end(self, grace_s: float = END_GRACE_S) -> Exit:
        """SIGTERM, `grace_s` to go, SIGKILL to all that is left. Returns at once when it is gone already."""
        self._control.send(f"end {grace_s:.3f}")
        if self.group and self.exit is None:
            self.group.thaw()
        try:
            async with asyncio.timeout(grace_s + _KEEPER_GRACE_S):
                return await self.wait()
        except TimeoutError:
            self._control.close()
            return Exit(None, None, "would not end")

    def daemons(self) -> int:
        """How many of its processes have outlived what started them; 0 where the system does not tell.

        Such a process is adopted by the keeper, or in a sandbox by the sandbox's first process.
        """
        adopters = [self._keeper_pid]
        if (init := _first_in_sandbox(self.pid)) is not None:
            adopters.append(init)
        return sum(max(0, len(keeper.children(pid)) - 1) for pid in adopters)

    async def freeze(self) -> None:
        """Stops every process of the bot; returns when they have been told to."""
        if self.group:
            self.group.freeze()
        else:
            await self._control.request("stop")

    async def thaw(self) -> None:
        """Lets every process of the bot go on."""
        if self.group:
            self.group.thaw()
        else:
            await self._control.request("continue")


@asynccontextmanager
async def launch(
    entrant: Entrant,
    *,
    address: str,
    token: str | None = None,
    log_dir: Path | None = None,
    sandbox: Sandbox | None = None,
    limits: Limits | None = None,
    leftovers: Iterable[Path] = (),
) -> AsyncIterator[BotProcess]:
    """Runs a bot while the context lasts; no process of its tree survives it, whichever way it is left.

    The bot's environment is PATH, HOME, LANG, TMPDIR, ARENA_ADDRESS, ARENA_TOKEN (when there is a token) and,
    for Python bots, what makes `arena.sdk` importable; its working folder is its own. When the arena is
    killed, the keeper ends the bot and removes `leftovers` (files and empty folders). With a `log_dir` the
    output goes to a file there as well, a section a cut (see Output). Raises LaunchError when the process
    cannot be started.
    """
    start = start_of(entrant, address=address, token=token, leftovers=tuple(leftovers))
    async with run(start, name=entrant.name, log_dir=log_dir, sandbox=sandbox, limits=limits) as process:
        yield process


@asynccontextmanager
async def run(
    start: Start,
    *,
    name: str,
    log_dir: Path | None = None,
    sandbox: Sandbox | None = None,
    limits: Limits | None = None,
) -> AsyncIterator[BotProcess]:
    """`launch` for any process: a build, say. `name` is how errors and logs call it."""
    with ExitStack() as held:
        confined = held.enter_context((sandbox or NoSandbox()).confine(start, limits=limits or Limits()))
        spawned = _spawn(confined)
        log = log_dir / f"{name}-{spawned.keeper.pid}.log" if log_dir else None
        output = held.enter_context(closing(Output(spawned.output_r, log=log)))
        held.callback(spawned.forget)
        pid = await spawned.begin(confined, output, name=name)
        process = BotProcess(
            spawned.control, output, pid=pid, keeper_pid=spawned.keeper.pid, group=confined.group
        )
        try:
            yield process
        finally:
            await process.end()


def start_of(entrant: Entrant, *, address: str, token: str | None, leftovers: tuple[Path, ...] = ()) -> Start:
    """What to start for this bot, not confined yet. Raises LaunchError when its program is not there."""
    command = _Command.of(entrant)
    environment = {
        "PATH": os.environ.get("PATH", _DEFAULT_PATH),
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "TMPDIR": tempfile.gettempdir(),
        "ARENA_ADDRESS": address,
    }
    if token is not None:
        environment["ARENA_TOKEN"] = token
    return Start(
        command=command.words,
        environment=environment | (_PYTHON_ENVIRONMENT if command.is_python else {}),
        folder=entrant.folder,
        only_file=entrant.path.name if entrant.is_single_file else None,
        is_python=command.is_python,
        is_trusted_program=command.is_trusted,
        companion=command.companion,
        leftovers=leftovers,
    )


@dataclass(frozen=True, slots=True)
class _Command:
    """The words that start a bot, and whose program the first is: the arena's, the PATH's, the bot's own."""

    words: tuple[str, ...]
    is_python: bool
    is_trusted: bool
    companion: Path | None = None

    @classmethod
    def of(cls, entrant: Entrant) -> _Command:
        """Its own command; a bot that speaks HTTP stands behind the bridge. Raises LaunchError."""
        first, *rest = entrant.command
        program = program_of(first, entrant)
        is_named = "/" not in first
        if entrant.protocol != "smart-bots-http":
            return cls((program, *rest), is_python=first == "python", is_trusted=is_named)
        server = (program if is_named else first, *rest)  # the bridge runs in the bot's folder
        return cls(
            (sys.executable, *_BRIDGE, *server),
            is_python=True,
            is_trusted=True,
            companion=Path(program) if is_named and first != "python" else None,
        )


def _first_in_sandbox(leader: int) -> int | None:
    """The process at or below `leader` that is number 1 in its own name space; None without a sandbox."""
    for pid in (leader, *keeper.descendants(leader)):
        with suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            numbers = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid")), [])
            if len(numbers) > 1 and numbers[-1] == "1":
                return pid
    return None


def program_of(program: str, entrant: Entrant) -> str:
    """The absolute path of the first word of a bot's command or build. Raises LaunchError."""
    if program == "python":
        return sys.executable
    if "/" in program:
        return str(entrant.folder / program)
    found = shutil.which(program)
    if found is None:
        raise LaunchError(f"{entrant.name}: {program} is not installed")
    return found


@dataclass(slots=True)
class _Spawned:
    """A keeper that was just executed and has nothing to keep yet."""

    keeper: subprocess.Popen[bytes]
    socket: socket.socket
    control: _Control
    output_r: int

    async def begin(self, start: Start, output: Output, *, name: str) -> int:
        """Has the keeper start the bot; the bot's process id. Raises LaunchError."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(START_S):
                await loop.sock_sendall(self.socket, _specification(start))
                await loop.create_unix_connection(lambda: self.control, sock=self.socket)
                return await asyncio.shield(self.control.started)
        except TimeoutError as error:
            raise LaunchError(f"{name}: could not be started within {START_S:.0f} s") from error
        except OSError as error:
            said = output.cut("start").decode(errors="replace").strip()
            raise LaunchError(f"{name}: could not be started: {error}{said and f' ({said})'}") from error

    def forget(self) -> None:
        """Closes the control socket, at which the keeper kills whatever is left, and collects the keeper."""
        self.control.close()
        self.socket.close()
        try:
            self.keeper.wait(_KEEPER_GRACE_S)
        except subprocess.TimeoutExpired:  # processes that cannot be killed: the kernel holds them
            self.keeper.kill()
            self.keeper.wait()


def _spawn(start: Start) -> _Spawned:
    """Executes a keeper: by vfork and exec, never a plain fork, since gRPC may be loaded."""
    ours, theirs = socket.socketpair()
    output_r, output_w = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-E", keeper.__file__],
            stdin=theirs.fileno(),
            stdout=output_w,
            stderr=output_w,
            env={},
            pass_fds=start.pass_fds,
            start_new_session=True,
        )
    except BaseException:
        os.close(output_r)
        ours.close()
        raise
    finally:
        theirs.close()
        os.close(output_w)
    ours.setblocking(False)
    return _Spawned(process, ours, _Control(start.explain), output_r)


def _specification(start: Start) -> bytes:
    """The keeper's specification, as its module describes it."""
    environment = [f"{key}={value}" for key, value in start.environment.items()]
    group = str(start.group.path) if start.group else ""
    lists = ([str(path) for path in start.leftovers], start.command, environment)
    words = [str(start.folder), "1" if start.is_wrapped else "0", group, ",".join(map(str, start.pass_fds))]
    for items in lists:
        words += [str(len(items)), *items]
    payload = b"\0".join(os.fsencode(word) for word in words)
    return b"%d\n%s" % (len(payload), payload)


class _Control(asyncio.Protocol):
    """The arena's end of the socket to one keeper."""

    def __init__(self, explain: Explain | None) -> None:
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[int] = loop.create_future()
        self.exit: asyncio.Future[Exit] = loop.create_future()
        self._explain = explain
        self._code: int | None = None
        self._signal: int | None = None
        self._is_known = False
        self._is_clear = False
        self._requests: deque[asyncio.Future[None]] = deque()
        self._transport: asyncio.Transport | None = None
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            word, _, rest = line.decode().partition(" ")
            self._hear(word, rest)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.started.done():
            self.started.set_exception(OSError("its keeper ended without a word"))
        self.started.exception()  # whoever gave up on it may never look
        while self._requests:
            self._answer_request()
        if not self._is_clear:
            self._kill_orphans()
        if not self.exit.done():
            self.exit.set_result(self._exit())

    def send(self, line: str) -> None:
        """One line to the keeper; nothing when it is gone."""
        if self._transport and not self._transport.is_closing():
            self._transport.write(line.encode() + b"\n")

    async def request(self, line: str) -> None:
        """One line to the keeper that it answers; returns with the answer, or when it is gone."""
        if self._transport is None or self._transport.is_closing():
            return
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests.append(answer)
        self.send(line)
        await answer

    def close(self) -> None:
        if self._transport:
            self._transport.abort()

    def _hear(self, word: str, rest: str) -> None:
        if word == "started":
            self.started.set_result(int(rest))
        elif word == "failed" and not self.started.done():
            self.started.set_exception(OSError(rest))
        elif word in ("stopped", "continued"):
            self._answer_request()
        elif word in ("clear", "left"):
            self._is_clear = True
        elif word in ("exited", "killed"):
            self._is_known = True
            self._code, self._signal = (int(rest), None) if word == "exited" else (None, int(rest))

    def _answer_request(self) -> None:
        answer = self._requests.popleft()
        if not answer.done():
            answer.set_result(None)

    def _kill_orphans(self) -> None:
        """Kills the bot's process group when its keeper died: a bot without a sandbox can kill it."""
        if self.started.done() and self.started.exception() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.started.result(), signal.SIGKILL)

    def _exit(self) -> Exit:
        if not self._is_known:
            return Exit(None, None, "its end was not seen")
        return (self._explain or explain_exit)(self._code, self._signal)
