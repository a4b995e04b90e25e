"""Owns `--executor`: where matches are played, how many at once, and what is said of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.bots.manifest import Entrant
from arena.cli.options import default_jobs
from arena.errors import ArenaError
from arena.tournament.executor import Executor, LocalExecutor
from arena.tournament.plan import Plan
from arena.tournament.worker import WorkerSetup

__all__ = ["Workplace", "workplace"]

CLIENT = "ray://"


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where matches are played: by `workers` workers, which `words` tells of."""

    workers: int
    words: str
    at_once_here: int
    """Bots that this machine may run at once, before the first match."""
    option: str
    """What `arena resume` needs to go on in the same place, with a space before it; empty for here."""
    make: Callable[[Plan, Sequence[Entrant], Path], Executor]

    def executor(self, plan: Plan, entrants: Sequence[Entrant], *, log_dir: Path) -> Executor:
        """An executor for these bots, in the order of the plan."""
        return self.make(plan, entrants, log_dir)


@contextmanager
def workplace(executor: str, jobs: int | None) -> Iterator[Workplace]:
    """The place that `--executor` names, with `--jobs` workers; a cluster is connected to meanwhile."""
    if executor == "local":
        yield _here(jobs or default_jobs())
        return
    if executor != "ray" and not (executor.startswith(CLIENT) and executor.removeprefix(CLIENT)):
        raise ArenaError(f"--executor {executor}: unknown; allowed are local, ray and ray://HOST:PORT")
    with _cluster(executor, jobs) as place:
        yield place


def _here(workers: int) -> Workplace:
    def make(plan: Plan, entrants: Sequence[Entrant], log_dir: Path) -> Executor:
        setup = WorkerSetup(plan, log_dir, dict(enumerate(entrants)))
        return LocalExecutor(setup, workers=workers)

    words = "1 worker" if workers == 1 else f"{workers} workers"
    return Workplace(workers, words, at_once_here=workers, option="", make=make)


@contextmanager
def _cluster(executor: str, jobs: int | None) -> Iterator[Workplace]:
    from arena.tournament.cluster.connection import connected, processors

    def make(plan: Plan, entrants: Sequence[Entrant], log_dir: Path) -> Executor:
        from arena.tournament.cluster.ray_executor import RayExecutor

        return RayExecutor(plan, dict(enumerate(entrants)), log_dir=log_dir, most=jobs)

    address = executor if executor.startswith(CLIENT) else None
    with connected(address, own_processors=jobs or default_jobs()) as which:
        workers = jobs or max(1, processors())
        words = f"Ray, {which}: {'1 worker' if workers == 1 else f'{workers} workers'}"
        option = f" --executor {shlex.quote(executor)}"
        yield Workplace(
            workers,
            words if jobs else f"{words}, as the cluster grows or shrinks",
            at_once_here=default_jobs(),
            option=option,
            make=make,
        )
