"""A bot that comes to a node is unpacked and built there once, and is the bot that was sent."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.bots.bundle import bundle
from arena.bots.manifest import Entrant, files_of, load_bot
from arena.bots.sandbox import NoSandbox
from arena.errors import ArenaError
from arena.tournament.cluster.depot import settle
from tests.bots.processes import script_bot

MANIFEST = """
name = "ant"
version = "1.0"
language = "python"
build = ["python", "build.py"]
command = ["python", "made.py"]
"""


class Node:
    """A node with empty folders; counts what is fetched to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fetched: list[str] = []

    def settle(self, sent: Entrant, packed: bytes) -> Entrant:
        def fetch() -> bytes:
            self.fetched.append(sent.name)
            return packed

        return settle(
            sent,
            fetch=fetch,
            sandbox=NoSandbox(),
            depot=self.folder / "bots",
            builds=self.folder / "builds",
        )


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path / "node")


def packed(bot: Entrant) -> bytes:
    return bundle(files_of(bot.path, has_build=bool(bot.build)))


def bot_with_build(folder: Path, *, builds: Path) -> Entrant:
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "build.py").write_text(
        f"open({str(builds)!r}, 'a').write('built\\n')\nopen('made.py', 'w').write('pass')\n"
    )
    return load_bot(folder)


def test_single_file_comes_to_a_folder_of_its_own(node: Node, tmp_path: Path) -> None:
    bot = script_bot(tmp_path, "pass", name="ant")

    here = node.settle(bot, packed(bot))

    assert here.folder == node.folder / "bots" / bot.content_hash
    assert load_bot(here.path).content_hash == bot.content_hash
    assert here.is_single_file
    assert [path.name for path in here.folder.iterdir()] == ["ant.py"]


def test_bot_that_is_there_is_not_fetched_again(node: Node, tmp_path: Path) -> None:
    bot = script_bot(tmp_path, "pass", name="ant")

    first, second = (node.settle(bot, packed(bot)) for _ in range(2))

    assert first == second
    assert node.fetched == ["ant"]


def test_many_who_want_a_bot_at_once_have_it_unpacked_and_built_once(node: Node, tmp_path: Path) -> None:
    bot = bot_with_build(tmp_path / "ant", builds=tmp_path / "builds")

    with ThreadPoolExecutor(4) as threads:
        settled = list(threads.map(lambda _: node.settle(bot, packed(bot)), range(4)))

    assert len(set(settled)) == 1
    assert (settled[0].folder / "made.py").read_text() == "pass"
    assert node.fetched == ["ant"]
    assert (tmp_path / "builds").read_text() == "built\n"


def test_bot_that_changed_on_its_way_is_refused_and_not_kept(node: Node, tmp_path: Path) -> None:
    bot = script_bot(tmp_path, "pass", name="ant")

    with pytest.raises(ArenaError, match="came with SHA-256"):
        node.settle(bot, packed(bot) + b"F")

    assert node.settle(bot, packed(bot)).folder.is_dir()


def test_program_that_a_node_has_not_is_named(node: Node, tmp_path: Path) -> None:
    (tmp_path / "ant").mkdir()
    (tmp_path / "ant" / "bot.toml").write_text(
        'name = "ant"\nversion = "1"\nlanguage = "cobol"\ncommand = ["no-such-program"]\n'
    )
    bot = load_bot(tmp_path / "ant")

    with pytest.raises(ArenaError, match="bot ant cannot run: no-such-program is not installed"):
        node.settle(bot, packed(bot))
