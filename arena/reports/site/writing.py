"""Owns the site as files: replay files and pages, written by several processes, all put in place at once."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict
from itertools import groupby, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError
from arena.reports.site.bot_figures import Played, course_of, played_by
from arena.reports.site.entries import MATCHES_A_FILE
from arena.reports.site.field import Entrant, Field, field_of
from arena.reports.site.files import STATIC
from arena.reports.site.pages import ListedMatch, Pages
from arena.reports.site.parts import Part, read_part, whole_of
from arena.reports.text import harmless, points
from arena.store.reader import StoredMatch, StoreReader
from arena.store.standings import head_to_head_of, planned_matches, standings_of
from arena.tournament.plan import Plan, schedule_of

__all__ = ["INDEX_FILE", "MARK_FILE", "write_site"]

INDEX_FILE: Final = "index.html"
MARK_FILE: Final = ".arena-report"
"""Lies in a folder that a report may replace."""

FILES_A_PART: Final = 8
BOTS_A_TASK: Final = 16
EXTREMES: Final = 5
MANY_MATCHES: Final = 5_000
MANY_BOTS: Final = 40
"""From so many on, other processes are worth their start."""

OnMatches = Callable[[int], None]
BotPage = tuple[Entrant, Played, Sequence[ListedMatch], Sequence[ListedMatch]]
"""A bot, its matches, and the best and the worst of them."""


def write_site(
    plan: Plan,
    store: StoreReader,
    folder: Path,
    *,
    jobs: int = 1,
    on_matches: OnMatches = lambda done: None,
) -> Path:
    """Writes the report of a run into `folder`, whole or not at all; returns the page to open.

    A report that lies there already is replaced; ArenaError when something else does. Up to `jobs` processes
    help when there is much to do. `on_matches` is told how many matches have been read.
    """
    _check_place(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        draft.chmod(0o777 & ~_umask())
        with _helpers(jobs, is_much=store.count() >= MANY_MATCHES or len(plan.entrants) >= MANY_BOTS) as pool:
            _write_into(draft, plan, store, pool, on_matches)
        if folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return folder / INDEX_FILE


def _helpers(jobs: int, *, is_much: bool) -> Executor:
    """Processes, or a thread of this one where they would not pay."""
    if jobs > 1 and is_much:
        return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    return ThreadPoolExecutor(1)


def _check_place(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK_FILE).is_file()):
        raise ArenaError(f"{folder}: is there already and is not a report; name another folder with --out")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_into(folder: Path, plan: Plan, store: StoreReader, pool: Executor, on_matches: OnMatches) -> None:
    (folder / "replays").mkdir()
    (folder / "bots").mkdir()
    (folder / MARK_FILE).write_text("Written by `arena report`, which may replace this folder.\n")
    shutil.copytree(STATIC, folder / "assets", copy_function=shutil.copyfile)
    parts: list[Part] = []
    for part in _parts(folder, plan, store, pool):
        parts.append(part)
        on_matches(sum(len(one.positions) for one in parts))
    whole = whole_of(parts, [entrant.name for entrant in plan.entrants])
    pages = _pages(plan, store, whole, pool)
    _write_run(folder, plan, pages.field, whole.files)
    bot_pages = list(_bot_pages(pages, whole))
    tasks = [
        pool.submit(_write_bots, folder / "bots", pages, bot_pages[first : first + BOTS_A_TASK])
        for first in range(0, len(bot_pages), BOTS_A_TASK)
    ]
    _write_pages(folder, pages)
    for task in tasks:
        task.result()


def _parts(folder: Path, plan: Plan, store: StoreReader, pool: Executor) -> Iterator[Part]:
    """The parts in order; only a few of them wait in memory."""
    bots = [entrant.name for entrant in plan.entrants]
    waiting: deque[Future[Part]] = deque()
    files = _by_file(store)
    while some := list(islice(files, FILES_A_PART)):
        waiting.append(pool.submit(read_part, folder / "replays", bots, some))
        if len(waiting) > FILES_A_PART:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _by_file(store: StoreReader) -> Iterator[tuple[int, list[StoredMatch]]]:
    """The stored matches by the number of their replay file."""
    for number, matches in groupby(store.matches(), key=lambda stored: stored.row.position // MATCHES_A_FILE):
        yield number, list(matches)


def _pages(plan: Plan, store: StoreReader, whole: Part, pool: Executor) -> Pages:
    course = pool.submit(course_of, whole.results)
    standings = standings_of(plan, store)
    versus = pool.submit(head_to_head_of, whole.results, [row.bot for row in standings.rows])
    return Pages(
        plan=plan,
        schedule=schedule_of(plan),
        field=field_of(plan, standings, whole.results, versus.result()),
        tallies=whole.tallies,
        totals=store.totals(),
        fault_counts=store.fault_counts(),
        stored=len(whole.results),
        planned=planned_matches(plan, store),
        is_complete=standings.seed is not None,
        course=course.result(),
    )


def _write_run(folder: Path, plan: Plan, shown: Field, files: Sequence[int]) -> None:
    """What all matches have in common, for the scripts."""
    run: dict[str, Any] = {
        "name": harmless(plan.name, longest=80),
        "ruleset": asdict(plan.ruleset),
        "bots": [
            {"name": name, "version": harmless(entrant.version, longest=40), "page": f"bots/{page}"}
            for name, page, entrant in zip(shown.names, shown.pages, plan.entrants, strict=True)
        ],
        "matches_a_file": MATCHES_A_FILE,
        "files": files,
    }
    text = f"(globalThis.arena ??= {{}}).run = {json.dumps(run, separators=(',', ':'))};\n"
    (folder / "replays" / "run.js").write_text(text, encoding="ascii")


def _write_pages(folder: Path, pages: Pages) -> None:
    (folder / INDEX_FILE).write_text(pages.index(), encoding="utf-8")
    (folder / "head-to-head.html").write_text(pages.head_to_head(), encoding="utf-8")
    (folder / "matches.html").write_text(pages.matches(), encoding="utf-8")
    (folder / "match.html").write_text(pages.match(), encoding="utf-8")
    (folder / "run.html").write_text(pages.run(), encoding="utf-8")


def _write_bots(folder: Path, pages: Pages, bots: Sequence[BotPage]) -> None:
    for one, played, best, worst in bots:
        text = pages.bot(one, played, best=best, worst=worst)
        (folder / one.page).write_text(text, encoding="utf-8")


def _bot_pages(pages: Pages, whole: Part) -> Iterator[BotPage]:
    played = list(played_by(whole.results))
    for one in pages.field.entrants:
        own = played[one.number]
        best, worst = (
            [_listed(pages, whole, own, index) for index in chosen] for chosen in own.extremes(EXTREMES)
        )
        yield one, own, best, worst


def _listed(pages: Pages, whole: Part, own: Played, index: int) -> ListedMatch:
    row, seat = int(own.rows[index]), int(own.seats[index])
    bots = own.others[index].tolist()
    return ListedMatch(
        match_id=pages.schedule.match_at(whole.positions[row]).match_id,
        points=points(int(whole.results.total_tenths[row, seat])),
        place=int(whole.results.places[row, seat]),
        others=[pages.field.names[bot] for bot in bots if bot != bots[seat]],
    )
