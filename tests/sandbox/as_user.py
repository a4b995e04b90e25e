"""Runs every attack in the sandbox as whoever starts it; prints the outcomes as JSON.

`python -m tests.sandbox.as_user FOLDER`, with nothing but the standard library.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from arena.bots.bubblewrap import find_bubblewrap
from tests.sandbox.attacks import ATTACKS, a_world, try_attack


async def run(folder: Path) -> dict[str, dict[str, object]]:
    """Each attack's name: whether it worked, what it said, how it ended."""
    sandbox = find_bubblewrap()
    outcomes: dict[str, dict[str, object]] = {"sandbox": {"said": sandbox.describe()}}
    with a_world(folder) as world:
        for attack in ATTACKS:
            outcome = await try_attack(attack, world, folder, sandbox=sandbox)
            told = {"worked": outcome.worked, "said": outcome.said, "reason": outcome.exit.reason}
            outcomes[attack.name] = told
    return outcomes


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(Path(sys.argv[1])))))
