"""Owns what a league's database costs as matches pile up: time of each call, memory, bytes on disk.

    python -m benchmarks.league_store                             SQLite, up to a million matches
    python -m benchmarks.league_store --db URL --matches 100000   an empty database

Matches are simulated rows without records; those that are stored to measure the storing are real.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, create_engine, func, insert, select, text, update

from arena.league import schema
from arena.league.model import Season, TableKind, TableState
from arena.league.store import LeagueStore
from tests.league.store.league import admitted, begin, leased, whole_set

BOTS: Final = 200
TABLES_A_CHUNK: Final = 2_000
REPEATS: Final = 15
SEATS: Final = 4


def fill(connection: Connection, season: Season, *, first: int, last: int, rng: np.random.Generator) -> None:
    """Inserts the tables `first` to `last` with their matches, all but the records."""
    kept = connection.execute(select(schema.entries.c.version_id, schema.entries.c.sets))
    sets = Counter({row.version_id: row.sets for row in kept})
    for start in range(first, last + 1, TABLES_A_CHUNK):
        numbers = range(start, min(start + TABLES_A_CHUNK, last + 1))
        bots = rng.random((len(numbers), BOTS)).argsort(axis=1)[:, :SEATS] + 1
        for table, rows in _rows(season, numbers, bots.tolist(), rng, sets).items():
            connection.execute(insert(schema.metadata.tables[table]), rows)
    played = last * SEATS
    here = schema.seasons.c.season_id == season.season_id
    counters = {"next_position": played, "next_set": last, "matches": played, "revision": played}
    connection.execute(update(schema.seasons).where(here).values(counters))
    _sum_up(connection, season)
    _go_on_numbering(connection)


def _rows(
    season: Season,
    numbers: Sequence[int],
    bots: Sequence[Sequence[int]],
    rng: np.random.Generator,
    sets: Counter[int],
) -> dict[str, list[dict[str, Any]]]:
    """Rows by table of the database; every version's id is its bot's."""
    names = ("tables", "matches", "match_seats", "rating_history")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    orders = rng.random((len(numbers), SEATS, SEATS)).argsort(axis=2).tolist()
    for number, seated, places in zip(numbers, bots, orders, strict=True):
        found["tables"].append(_table(season, number, seated))
        for rotation in range(SEATS):
            match = (number - 1) * SEATS + rotation + 1
            found["matches"].append(_match(season, number, match, rotation))
            seats = [seated[(seat + rotation) % SEATS] for seat in range(SEATS)]
            found["match_seats"] += [
                _seat(season, match, seat, bot, places[rotation][seat] + 1) for seat, bot in enumerate(seats)
            ]
        sets.update(seated)
        found["rating_history"] += [_point(season, bot, sets[bot]) for bot in seated]
    return found


def _table(season: Season, number: int, seated: Sequence[int]) -> dict[str, Any]:
    return {
        "table_id": number,
        "season_id": season.season_id,
        "kind": TableKind.RATED,
        "is_fresh": False,
        **{f"version_{place}": bot for place, bot in enumerate(seated)},
        "first_position": (number - 1) * SEATS,
        "first_set": number - 1,
        "state": TableState.DONE,
        "owner": "",
        "tries": 1,
        "reason": "",
        "requested_by": None,
        "made_unix_us": number,
    }


def _match(season: Season, table: int, number: int, rotation: int) -> dict[str, Any]:
    return {
        "match_number": number,
        "match_id": f"s{season.season_id}-t{table:05d}-r{rotation}",
        "season_id": season.season_id,
        "table_id": table,
        "kind": TableKind.RATED,
        "rotation": rotation,
        "stored_unix_us": number,
        "record_sha256": bytes(32),
    }


def _seat(season: Season, match: int, seat: int, bot: int, place: int) -> dict[str, Any]:
    return {
        "match_number": match,
        "seat": seat,
        "season_id": season.season_id,
        "bot_id": bot,
        "version_id": bot,
        "total_tenths": 100 - 20 * place,
        "place": place,
        "forfeited": False,
        "faults": 0,
    }


def _sum_up(connection: Connection, season: Season) -> None:
    """Entries as if their matches had been stored one by one, but for the ratings."""
    seat = schema.match_seats.c
    sums = select(seat.version_id, func.count().label("matches"), func.sum(seat.total_tenths).label("tenths"))
    for row in connection.execute(sums.group_by(seat.version_id)).all():
        here = schema.entries.c.version_id == row.version_id
        values = {"matches": row.matches, "sets": row.matches // SEATS, "total_tenths": row.tenths}
        connection.execute(update(schema.entries).where(here).values(values))


def _go_on_numbering(connection: Connection) -> None:
    if connection.dialect.name != "postgresql":
        return
    for table, column in (("tables", "table_id"), ("matches", "match_number")):
        sequence = f"pg_get_serial_sequence('{table}', '{column}')"
        connection.execute(text(f"SELECT setval({sequence}, (SELECT max({column}) FROM {table}))"))
    connection.execute(text("ANALYZE"))


def _point(season: Season, bot: int, sets: int) -> dict[str, Any]:
    place = {"season_id": season.season_id, "version_id": bot, "sets": sets}
    return {**place, "matches": sets * SEATS, "mu": 25.0, "sigma": 1.0}


def milliseconds(call: Callable[[], object]) -> float:
    """The shortest time of a call: what it takes when the machine does nothing else."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times) * 1000


