"""Clocks that can be believed: the arena's own lateness is charged to nobody, a bot's always."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from arena.bots.bubblewrap import Bubblewrap
from arena.bots.heartbeat import BEAT_NS, TOLERANCE_NS, Stalls
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import load_bot
from arena.referee import FaultKind
from arena.rules import Seed
from tests.bots.processes import script_bot, until
from tests.tournament.tables import play_table

MS = 1_000_000
ROOT = Path(__file__).parent.parent.parent
SEED = Seed.parse("4")


def _beats(stalls: Stalls, since_ms: int, until_ms: int) -> None:
    for ms in range(since_ms, until_ms, BEAT_NS // MS):
        stalls.beat(ms * MS)


def test_punctual_beats_are_no_stall() -> None:
    stalls = Stalls(0)
    _beats(stalls, 10, 1000)

    assert stalls.stalled_ns(0, 995 * MS) == 0


def test_late_beat_is_a_stall_from_when_it_was_due() -> None:
    stalls = Stalls(0)
    stalls.beat(500 * MS)

    assert stalls.stalled_ns(0, 505 * MS) == 490 * MS
    assert stalls.between(0, 505 * MS) == [(10 * MS, 500 * MS)]


def test_only_the_part_of_a_stall_within_a_decision_is_given_back() -> None:
    stalls = Stalls(0)
    stalls.beat(500 * MS)
    _beats(stalls, 510, 2000)

    assert stalls.stalled_ns(400 * MS, 1900 * MS) == 100 * MS
    assert stalls.stalled_ns(0, 100 * MS) == 90 * MS
    assert stalls.stalled_ns(600 * MS, 1900 * MS) == 0


def test_stall_that_goes_on_counts_before_its_beat_has_come() -> None:
    stalls = Stalls(0)

    assert stalls.stalled_ns(0, BEAT_NS + TOLERANCE_NS) == 0
    assert stalls.stalled_ns(0, 5000 * MS) == 4990 * MS


# A table of one match, in a process of its own that can be stopped as a whole.
ARENA = """
import asyncio, json, sys
from pathlib import Path
from arena.bots.manifest import load_bot
from arena.rules import Seed
from tests.tournament.tables import play_table

bots = [load_bot(path) for path in sys.argv[3:7]]
seed, logs, startup_s = Seed.parse("4"), Path(sys.argv[1]), float(sys.argv[2])
playing = play_table(bots, seed=seed, log_dir=logs, time_control="0.4+0.2", startup_s=startup_s)
records = asyncio.run(playing)
print(json.dumps([
    [[fault.seat, fault.kind, fault.detail] for fault in records[0].faults],
    sum(stall.late_us for stall in records[0].timing.stalls),
]))
"""


# Each tells by a file that its time runs, and is done 0.1 s later: the arena is stopped in between.
SLOW_TO_CALL = """
import time
from pathlib import Path
from arena.sdk import Bot, run

class Slow(Bot):
    def call(self, view):
        Path(ASKED).touch()
        time.sleep(0.1)
        return 1

    def play(self, view):
        return view.legal_cards[0]

run(Slow())
"""
SLOW_TO_GREET = """
import time
from pathlib import Path
from arena.sdk import Bot, run

class Slow(Bot):
    def call(self, view):
        return 1

    def play(self, view):
        return view.legal_cards[0]

Path(ASKED).touch()
time.sleep(0.1)
run(Slow())
"""
SLOW_TO_BE_READY = """
import time
from pathlib import Path
from arena.sdk import Bot, run

class Slow(Bot):
    def match_start(self, start):
        Path(ASKED).touch()
        time.sleep(0.1)

    def call(self, view):
        return 1

    def play(self, view):
        return view.legal_cards[0]

run(Slow())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "startup_s", "stopped_s"),
    [(SLOW_TO_CALL, 30.0, 3.0), (SLOW_TO_GREET, 8.0, 9.0), (SLOW_TO_BE_READY, 8.0, 9.0)],
    ids=["decision", "hello", "ready"],
)
async def test_arena_that_is_stopped_for_seconds_charges_nobody(
    tmp_path: Path, source: str, startup_s: float, stopped_s: float
) -> None:
    slow = script_bot(tmp_path, source.replace("ASKED", repr(str(tmp_path / "asked"))))
    house = HOUSE_BOTS["house-lowest"]
    bots = map(str, (slow.path, house, house, house))
    argv = [sys.executable, "-c", ARENA, str(tmp_path / "logs"), str(startup_s), *bots]
    arena = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    await until((tmp_path / "asked").exists)

    arena.send_signal(signal.SIGSTOP)
    await asyncio.sleep(stopped_s)
    arena.send_signal(signal.SIGCONT)
    out, _ = await arena.communicate()

    faults, stalled_us = json.loads(out)
    assert faults == []
    if source == SLOW_TO_CALL:
        assert stalled_us > 2_000_000


@pytest.mark.parametrize(("seconds", "is_late"), [(0.25, False), (0.75, True)])
async def test_real_bot_under_its_limit_never_forfeits_and_over_it_always(
    tmp_path: Path, seconds: float, is_late: bool
) -> None:
    sleeper = script_bot(
        tmp_path,
        f"""
        import time
        from arena.sdk import Bot, run

        class Sleeper(Bot):
            def call(self, view):
                time.sleep({seconds})
                return 1

            def play(self, view):
                return view.legal_cards[0]

        run(Sleeper())
        """,
    )
    house = load_bot(HOUSE_BOTS["house-lowest"])

    records = await play_table(
        [sleeper, house, house, house], seed=SEED, log_dir=tmp_path, time_control="0.5+0", rounds=2
    )

    kinds = [FaultKind(fault.kind) for fault in records[0].faults]
    assert kinds == ([FaultKind.TIMEOUT] * 2 if is_late else [])


async def test_processor_time_of_a_decision_is_recorded_where_a_group_tells_it(
    tmp_path: Path, bwrap: Bubblewrap
) -> None:
    if not bwrap.groups:
        pytest.skip("no control group is delegated to this user here")
    burner = script_bot(
        tmp_path,
        """
        import time
        from arena.sdk import Bot, run

        class Burner(Bot):
            def call(self, view):
                until = time.process_time() + 0.1
                while time.process_time() < until:
                    pass
                return 1

            def play(self, view):
                return view.legal_cards[0]

        run(Burner())
        """,
    )
    house = load_bot(HOUSE_BOTS["house-lowest"])

    records = await play_table([burner, house, house, house], seed=SEED, log_dir=tmp_path, sandbox=bwrap)

    called_us = records[0].timing.rounds[0].cpu_us[:4]
    assert 100_000 <= called_us[0] < 1_000_000
    assert max(called_us[1:]) < called_us[0]
