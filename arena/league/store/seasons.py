"""Owns seasons: their beginning and end, who is in them, and their table.

While a season goes on its table is TrueSkill's, match by match. When it ends, the fit of all its rated
matches together takes that place: it is the same whatever order they were played in.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, func, insert, select, update

from arena.errors import ArenaError
from arena.league.model import Entry, Replays, Season, SeasonState, TableKind, TableState
from arena.league.schema import (
    bots,
    entries,
    fault_counts,
    match_seats,
    matches,
    rating_history,
    seasons,
    tables,
    versions,
)
from arena.league.store.database import Part
from arena.league.store.errors import NotFound, Taken
from arena.league.store.rows import all_bots, season_of, version_of
from arena.ratings.fit import fit
from arena.ratings.model import MODEL, Rating
from arena.ratings.results import SEATS, Results
from arena.rules import Seed, commitment, find_ruleset

__all__ = ["Seasons", "change", "enter", "leave", "lock_current", "lock_season", "rated_results"]

SEED_BYTES = 32
READ_AT_A_TIME = 50_000
IN_PLAY = (TableState.WAITING, TableState.PLAYING)


class Seasons(Part):
    """Seasons and their entries."""

    def open_season(
        self, name: str, *, ruleset: str, time_control: str, strikes: int, replays: Replays
    ) -> Season:
        """Begins a season with a new random seed; all bots that are not retired enter it.

        Taken when one of that name exists, ArenaError when one is open.
        """
        seed = Seed.fresh(secrets.token_bytes(SEED_BYTES))
        row = {
            "name": name,
            "current": 1,
            "ruleset": find_ruleset(ruleset).name,
            "time_control": time_control,
            "strikes": strikes,
            "seed_text": seed.text,
            "commitment": commitment(seed).hex(),
            "replays": replays,
            "state": SeasonState.OPEN,
            "revision": 1,
            "next_position": 0,
            "next_set": 0,
            "matches": 0,
        }
        if not name:
            raise ArenaError("a season needs a name")
        with self._database.writing() as connection:
            now_us = self._database.now_us(connection)
            if not self._database.insert_unless_there(connection, seasons, {**row, "began_unix_us": now_us}):
                raise _why_not_open(connection, name)
            season = season_of(connection.execute(select(seasons).where(seasons.c.name == name)).one())
            _enter_all(connection, season)
        return season

    def current_season(self) -> Season | None:
        """The one that is open or frozen."""
        with self._database.reading() as connection:
            row = connection.execute(select(seasons).where(seasons.c.current == 1)).one_or_none()
        return None if row is None else season_of(row)

    def season(self, name: str) -> Season:
        """NotFound when there is none; the empty name is the current one, else the newest."""
        query = select(seasons).order_by(seasons.c.season_id.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(query.where(seasons.c.name == name) if name else query).one_or_none()
        if row is None:
            raise NotFound(f"there is no season {name}" if name else "no season has begun yet")
        return season_of(row)

    def seasons(self) -> list[Season]:
        """Newest first."""
        with self._database.reading() as connection:
            found = connection.execute(select(seasons).order_by(seasons.c.season_id.desc()))
            return [season_of(row) for row in found]

    def freeze_season(self, season: Season) -> Season:
        """No new tables and no new versions; waiting tables are void. What is played may be finished.

        A version that is admitted meanwhile enters the next season. ArenaError unless the season is open.
        """
        with self._database.writing() as connection:
            row = lock_season(connection, season)
            if row.state != SeasonState.OPEN:
                raise ArenaError(f"season {row.name} is {row.state}: only an open one can be frozen")
            waiting = (tables.c.season_id == row.season_id) & (tables.c.state == TableState.WAITING)
            void = {"state": TableState.VOID, "reason": f"season {row.name} was frozen"}
            connection.execute(update(tables).where(waiting).values(void))
            change(connection, row, state=SeasonState.FROZEN)
            return season_of(lock_season(connection, season))

    def end_season(self, season: Season) -> Season:
        """Ends a frozen season when no table is in play (else ArenaError), and reveals its seed.

        Keeps the final standings, which are those of the order-free fit over all its rated matches.
        """
        # Nothing is stored in a frozen season without a table in play, so this can be read, and the fit take
        # its time, before the lock.
        with self._database.reading() as connection:
            _refuse_unfinished(connection, _season_row(connection, season))
            results = rated_results(connection, season.season_id)
        fitted = dict(zip(results.bots, fit(results).ratings, strict=True)) if len(results) else {}
        with self._database.writing() as connection:
            row = lock_season(connection, season)
            _refuse_unfinished(connection, row)
            _keep_final(connection, row.season_id, fitted)
            now_us = self._database.now_us(connection)
            change(connection, row, state=SeasonState.ENDED, current=None, ended_unix_us=now_us)
            return season_of(lock_season(connection, season))

    def revision(self, season: Season) -> int:
        """Grows with every change of what the standings show; cheap."""
        query = select(seasons.c.revision).where(seasons.c.season_id == season.season_id)
        with self._database.reading() as connection:
            found = connection.scalar(query)
        if found is None:
            raise NotFound(f"there is no season {season.name}")
        return int(found)

    def entries(self, season: Season, *, with_inactive: bool = False) -> list[Entry]:
        """In the order of the table: by mu - 3 sigma; of an ended season by its final standings.

        Of an ended season, mu and sigma are those of the final fit, and the active ones are those that were
        active when it ended.
        """
        query = select(entries, *versions.c).join(versions).where(entries.c.season_id == season.season_id)
        if not with_inactive:
            query = query.where(entries.c.is_active)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
            by_id = all_bots(connection)
        ranked = sorted(rows, key=lambda row: (_order(row), by_id[row.bot_id].name))
        return [
            Entry(
                season_id=row.season_id,
                version=version_of(row),
                bot=by_id[row.bot_id],
                is_active=row.is_active,
                mu=rating.mu,
                sigma=rating.sigma,
                matches=row.matches,
                sets=row.sets,
                wins_twelfths=row.wins_twelfths,
                places_doubled=row.places_doubled,
                total_tenths=row.total_tenths,
                faults=row.faults,
                last_table_unix_us=row.last_table_unix_us,
            )
            for row in ranked
            for rating in [_rating_of(row)]
        ]

    def fault_counts(self, season: Season) -> dict[int, dict[str, int]]:
        """Faults in rated matches by version id and kind; whoever has none is left out."""
        query = select(fault_counts).where(fault_counts.c.season_id == season.season_id)
        counts: dict[int, dict[str, int]] = {}
        with self._database.reading() as connection:
            for row in connection.execute(query.order_by(fault_counts.c.version_id, fault_counts.c.kind)):
                counts.setdefault(row.version_id, {})[row.kind] = row.faults
        return counts

    def rating_history(
        self, season: Season, version_id: int, *, most: int = 500
    ) -> list[tuple[int, float, float]]:
        """After each of its sets: rated matches so far, mu, sigma.

        Of a longer history about `most`, evenly spread, the last one among them.
        """
        column = rating_history.c
        own = (column.season_id == season.season_id) & (column.version_id == version_id)
        with self._database.reading() as connection:
            last = connection.scalar(select(func.max(column.sets)).where(own)) or 0
            step = -(-last // most) or 1
            query = select(column.matches, column.mu, column.sigma).where(own)
            chosen = query.where((last - column.sets) % step == 0).order_by(column.sets)
            return [(row.matches, row.mu, row.sigma) for row in connection.execute(chosen)]


def lock_season(connection: Connection, season: Season | Row[Any]) -> Row[Any]:
    """The season's row, which nobody else changes until the transaction is over."""
    connection.execute(
        select(seasons.c.season_id)
        .where(seasons.c.season_id == season.season_id)
        .with_for_update(key_share=True)
    )
    return _season_row(connection, season)


