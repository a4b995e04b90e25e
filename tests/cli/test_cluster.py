"""The same result anywhere: play on a Ray cluster of real nodes, which are killed, joined and left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.referee.record import timeless_bytes
from arena.store.reader import StoreReader
from arena.tournament.plan import read_plan
from tests.bots.processes import is_gone, nobody_works_in, until
from tests.cli.commands import arena, quick_bots, start, wait_for_results
from tools.ray_nodes import ADD, KILL

Capsys = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
NAMES = ("ant", "bee", "cat", "dog")
OPTIONS = ("--seed", "11", "--sets", "8", "--rounds", "2", "--sandbox", "none", "--time", "5+60")
MODULES = "modules"
ON_CLUSTER = [
    pytest.mark.needs_ray,
    pytest.mark.slow,
    pytest.mark.chaos,
    pytest.mark.timeout(240),
]


class Cluster:
    """Two nodes in a process of their own, which ends them; `caches` are where their bots work."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        told = self._told()
        self.address: str = told["address"]
        self.client_address: str = told["client_address"]
        self.raylets: list[int] = []
        self.caches: list[Path] = []
        for node in told["nodes"]:
            self._count(node)

    def add_node(self) -> None:
        """Has a node join."""
        self._tell(ADD)
        self._count(self._told())

    def kill_node(self) -> None:
        """Ends the node that was last to join, at once."""
        self._tell(KILL)
        self._told()

    def is_quiet(self) -> bool:
        """Whether no bot works on any node."""
        return all(nobody_works_in(cache) for cache in self.caches)

    def bots_on(self, node: int) -> set[str]:
        """The content hashes of the bots that a node keeps."""
        return {path.name for path in (self.caches[node] / "callbreak-arena" / "bots").glob("[0-9a-f]*")}

    def outposts(self, node: int) -> list[int]:
        """The processes of Ray on a node that have a worker of the arena's."""
        parents = {parent for _, parent in workers()}
        return [pid for pid in parents if parent_of(pid) == self.raylets[node]]

    def _count(self, node: dict[str, Any]) -> None:
        self.raylets.append(node["raylet_pid"])
        self.caches.append(Path(node["cache"]))

    def _tell(self, what: str) -> None:
        assert self._process.stdin is not None
        print(what, file=self._process.stdin, flush=True)

    def _told(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


def workers() -> Iterator[tuple[int, int]]:
    """Every worker of the arena's on this machine, with its parent."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if "arena.tournament.worker" in (place / "cmdline").read_text() and not is_gone(int(place.name)):
                yield int(place.name), parent_of(int(place.name))
        except OSError:
            continue


def nobody_has_in_its_environment(text: str) -> bool:
    """Whether no process was started with the variable; this one was not."""
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            has_it = text in (place / "environ").read_text(errors="replace").split("\0")
            if has_it and not is_gone(int(place.name)):
                return False
    return True


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with subprocess.Popen(
        [sys.executable, "-m", "tools.ray_nodes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        yield Cluster(process)


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Quick bots, of which the last prints a line when it starts."""
    folder = quick_bots(tmp_path_factory.mktemp("bots"), *NAMES)
    future = "from __future__ import annotations\n"
    dog = folder / "dog.py"
    dog.write_text(dog.read_text().replace(future, f"{future}print('hello from dog', flush=True)\n"))
    return folder


@pytest.fixture(scope="module")
def undisturbed(bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament on this machine, played by one worker; beside it the names of what was imported for it."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from arena.cli.group import run\n"
        "status = run(sys.argv[2:])\n"
        "Path(sys.argv[1]).write_text(' '.join(sys.modules))\n"
        "sys.exit(status)\n"
    )
    options = ("tournament", "--bots", bots, "--out", folder, "--jobs", "1", *OPTIONS)
    subprocess.run(
        [sys.executable, "-c", program, folder.parent / MODULES, *options],
        check=True,
        cwd=ROOT,
        capture_output=True,
    )
    return folder


def result_of(capsys: Capsys, folder: Path) -> tuple[list[bytes], list[dict[str, object]]]:
    """Records and rows of the table, without times."""
    with StoreReader.open(folder) as store:
        records = [timeless_bytes(match.parse()) for match in store.matches()]
    document = json.loads(arena(capsys, "standings", folder, "--format", "json").out)
    rows = [{key: row[key] for key in row if not key.endswith("_ms")} for row in document["rows"]]
    return records, rows


def logs_named_in(folder: Path) -> list[Path]:
    with StoreReader.open(folder) as store:
        return [folder / name for match in store.matches() for name in match.parse().timing.output if name]


def hashes_of(folder: Path) -> set[str]:
    return {entrant.content_hash for entrant in read_plan(folder).entrants}


def finish(playing: subprocess.Popen[str]) -> str:
    _, err = playing.communicate()
    assert playing.returncode == 0, err
    return err


class TestOnACluster:
    """In this order: each test leaves the cluster to the next."""

    pytestmark = ON_CLUSTER

    def test_killed_worker_costs_its_job_only_and_changes_no_result(
        self,
        capsys: Capsys,
        bots: Path,
        undisturbed: Path,
        cluster: Cluster,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        out = tmp_path / "spring"

        with start("tournament", "--bots", bots, "--out", out, "--executor", "ray", *OPTIONS) as playing:
            wait_for_results(playing)
            killed = next(pid for node in (1, 0) for pid in cluster.outposts(node))
            os.kill(killed, signal.SIGKILL)
            err = finish(playing)

        assert "workers lost on the way and replaced: 1" in err
        assert result_of(capsys, out) == result_of(capsys, undisturbed)
        assert arena(capsys, "verify", out).status == 0
        assert all("hello from dog" in log.read_text() for log in logs_named_in(out))
        assert len(logs_named_in(out)) >= len(NAMES)
        assert set.union(*(cluster.bots_on(node) for node in (0, 1))) == hashes_of(out)
        asyncio.run(until(cluster.is_quiet))

    def test_interrupted_and_killed_run_leaves_nobody_and_goes_on_elsewhere(
        self,
        capsys: Capsys,
        bots: Path,
        undisturbed: Path,
        cluster: Cluster,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        out = tmp_path / "spring"

        with start("tournament", "--bots", bots, "--out", out, "--executor", "ray", *OPTIONS) as playing:
            wait_for_results(playing)
            playing.send_signal(signal.SIGINT)
            _, err = playing.communicate()
        assert playing.returncode == 130
        assert err.splitlines()[-1] == f"  arena resume {out} --executor ray"
        asyncio.run(until(cluster.is_quiet))

        with start("resume", out, "--executor", "ray") as playing:
            wait_for_results(playing)
            playing.send_signal(signal.SIGKILL)
            playing.communicate()
        asyncio.run(until(cluster.is_quiet))
        assert arena(capsys, "verify", out).status == 0

        with start("resume", out, "--jobs", 2) as playing:
            finish(playing)
        assert result_of(capsys, out) == result_of(capsys, undisturbed)

    def test_node_that_is_killed_and_one_that_joins_change_no_result(
        self, capsys: Capsys, bots: Path, undisturbed: Path, cluster: Cluster, tmp_path: Path
    ) -> None:
        """By way of Ray's client, as from outside of the cluster."""
        out = tmp_path / "spring"

        with start(
            "tournament", "--bots", bots, "--out", out, "--executor", cluster.client_address, *OPTIONS
        ) as playing:
            wait_for_results(playing)
            asyncio.run(until(lambda: bool(cluster.outposts(1))))
            cluster.kill_node()
            cluster.add_node()
            err = finish(playing)

        assert "workers lost on the way and replaced: " in err  # Ray may place the next there too
        assert result_of(capsys, out) == result_of(capsys, undisturbed)
        asyncio.run(until(cluster.is_quiet))


@pytest.mark.needs_ray
@pytest.mark.slow
@pytest.mark.timeout(240)
def test_cluster_of_this_machine_alone_comes_and_goes_with_the_run(
    capsys: Capsys, bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("WHOSE", str(tmp_path))
    out = tmp_path / "spring"
    options = ("--sets", 1, "--rounds", 1, "--sandbox", "none", "--jobs", 1)

    with start("tournament", "--bots", bots, "--out", out, "--executor", "ray", *options) as playing:
        said, err = playing.communicate()

    assert playing.returncode == 0, err
    assert "Ray, a cluster of this machine alone: 1 worker" in err
    assert "rating" in said
    assert arena(capsys, "verify", out).status == 0
    asyncio.run(until(lambda: nobody_has_in_its_environment(f"WHOSE={tmp_path}")))


@pytest.mark.needs_ray
@pytest.mark.slow
def test_nobody_at_the_address_is_one_line(
    capsys: Capsys, bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")

    with start("tournament", "--bots", bots, "--out", tmp_path / "run", "--executor", "ray") as refused:
        _, err = refused.communicate()

    assert refused.returncode == 2
    assert err.splitlines()[-1].startswith("arena: no Ray cluster at 127.0.0.1:1: ")
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_without_ray_one_line_names_what_to_install(
    capsys: Capsys, bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")

    said = arena(capsys, "tournament", "--bots", bots, "--out", tmp_path / "run", "--executor", "ray")

    assert said.mistake == (
        "arena: --executor ray: Ray is not installed; pip install 'callbreak-arena[cluster]'"
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_play_on_this_machine_never_loads_ray(undisturbed: Path) -> None:
    loaded = (undisturbed.parent / MODULES).read_text().split()

    assert "arena.tournament.executor" in loaded
    assert [name for name in loaded if name.partition(".")[0] == "ray"] == []
