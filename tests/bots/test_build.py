"""A bot is built once for each content hash, wholly or not at all, and a failure is told in its own words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.build import BuildError, build_bot, is_built
from arena.bots.launcher import launch
from arena.bots.manifest import Entrant, load_bot
from arena.errors import ArenaError
from tests.bots.processes import nobody_works_in

MakeBot = Callable[..., Entrant]

BUILD = """
import os, pathlib
pathlib.Path("target").mkdir()
bot = pathlib.Path("target/bot")
bot.write_text("#!/bin/sh\\necho built in $PWD\\n")
bot.chmod(0o755)
with open(os.environ["BUILDS"], "a") as builds:
    builds.write("x")
print("compiled")
"""


@pytest.fixture
def make_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeBot:
    monkeypatch.setenv("BUILDS", str(tmp_path / "builds"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(build_py: str = BUILD, build: tuple[str, ...] = ("python", "build.py")) -> Entrant:
        folder = tmp_path / "compiled"
        folder.mkdir(exist_ok=True)
        (folder / "build.py").write_text(build_py)
        (folder / "bot.toml").write_text(
            'name = "compiled"\nversion = "1"\nlanguage = "cpp"\ncommand = ["target/bot"]\n'
            f"build = {json.dumps(build)}\n"
        )
        return load_bot(folder)

    return make


def cached(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "cache" / "callbreak-arena" / "builds").iterdir()]


async def test_built_bot_runs_from_its_copy_and_the_original_stays_as_it_was(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    bot = make_bot()

    built = await build_bot(bot)

    async with launch(built, address="unix:///x") as process:
        await process.wait()
        assert process.output.cut("all").decode() == f"built in {built.folder}\n"
    assert built.folder == tmp_path / "cache" / "callbreak-arena" / "builds" / bot.content_hash / "bot"
    assert (built.folder.parent / "build.log").read_text() == "compiled\n"
    assert not (bot.folder / "target").exists()
    assert load_bot(bot.folder).content_hash == bot.content_hash == built.content_hash


async def test_build_runs_once_for_each_content(make_bot: MakeBot, tmp_path: Path) -> None:
    await build_bot(make_bot())
    await build_bot(make_bot())
    assert (tmp_path / "builds").read_text() == "x"

    await build_bot(make_bot(BUILD + "# changed"))
    assert (tmp_path / "builds").read_text() == "xx"


async def test_kept_copy_is_known_to_be_there(make_bot: MakeBot) -> None:
    bot = make_bot()
    before = is_built(bot)

    built = await build_bot(bot)

    assert (before, is_built(bot)) == (False, True)
    assert built.folder.is_dir()


async def test_builds_at_the_same_time_agree(make_bot: MakeBot, tmp_path: Path) -> None:
    bot = make_bot()

    first, second = await asyncio.gather(build_bot(bot), build_bot(bot))

    assert first == second
    assert cached(tmp_path) == [bot.content_hash]


async def test_bot_without_a_build_is_left_alone(make_bot: MakeBot) -> None:
    bot = load_bot(make_bot().folder / "build.py")

    assert await build_bot(bot) is bot


async def test_failed_build_is_told_with_its_last_words_and_not_kept(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    bot = make_bot("print('step 1'); raise SystemExit('bot.c:3: expected ;')")

    with pytest.raises(BuildError) as caught:
        await build_bot(bot)

    assert str(caught.value) == (
        "compiled: build `python build.py` failed (exit status 1): bot.c:3: expected ;"
    )
    assert caught.value.output == "step 1\nbot.c:3: expected ;\n"
    assert cached(tmp_path) == []


@pytest.mark.parametrize(
    ("build_py", "build", "message"),
    [
        ("pass", ("python", "build.py"), "build `python build.py` succeeded, but target/bot does not exist"),
        ("pass", ("no-such-cargo",), "no-such-cargo is not installed"),
        ("import os; os.abort()", ("python", "build.py"), r"failed \(signal SIGABRT\)"),
    ],
)
async def test_what_went_wrong_is_said(
    make_bot: MakeBot, build_py: str, build: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        await build_bot(make_bot(build_py, build))


async def test_endless_build_is_ended_with_all_its_processes(make_bot: MakeBot, tmp_path: Path) -> None:
    bot = make_bot("import os, time; os.fork(); print('compiling', flush=True); time.sleep(1000)")

    with pytest.raises(BuildError, match=r"did not end within 0\.3 s: compiling"):
        await build_bot(bot, time_limit_s=0.3)

    assert cached(tmp_path) == []
    assert nobody_works_in(tmp_path)


async def test_cache_that_cannot_be_written_is_named(make_bot: MakeBot, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(BuildError, match="cache: cannot keep built bots there: Not a directory"):
        await build_bot(make_bot(), cache=tmp_path / "file" / "cache")
