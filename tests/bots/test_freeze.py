"""With --freeze a bot thinks on its own time only: pondering gains nothing."""

from __future__ import annotations

from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import load_bot
from arena.rules import Seed
from arena.v1 import record_pb2
from tests.bots.processes import script_bot
from tests.tournament.tables import play_table

PONDERER = Path(__file__).parent.parent / "cheats" / "ponderer.py"
SLOW = """
import time
from arena.sdk import Bot, run

class Slow(Bot):
    def call(self, view):
        time.sleep(0.5)
        return 1

    def play(self, view):
        time.sleep(0.15)
        return view.legal_cards[0]

run(Slow())
"""


async def _cpu_s_between_decisions(tmp_path: Path, *, freeze: bool) -> tuple[float, record_pb2.MatchRecord]:
    """Processor seconds that the pondering bot had in one match, its start left out."""
    house = load_bot(HOUSE_BOTS["house-lowest"])
    bots = [load_bot(PONDERER), script_bot(tmp_path, SLOW), house, house]
    records = await play_table(bots, seed=Seed.parse("8"), log_dir=tmp_path / "logs", freeze=freeze)
    notes = [float(note.text) for round_ in records[0].rounds for note in round_.notes]
    return sum(notes[1:]), records[0]


async def test_frozen_bot_gets_no_processor_time_while_others_think(tmp_path: Path) -> None:
    pondered_s, _ = await _cpu_s_between_decisions(tmp_path, freeze=False)
    frozen_s, record = await _cpu_s_between_decisions(tmp_path, freeze=True)

    # Another seat thinks for two seconds: without freezing the ponderer uses what the machine can spare.
    assert pondered_s > 0.2
    assert frozen_s < pondered_s / 2
    assert not record.faults
