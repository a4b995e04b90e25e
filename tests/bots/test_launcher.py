"""A bot's process starts with nothing of the arena's, is heard, and is gone on every way out."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launcher import BotProcess, LaunchError, launch
from arena.bots.manifest import Entrant
from arena.bots.output import HEAD_BYTES, TAIL_BYTES
from tests.bots.processes import is_gone, nobody_works_in, pids_in, script_bot, until

ADDRESS = "unix:///run/arena/nowhere.sock"
CHECKOUT = Path(__file__).parents[2]

SLEEPER = """
    import time
    print("up")
    time.sleep(1000)
"""
DEAF = """
    import signal, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("up")
    time.sleep(1000)
"""
FORKER = """
    import os, time
    for _ in range(3):
        if os.fork() == 0:
            break
    open(f"pid-{os.getpid()}", "w").close()
    time.sleep(1000)
"""
DAEMON = """
    import os, signal, sys, time
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            null = os.open("/dev/null", os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            open(f"pid-{os.getpid()}", "w").close()
            time.sleep(1000)
        os._exit(0)
    os.wait()
    while not any(name.startswith("pid-") for name in os.listdir(".")):
        time.sleep(0.001)
"""


async def has_said(process: BotProcess, text: bytes = b"up\n") -> None:
    await until(lambda: text in process.output.peek())


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def output_of(bot: Entrant, *, token: str | None = None) -> bytes:
    async with launch(bot, address=ADDRESS, token=token) as process:
        await process.wait()
        return process.output.cut("all")


async def test_bot_is_given_its_address_and_nothing_else_of_the_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_SECRET", "of the organiser")
    bot = script_bot(tmp_path, "import json, os; print(json.dumps(dict(os.environ)))")

    environment = json.loads(await output_of(bot, token="its own"))

    assert environment["ARENA_ADDRESS"] == ADDRESS
    assert environment["ARENA_TOKEN"] == "its own"
    python_only = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONFAULTHANDLER"}
    assert set(environment) - python_only == {
        *("PATH", "HOME", "LANG", "TMPDIR", "ARENA_ADDRESS", "ARENA_TOKEN"),
    }


async def test_bot_inherits_no_open_file_of_the_arena(tmp_path: Path) -> None:
    bot = script_bot(
        tmp_path,
        """
        import os
        for fd in range(3, 1000):
            try:
                print(fd, os.readlink(f"/proc/self/fd/{fd}"))
            except OSError:
                pass
        """,
    )
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)

    assert await output_of(bot) == b""

    os.close(read_end)
    os.close(write_end)


async def test_bot_works_in_its_own_folder_under_the_arenas_interpreter_with_default_signals(
    tmp_path: Path,
) -> None:
    bot = script_bot(
        tmp_path,
        """
        import os, signal, sys
        print(os.getcwd(), sys.prefix, sys.stdin.read() == "")
        print([signal.getsignal(n) is signal.SIG_DFL for n in (signal.SIGTERM, signal.SIGHUP)])
        """,
    )

    said = await output_of(bot)

    assert said.decode() == f"{tmp_path} {sys.prefix} True\n[True, True]\n"


async def test_python_bot_can_import_the_arenas_sdk_package(tmp_path: Path) -> None:
    assert await output_of(script_bot(tmp_path, "import arena; print(arena.__name__)")) == b"arena\n"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("pass", "exit status 0"),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("import os; os.abort()", "signal SIGABRT"),
    ],
)
async def test_end_is_told_in_words(tmp_path: Path, source: str, reason: str) -> None:
    async with launch(script_bot(tmp_path, source), address=ADDRESS) as process:
        assert (await process.wait()).reason == reason


async def test_error_and_standard_output_are_kept_in_the_order_written(tmp_path: Path) -> None:
    bot = script_bot(
        tmp_path, "import sys; print('one'); print('two', file=sys.stderr); print('three'); sys.exit(1)"
    )

    assert await output_of(bot) == b"one\ntwo\nthree\n"


async def test_output_is_cut_into_sections_that_the_log_names(tmp_path: Path) -> None:
    bot = script_bot(tmp_path, "print('before'); import time; time.sleep(1000)")

    async with launch(bot, address=ADDRESS, log_dir=tmp_path / "logs") as process:
        await has_said(process, b"before\n")
        first, second = process.output.cut("t001-s00001-r0"), process.output.cut("t001-s00002-r0")

    assert (first, second) == (b"before\n", b"")
    assert process.output.log is not None
    assert process.output.log.read_text() == "==== t001-s00001-r0\nbefore\n"


async def test_flood_of_output_neither_blocks_the_bot_nor_is_kept(tmp_path: Path) -> None:
    bot = script_bot(
        tmp_path,
        """
        import os
        os.write(1, b"first")
        for _ in range(100):
            piece = memoryview(bytes(1_000_000))
            while piece:
                piece = piece[os.write(1, piece):]
        os.write(1, b"last")
        """,
    )

    async with launch(bot, address=ADDRESS) as process:
        assert (await process.wait()).code == 0
        kept = process.output.cut("flood")

    assert process.output.total_bytes == 100_000_009
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")
    assert b"\n... 99868937 bytes left out ...\n" in kept
    assert len(kept) < HEAD_BYTES + TAIL_BYTES + 100


async def test_endless_flood_leaves_the_event_loop_its_time(tmp_path: Path) -> None:
    bot = script_bot(tmp_path, "import os\nwhile True: os.write(1, bytes(65536))")

    async with launch(bot, address=ADDRESS) as process:
        await until(lambda: process.output.total_bytes > 5_000_000)
        start_s = time.monotonic()
        before = process.output.total_bytes
        for _ in range(1000):
            await asyncio.sleep(0)
        drained = process.output.total_bytes - before
        passed_s = time.monotonic() - start_s

    assert drained <= 2_200_000 + passed_s * 110_000_000


async def test_bot_that_ends_by_itself_takes_its_children_along(tmp_path: Path) -> None:
    async with launch(script_bot(tmp_path, DAEMON), address=ADDRESS) as process:
        assert (await process.wait()).code == 0

        assert len(pids_in(tmp_path)) == 1
        assert all(map(is_gone, pids_in(tmp_path)))


@pytest.mark.parametrize("source", [FORKER, SLEEPER, DEAF])
async def test_normal_way_out_ends_the_whole_tree(tmp_path: Path, source: str) -> None:
    async with launch(script_bot(tmp_path, source), address=ADDRESS) as process:
        await until(lambda: b"up" in process.output.peek() or len(pids_in(tmp_path)) == 4)

    assert is_gone(process.pid)
    assert nobody_works_in(tmp_path)


async def test_bot_is_asked_politely_first(tmp_path: Path) -> None:
    bot = script_bot(
        tmp_path,
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        print("up")
        time.sleep(1000)
        """,
    )

    async with launch(bot, address=ADDRESS) as process:
        await has_said(process)

        assert (await process.end(grace_s=10.0)).code == 7


