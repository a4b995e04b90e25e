"""Owns how a bot's process is confined; must not know what a bot is for or how it is talked to."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.bots.cgroups import Group
from arena.bots.limits import Limits

__all__ = ["Exit", "Explain", "Limits", "NoSandbox", "Sandbox", "Start", "explain_exit"]


@dataclass(frozen=True, slots=True)
class Exit:
    """How a bot's first process ended: by `code`, by `signal`, or neither when nobody saw it."""

    code: int | None
    signal: str | None
    reason: str


Explain = Callable[[int | None, int | None], Exit]


@dataclass(frozen=True, slots=True)
class Start:
    """A process about to be started: absolute program first, the whole environment, nothing inherited."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    only_file: str | None = None
    """The one file of `folder` that is the bot's own; None when the whole folder is."""
    is_python: bool = False
    """True when the program is the arena's own interpreter."""
    is_trusted_program: bool = False
    """True when the operator's PATH chose the program, False when the bot named it by a path of its own."""
    companion: Path | None = None
    """A program chosen by the operator's PATH that the first one runs: it must be readable, too."""
    is_build: bool = False
    """True for a bot's build: it may write to `folder`, and is given no socket."""
    has_network: bool = False
    """True when it may reach the network, as a build may that fetches what it needs."""
    pass_fds: tuple[int, ...] = ()
    is_wrapped: bool = False
    """True when the first process is the sandbox's own, not the bot's."""
    leftovers: tuple[Path, ...] = ()
    """Files and empty folders that the keeper removes if the arena vanishes."""
    group: Group | None = None
    """The control group that the process enters before it is executed."""
    explain: Explain | None = None
    """Turns the first process's exit code and signal number into an Exit, where the sandbox knows better."""


def explain_exit(code: int | None, signal_number: int | None) -> Exit:
    """The Exit of a process that ended with `code`, or by a signal, in words."""
    if signal_number is None:
        return Exit(code, None, f"exit status {code}")
    try:
        name = signal.Signals(signal_number).name
    except ValueError:
        name = f"SIG{signal_number}"
    return Exit(None, name, f"signal {name}")


class Sandbox(Protocol):
    """A way to confine a bot."""

    @property
    def name(self) -> str:
        """As written into every match record: "bwrap" or "none"."""

    def confine(self, start: Start, *, limits: Limits) -> AbstractContextManager[Start]:
        """The start that runs `start` confined; what it holds open is closed when the context ends."""


class NoSandbox:
    """Trusts the bot: it runs as the arena's own user, with that user's rights."""

    name = "none"

    @contextmanager
    def confine(self, start: Start, *, limits: Limits) -> Iterator[Start]:
        """`start`, unchanged."""
        yield start
