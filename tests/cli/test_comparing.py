"""Two versions compared, and a tournament that goes on until it is known: with real bots, to the verdict."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from arena.referee.record import timeless_bytes
from arena.store.reader import StoreReader
from arena.tournament.plan import read_plan
from tests.cli.commands import arena, quick_bots, start, wait_for_results

Capsys = pytest.CaptureFixture[str]
SAMPLES = Path(__file__).parents[2] / "sample_bots"
QUICK = ("--rounds", 1, "--seed", 5, "--sandbox", "none", "--time", "20+60", "--jobs", 2)
slow = [pytest.mark.slow, pytest.mark.timeout(300)]


def records_of(folder: Path) -> list[bytes]:
    with StoreReader.open(folder) as store:
        return [timeless_bytes(match.parse()) for match in store.matches()]


class TestComparison:
    """`arena sprt`."""

    pytestmark = slow

    def test_greedy_is_better_than_lowest_and_the_run_is_kept(self, capsys: Capsys, tmp_path: Path) -> None:
        out = tmp_path / "spring"

        said = arena(
            capsys, "sprt", "--candidate", SAMPLES / "greedy", "--baseline", SAMPLES / "lowest", *QUICK,
            "--out", out, "--max-sets", 48, "--json",
        )  # fmt: skip

        assert said.status == 0, said.err
        document = json.loads(said.out)
        assert (document["candidate"], document["baseline"]) == ("greedy", "lowest")
        assert document["opponents"] == ["house-greedy", "house-greedy-2", "house-lowest"]
        assert document["verdict"] == "better"
        assert 16 <= document["sets"] <= 48
        assert document["mean_difference"] > 0
        assert document["faults"] == {}
        assert arena(capsys, "verify", out).status == 0
        again = arena(capsys, "resume", out)
        assert (again.status, again.out.splitlines()[0]) == (0, "greedy is better than lowest")
        assert "every match was stored already" in again.err
        table = arena(capsys, "standings", out)
        assert "Provisional" not in table.out

    def test_interrupted_comparison_goes_on_to_a_verdict_that_does_not_hold(
        self, capsys: Capsys, tmp_path: Path
    ) -> None:
        bots, out = quick_bots(tmp_path / "bots", "new", "old"), tmp_path / "run"
        (bots / "new.py").write_text((bots / "new.py").read_text() + "\n# the same, and yet another\n")
        with start(
            "sprt", "--candidate", bots / "new.py", "--baseline", bots / "old.py", *QUICK, "--out", out,
            "--max-sets", 16, "--points0", "0.1", "--points1", "0.4",
        ) as playing:  # fmt: skip
            wait_for_results(playing)
            playing.send_signal(signal.SIGINT)
            _, err = playing.communicate()
        assert playing.returncode == 130
        assert f"arena resume {out}" in err

        said = arena(capsys, "resume", out)

        assert said.status == 1
        assert said.out.splitlines()[0] == "new is not better than old by 0.4 points a match or more"
        assert "0.00 ± 0.00 points a match over 16 sets (128 matches)" in said.out


def test_two_versions_of_one_name_are_told_apart(capsys: Capsys, tmp_path: Path) -> None:
    one, other = quick_bots(tmp_path / "one", "bot"), quick_bots(tmp_path / "other", "bot")

    mistake = arena(
        capsys, "sprt", "--candidate", one / "bot.py", "--baseline", other / "bot.py", "--sandbox", "none"
    ).mistake

    assert "are the same bot" in mistake


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--points0", "1", "--points1", "0.5"), "points0 (1.0) must be less than points1 (0.5)"),
        (("--alpha", "0.7"), "alpha (0.7) must be between 0 and 0.5"),
        (("--max-sets", "0"), "--max-sets"),
        (("--opponents", "house-lowest") * 4, "three seats are left; 4 bots were given"),
        (("--opponents", "nowhere"), "nowhere"),
        (("--rounds", "0"), "rounds is 0"),
    ],
)
def test_question_that_makes_no_sense_is_named_and_nothing_is_made(
    capsys: Capsys, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    out = tmp_path / "run"
    versions = ("--candidate", SAMPLES / "greedy", "--baseline", SAMPLES / "lowest")

    said = arena(capsys, "sprt", *versions, "--sandbox", "none", "--out", out, *options)

    assert message in said.mistake
    assert not out.exists()


class TestUntilSeparated:
    """`arena tournament --until-separated`."""

    pytestmark = slow
    OPTIONS = (*QUICK, "--sets", 1, "--until-separated", "--max-matches", 28)

    def test_interrupted_or_not_the_same_is_added_and_played(self, capsys: Capsys, tmp_path: Path) -> None:
        bots = quick_bots(tmp_path / "bots", "ant", "bee", "cat", "dog")
        whole, broken = tmp_path / "whole", tmp_path / "broken"

        said = arena(capsys, "tournament", "--bots", bots, "--out", whole, *self.OPTIONS)
        with start("tournament", "--bots", bots, "--out", broken, *self.OPTIONS) as playing:
            wait_for_results(playing)
            playing.send_signal(signal.SIGKILL)
            playing.communicate()
        resumed = arena(capsys, "resume", broken)

        assert (said.status, resumed.status) == (0, 0)
        assert "until neighbours are separated, 28 matches at most" in said.err
        assert "1 table more where neighbours are not separated yet (look 1)" in said.err
        assert read_plan(whole).added == (((0, 1, 2, 3),),) == read_plan(broken).added
        assert len(records_of(whole)) == 28
        assert records_of(broken) == records_of(whole)
        for folder in (whole, broken):
            assert arena(capsys, "verify", folder).out.startswith(f"{folder}: 28 matches verified")
        with StoreReader.open(whole) as store:
            assert store.has_ended()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-matches", "100"), "--max-matches 100 goes with --until-separated"),
        (
            ("--until-separated", "--max-matches", "10"),
            "--max-matches 10: 24 are planned before any are added",
        ),
    ],
)
def test_maximum_that_makes_no_sense_is_named(
    capsys: Capsys, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    bots = quick_bots(tmp_path / "bots", "ant", "bee", "cat", "dog")

    said = arena(capsys, "tournament", "--bots", bots, "--sandbox", "none", "--out", tmp_path / "x", *options)

    assert message in said.mistake
