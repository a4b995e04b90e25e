"""What is told while a run goes on."""

from __future__ import annotations

import pytest

from arena.tournament.progress import PlainProgress, Tally, duration_text
from tests.store.played import all_played, plan_of

RECORDS = all_played(plan_of())


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


def test_line_tells_how_far_how_fast_and_how_long() -> None:
    watch = Watch()
    tally = Tally(40, now_s=watch)
    watch.s = 5.0
    tally.add(RECORDS[:10])

    assert tally.line() == "10/40 matches, 2.0 matches/s, 15 s left, no faults"


def test_rate_counts_this_run_alone_and_leaders_all_of_it() -> None:
    watch = Watch()
    tally = Tally(40, stored=20, before={"zebra": (20, 20_000)}, now_s=watch)
    watch.s = 10.0
    tally.add(RECORDS[:10])

    assert tally.rate() == pytest.approx(1.0)
    assert tally.leaders()[0] == ("zebra", 100.0)
    assert tally.leaders_line().startswith("leading so far, points a match: zebra 100.0, ")


def test_nothing_is_claimed_before_the_first_match() -> None:
    tally = Tally(40)

    assert tally.left_s() is None
    assert tally.leaders_line() == ""


def test_faults_and_lost_workers_are_counted() -> None:
    said: list[str] = []
    tally = Tally(40)
    progress = PlainProgress(tally, said.append)
    record = RECORDS[0]
    record.faults.add(seat=1)

    progress.lost("t000-s00000-00005", exit_status=-9, log="logs/worker-0.log")
    progress.stored([record])

    assert said == [
        "a worker was lost (exit status -9) during job t000-s00000-00005, which goes on: logs/worker-0.log"
    ]
    assert tally.line().endswith("1 fault, 1 lost worker")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.421, "0.42 s"),
        (4.23, "4.2 s"),
        (42.4, "42 s"),
        (59.7, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