def _season_row(connection: Connection, season: Season | Row[Any]) -> Row[Any]:
    row = connection.execute(select(seasons).where(seasons.c.season_id == season.season_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no season {season.name}")
    return row


def lock_current(connection: Connection) -> Row[Any] | None:
    """The same for the season that is open or frozen; None when there is none."""
    query = select(seasons).where(seasons.c.current == 1)
    return connection.execute(query.with_for_update(key_share=True)).one_or_none()


def change(connection: Connection, season: Row[Any], **values: Any) -> None:
    """Sets `values` of a locked season; its revision grows."""
    here = seasons.c.season_id == season.season_id
    connection.execute(update(seasons).where(here).values(revision=seasons.c.revision + 1, **values))


def enter(connection: Connection, season: Row[Any] | None, bot_id: int, version_id: int) -> None:
    """Has a version, the bot's newest, play in the locked season in place of older ones, if that is open."""
    if season is None or season.state != SeasonState.OPEN:
        return
    leave(connection, season, bot_id)
    here = (entries.c.season_id == season.season_id) & (entries.c.version_id == version_id)
    if not connection.execute(update(entries).where(here).values(is_active=True)).rowcount:
        connection.execute(insert(entries).values(_fresh_entry(season.season_id, version_id)))
    change(connection, season)


def leave(connection: Connection, season: Row[Any], bot_id: int) -> None:
    """Has no version of the bot play on in the locked season, if that is open."""
    if season.state == SeasonState.OPEN:
        own = entries.c.version_id.in_(select(versions.c.version_id).where(versions.c.bot_id == bot_id))
        here = (entries.c.season_id == season.season_id) & own
        connection.execute(update(entries).where(here).values(is_active=False))


def _enter_all(connection: Connection, season: Season) -> None:
    newest = (versions.c.bot_id == bots.c.bot_id) & (versions.c.number == bots.c.versions)
    playing = bots.c.retired_unix_us.is_(None) & ~bots.c.is_person
    found = connection.scalars(select(versions.c.version_id).join(bots, newest).where(playing))
    rows = [_fresh_entry(season.season_id, version_id) for version_id in found]
    if rows:
        connection.execute(insert(entries), rows)


def _fresh_entry(season_id: int, version_id: int) -> dict[str, Any]:
    sums = ("matches", "sets", "wins_twelfths", "places_doubled", "total_tenths", "faults")
    return {
        "season_id": season_id,
        "version_id": version_id,
        "is_active": True,
        "mu": MODEL.mu,
        "variance": MODEL.sigma**2,
        **dict.fromkeys(sums, 0),
    }


def _why_not_open(connection: Connection, name: str) -> ArenaError:
    if connection.execute(select(seasons.c.season_id).where(seasons.c.name == name)).first():
        return Taken(f"there was a season {name} before; choose another name")
    current = connection.scalar(select(seasons.c.name).where(seasons.c.current == 1))
    return ArenaError(f"season {current} has not ended; there is one at a time")


def _rating_of(row: Row[Any]) -> Rating:
    if row.final_rank is not None:
        return Rating(row.final_mu, row.final_sigma)
    return Rating(row.mu, math.sqrt(row.variance))


def _order(row: Row[Any]) -> float:
    return float(row.final_rank) if row.final_rank is not None else -_rating_of(row).rating


def _refuse_unfinished(connection: Connection, row: Row[Any]) -> None:
    if row.state != SeasonState.FROZEN:
        raise ArenaError(f"season {row.name} is {row.state}: only a frozen one can be ended")
    at_play = (tables.c.season_id == row.season_id) & tables.c.state.in_(IN_PLAY)
    left = connection.scalar(select(func.count()).select_from(tables).where(at_play))
    if left:
        raise ArenaError(f"season {row.name}: tables still in play: {left}; end it when they are done")


def _keep_final(connection: Connection, season_id: int, fitted: Mapping[str, Rating]) -> None:
    """Ranks every entry by the fitted ratings; who never played keeps the prior."""
    of_season = select(entries.c.version_id).where(entries.c.season_id == season_id)
    final = {number: fitted.get(str(number), MODEL.prior) for number in connection.scalars(of_season)}
    ranks = _ranks(final)
    for version_id, rating in final.items():
        here = (entries.c.season_id == season_id) & (entries.c.version_id == version_id)
        kept = {"final_rank": ranks[version_id], "final_mu": rating.mu, "final_sigma": rating.sigma}
        connection.execute(update(entries).where(here).values(kept))


def _ranks(final: Mapping[int, Rating]) -> dict[int, int]:
    """Ranks from 1 by mu - 3 sigma; level ones share the better."""
    ratings = sorted((rating.rating for rating in final.values()), reverse=True)
    return {number: ratings.index(rating.rating) + 1 for number, rating in final.items()}


def rated_results(connection: Connection, season_id: int) -> Results:
    """All rated matches of a season, in an order that does not depend on when they were played.

    Bots are version ids as text. Matches of one table are one set.
    """
    seat = match_seats.c
    query = (
        select(
            seat.version_id,
            seat.place,
            seat.total_tenths,
            seat.forfeited,
            matches.c.table_id,
        )
        .join(matches)
        .where(matches.c.season_id == season_id, matches.c.kind == TableKind.RATED)
        .order_by(seat.match_number, seat.seat)
        .execution_options(yield_per=READ_AT_A_TIME)
    )
    parts = [
        np.array([tuple(row) for row in part], dtype=np.int32)
        for part in connection.execute(query).partitions()
    ]
    columns = np.concatenate(parts) if parts else np.zeros((0, 5), dtype=np.int32)
    parts.clear()
    by_match = columns.reshape(-1, SEATS, 5)
    by_match = by_match[np.lexsort(by_match[:, :, :4].reshape(-1, SEATS * 4).T)]
    numbers, seats = np.unique(by_match[:, :, 0], return_inverse=True)
    return Results(
        bots=tuple(str(number) for number in numbers.tolist()),
        seats=seats.reshape(-1, SEATS).astype(np.int32),
        places=by_match[:, :, 1].astype(np.int8),
        total_tenths=by_match[:, :, 2],
        set_ids=by_match[:, 0, 4],
        forfeited=by_match[:, :, 3].astype(np.bool_),
    )
