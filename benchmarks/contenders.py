"""Owns the list of what is measured: each contender by its name, and which suite it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena.bots.house import HOUSE_BOTS
from arena.tournament.throughput import BENCH_BOT, measure_cell, measure_cells
from benchmarks.engines import measure_open_spiel, measure_rlcard, measure_rules
from benchmarks.environments import SIZE, measure_environment
from benchmarks.limits import measure_echo, measure_socket
from benchmarks.peers import measure_http, measure_lines
from benchmarks.sample import Effort, Sample

__all__ = [
    "BATCHED",
    "CONTENDERS",
    "ECHO",
    "ENVIRONMENT",
    "FLASK",
    "ONE_ASK",
    "PEERS",
    "POLLED_ECHO",
    "RULES",
    "THROUGHPUT",
    "Contender",
]

RULES = "rules"
ENVIRONMENT = "environment"
ECHO = "echo-4"
POLLED_ECHO = "echo-4-polled"
ONE_ASK = "arena-1"
BATCHED = ("arena-256", "arena-1024", "arena-256x2", "arena-1024x2")
FLASK = ("flask-1", "flask-16", "waitress-16")

_NULL_BOT = Path(__file__).parent / "programs" / "null_bot.py"


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to measure, with bots that decide as `house-lowest` does, and with null bots."""

    name: str
    title: str
    in_flight: int
    measure: Callable[[Effort], Sample]
    measure_null: Callable[[Effort], Sample] | None = None
    polls: bool = False
    """Whether gRPC waits as the arena has it wait, not as it comes."""


def _arena(bot: Path, cells: int, in_flight: int, effort: Effort) -> Sample:
    matches = effort.matches_for(in_flight)
    if cells == 1:
        found = measure_cell(in_flight=in_flight, matches=matches, bot=bot)
    else:
        found = measure_cells(cells, in_flight=in_flight, matches=matches, bot=bot)
    return Sample(found.decisions, found.seconds, found.arena_cpu_s, found.bots_cpu_s)


def _arena_contender(in_flight: int, cells: int = 1) -> Contender:
    together = f"x{cells}" if cells > 1 else ""
    return Contender(
        f"arena-{in_flight}{together}",
        "arena" if cells == 1 else f"arena, {cells} workers",
        in_flight,
        partial(_arena, HOUSE_BOTS[BENCH_BOT], cells, in_flight),
        partial(_arena, _NULL_BOT, cells, in_flight),
        polls=True,
    )


def _http(
    program: str, needs: str, server: list[str], decider: str, in_flight: int, effort: Effort
) -> Sample:
    return measure_http(program, [decider, *server], needs=needs, in_flight=in_flight, effort=effort)


def _http_contender(name: str, title: str, program: str, needs: str, server: list[str]) -> list[Contender]:
    return [
        Contender(
            f"{name}-{in_flight}",
            title,
            in_flight,
            partial(_http, program, needs, server, "lowest", in_flight),
            partial(_http, program, needs, server, "null", in_flight),
        )
        for in_flight in (1, 16)
    ]


def _lines(decider: str, in_flight: int, effort: Effort) -> Sample:
    return measure_lines(decider, in_flight=in_flight, effort=effort)


def _lines_contender(in_flight: int) -> Contender:
    return Contender(
        f"lines-{in_flight}",
        "JSON lines over pipes",
        in_flight,
        partial(_lines, "lowest", in_flight),
        partial(_lines, "null", in_flight),
    )


def _in_turn(clients: int) -> str:
    return "one client" if clients == 1 else f"{clients} clients in turn"


_ENGINE = Contender(RULES, "rules alone, one process", 1, measure_rules)
_ENVIRONMENT = Contender(ENVIRONMENT, "vectorised environment, one process", SIZE, measure_environment)
_LIMITS = [
    *(Contender(f"socket-{n}", f"Unix socket, {_in_turn(n)}", 1, partial(measure_socket, n)) for n in (1, 4)),
    *(Contender(f"echo-{n}", f"gRPC echo, {_in_turn(n)}", 1, partial(measure_echo, n)) for n in (1, 4)),
    Contender(POLLED_ECHO, "gRPC echo, the arena's poller", 1, partial(measure_echo, 4), polls=True),
]
_ARENA = [
    *(_arena_contender(in_flight) for in_flight in (1, 16, 64, 256, 1024)),
    *(_arena_contender(in_flight, cells=2) for in_flight in (256, 1024)),
]
_FLASK = _http_contender("flask", "Flask, its own server", "flask_bot", "flask", ["own"])
_WAITRESS = _http_contender("waitress", "Flask on waitress", "flask_bot", "waitress", ["waitress"])
_AIOHTTP = _http_contender("aiohttp", "aiohttp", "aiohttp_bot", "aiohttp", [])
_LINES = [_lines_contender(in_flight) for in_flight in (1, 16, 256)]
_OTHER_RULES = [
    Contender("openspiel-spades", "OpenSpiel spades, one process", 1, partial(measure_open_spiel, "spades")),
    Contender("openspiel-hearts", "OpenSpiel hearts, one process", 1, partial(measure_open_spiel, "hearts")),
    Contender("rlcard-bridge", "RLCard bridge, one process", 1, partial(measure_rlcard, "bridge")),
]

THROUGHPUT = [_ENGINE, _ENVIRONMENT, *_LIMITS, *_ARENA, *_FLASK, *_AIOHTTP, *_LINES[:2]]
PEERS = [*THROUGHPUT, _LINES[2], *_WAITRESS, *_OTHER_RULES]
CONTENDERS = {contender.name: contender for contender in PEERS}