def figures(store: LeagueStore, season: Season, matches: int) -> Iterator[tuple[str, float]]:
    """What is measured, in milliseconds."""
    middle, old = str(matches // 2), "60"
    yield "first page of 50", milliseconds(lambda: store.matches(season))
    yield "page in the middle", milliseconds(lambda: store.matches(season, page_token=middle))
    yield "last page", milliseconds(lambda: store.matches(season, page_token=old))
    yield "a bot's first page", milliseconds(lambda: store.matches(season, bot="bot-7"))
    yield (
        "a bot's page in the middle",
        milliseconds(lambda: store.matches(season, bot="bot-7", page_token=middle)),
    )
    yield "one match", milliseconds(lambda: store.match(f"s1-t{matches // 8:05d}-r2"))
    yield f"the table of {BOTS} bots", milliseconds(lambda: store.entries(season))
    yield "a bot's rating curve", milliseconds(lambda: store.rating_history(season, 7))
    yield "revision", milliseconds(lambda: store.revision(season))
    yield "counts", milliseconds(store.counts)
    tables = [leased(store, season, [1, 2, 3, 4]) for _ in range(REPEATS)]
    records = [whole_set(store, season, table) for table in tables]
    left = iter(zip(tables, records, strict=True))
    yield "storing a set of four", milliseconds(lambda: store.add_records(*next(left)))
    yield (
        "claim of a table, none waiting",
        milliseconds(
            lambda: store.claim_table("arena-1", kinds=list(TableKind), version_ids=range(1, BOTS + 1))
        ),
    )


def resident_mib() -> float:
    """Memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def measured(url: str, sizes: Sequence[int]) -> Iterator[str]:
    """Lines of the table, and the end of the season."""
    columns: dict[str, list[str]] = {}
    rng = np.random.default_rng(1)
    engine = create_engine(url)
    with LeagueStore.open(url) as store:
        season = begin(store)
        for number in range(1, BOTS + 1):
            admitted(store, f"bot-{number}", author=f"author-{number}")
        first = 1
        for size in sizes:
            last = size // SEATS
            with engine.begin() as connection:
                fill(connection, season, first=first, last=last, rng=rng)
            for name, value in figures(store, season, size):
                columns.setdefault(name, []).append(f"{value:.1f}")
            columns.setdefault("memory of the process, MiB", []).append(f"{resident_mib():.0f}")
            first = last + 1 + REPEATS
        yield ("| milliseconds, by matches stored | " + " | ".join(f"{size:,}" for size in sizes) + " |")
        yield "|---|" + "---|" * len(sizes)
        for name, values in columns.items():
            yield f"| {name} | " + " | ".join(values) + " |"
        begun = time.perf_counter()
        store.end_season(store.freeze_season(season))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield ""
        yield f"End of the season (the fit of {sizes[-1]:,} matches): {time.perf_counter() - begun:.1f} s, "
        yield f"at most {peak:.0f} MiB."
    engine.dispose()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.league_store")
    parser.add_argument("--db", help="an empty database; a file in a temporary folder if not given")
    parser.add_argument("--matches", type=int, default=1_000_000)
    given = parser.parse_args()
    sizes = [given.matches // 100, given.matches // 10, given.matches]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "league.sqlite3"
        print("\n".join(measured(given.db or f"sqlite:///{file}", sizes)))
        if not given.db:
            print(f"On disk: {file.stat().st_size / 2**20:.0f} MiB without the records.")


if __name__ == "__main__":
    main()
