"""Owns how bots on disk become entrants of a plan, and how a resumed plan finds them again unchanged."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.build import build_bot, is_built
from arena.bots.house import HOUSE_BOTS
from arena.bots.manifest import Entrant, find_bots, load_bot, runnable
from arena.bots.sandbox import Sandbox
from arena.cli.output import say
from arena.errors import ArenaError
from arena.reports.text import harmless
from arena.tournament.plan import Plan, PlannedEntrant

__all__ = [
    "bot_or_house_bot",
    "built",
    "gather",
    "house_bot",
    "planned_entrant",
    "unchanged_entrants",
    "with_house_bots",
    "with_own_names",
]

SEATS = 4


def gather(folder: Path, *, only: Sequence[str], exclude: Sequence[str], sandbox: Sandbox) -> list[Entrant]:
    """The bots of a folder, built.

    A bot that cannot be built or started here is left out with a line that says why, unless it was named with
    `--only`: then it is an ArenaError.
    """
    found = find_bots(folder, only=only, exclude=exclude)
    return [ready for one in found if (ready := _ready(one, only, sandbox)) is not None]


def with_house_bots(entrants: Sequence[Entrant], folder: Path, *, has_all: bool) -> list[Entrant]:
    """The bots of `folder`, with house bots on the empty seats of a table, or all house bots.

    Raises ArenaError when they are too few.
    """
    if len(entrants) < 2 and not (entrants and has_all):
        names = ", ".join(entrant.name for entrant in entrants) or "none"
        raise ArenaError(f"{folder}: a tournament needs two bots at least; these can play: {names}")
    return [*entrants, *_house_bots(entrants, has_all=has_all)]


def built(entrant: Entrant, sandbox: Sandbox) -> Entrant:
    """The entrant ready to be started; ArenaError in words for one that cannot be built or run here."""
    if reason := runnable(entrant):
        raise ArenaError(f"bot {entrant.name} cannot run here: {reason}")
    if not is_built(entrant):
        say(f"building {entrant.name}")
    return asyncio.run(build_bot(entrant, sandbox=sandbox))


def house_bot(name: str) -> Entrant:
    """A house bot by its name."""
    return replace(load_bot(HOUSE_BOTS[name]), name=name, is_house=True)


def bot_or_house_bot(text: str) -> Entrant:
    """The bot at a path, or the house bot of that name."""
    if text in HOUSE_BOTS and not Path(text).exists():
        return house_bot(text)
    return load_bot(text)


def with_own_names(entrants: Sequence[Entrant]) -> list[Entrant]:
    """The same bots; one that sits on several seats is `name-2` and so on from the second."""
    named: list[Entrant] = []
    for entrant in entrants:
        taken = {one.name for one in named}
        names = [entrant.name, *(f"{entrant.name}-{number}" for number in range(2, 6))]
        named.append(replace(entrant, name=next(name for name in names if name not in taken)))
    return named


def planned_entrant(entrant: Entrant, folder: Path) -> PlannedEntrant:
    """What the plan of a run in `folder` says of an entrant."""
    path = (
        _house_name(entrant)
        if entrant.is_house
        else os.path.relpath(entrant.path.absolute(), folder.absolute())
    )
    return PlannedEntrant(
        name=entrant.name,
        version=entrant.version,
        content_hash=entrant.content_hash,
        path=path,
        language=entrant.language,
        protocol=entrant.protocol,
        is_house=entrant.is_house,
    )


def unchanged_entrants(plan: Plan, folder: Path, *, only: Sequence[int] | None = None) -> list[Entrant]:
    """The bots of a plan as they lie on disk; ArenaError naming every one that is gone or was changed.

    With `only`, those of these numbers, in that order.
    """
    entrants, changes = [], []
    for planned in plan.entrants if only is None else [plan.entrants[number] for number in only]:
        try:
            found = replace(_find_again(planned, folder), name=planned.name)
        except ArenaError as trouble:
            changes.append(str(trouble))
            continue
        entrants.append(found)
        if found.content_hash != planned.content_hash:
            changes.append(
                f"bot {planned.name} was changed (its files have SHA-256 {found.content_hash[:12]}..., "
                f"planned were {planned.content_hash[:12]}...)"
            )
    if changes:
        raise ArenaError(f"{folder}: {'; '.join(changes)}; bring back what was planned, or begin anew")
    return entrants


def _house_name(entrant: Entrant) -> str:
    """The name of a house bot, whatever it is called in this run."""
    return next(name for name, path in HOUSE_BOTS.items() if path == entrant.path)


def _find_again(planned: PlannedEntrant, folder: Path) -> Entrant:
    if not planned.is_house:
        return load_bot(Path(os.path.normpath(folder.absolute() / planned.path)))
    if planned.path not in HOUSE_BOTS:
        raise ArenaError(f"house bot {planned.path}: this arena has no bot of that name")
    return house_bot(planned.path)


def _ready(entrant: Entrant, only: Sequence[str], sandbox: Sandbox) -> Entrant | None:
    """The entrant, built; None when it is left out."""
    try:
        return built(entrant, sandbox)
    except ArenaError as trouble:
        if entrant.name in only:
            raise
        say(f"left out: {harmless(str(trouble))}")
        return None


def _house_bots(entrants: Sequence[Entrant], *, has_all: bool) -> list[Entrant]:
    taken = {entrant.name.casefold() for entrant in entrants}
    free = [name for name in HOUSE_BOTS if name not in taken]
    wanted = len(free) if has_all else max(0, SEATS - len(entrants))
    chosen = free[:wanted]
    if len(entrants) + len(chosen) < SEATS:
        raise ArenaError("too few bots for a table of four, even with the house bots")
    return [house_bot(name) for name in chosen]
