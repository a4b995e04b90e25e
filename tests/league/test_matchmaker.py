"""Promises of matchmaking: new bots first, nobody starves, authors apart, and the order found sooner."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league.matchmaker import NEW_SETS, Candidate, Choice, choose_table
from benchmarks.matchmaking import agreements, at_random, by_rule, places_off, shares

HOUSE = 99


def bot(
    version_id: int,
    *,
    author: int | None = None,
    mu: float = 25.0,
    sigma: float = 2.0,
    sets: int = 50,
    last: int | None = 1,
) -> Candidate:
    """A bot that played, of an author of its own."""
    return Candidate(
        version_id=version_id,
        author_id=version_id if author is None else author,
        is_house=author == HOUSE,
        mu=mu,
        sigma=sigma,
        sets=sets,
        last_table_unix_us=last,
    )


def house(count: int = 3) -> list[Candidate]:
    return [bot(900 + number, author=HOUSE) for number in range(count)]


def choose(
    entries: Sequence[Candidate],
    *,
    playing: Sequence[int] = (),
    seed: int = 0,
    together: dict[tuple[int, int], int] | None = None,
) -> Choice | None:
    return choose_table(entries, playing=playing, rng=random.Random(seed), played_together=together or {})


def seated(choice: Choice | None) -> set[int]:
    assert choice is not None
    assert len(set(choice.version_ids)) == 4
    return set(choice.version_ids)


@pytest.mark.parametrize("seed", range(5))
def test_new_bot_sits_down_first(seed: int) -> None:
    field = [bot(number, mu=20 + number, last=number) for number in range(1, 12)]

    assert 50 in seated(choose([*field, bot(50, sets=0, sigma=8.3, last=None)], seed=seed))
    assert 50 in seated(choose([*field, bot(50, sets=NEW_SETS - 1, last=99)], seed=seed))


def test_newest_of_two_new_bots_sits_down_first() -> None:
    field = [bot(number, last=number) for number in range(1, 12)]

    assert 51 in seated(choose([*field, bot(50, sets=3, mu=90, last=99), bot(51, sets=1, mu=90, last=99)]))


@pytest.mark.parametrize("seed", range(5))
def test_bot_that_waited_longest_sits_down(seed: int) -> None:
    """Though its place is clear: it is far behind all others."""
    field = [bot(number, mu=30 + number / 10, last=100) for number in range(1, 12)]

    assert 50 in seated(choose([*field, bot(50, mu=0, sigma=0.5, last=99)], seed=seed))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), bots=st.integers(4, 16), newcomers=st.integers(0, 8))
def test_no_bot_waits_longer_than_there_are_bots(seed: int, bots: int, newcomers: int) -> None:
    """Whatever ratings do, and while new bots come in, which are preferred."""
    rng = random.Random(seed)
    last: dict[int, int | None] = dict.fromkeys(range(bots))
    sets = dict.fromkeys(range(bots), 0)
    joined = dict.fromkeys(range(bots), 0)
    for table in range(1, 6 * bots):
        if newcomers and table % 3 == 0:
            newcomers -= 1
            last[1000 + newcomers], sets[1000 + newcomers], joined[1000 + newcomers] = None, 0, table
        entries = [
            bot(number, mu=rng.gauss(25, 8), sigma=rng.uniform(0.5, 8), sets=sets[number], last=last[number])
            for number in last
        ]
        for number in seated(choose(entries, seed=table)):
            last[number], sets[number] = table, sets[number] + 1
        for number, when in last.items():
            assert table - (when or joined[number]) <= len(last)


def test_every_share_is_bounded() -> None:
    """Of a field that plays long: at least about half of the mean, at most about twice as much."""
    least, most = shares(by_rule, bots=24, seed=1, sets=40)

    assert least > 0.4
    assert most < 2


def test_neighbours_of_whom_it_is_not_known_who_is_better_meet() -> None:
    settled = [bot(number, mu=5.0 * number, sigma=0.4, last=7) for number in range(1, 9)]
    close = [bot(50, mu=100, last=6), *(bot(50 + n, mu=100 + n / 10, sigma=2.0, last=7) for n in (1, 2, 3))]

    assert seated(choose([*settled, *close])) == {50, 51, 52, 53}


def test_those_who_seldom_met_meet() -> None:
    field = [bot(number, last=number) for number in range(1, 7)]
    often = {(1, 2): 9, (1, 3): 9, (2, 3): 9}

    assert seated(choose(field, together=often)) & {2, 3} == set()


def test_authors_are_kept_apart() -> None:
    field = [bot(number, author=number % 4, mu=25 + number % 4 * 20, sigma=1) for number in range(24)]
    for seed in range(20):
        choice = choose(field, seed=seed)
        assert len({version_id % 4 for version_id in seated(choice)}) == 4
        assert choice is not None
        assert choice.same_author == choice.house == ()


def test_many_bots_of_one_author_leave_room_for_the_others() -> None:
    field = [bot(number, author=1, last=number) for number in range(1, 40)]
    others = [bot(50 + number, mu=60, last=99) for number in range(3)]

    assert {50, 51, 52} < seated(choose([*field, *others]))


def test_bots_of_one_author_meet_where_there_is_nobody_else_and_it_is_said() -> None:
    choice = choose([bot(1, author=1), bot(2, author=1), bot(3, author=1), bot(4, author=2)])

    assert seated(choice) == {1, 2, 3, 4}
    assert choice is not None
    assert choice.same_author == (1, 2, 3)


def test_lone_bot_plays_house_bots() -> None:
    choice = choose([bot(1, sets=0, last=None), *house()])

    assert seated(choice) == {1, 900, 901, 902}
    assert choice is not None
    assert choice.house == (900, 901, 902)


def test_house_bots_fill_only_the_seats_that_are_empty() -> None:
    for authors in (1, 2, 3, 4, 5):
        choice = choose([*(bot(number) for number in range(authors)), *house()])
        assert choice is not None
        assert len(choice.house) == max(4 - authors, 0)


def test_house_bot_is_preferred_to_a_second_bot_of_an_author() -> None:
    choice = choose([bot(1, author=1), bot(2, author=1), bot(3, author=2), *house(2)])

    assert choice is not None
    assert (len(choice.house), choice.same_author) == (2, ())


def test_too_few_house_bots_leave_seats_to_an_author_s_second_bot() -> None:
    choice = choose([bot(1, author=1), bot(2, author=1), bot(3, author=2), *house(1)])

    assert choice is not None
    assert seated(choice) == {1, 2, 3, 900}
    assert choice.same_author == (1, 2)


def test_house_bot_may_sit_at_several_tables() -> None:
    assert seated(choose([bot(1), *house()], playing=[900, 901, 902])) == {1, 900, 901, 902}


@pytest.mark.parametrize("playing", [[1], [1, 2, 3, 4], list(range(1, 8))])
def test_bot_at_play_is_waited_for_rather_than_replaced_by_the_house(playing: list[int]) -> None:
    field = [bot(number) for number in range(1, 8)]
    choice = choose([*field, *house()], playing=playing)

    if len(playing) > 3:
        assert choice is None
    else:
        assert seated(choice) & {*playing, 900, 901, 902} == set()


@pytest.mark.parametrize(
    "entries",
    [[], house(4), [bot(1), bot(2), bot(3)], [bot(1), *house(2)], [bot(1, author=1), bot(2, author=1)]],
)
def test_there_is_no_table_of_fewer_than_four_or_of_house_bots_alone(entries: list[Candidate]) -> None:
    assert choose(entries) is None


def test_choice_follows_from_what_is_given_whatever_its_order() -> None:
    field = [bot(number, mu=20 + number, last=number) for number in range(1, 20)]
    shuffled = random.Random(3).sample(field, len(field))

    assert choose(field, seed=5) == choose(shuffled, seed=5)
    assert len({choose(field, seed=seed) for seed in range(10)}) > 1


@pytest.mark.slow
def test_order_is_found_with_fewer_matches_than_at_random_tables() -> None:
    """Simulated leagues with fixed seeds: pairs of bots in the order of their true skills."""
    chosen, drawn = (
        [agreements(draw, bots=16, seed=seed, checkpoints=(4, 8)) for seed in range(24)]
        for draw in (by_rule, at_random)
    )

    for checkpoint in (0, 1):
        ahead = fmean(found[checkpoint] for found in chosen) - fmean(found[checkpoint] for found in drawn)
        assert ahead > 0.01


@pytest.mark.slow
def test_newcomer_finds_its_place_sooner_than_at_random_tables() -> None:
    chosen, drawn = (
        fmean(places_off(draw, bots=20, seed=seed, tables=[8])[0] for seed in range(16))
        for draw in (by_rule, at_random)
    )

    assert chosen < 0.7 * drawn
