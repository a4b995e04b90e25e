"""No bot process ever sees a deal twice: a bot that remembers every hand never gets the chance."""

from __future__ import annotations

from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, load_bot
from arena.rules import Seed
from arena.tournament.schedule import PlannedMatch, match_id_of, seats_of
from arena.v1 import record_pb2
from tests.tournament.tables import play_matches, play_table

SEED = Seed.parse("21")
REMEMBERER = Path(__file__).parent.parent / "cheats" / "rememberer.py"


def _bots() -> list[Entrant]:
    return [load_bot(REMEMBERER), *[load_bot(HOUSE_BOTS["house-lowest"])] * 3]


def _recognised(records: list[record_pb2.MatchRecord]) -> int:
    return sum(
        note.text == "I know this deal" for r in records for round_ in r.rounds for note in round_.notes
    )


async def test_bot_that_remembers_deals_never_meets_one_again(tmp_path: Path) -> None:
    records = await play_table(_bots(), seed=SEED, log_dir=tmp_path, rounds=2, sets=2, rotations=(0, 1, 2, 3))

    assert len(records) == 8
    assert _recognised(records) == 0


async def test_it_would_if_two_passes_shared_a_process(tmp_path: Path) -> None:
    # The same four rotations, called one pass: the attack is real.
    one_pass = [
        PlannedMatch(match_id_of(0, 0, k), k, 0, 0, 0, seats_of((0, 1, 2, 3), order=0, rotation=k))
        for k in range(4)
    ]

    records = await play_matches(_bots(), one_pass, seed=SEED, log_dir=tmp_path, rounds=2)

    assert _recognised(records) == 2 * 3
