"""Owns the blows that chaos deals: each takes a random process of a kind and does one bad thing to it."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.processes import Kind, Process, heeds, processes_in

__all__ = ["Blow", "Struck", "any_blow", "strike"]

SHORTEST_STOP_S, LONGEST_STOP_S = 0.1, 1.5  # less than any limit of time that the bots have
IMPATIENCE_S = 0.2
INNER = (Kind.WORKER, Kind.KEEPER, Kind.SANDBOX, Kind.BOT)
"""In this order none can tell of the death of the next."""

Deed = Callable[["Scene", Process], list[Process]]
"""Does it, and returns who lost their life or their stream by it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What runs at the moment of a blow, and the dice."""

    dice: random.Random
    processes: Sequence[Process]

    def of(self, *kinds: Kind) -> list[Process]:
        """Those of these kinds, by kind in the order given."""
        return [process for kind in kinds for process in self.processes if process.kind is kind]


@dataclass(frozen=True, slots=True)
class Blow:
    """Something bad to do: `whom` says who may be hit, `deed` hits one of them."""

    name: str
    weight: int
    whom: Callable[[Scene], list[Process]]
    deed: Deed


@dataclass(frozen=True, slots=True)
class Struck:
    """A blow that was dealt. `bots` may have lost their process or stream by it."""

    name: str
    pid: int
    bots: frozenset[str]
    at_unix_us: int


def any_blow(dice: random.Random) -> Blow:
    """One of all that there are, by their weights."""
    return dice.choices(BLOWS, [blow.weight for blow in BLOWS])[0]


def strike(blow: Blow, folder: Path, dice: random.Random) -> Struck | None:
    """Deals the blow to one of those that run in `folder`; None when none is there whom it can hit."""
    scene = Scene(dice, processes_in(folder))
    if not (victims := blow.whom(scene)):
        return None
    victim = dice.choice(victims)
    at_unix_us = time.time_ns() // 1000
    lost = blow.deed(scene, victim)
    return Struck(blow.name, victim.pid, frozenset(one.bot for one in lost if one.bot), at_unix_us)


def _the(*kinds: Kind) -> Callable[[Scene], list[Process]]:
    return lambda scene: scene.of(*kinds)


def _relayed(number: signal.Signals) -> Callable[[Scene], list[Process]]:
    return lambda scene: [bot for bot in scene.of(Kind.BOT) if heeds(bot, number)]


def _sends(number: signal.Signals) -> Deed:
    def deed(scene: Scene, victim: Process) -> list[Process]:
        victim.send(number)
        return [victim]

    return deed


def _stop(scene: Scene, victim: Process) -> list[Process]:
    victim.send(signal.SIGSTOP)
    time.sleep(scene.dice.uniform(SHORTEST_STOP_S, LONGEST_STOP_S))
    victim.send(signal.SIGCONT)
    return []


def _stop_and_kill_another(scene: Scene, victim: Process) -> list[Process]:
    others = [process for process in scene.of(Kind.ARENA, *INNER) if process is not victim]
    killed = scene.dice.sample(others, min(1, len(others)))
    victim.send(signal.SIGSTOP)
    time.sleep(SHORTEST_STOP_S)
    _kill(killed)
    time.sleep(scene.dice.uniform(SHORTEST_STOP_S, LONGEST_STOP_S))
    victim.send(signal.SIGCONT)
    return killed


def _interrupt_twice(scene: Scene, victim: Process) -> list[Process]:
    victim.send(signal.SIGINT)
    time.sleep(scene.dice.uniform(0, IMPATIENCE_S))
    victim.send(signal.SIGINT)
    return []


def _kill_all_workers(scene: Scene, victim: Process) -> list[Process]:
    return _kill(scene.of(Kind.WORKER))


def _cut_power(scene: Scene, victim: Process) -> list[Process]:
    return _kill(scene.of(Kind.ARENA, *INNER, Kind.OTHER))


def _stall(scene: Scene, victim: Process) -> list[Process]:
    victim.send(signal.SIGUSR2)
    return []


def _kill(processes: list[Process]) -> list[Process]:
    for process in processes:
        process.send(signal.SIGKILL)
    return processes


BLOWS = (
    Blow("SIGKILL to the arena", 4, _the(Kind.ARENA), _sends(signal.SIGKILL)),
    Blow("SIGINT to the arena", 2, _the(Kind.ARENA), _sends(signal.SIGINT)),
    Blow("SIGINT to the arena, twice", 1, _the(Kind.ARENA), _interrupt_twice),
    Blow("SIGTERM to the arena", 1, _the(Kind.ARENA), _sends(signal.SIGTERM)),
    Blow("SIGHUP to the arena", 1, _the(Kind.ARENA), _sends(signal.SIGHUP)),
    Blow("arena stopped for a while", 2, _the(Kind.ARENA), _stop),
    Blow("SIGKILL to a worker", 3, _the(Kind.WORKER), _sends(signal.SIGKILL)),
    Blow("SIGTERM to a worker", 1, _the(Kind.WORKER), _sends(signal.SIGTERM)),
    Blow("SIGKILL to all workers", 1, _the(Kind.WORKER), _kill_all_workers),
    Blow("worker stopped for a while", 2, _the(Kind.WORKER), _stop),
    Blow("SIGKILL to a keeper", 2, _the(Kind.KEEPER), _sends(signal.SIGKILL)),
    Blow("keeper stopped for a while", 1, _the(Kind.KEEPER), _stop),
    Blow("SIGKILL to a process of a sandbox", 1, _the(Kind.SANDBOX), _sends(signal.SIGKILL)),
    Blow("SIGKILL to a bot", 3, _the(Kind.BOT), _sends(signal.SIGKILL)),
    Blow("SIGTERM to a bot", 1, _the(Kind.BOT), _sends(signal.SIGTERM)),
    Blow("bot stopped for a while", 2, _the(Kind.BOT), _stop),
    Blow("stream cut within a message", 3, _relayed(signal.SIGUSR1), _sends(signal.SIGUSR1)),
    Blow("stream stalled for 1 s", 2, _relayed(signal.SIGUSR2), _stall),
    Blow("one stopped and another killed", 2, _the(Kind.ARENA, *INNER), _stop_and_kill_another),
    Blow("everything killed at once", 2, _the(Kind.ARENA), _cut_power),
)