async def test_bot_that_ignores_the_polite_signal_is_killed_when_its_grace_is_over(tmp_path: Path) -> None:
    async with launch(script_bot(tmp_path, DEAF), address=ADDRESS) as process:
        await has_said(process)

        assert (await process.end(grace_s=0.05)).signal == "SIGKILL"


async def test_error_in_the_arena_ends_the_whole_tree(tmp_path: Path) -> None:
    async def fail() -> None:
        async with launch(script_bot(tmp_path, FORKER), address=ADDRESS):
            await until(lambda: len(pids_in(tmp_path)) == 4)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert nobody_works_in(tmp_path)


async def test_cancellation_ends_the_whole_tree_even_when_repeated(tmp_path: Path) -> None:
    async def run() -> None:
        async with launch(script_bot(tmp_path, DEAF), address=ADDRESS) as process:
            await has_said(process)
            is_up.set()
            await process.wait()

    is_up = asyncio.Event()
    task = asyncio.create_task(run())
    await is_up.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert nobody_works_in(tmp_path)


async def test_cancellation_while_starting_leaves_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        async with launch(script_bot(tmp_path, FORKER), address=ADDRESS):
            raise AssertionError("cancelled before it was up")

    task = asyncio.create_task(run())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert nobody_works_in(tmp_path)


