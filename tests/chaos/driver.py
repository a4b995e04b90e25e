"""Owns chaos: real tournaments that are struck at random moments and gone on with until they are done."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.tournament.plan import LOG_FOLDER, PLAN_FILE
from tests.chaos.blows import Struck, any_blow, strike
from tests.chaos.processes import LOOK_AGAIN_S, wait_until_nobody_is_in
from tests.chaos.verdict import changes_since, faulted, judge, leftovers, stored_in, troubles_in_logs

__all__ = ["Outcome", "chaos"]

ROOT = Path(__file__).parents[2]
BOTS = {"ant": "relayed", "bee": "relayed", "cat": "patient", "dog": "patient", "eel": "patient"}
# A bot may be struck at its admission, too: it plays all the same.
PLAN = ("--rounds", "2", "--seed", "5", "--time", "20+60", "--jobs", "2", "--admit-faulty")
PROGRAM = "from arena.cli import main; main()"
LONGEST_WAIT_S = 3.0
STUCK_S = 900.0
GONE_S = 180.0
INTERRUPTED = 130
GIVEN_UP = 2
SIGNALLED = frozenset(-number for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

Tell = Callable[[str], None]


@dataclass(slots=True)
class Outcome:
    """What was done and what was found; nothing may be found."""

    blows: list[Struck] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    tournaments: int = 0
    matches: int = 0
    faulted_matches: int = 0
    starts: int = 0
    took_s: float = 0.0

    def counts(self) -> list[tuple[str, int]]:
        """How often each blow was dealt, the most frequent first."""
        return Counter(blow.name for blow in self.blows).most_common()


def chaos(
    *, faults: int, seed: int, sets: int, sandbox: str = "none", tell: Tell = lambda line: None
) -> Outcome:
    """Plays tournaments of `sets` sets a table until `faults` blows were dealt and the last one is done."""
    began_s = time.monotonic()
    outcome = Outcome()
    options = ["--sets", str(sets), "--sandbox", sandbox, *PLAN]
    with _a_place(outcome) as place:
        undisturbed = _Tournament(place, "undisturbed", options, outcome, tell)
        undisturbed.play(random.Random(seed), until=0)
        dice = random.Random(seed)
        while len(outcome.blows) < faults and not outcome.findings:
            outcome.tournaments += 1
            run = _Tournament(place, f"run-{outcome.tournaments}", options, outcome, tell)
            run.play(dice, until=faults)
            outcome.findings += run.judged_beside(undisturbed.folder)
            outcome.matches += len(stored_in(run.folder))
            outcome.faulted_matches += faulted(run.folder)
            tell(f"{run.folder.name}: done with {len(outcome.findings) or 'no'} findings")
    outcome.took_s = time.monotonic() - began_s
    return outcome


@contextlib.contextmanager
def _a_place(outcome: Outcome) -> Iterator[Path]:
    """A folder with the bots; kept, and named among the findings, when there are any."""
    place = Path(tempfile.mkdtemp(prefix="chaos-")).resolve()
    (place / "bots").mkdir()
    (place / "tmp").mkdir()
    for name, program in BOTS.items():
        shutil.copy(Path(__file__).parent / "bots" / f"{program}.py", place / "bots" / f"{name}.py")
    try:
        yield place
    finally:
        for process in wait_until_nobody_is_in(place, patience_s=0):
            process.send(signal.SIGKILL)
        if outcome.findings:
            outcome.findings.append(f"all of it is kept in {place}")
        else:
            shutil.rmtree(place)


class _Tournament:
    """One tournament, from its first start to its end, however many starts that takes."""

    def __init__(self, place: Path, name: str, options: Sequence[str], outcome: Outcome, tell: Tell) -> None:
        self.folder = place / name
        self._place = place
        self._options = options
        self._outcome = outcome
        self._tell = tell
        self._stored: dict[int, bytes] = {}
        self._begins = 0

    def play(self, dice: random.Random, *, until: int) -> None:
        """Starts and goes on until the tournament is done; strikes until `until` blows are dealt in all."""
        is_done = False
        while not is_done and not self._outcome.findings:
            with self._begun() as arena:
                self._disturb(arena, dice, until)
                is_done = self._ended_well(arena)
            if is_done or dice.random() < 0.5:  # or the next one meets what the last one has left running
                self._nobody_stays()
            self._nothing_changed()

    def judged_beside(self, undisturbed: Path) -> list[str]:
        """What is wrong with the finished tournament."""
        if self._outcome.findings:
            return []
        logs = [*self._place.glob(f"{self.folder.name}-*.err"), *self._worker_logs()]
        return [
            *judge(self.folder, undisturbed, self._outcome.blows),
            *leftovers(self.folder, self._place / "tmp"),
            *troubles_in_logs(logs),
        ]

    @contextlib.contextmanager
    def _begun(self) -> Iterator[subprocess.Popen[bytes]]:
        """The arena's process: a first start as long as there is no plan, then `resume`."""
        self._begins += 1
        self._outcome.starts += 1
        command = ["resume", str(self.folder), "--jobs", "2"]
        if not (self.folder / PLAN_FILE).exists():
            command = ["tournament", "--bots", str(self._place / "bots"), "--out", str(self.folder)]
            command += self._options
        with self._said().open("wb") as err:
            yield subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *command],
                cwd=self._place,
                env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self._place / "tmp")},
                stdout=subprocess.DEVNULL,
                stderr=err,
            )

    def _disturb(self, arena: subprocess.Popen[bytes], dice: random.Random, until: int) -> None:
        """Strikes at random moments until the arena ends or enough blows were dealt."""
        while len(self._outcome.blows) < until:
            blow = any_blow(dice)
            patience_s = dice.uniform(0, LONGEST_WAIT_S)
            while not _ends_within(patience_s, arena):
                patience_s = LOOK_AGAIN_S
                if (struck := strike(blow, self._place, dice)) is not None:
                    self._note(struck)
                    break
            if arena.returncode is not None:
                return

    def _note(self, struck: Struck) -> None:
        self._outcome.blows.append(struck)
        number = len(self._outcome.blows)
        self._tell(f"{self.folder.name}: {number}: {struck.name} {' '.join(sorted(struck.bots))}")

    def _ended_well(self, arena: subprocess.Popen[bytes]) -> bool:
        """Whether the tournament is done; an end that is none of those promised is a finding."""
        try:
            status = arena.wait(STUCK_S)
        except subprocess.TimeoutExpired:
            arena.kill()
            self._find(f"nothing moved for {STUCK_S:g} s")
            return False
        said = self._said().read_text(errors="replace")
        is_promised = status in SIGNALLED or status in (0, INTERRUPTED)
        if not is_promised and not (status == GIVEN_UP and "its worker was lost" in said):
            self._find(f"ended with status {status}: {said}")
        return status == 0

    def _nobody_stays(self) -> None:
        if left := wait_until_nobody_is_in(self._place, patience_s=GONE_S):
            self._find(f"still running after {GONE_S:g} s: {left}")

    def _nothing_changed(self) -> None:
        now = stored_in(self.folder)
        for change in changes_since(self._stored, now):
            self._find(change)
        self._stored = now

    def _said(self) -> Path:
        return self._place / f"{self.folder.name}-{self._begins:03d}.err"

    def _worker_logs(self) -> list[Path]:
        return sorted((self.folder / LOG_FOLDER).glob("worker-*.log"))

    def _find(self, what: str) -> None:
        self._outcome.findings.append(f"{self.folder.name}, start {self._begins}: {what}")


def _ends_within(seconds: float, process: subprocess.Popen[bytes]) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None
