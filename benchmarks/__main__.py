"""Owns the command line of the benchmarks.

    python -m benchmarks                    the throughput suite: arena, limits, Flask, aiohttp, JSON lines
    python -m benchmarks peers              the same and more: waitress, OpenSpiel, RLCard
    python -m benchmarks --quick            every row in seconds, each measured once: a look, not a figure
    python -m benchmarks --only arena-1 echo-4
    python -m benchmarks store              storing, memory, reading the table, verifying
    python -m benchmarks scale              10,000 bots and 100 million matches, from measured costs
    python -m benchmarks page               all of it, into docs/performance.md: half an hour

Needs `pip install callbreak-arena[bench]`. `benchmarks.strength`, `benchmarks.ranking` and
`benchmarks.environments` are programs of their own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import page, report, scale
from benchmarks.contenders import CONTENDERS, PEERS, THROUGHPUT
from benchmarks.costs import match_us, measure_costs
from benchmarks.keeping import QUICK_SIZES, SIZES, keeping_lines, run_part
from benchmarks.sample import Effort
from benchmarks.suite import measure_all, take_sample

QUICK = Effort(seconds=0.1, matches=1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line says; the status to leave with."""
    given = _parser().parse_args(arguments)
    if given.command == "sample":
        effort = Effort(seconds=given.seconds, matches=given.matches)
        return take_sample(given.name, effort, is_null=given.null)
    if given.command == "keeping-part":
        print(json.dumps(run_part(given.part, given.sizes)))
        return 0
    _RUNS.get(given.command, _run_suite)(given)
    return 0


def _run_scale(given: argparse.Namespace) -> None:
    tournament = scale.Tournament(bots=given.bots, matches=given.matches, thinking_us=given.thinking_us)
    costs = measure_costs(bots=given.bots, matches=20 if given.quick else 1000, in_flight=scale.IN_FLIGHT)
    print("\n".join([*report.machine(), "", *scale.table(tournament, costs)]))


def _run_store(given: argparse.Namespace) -> None:
    sizes = QUICK_SIZES if given.quick else SIZES
    lines = keeping_lines(sizes, play_us=match_us(in_flight=1024, matches=20 if given.quick else 2048))
    print("\n".join([*report.machine(), "", *lines]))


def _run_page(given: argparse.Namespace) -> None:
    effort = QUICK if given.quick else Effort(seconds=given.seconds, matches=2)
    page.rewrite(
        rounds=1 if given.quick else given.rounds,
        effort=effort,
        sizes=QUICK_SIZES if given.quick else SIZES,
        tournament=scale.Tournament(bots=10_000, matches=100_000_000, thinking_us=0.0),
        on_sample=_tell,
    )


def _run_suite(given: argparse.Namespace) -> None:
    chosen = PEERS if given.command == "peers" else THROUGHPUT
    if given.only:
        chosen = [CONTENDERS[name] for name in given.only]
    effort = QUICK if given.quick else Effort(seconds=given.seconds, matches=2)
    rounds = 1 if given.quick else given.rounds
    measured = measure_all(chosen, rounds=rounds, effort=effort, on_sample=_tell)
    _tell("")
    lines = [*report.machine(), "", *report.table(measured), "", *map(str, report.targets(measured))]
    print("\n".join(lines))
    if given.json:
        Path(given.json).write_text(json.dumps(report.document(measured), indent=1) + "\n")


_RUNS = {"scale": _run_scale, "store": _run_store, "page": _run_page}


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n")[0])
    _add_suite_options(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    part = commands.add_parser("keeping-part")
    part.add_argument("part")
    part.add_argument("sizes", type=int, nargs="+")
    _add_suite_options(commands.add_parser("throughput", help="what is measured without a command"))
    _add_suite_options(commands.add_parser("peers", help="the same beside more of the others"))
    _add_suite_options(commands.add_parser("page", help="all of it, into docs/performance.md"))
    store = commands.add_parser("store", help="what keeping results costs")
    store.add_argument("--quick", action="store_true", help="a look, not figures")
    costs = commands.add_parser("scale", help="a tournament on many cores, simulated from measured costs")
    costs.add_argument("--bots", type=int, default=10_000)
    costs.add_argument("--matches", type=int, default=100_000_000)
    costs.add_argument("--thinking-us", type=float, default=0.0, help="processor time of a bot's decision")
    costs.add_argument("--quick", action="store_true", help="a look, not figures")
    sample = commands.add_parser("sample", help="one sample of one contender, as JSON")
    sample.add_argument("name", choices=CONTENDERS)
    sample.add_argument("--seconds", type=float, default=1.0)
    sample.add_argument("--matches", type=int, default=2, help="matches for each one in flight")
    sample.add_argument("--null", action="store_true", help="with null bots")
    return parser


def _add_suite_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=5, help="samples of each; 5 unless told")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a sample; 1 unless told")
    parser.add_argument("--quick", action="store_true", help="one short sample of each")
    parser.add_argument("--only", nargs="+", choices=CONTENDERS, metavar="NAME", help="only these")
    parser.add_argument("--json", metavar="FILE", help="keep every sample")


if __name__ == "__main__":
    sys.exit(main())