async def test_killed_arena_leaves_no_process_and_no_file_behind(tmp_path: Path) -> None:
    script_bot(tmp_path, FORKER, name="forker")
    daemon = DAEMON.replace("os.wait()", "time.sleep(1000)")
    script_bot(tmp_path, daemon, name="daemon")
    socket_folder = tmp_path / "sockets"
    socket_folder.mkdir()
    (socket_folder / "seat").touch()
    program = f"""
import asyncio
from pathlib import Path
from arena.bots.launcher import launch
from arena.bots.manifest import load_bot
folder = Path({str(tmp_path)!r})
sockets = folder / "sockets"
async def main():
    leftovers = [sockets / "seat", sockets]
    async with launch(load_bot(folder / "forker.py"), address="unix:///x", leftovers=leftovers):
        async with launch(load_bot(folder / "daemon.py"), address="unix:///x"):
            await asyncio.sleep(1000)
asyncio.run(main())
"""
    arena = await asyncio.create_subprocess_exec(sys.executable, "-c", program, cwd=CHECKOUT)
    await until(lambda: len(pids_in(tmp_path)) == 5)

    arena.send_signal(signal.SIGKILL)
    await arena.wait()

    await until(lambda: all(map(is_gone, pids_in(tmp_path))) and nobody_works_in(tmp_path))
    await until(lambda: not socket_folder.exists())


async def test_bot_that_kills_its_keeper_gains_nothing(tmp_path: Path) -> None:
    bot = script_bot(
        tmp_path,
        """
        import os, signal, time
        keeper = os.getppid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = os.fork()
        open(f"pid-{os.getpid()}", "w").close()
        while child and len([name for name in os.listdir(".") if name.startswith("pid-")]) < 2:
            pass
        if child:
            os.kill(keeper, signal.SIGKILL)
        time.sleep(1000)
        """,
    )

    async with launch(bot, address=ADDRESS) as process:
        assert (await process.wait()).reason == "its end was not seen"

    await until(lambda: len(pids_in(tmp_path)) == 2 and all(map(is_gone, pids_in(tmp_path))))


async def test_frozen_bot_burns_no_cpu_until_it_is_thawed(tmp_path: Path) -> None:
    bot = script_bot(
        tmp_path,
        """
        import os
        os.fork()
        open(f"pid-{os.getpid()}", "w").close()
        while True:
            pass
        """,
    )

    def ticks() -> int:
        stats = [
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids_in(tmp_path)
        ]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats)

    async with launch(bot, address=ADDRESS) as process:
        await until(lambda: len(pids_in(tmp_path)) == 2)
        await process.freeze()
        frozen_at = ticks()
        await asyncio.sleep(0.1)
        assert ticks() - frozen_at <= 1
        await process.thaw()
        await until(lambda: ticks() > frozen_at + 2)
        await process.freeze()

    assert nobody_works_in(tmp_path)


async def test_bot_that_cannot_be_executed_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bot").chmod(0o755)
    bot = replace(script_bot(tmp_path, ""), command=("./bot",))

    with pytest.raises(LaunchError, match="script: could not be started: No such file or directory"):
        async with launch(bot, address=ADDRESS):
            pass


async def test_missing_program_is_an_error_that_names_it(tmp_path: Path) -> None:
    bot = replace(script_bot(tmp_path, ""), command=("no-such-program",))

    with pytest.raises(LaunchError, match="script: no-such-program is not installed"):
        async with launch(bot, address=ADDRESS):
            pass


async def test_many_bots_start_and_end_without_leaking_files(tmp_path: Path) -> None:
    bot = script_bot(tmp_path, SLEEPER)
    before = open_files()

    for _ in range(3):
        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(_start_and_end(bot))

    assert open_files() <= before  # what tests before this one left may be closed meanwhile
    assert nobody_works_in(tmp_path)


async def _start_and_end(bot: Entrant) -> None:
    async with launch(bot, address=ADDRESS) as process:
        await has_said(process)
