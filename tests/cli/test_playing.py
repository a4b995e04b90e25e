"""Commands that play, with real bots in real processes: tournament, resume, match."""

from __future__ import annotations

import json
import shlex
import signal
import stat
from pathlib import Path

import pytest

from arena.referee.record import timeless_bytes
from arena.store.reader import StoreReader
from arena.tournament.plan import read_plan
from tests.bots.processes import nobody_works_in, until
from tests.cli.commands import arena, quick_bots, start, wait_for_results

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

Capsys = pytest.CaptureFixture[str]
NAMES = ("ant", "bee", "cat", "dog")
OPTIONS = ("--seed", "11", "--sets", "8", "--rounds", "2", "--sandbox", "none", "--time", "5+60")
ILLEGAL = """
from arena.sdk import Bot, run


class Illegal(Bot):
    def call(self, view):
        return 99

    def play(self, view):
        return max(view.legal_cards)


run(Illegal())
"""


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return quick_bots(tmp_path_factory.mktemp("bots"), *NAMES)


@pytest.fixture(scope="module")
def undisturbed(bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament that nobody disturbed, played by one worker."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    with start("tournament", "--bots", bots, "--out", folder, "--jobs", 1, *OPTIONS) as playing:
        _, err = playing.communicate()
    assert playing.returncode == 0, err
    return folder


def records_of(folder: Path) -> list[bytes]:
    with StoreReader.open(folder) as store:
        return [timeless_bytes(match.parse()) for match in store.matches()]


def table_of(capsys: Capsys, folder: Path) -> list[dict[str, object]]:
    """The rows of the standings, without times."""
    document = json.loads(arena(capsys, "standings", folder, "--format", "json").out)
    return [{key: row[key] for key in row if not key.endswith("_ms")} for row in document["rows"]]


def test_tournament_plays_stores_and_tells_what_it_did(capsys: Capsys, bots: Path, tmp_path: Path) -> None:
    out = tmp_path / "spring"

    said = arena(
        capsys, "tournament", "--bots", bots, "--only", "ant", "--only", "bee", "--out", out,
        "--sets", 1, "--rounds", 1, "--sandbox", "none", "--strict",
    )  # fmt: skip

    assert said.status == 0
    assert "#  bot" in said.out.splitlines()[0]
    assert all(name in said.out for name in ("ant", "bee", "house-greedy", "house-lowest"))
    assert "warning" not in said.err
    header = said.err.splitlines()[0]
    assert header == (
        "spring: 4 bots, callbreak+rounds=1, round robin: 1 table, 1 set of 4 matches each, 4 matches"
    )
    assert "seed commitment" in said.err
    assert "SANDBOX OFF" in said.err
    assert "4 matches in" in said.err
    assert f"arena replay {out}" in said.err.splitlines()[-1]
    assert stat.S_IMODE((out / "plan.json").stat().st_mode) == 0o600
    assert not read_plan(out).is_practice
    assert arena(capsys, "verify", out).status == 0


def test_the_number_of_workers_changes_nothing_but_times(
    capsys: Capsys, bots: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "spring"

    said = arena(capsys, "tournament", "--bots", bots, "--out", out, "--jobs", 3, *OPTIONS)

    assert said.status == 0
    assert records_of(out) == records_of(undisturbed)
    assert table_of(capsys, out) == table_of(capsys, undisturbed)


@pytest.mark.chaos
async def test_killed_arena_leaves_nobody_behind_and_resumes_to_the_same_table(
    capsys: Capsys, bots: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "spring"
    with start("tournament", "--bots", bots, "--out", out, "--jobs", 2, *OPTIONS) as playing:
        wait_for_results(playing)
        playing.send_signal(signal.SIGKILL)
        playing.communicate()
    await until(lambda: nobody_works_in(bots))
    with StoreReader.open(out) as store:
        assert 0 < store.count() < 32
    assert arena(capsys, "verify", out).status == 0

    with start("resume", out) as resumed:
        assert resumed.wait() == 0

    assert records_of(out) == records_of(undisturbed)
    assert table_of(capsys, out) == table_of(capsys, undisturbed)
    assert arena(capsys, "verify", out).status == 0


@pytest.mark.chaos
async def test_interrupt_ends_everything_and_says_how_to_go_on(
    capsys: Capsys, bots: Path, tmp_path: Path
) -> None:
    out = tmp_path / "spring run"
    with start("tournament", "--bots", bots, "--out", out, "--jobs", 2, *OPTIONS) as playing:
        wait_for_results(playing)
        playing.send_signal(signal.SIGINT)
        _, err = playing.communicate()

    assert playing.returncode == 130
    assert err.splitlines()[-1] == f"  arena resume {shlex.quote(str(out))}"
    assert "of 32 matches are stored; go on with" in err
    await until(lambda: nobody_works_in(bots))
    with StoreReader.open(out) as store:
        assert store.count() > 0


def test_run_goes_on_when_whoever_read_its_notices_is_gone(
    capsys: Capsys, bots: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "spring"
    with start("tournament", "--bots", bots, "--out", out, "--jobs", 2, *OPTIONS) as playing:
        wait_for_results(playing)
        assert playing.stderr is not None
        playing.stderr.close()
        table = playing.stdout.read() if playing.stdout else ""

    assert playing.returncode == 0
    assert "rating" in table
    assert records_of(out) == records_of(undisturbed)


def test_second_arena_in_one_folder_is_refused(capsys: Capsys, bots: Path, tmp_path: Path) -> None:
    out = tmp_path / "spring"
    with start("tournament", "--bots", bots, "--out", out, *OPTIONS) as playing:
        wait_for_results(playing)
        said = arena(capsys, "resume", out)
        playing.send_signal(signal.SIGINT)
        playing.communicate()

    assert "another arena is playing this tournament" in said.mistake


def test_finished_tournament_is_only_shown(capsys: Capsys, undisturbed: Path) -> None:
    before = records_of(undisturbed)

    said = arena(capsys, "resume", undisturbed)

    assert said.status == 0
    assert said.out.lstrip().startswith("#  bot")
    assert "stored already" in said.err
    assert records_of(undisturbed) == before


def test_changed_bot_is_not_resumed(capsys: Capsys, tmp_path: Path) -> None:
    bots = quick_bots(tmp_path / "bots", *NAMES)
    out = tmp_path / "spring"
    with start("tournament", "--bots", bots, "--out", out, *OPTIONS) as playing:
        wait_for_results(playing)
        playing.send_signal(signal.SIGINT)
        playing.communicate()
    with (bots / "cat.py").open("a") as file:
        file.write("\n# sharper claws\n")
    (bots / "dog.py").unlink()

    mistake = arena(capsys, "resume", out).mistake

    assert "bot cat was changed" in mistake
    assert "dog.py: no such file" in mistake
    assert "ant" not in mistake.replace("want", "")


def test_fault_is_told_with_its_place_and_strict_makes_it_the_exit_status(
    capsys: Capsys, tmp_path: Path
) -> None:
    bots = quick_bots(tmp_path / "bots", "ant", "bee", "cat")
    (bots / "evil.py").write_text(ILLEGAL)
    options = ("--sets", 1, "--rounds", 1, "--sandbox", "none", "--seed", 3)

    said = arena(
        capsys,
        *("tournament", "--bots", bots, "--out", tmp_path / "run", "--strict", "--admit-faulty", *options),
    )

    assert said.status == 1
    assert said.err.startswith("warning: evil: callbreak+rounds=1, leads the first trick: ILLEGAL_CALL: ")
    assert "evil: 4 ILLEGAL_CALL" in said.err
    assert "first in t000-s00000-r0, seat 3, round 1, calls: seat 3 called 99" in said.err
    assert "1 was called instead" in said.err
    assert arena(capsys, "verify", tmp_path / "run").status == 0


def test_match_is_told_card_by_card_with_the_bots_in_order(capsys: Capsys, bots: Path) -> None:
    ant = bots / "ant.py"
    four = (ant, "house-greedy", ant, bots / "bee.py")

    told = arena(capsys, "match", *four, "--rounds", 1, "--seed", 5, "--sandbox", "none")
    document = json.loads(
        arena(capsys, "match", *four, "--rounds", 1, "--seed", 5, "--sandbox", "none", "--json").out
    )
    quiet = arena(capsys, "match", *four, "--rounds", 1, "--seed", 5, "--sandbox", "none", "--quiet")

    assert told.status == 0
    assert document["bots"] == ["ant", "house-greedy", "ant-2", "bee"]
    assert "  trick  0 ant            1 house-greedy   2 ant-2          3 bee" in told.out
    assert told.out.endswith(quiet.out)
    assert told.err.splitlines()[-1] == "seed 5"
