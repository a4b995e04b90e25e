"""Owns how long Ctrl-C takes, measured by hand: `python -m tests.chaos.interrupts --times 20`.

No test asserts it: on a machine that is busy with other things it says nothing about the arena.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import tempfile
import time
from pathlib import Path

from tests.chaos.processes import wait_until_nobody_is_in
from tests.cli.commands import quick_bots, start, wait_for_results

OPTIONS = ("--sets", "40", "--rounds", "5", "--sandbox", "none", "--jobs", "2")


def interrupted(bots: Path, out: Path) -> tuple[float, float]:
    """Seconds from SIGINT in the middle of play until the arena has ended, and until every process has."""
    with start("tournament", "--bots", bots, "--out", out, *OPTIONS) as playing:
        wait_for_results(playing)
        began_s = time.monotonic()
        playing.send_signal(signal.SIGINT)
        playing.communicate()
        ended_s = time.monotonic()
    wait_until_nobody_is_in(bots, patience_s=60)
    return ended_s - began_s, time.monotonic() - began_s


def main() -> None:
    """Interrupts tournaments and prints how long it took."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.interrupts", description=main.__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory(prefix="interrupts-") as place:
        bots = quick_bots(Path(place, "bots"), "ant", "bee", "cat", "dog")
        taken = [interrupted(bots, Path(place, f"run-{number}")) for number in range(times)]
    words = ("the arena ended", "no process was left")
    for what, seconds in zip(words, zip(*taken, strict=True), strict=True):
        print(f"{what}: median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
