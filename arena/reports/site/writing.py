"""Owns the site as files: one pass over the records, replay files, pages, all put in place at once."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError
from arena.ratings.results import Results
from arena.reports.site.bot_figures import Played, course_of, played_by
from arena.reports.site.entries import MATCHES_A_FILE, file_text, match_entry, time_words
from arena.reports.site.field import Field, field_of
from arena.reports.site.pages import ListedMatch, Pages
from arena.reports.site.tallies import Tallies
from arena.reports.text import harmless, points
from arena.store.reader import StoredMatch, StoreReader
from arena.store.standings import standings_of
from arena.tournament.plan import Plan, schedule_of

__all__ = ["INDEX_FILE", "MARK_FILE", "write_site"]

INDEX_FILE: Final = "index.html"
MARK_FILE: Final = ".arena-report"
"""Lies in a folder that a report may replace."""

STATIC: Final = Path(__file__).parent / "static"

OnMatches = Callable[[int], None]


@dataclass(slots=True, eq=False)
class _Replays:
    """Writes replay files while the records go by, and counts what the pages need of them."""

    folder: Path
    numbers: Mapping[str, int]
    tallies: Tallies
    files: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)

    def write(self, number: int, matches: Sequence[StoredMatch]) -> None:
        records = [stored.parse() for stored in matches]
        seated = [[self.numbers[seat.bot] for seat in record.seats] for record in records]
        self.tallies.add(records, seated)
        entries = [
            match_entry(record, numbers=self.numbers, times=times)
            for record, times in zip(records, time_words(records), strict=True)
        ]
        path = self.folder / "replays" / f"{number:05d}.js"
        path.write_text(file_text(number, entries), encoding="ascii")
        self.files.append(number)
        self.positions += [stored.row.position for stored in matches]


def write_site(
    plan: Plan, store: StoreReader, folder: Path, *, on_matches: OnMatches = lambda done: None
) -> Path:
    """Writes the report of a run into `folder`, whole or not at all; returns the page to open.

    A report that lies there already is replaced; ArenaError when something else does. `on_matches` is told
    how many matches have been read.
    """
    _check_place(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        draft.chmod(0o777 & ~_umask())
        _write_into(draft, plan, store, on_matches)
        if folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return folder / INDEX_FILE


def _check_place(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK_FILE).is_file()):
        raise ArenaError(f"{folder}: is there already and is not a report; name another folder with --out")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_into(folder: Path, plan: Plan, store: StoreReader, on_matches: OnMatches) -> None:
    (folder / "replays").mkdir()
    (folder / "bots").mkdir()
    (folder / MARK_FILE).write_text("Written by `arena report`, which may replace this folder.\n")
    shutil.copytree(STATIC, folder / "assets", copy_function=shutil.copyfile)
    numbers = {entrant.name: number for number, entrant in enumerate(plan.entrants)}
    replays = _Replays(folder, numbers, Tallies(bots=tuple(numbers)))
    for number, matches in _by_file(store):
        replays.write(number, matches)
        on_matches(len(replays.positions))
    results = store.results()
    pages = _pages(plan, store, results, replays)
    _write_run(folder, plan, pages.field, replays.files)
    _write_pages(folder, pages, results, replays.positions)


def _by_file(store: StoreReader) -> Iterator[tuple[int, list[StoredMatch]]]:
    """The stored matches by the number of their replay file."""
    for number, matches in groupby(store.matches(), key=lambda stored: stored.row.position // MATCHES_A_FILE):
        yield number, list(matches)


def _pages(plan: Plan, store: StoreReader, results: Results, replays: _Replays) -> Pages:
    return Pages(
        plan=plan,
        schedule=schedule_of(plan),
        field=field_of(plan, standings_of(plan, store), results),
        course=course_of(results),
        tallies=replays.tallies,
        totals=store.totals(),
        fault_counts=store.fault_counts(),
        stored=len(results),
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


def _write_pages(folder: Path, pages: Pages, results: Results, positions: Sequence[int]) -> None:
    (folder / INDEX_FILE).write_text(pages.index(), encoding="utf-8")
    (folder / "head-to-head.html").write_text(pages.head_to_head(), encoding="utf-8")
    (folder / "matches.html").write_text(pages.matches(), encoding="utf-8")
    (folder / "match.html").write_text(pages.match(), encoding="utf-8")
    (folder / "run.html").write_text(pages.run(), encoding="utf-8")
    played = dict(enumerate(played_by(results)))

    def listed(one: Played, index: int) -> ListedMatch:
        row, seat = int(one.rows[index]), int(one.seats[index])
        return ListedMatch(
            match_id=pages.schedule.match_at(positions[row]).match_id,
            points=points(int(results.total_tenths[row, seat])),
            place=int(results.places[row, seat]),
            others=[
                pages.field.names[bot] for bot in one.others[index].tolist() if bot != one.others[index, seat]
            ],
        )

    for one in pages.field.entrants:
        text = pages.bot(one, played[one.number], listed)
        (folder / "bots" / one.page).write_text(text, encoding="utf-8")
