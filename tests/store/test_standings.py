"""The table's figures, each against a plain computation from the records."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from arena.ratings.intervals import uncertainty
from arena.ratings.luck import adjusted_points
from arena.ratings.online import rate_online
from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.store.reader import StoreReader
from arena.store.standings import head_to_head_of, standings_of
from arena.store.totals import Histogram
from arena.v1 import record_pb2
from tests.store.played import BOTS, all_played, plan_of, run_in

PLAN = plan_of(sets=2)
KEYS = (
    "rank bot version mu sigma rating rank_low rank_high matches wins mean_place mean_points points_low"
    " points_high calls_made mean_call mean_tricks faults forfeits mean_decision_ms p99_decision_ms"
    " adjusted_points adjusted_low adjusted_high"
)


def dog_errs(match: RefereedMatch) -> FaultKind | None:
    is_dog = match.setup.seats[match.seat].bot == "dog"
    return FaultKind.TIMEOUT if is_dog and match.game.round.decision == 20 else None


RECORDS = all_played(PLAN, dog_errs)


@pytest.fixture
def store(tmp_path: Path) -> StoreReader:
    return StoreReader.open(run_in(tmp_path / "run", PLAN, RECORDS))


def seats_of(bot: str) -> list[tuple[record_pb2.MatchRecord, int]]:
    return [(r, seat) for r in RECORDS for seat in range(4) if r.seats[seat].bot == bot]


def test_json_has_exactly_the_promised_keys(store: StoreReader) -> None:
    document = standings_of(PLAN, store).as_json()

    assert list(document) == ["tournament", "ruleset", "seed", "matches", "rows"]
    assert all(" ".join(row) == KEYS for row in document["rows"])
    assert (document["tournament"], document["ruleset"]) == ("spring", "callbreak+rounds=2")


def test_kept_table_is_the_computed_one_and_reads_no_match(tmp_path: Path) -> None:
    computed = standings_of(PLAN, StoreReader.open(run_in(tmp_path / "new", PLAN, RECORDS, is_rated=False)))
    folder = run_in(tmp_path / "kept", PLAN, RECORDS)
    with sqlite3.connect(folder / "results.sqlite3") as connection:
        connection.execute("DELETE FROM match_seats")
    connection.close()

    assert standings_of(PLAN, StoreReader.open(folder)) == computed


def test_every_figure_is_that_of_the_records(store: StoreReader) -> None:
    rows = {row.bot: row for row in standings_of(PLAN, store).rows}

    assert set(rows) == set(BOTS)
    for bot, row in rows.items():
        sat = seats_of(bot)
        rounds = [(played, seat) for record, seat in sat for played in record.rounds]
        assert row.matches == len(sat)
        assert row.mean_points == pytest.approx(np.mean([r.total_tenths[s] for r, s in sat]) / 10)
        assert row.wins == pytest.approx(
            sum(1 / list(r.places).count(1) for r, s in sat if r.places[s] == 1 and not r.seats[s].forfeited)
        )
        assert row.calls_made == pytest.approx(np.mean([p.tricks_won[s] >= p.calls[s] for p, s in rounds]))
        assert row.mean_call == pytest.approx(np.mean([p.calls[s] for p, s in rounds]))
        assert row.mean_tricks == pytest.approx(np.mean([p.tricks_won[s] for p, s in rounds]))
        assert row.faults == ({"TIMEOUT": sum(len(r.faults) for r in RECORDS)} if bot == "dog" else {})
        assert row.forfeits == sum(r.seats[s].forfeited for r, s in sat)


def test_level_seats_take_the_mean_of_their_places(store: StoreReader) -> None:
    rows = standings_of(PLAN, store).rows

    total = sum((row.mean_place or 0) * row.matches for row in rows)
    assert total == pytest.approx(10 * len(RECORDS))


def test_rows_stand_in_the_order_of_their_adjusted_points(store: StoreReader) -> None:
    rows = standings_of(PLAN, store).rows

    adjusted = adjusted_points(store.results())
    expected = sorted(adjusted, reverse=True)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5]
    assert [row.adjusted_points for row in rows] == expected
    assert all(row.rating == row.mu - 3 * row.sigma for row in rows)


def test_intervals_are_those_of_the_ratings(store: StoreReader) -> None:
    table = standings_of(PLAN, store)
    found = uncertainty(store.results())

    number = {bot: index for index, bot in enumerate(found.points.bots)}
    low, high = found.points.interval()
    best, worst = found.adjusted_points.rank_interval()
    for row in table.rows:
        bot = number[row.bot]
        assert (row.points_low, row.points_high) == (low[bot], high[bot])
        assert (row.rank_low, row.rank_high) == (best[bot], worst[bot])
        assert row.points_low is not None
        assert row.points_low < (row.mean_points or 0) < (row.points_high or 0)
    order = [number[row.bot] for row in table.rows]
    separated = found.adjusted_points.separated()
    assert table.separated[0]
    assert list(table.separated[1:]) == [separated[a, b] for a, b in pairwise(order)]


def test_one_set_a_bot_tells_nothing_of_chance(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "one", plan_of(BOTS[:4]), all_played(plan_of(BOTS[:4])))

    with StoreReader.open(folder) as store:
        rows = standings_of(plan_of(BOTS[:4]), store).rows
        versus = head_to_head_of(store.results(), [row.bot for row in rows])
    assert {(row.rank_low, row.rank_high, row.points_low, row.points_high) for row in rows} == {(None,) * 4}
    assert versus.likely(0, 1) is None


def test_likelihoods_of_a_pair_add_up_to_one(store: StoreReader) -> None:
    versus = head_to_head_of(store.results(), BOTS)

    document = versus.as_json()["better"]
    assert all(document[a][a] is None for a in range(5))
    assert all(document[a][b] + document[b][a] == pytest.approx(1) for a in range(5) for b in range(a))


def test_rows_stand_in_the_order_of_skill_where_opponents_are_unlike_by_design(store: StoreReader) -> None:
    table = standings_of(replace(PLAN, until_separated=1000), store)
    found = uncertainty(store.results()).rating

    skills = dict(zip(found.bots, found.value, strict=True))
    order = [skills[row.bot] for row in table.rows]
    assert table.is_by_skill
    assert order == sorted(order, reverse=True)


def test_kept_and_computed_ratings_are_the_same(tmp_path: Path, store: StoreReader) -> None:
    unrated = run_in(tmp_path / "unrated", PLAN, RECORDS, is_rated=False)

    with StoreReader.open(unrated) as other:
        assert standings_of(PLAN, other) == standings_of(PLAN, store)


def test_ratings_follow_the_schedule_and_not_the_order_of_storing(tmp_path: Path, store: StoreReader) -> None:
    backwards = run_in(tmp_path / "backwards", PLAN, list(reversed(RECORDS)))

    with StoreReader.open(backwards) as other:
        assert standings_of(PLAN, other) == standings_of(PLAN, store)
        assert rate_online(other.results()) == rate_online(store.results())


def test_seed_is_shown_only_when_every_match_is_stored(tmp_path: Path, store: StoreReader) -> None:
    unfinished = run_in(tmp_path / "unfinished", PLAN, RECORDS[:-1])

    assert standings_of(PLAN, store).seed == "7"
    with StoreReader.open(unfinished) as other:
        assert standings_of(PLAN, other).seed is None


def test_a_bot_without_a_match_has_no_figures(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "one", PLAN, RECORDS[:1])

    with StoreReader.open(folder) as store:
        last = standings_of(PLAN, store).rows[-1]
    assert (last.matches, last.mean_points, last.mean_place, last.calls_made) == (0, None, None, None)
    assert (last.mean_decision_ms, last.p99_decision_ms) == (None, None)


def test_decision_times_count_what_was_asked(store: StoreReader) -> None:
    ant = next(row for row in standings_of(PLAN, store).rows if row.bot == "ant")

    assert ant.mean_decision_ms is not None
    assert 0.8 < ant.mean_decision_ms < 1.5
    assert ant.p99_decision_ms == pytest.approx(1.5, rel=0.02)


def test_head_to_head_shares_add_up_to_one(store: StoreReader) -> None:
    order = [row.bot for row in standings_of(PLAN, store).rows]

    table = head_to_head_of(store.results(), order)

    for row, bot in enumerate(order):
        assert table.share(row, row) is None
        for column, other in enumerate(order):
            if row != column:
                share = table.share(row, column)
                back = table.share(column, row)
                assert share is not None
                assert back is not None
                assert share + back == pytest.approx(1)
                met = [r for r in RECORDS if {bot, other} <= {seat.bot for seat in r.seats}]
                assert table.meetings[row, column] == len(met)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_quantile_of_the_histogram_is_within_two_percent(share: float) -> None:
    times = np.random.default_rng(3).lognormal(8, 2, size=20_000).astype(np.int64)

    found = Histogram.of(times).quantile_us(share)

    assert found == pytest.approx(np.quantile(times, share), rel=0.025)


def test_histogram_survives_being_packed() -> None:
    histogram = Histogram.of(np.array([0, 1, 50, 4_000_000_000]))

    assert Histogram.from_bytes(histogram.to_bytes()).counts.tolist() == histogram.counts.tolist()
