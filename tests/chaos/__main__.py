"""Owns chaos by hand: `python -m tests.chaos --faults 200 --seed 1`."""

from __future__ import annotations

import argparse
import sys

from tests.chaos.driver import chaos


def main() -> int:
    """Strikes, tells every blow, and prints the table of docs/chaos.md; status 1 for findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=main.__doc__)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, default=6, help="of each of five tables")
    parser.add_argument("--sandbox", choices=["none", "bwrap"], default="none")
    given = parser.parse_args()
    found = chaos(
        faults=given.faults,
        seed=given.seed,
        sets=given.sets,
        sandbox=given.sandbox,
        tell=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print("| what was done | times |\n|---|---|")
    for name, count in found.counts():
        print(f"| {name} | {count} |")
    print(
        f"\n{len(found.blows)} faults in {found.took_s:.0f} s; {found.tournaments} tournaments,"
        f" {found.starts} starts, {found.matches} matches, {found.faulted_matches} of them with a fault"
    )
    for finding in found.findings:
        print(f"FOUND: {finding}")
    return 1 if found.findings else 0


if __name__ == "__main__":
    sys.exit(main())
