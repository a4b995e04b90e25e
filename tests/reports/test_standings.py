"""The ranked table as it is drawn: what fits, what is marked, what is said under it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.console import Console

from arena.reports.standings import footer, standings_markdown, standings_table
from arena.store.standings import Standing, Standings

NOBODY = Standing(
    rank=1,
    bot="nobody",
    version="1.0",
    mu=25.0,
    sigma=0.5,
    rating=23.5,
    rank_low=1,
    rank_high=1,
    matches=240,
    wins=60.5,
    mean_place=2.5,
    mean_points=10.0,
    points_low=9.0,
    points_high=11.0,
    calls_made=0.75,
    mean_call=3.0,
    mean_tricks=3.25,
    faults={},
    forfeits=0,
    mean_decision_ms=0.42,
    p99_decision_ms=1.5,
    adjusted_points=10.0,
    adjusted_low=9.0,
    adjusted_high=11.0,
)


def standing(rank: int, bot: str, points: float, *, ranks: tuple[int, int] | None = None) -> Standing:
    low, high = ranks or (rank, rank)
    return replace(
        NOBODY,
        rank=rank,
        bot=bot,
        mean_points=points,
        points_low=points - 0.8,
        points_high=points + 0.8,
        rank_low=low,
        rank_high=high,
        adjusted_points=points,
        adjusted_low=points - 0.8,
        adjusted_high=points + 0.8,
    )


def table(rows: list[Standing], *apart: bool) -> Standings:
    return Standings("spring", "callbreak", None, 960, tuple(rows), (True, *apart))


FOUR = table(
    [
        standing(1, "ant", 24.1),
        standing(2, "bee", 12.0, ranks=(2, 3)),
        standing(3, "cat", 11.9, ranks=(2, 3)),
        standing(4, "dog", -3.0),
    ],
    *(True, False, True),
)


def drawn(shown: Standings, *, width: int = 80, is_plain: bool = False) -> list[str]:
    console = Console(width=width, record=True, markup=False, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(standings_table(shown, planned=960, is_plain=is_plain, width=width))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_points_stand_with_their_interval_and_a_true_minus() -> None:
    lines = drawn(FOUR)

    assert "24.1 ± 0.8" in lines[2]
    assert any("−3.0 ± 0.8" in line for line in lines)
    assert "24.1 +- 0.8" in drawn(FOUR, is_plain=True)[1]


def test_neighbours_that_are_not_separated_stand_in_one_block_and_are_named() -> None:
    lines = drawn(FOUR)

    is_line = [set(line) == {"─"} for line in lines[:8]]
    assert is_line == [False, True, False, True, False, False, True, False]
    assert [line.split()[0] for line in (lines[2], lines[4], lines[5], lines[7])] == ["1", "2", "3~", "4"]
    assert lines[5].split()[3] == "2-3"
    assert lines[8].startswith("~ not separated from the row above, so that their order may be chance: cat")


def test_no_line_is_drawn_where_all_are_separated() -> None:
    lines = drawn(replace(FOUR, separated=(True,) * 4))

    assert sum(set(line) == {"─"} for line in lines) == 1
    assert "Every bot is separated from the one above it (95 %)." in lines


def test_nothing_is_marked_where_nothing_is_known() -> None:
    ends = ("rank_low", "rank_high", "points_low", "points_high", "adjusted_low", "adjusted_high")
    unknown = dict.fromkeys(ends)
    rows = [replace(row, **unknown) for row in FOUR.rows]  # type: ignore[arg-type]

    lines = drawn(table(rows, False, False, False))

    assert [line.split()[0] for line in lines[2:6]] == ["1", "2", "3", "4"]
    assert lines[6] == "There are too few sets to tell how sure this order is."
    assert not any("±" in line for line in lines)


def test_many_pairs_are_cut_short_in_words() -> None:
    rows = [standing(rank, f"bot-{rank}", 10.0, ranks=(1, 9)) for rank in range(1, 10)]

    words = footer(table(rows, *[False] * 8), planned=960)[0]

    assert words.endswith("bot-6 from bot-5; 3 more.")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 130, 180])
@pytest.mark.parametrize("is_plain", [False, True])
def test_table_fits_and_no_figure_is_cut(width: int, is_plain: bool) -> None:
    rows = [standing(rank, f"bot-with-a-rather-long-name-{rank}", 10.0 * rank) for rank in (1, 2, 3)]

    lines = drawn(table(rows, True, False), width=width, is_plain=is_plain)

    assert max(map(len, lines)) <= width
    shown = [line for line in lines[:7] if re.match(r" ?\d~? +bot-", line)]
    assert len(shown) == 3
    assert all(line.count("…") <= 1 for line in shown), "only names are cut"


def test_wider_terminal_shows_more_and_draws_the_intervals_on_one_scale() -> None:
    narrow, wide = drawn(FOUR)[0].split(), drawn(FOUR, width=180)[0].split()
    bars = [line for line in drawn(FOUR, width=180) if "●" in line]

    assert set(narrow) < set(wide)
    assert [bar.index("●") for bar in bars] == sorted((bar.index("●") for bar in bars), reverse=True)
    assert bars[1].index("●") == bars[2].index("●")


def test_words_say_which_figure_orders_the_table() -> None:
    assert "Ordered by adj." in footer(FOUR, planned=960)[1]
    assert (
        "Ordered by mu of all matches fitted together"
        in footer(replace(FOUR, is_by_skill=True), planned=1)[1]
    )


def test_markdown_has_the_intervals_and_the_marks() -> None:
    lines = standings_markdown(FOUR, planned=960).splitlines()

    assert lines[2] == "| 1 | ant | 23.5 | 24.1 ± 0.8 | 24.1 ± 0.8 | 1 | 60.5 | 2.50 | 75 | 240 | 0.42 | 0 |"
    assert lines[4].startswith("| 3~ | cat |")
    assert "cat from bee" in lines[-1]
