"""What every schedule promises, over formats and numbers of entrants."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.tournament.designs import choose_schedule, quality_of
from arena.tournament.jobs import jobs_of
from arena.tournament.schedule import (
    CIRCULAR_ORDERS,
    PAIRED,
    PlannedMatch,
    Schedule,
    ScheduleOptions,
    build_schedule,
    match_id_of,
    seats_of,
)


def schedule_for(entrants: int, **options: object) -> Schedule:
    return build_schedule(choose_schedule(entrants, **options), entrants)  # type: ignore[arg-type]


SCHEDULES = {
    "round robin of 4": (4, schedule_for(4)),
    "round robin of 5, one set": (5, schedule_for(5, sets=1)),
    "round robin of 6, four sets": (6, schedule_for(6, sets=4)),
    "round robin of 9": (9, schedule_for(9)),
    "balanced 5": (5, schedule_for(5, format_name="balanced", matches_per_bot=100)),
    "balanced 7": (7, schedule_for(7, format_name="balanced", matches_per_bot=112)),
    "balanced 8": (8, schedule_for(8, format_name="balanced", matches_per_bot=64)),
    "balanced 40": (40, schedule_for(40, matches_per_bot=240)),
    "balanced 41": (41, schedule_for(41, matches_per_bot=160)),
    "gauntlet of 6": (6, schedule_for(6, format_name="gauntlet", hero=2)),
    "gauntlet of 30": (30, schedule_for(30, format_name="gauntlet", hero=29, matches_per_bot=48)),
}


@pytest.fixture(params=SCHEDULES, name="case")
def _case(request: pytest.FixtureRequest) -> tuple[int, Schedule]:
    return SCHEDULES[request.param]


def test_ids_and_positions_are_unique_and_in_order(case: tuple[int, Schedule]) -> None:
    _, schedule = case
    matches = list(schedule.matches())

    assert [match.position for match in matches] == list(range(schedule.match_count))
    assert len({match.match_id for match in matches}) == schedule.match_count
    assert all(schedule.match_at(match.position) == match for match in matches)
    assert all(m.match_id == match_id_of(m.table, m.set_number, m.rotation) for m in matches)


def test_no_two_tables_share_a_set(case: tuple[int, Schedule]) -> None:
    _, schedule = case
    table_of: dict[int, int] = {}
    for match in schedule.matches():
        assert table_of.setdefault(match.set_number, match.table) == match.table
    assert len(table_of) == schedule.set_count


def test_each_set_seats_each_bot_once_on_each_seat_behind_the_same_one(case: tuple[int, Schedule]) -> None:
    _, schedule = case
    for table in range(len(schedule.tables)):
        for turn in range(schedule.sets_per_table):
            matches = schedule.set_matches(table, turn)
            assert [match.rotation for match in matches] == [0, 1, 2, 3]
            for seat in range(4):
                assert {match.seats[seat] for match in matches} == set(schedule.tables[table])
            assert len({frozenset(behind(match)) for match in matches}) == 1


def behind(match: PlannedMatch) -> list[tuple[int, int]]:
    return [(match.seats[seat], match.seats[(seat + 1) % 4]) for seat in range(4)]


def test_bots_play_equally_often_and_quality_is_what_the_matches_show(case: tuple[int, Schedule]) -> None:
    entrants, schedule = case
    played: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    sat_behind: Counter[tuple[int, int]] = Counter()
    for match in schedule.matches():
        played.update(match.seats)
        met.update(combinations(sorted(match.seats), 2))
        sat_behind.update(behind(match))
    pairs = list(combinations(range(entrants), 2))
    directed = [pair for a, b in pairs for pair in ((a, b), (b, a))]

    quality = quality_of(schedule, entrants)

    assert quality.matches == (min(played[e] for e in range(entrants)), max(played.values()))
    assert quality.meetings == (min(met[pair] for pair in pairs), max(met.values()))
    assert quality.behind == (min(sat_behind[pair] for pair in directed), max(sat_behind.values()))


def test_early_results_are_spread_over_all_tables(case: tuple[int, Schedule]) -> None:
    _, schedule = case
    first_turn = [schedule.match_at(4 * number).table for number in range(len(schedule.tables))]

    assert first_turn == list(range(len(schedule.tables)))


@pytest.mark.parametrize("entrants", [4, 5, 6, 7, 8, 12])
def test_round_robin_of_six_sets_is_even_to_the_last_neighbour(entrants: int) -> None:
    quality = quality_of(schedule_for(entrants), entrants)

    assert quality.matches[0] == quality.matches[1]
    assert quality.meetings[0] == quality.meetings[1]
    assert quality.behind[0] == quality.behind[1]


def test_six_circular_orders_put_everyone_behind_everyone_twice() -> None:
    pairs = Counter(pair for order in range(6) for pair in behind_in_order(order))

    assert len(set(CIRCULAR_ORDERS)) == 6
    assert pairs == dict.fromkeys([(a, b) for a in range(4) for b in range(4) if a != b], 2)


def behind_in_order(order: int) -> list[tuple[int, int]]:
    seats = seats_of((0, 1, 2, 3), order=order, rotation=0)
    return [(seats[i], seats[(i + 1) % 4]) for i in range(4)]


@pytest.mark.parametrize(
    ("entrants", "matches_per_bot", "meetings"),
    [(7, 16, (8, 8)), (13, 16, (4, 4)), (7, 112, (56, 56)), (5, 96, (72, 72))],
)
def test_exact_designs_are_found_where_they_exist(
    entrants: int, matches_per_bot: int, meetings: tuple[int, int]
) -> None:
    schedule = schedule_for(entrants, format_name="balanced", matches_per_bot=matches_per_bot)

    quality = quality_of(schedule, entrants)

    assert quality.matches == (matches_per_bot, matches_per_bot)
    assert quality.meetings == meetings


@settings(max_examples=40)
@given(entrants=st.integers(7, 60), matches_per_bot=st.integers(1, 300))
def test_balanced_gives_everyone_as_many_matches_as_asked_or_a_few_more(
    entrants: int, matches_per_bot: int
) -> None:
    schedule = schedule_for(entrants, format_name="balanced", matches_per_bot=matches_per_bot)

    fewest, most = quality_of(schedule, entrants).matches

    assert fewest == most
    assert matches_per_bot <= fewest < matches_per_bot + 16


@settings(max_examples=40)
@given(entrants=st.integers(7, 60), blocks=st.integers(1, 12))
def test_balanced_pairs_meet_almost_equally_often(entrants: int, blocks: int) -> None:
    schedule = schedule_for(entrants, format_name="balanced", matches_per_bot=16 * blocks, sets=1)

    fewest, most = quality_of(schedule, entrants).meetings

    assert most - fewest <= 8, "at most two sets apart"


@settings(max_examples=25)
@given(opponents=st.integers(6, 50), matches=st.integers(1, 120))
def test_gauntlet_seats_the_hero_everywhere_and_all_others_equally(opponents: int, matches: int) -> None:
    entrants = opponents + 1
    schedule = schedule_for(entrants, format_name="gauntlet", hero=3, matches_per_bot=matches)
    played = Counter(entrant for table in schedule.tables for entrant in table)

    assert all(3 in table for table in schedule.tables)
    assert played.pop(3) == len(schedule.tables)
    assert len(set(played.values())) == 1
    assert len(played) == opponents


def test_five_hundred_entrants_are_scheduled_in_seconds() -> None:
    schedule = schedule_for(500, matches_per_bot=800)
    quality = quality_of(schedule, 500)

    assert quality.matches == (800, 800)
    assert quality.meetings[1] - quality.meetings[0] <= 8


def test_the_same_options_give_the_same_schedule() -> None:
    assert schedule_for(40).digest() == schedule_for(40).digest()
    assert schedule_for(40).digest() != schedule_for(41).digest()


def test_position_outside_the_schedule_is_refused() -> None:
    with pytest.raises(IndexError, match="position 120 of a schedule of 120"):
        schedule_for(5).match_at(120)


@pytest.mark.parametrize(
    ("entrants", "options", "message"),
    [
        (3, {}, "cannot fill a table"),
        (5, {"format_name": "swiss"}, "unknown format 'swiss'; there are round-robin"),
        (5, {"sets": 0}, "--sets 0"),
        (5, {"matches_per_bot": -1}, "--matches-per-bot -1"),
        (5, {"format_name": "gauntlet"}, "--hero"),
        (5, {"hero": 1}, "--hero"),
        (5, {"format_name": "round-robin", "matches_per_bot": 20}, "goes with --format balanced"),
        (200, {"format_name": "round-robin"}, "use --format balanced"),
    ],
)
def test_what_makes_no_schedule_is_said_in_words(
    entrants: int, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        schedule_for(entrants, **options)


ADDED = replace(schedule_for(5, sets=2), added=((0, 1, 2, 3), (1, 2, 3, 4)))


def test_added_tables_come_last_and_play_every_circular_order() -> None:
    matches = list(ADDED.matches())
    base = schedule_for(5, sets=2)

    assert matches[: base.match_count] == list(base.matches())
    assert ADDED.match_count == base.match_count + 2 * 6 * 4
    added = matches[base.match_count :]
    assert [match.position for match in matches] == list(range(ADDED.match_count))
    assert [(m.table, m.set_number) for m in added[::4]] == [(5 + i // 6, 10 + i) for i in range(12)]
    assert all(set(m.seats) == set(ADDED.table_at(m.table)) for m in matches)
    assert len({match.match_id for match in matches}) == ADDED.match_count
    behind = Counter((m.seats[i], m.seats[(i + 1) % 4]) for m in added[:24] for i in range(4))
    assert set(behind.values()) == {8}
    assert [m for turn in range(6) for m in ADDED.set_matches(6, turn)] == added[24:]


def test_added_tables_are_jobs_of_their_own() -> None:
    first = schedule_for(5, sets=2).match_count

    jobs = list(jobs_of(ADDED, workers=2, is_stored=lambda position: position < first + 3))

    assert [job.entrants for job in jobs] == [(0, 1, 2, 3), (1, 2, 3, 4)]
    assert [len(job.matches) for job in jobs] == [21, 24]
    assert [match.position for job in jobs for match in job.matches] == list(
        range(first + 3, ADDED.match_count)
    )


def test_comparison_gives_both_versions_the_same_sets_and_opponents() -> None:
    schedule = build_schedule(ScheduleOptions(PAIRED, 7), 5)
    matches = list(schedule.matches())

    assert [match.position for match in matches] == list(range(7 * 2 * 4))
    assert len({match.match_id for match in matches}) == len(matches)
    assert [match.set_number for match in matches] == [place // 8 for place in range(len(matches))]
    for one in matches:
        [other] = [
            m for m in matches if (m.set_number, m.rotation) == (one.set_number, one.rotation) and m != one
        ]
        assert {one.table, other.table} == {0, 1}
        assert [{0: 1, 1: 0}.get(bot, bot) for bot in one.seats] == list(other.seats)
    assert all(schedule.match_at(match.position) == match for match in matches)
    assert schedule.set_matches(1, 3) == tuple(matches[28:32])
