"""Owns the ranked table in a terminal, in CSV and in Markdown, and the words under it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.reports.text import NOTHING, number, percent
from arena.store.standings import HeadToHead, Standing, Standings

__all__ = [
    "COLUMNS",
    "footer",
    "head_to_head_csv",
    "head_to_head_markdown",
    "head_to_head_table",
    "standings_csv",
    "standings_markdown",
    "standings_table",
]

COLUMNS = ("#", "bot", "rating", "points", "wins", "place", "made %", "matches", "ms", "faults")
WIDE_COLUMNS = ("version", "mu", "sigma", "call", "tricks", "p99 ms", "forfeits")
WIDE_FROM = 150
BOT = COLUMNS.index("bot")
SHORTEST_NAME = 8
GAP = 2

RATING_MEANS = (
    "rating = mu − 3 sigma (TrueSkill, matches rated in schedule order): the skill very probably reached. "
    "It orders the table, then points a match do; bots level in both share a rank."
)
FIGURES_MEAN = (
    "points, place: a match, level seats sharing win and mean place; made %: rounds whose call was made; "
    "ms: mean time of a decision that was asked."
)


def standings_table(standings: Standings, *, planned: int, is_plain: bool, width: int) -> RenderableType:
    """The table and the words under it, for a terminal that many characters wide."""
    headers = [*COLUMNS, *(WIDE_COLUMNS if width >= WIDE_FROM else ())]
    table = _table(headers, is_plain=is_plain)
    rows = [
        ([*_cells(row), *(_wide_cells(row) if width >= WIDE_FROM else ())], None if row.matches else "dim")
        for row in standings.rows
    ]
    _add_rows(table, rows, width=width)
    lines = [Text(line, style="dim") for line in footer(standings, planned=planned)]
    return Group(table, *lines)


def footer(standings: Standings, *, planned: int) -> list[str]:
    """What the figures mean and what the table must not be taken for, a paragraph a line."""
    lines = [RATING_MEANS, FIGURES_MEAN]
    counts = {row.matches for row in standings.rows}
    if standings.matches < planned:
        lines.append(f"Provisional: {standings.matches} of {planned} matches are stored.")
    if len(counts) > 1:
        lines.append(
            f"Warning: bots have played between {min(counts)} and {max(counts)} matches, "
            "so the ranks compare unequal records."
        )
    return lines


def head_to_head_table(table: HeadToHead, *, is_plain: bool, width: int) -> RenderableType:
    """How often the row's bot came before the column's, in percent of the matches they played together."""
    grid = _table(["#", "bot", *(str(number + 1) for number in range(len(table.bots)))], is_plain=is_plain)
    rows = []
    for row, bot in enumerate(table.bots):
        shares = [percent(table.share(row, column)) for column in range(len(table.bots))]
        rows.append(([str(row + 1), bot, *shares], None))
    _add_rows(grid, rows, width=width)
    told = "percent of their matches in which the row came before the column; level counts half"
    return Group(grid, Text(told, style="dim"))


def standings_csv(standings: Standings) -> str:
    """The rows with the keys of the JSON for columns, faults as `KIND=n` words."""
    out = io.StringIO()
    names = list(Standing.__slots__)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in standings.rows:
        values = {name: getattr(row, name) for name in names}
        values["faults"] = " ".join(f"{kind}={count}" for kind, count in row.faults.items())
        writer.writerow(["" if value is None else value for value in values.values()])
    return out.getvalue()


def standings_markdown(standings: Standings, *, planned: int) -> str:
    """The table for pasting into a page."""
    lines = [_markdown_row(COLUMNS), _markdown_row(["--:", ":--", *["--:"] * (len(COLUMNS) - 2)])]
    lines += [_markdown_row(_cells(row)) for row in standings.rows]
    words = " ".join(footer(standings, planned=planned))
    return "\n".join([*lines, "", words]) + "\n"


def head_to_head_csv(table: HeadToHead) -> str:
    """A row a pair, both ways round: bot, other, matches together, share in which the bot came first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["bot", "other", "meetings", "share_above"])
    for row, bot in enumerate(table.bots):
        for column, other in enumerate(table.bots):
            if row != column:
                share = table.share(row, column)
                writer.writerow([bot, other, table.meetings[row, column], "" if share is None else share])
    return out.getvalue()


def head_to_head_markdown(table: HeadToHead) -> str:
    """The matrix for pasting into a page, in percent."""
    numbers = [str(number + 1) for number in range(len(table.bots))]
    lines = [_markdown_row(["#", "bot", *numbers]), _markdown_row(["--:", ":--", *["--:"] * len(numbers)])]
    for row, bot in enumerate(table.bots):
        shares = [percent(table.share(row, column)) for column in range(len(table.bots))]
        lines.append(_markdown_row([str(row + 1), bot, *shares]))
    return "\n".join(lines) + "\n"


def _table(headers: Sequence[str], *, is_plain: bool) -> Table:
    table = Table(
        box=None if is_plain else SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="" if is_plain else "bold",
        padding=(0, 2, 0, 0) if is_plain else (0, 1, 0, 0),
    )
    for header in headers:
        is_name = header in ("bot", "version")
        table.add_column(
            header,
            justify="left" if is_name else "right",
            no_wrap=True,
            overflow="crop" if is_plain else "ellipsis",
        )
    return table


def _add_rows(table: Table, rows: Sequence[tuple[Sequence[str], str | None]], *, width: int) -> None:
    """Adds rows of (cells, style); where room is short, names are cut and no figure is."""
    used = 0
    for index, column in enumerate(table.columns):
        if column.header != "bot":
            column.width = max(len(str(column.header)), *(len(cells[index]) for cells, _ in rows))
            used += column.width + GAP
    table.columns[BOT].max_width = max(SHORTEST_NAME, width - used - GAP)
    for cells, style in rows:
        table.add_row(*(Text(cell) for cell in cells), style=style)


def _cells(row: Standing) -> list[str]:
    faults = sum(row.faults.values())
    return [
        str(row.rank),
        row.bot,
        number(row.rating, decimals=1) if row.matches else NOTHING,
        number(row.mean_points, decimals=1),
        number(row.wins if row.matches else None, decimals=1),
        number(row.mean_place, decimals=2),
        percent(row.calls_made),
        str(row.matches),
        _milliseconds(row.mean_decision_ms),
        str(faults),
    ]


def _wide_cells(row: Standing) -> list[str]:
    return [
        row.version,
        number(row.mu, decimals=2),
        number(row.sigma, decimals=2),
        number(row.mean_call, decimals=2),
        number(row.mean_tricks, decimals=2),
        _milliseconds(row.p99_decision_ms),
        str(row.forfeits),
    ]


def _milliseconds(value: float | None) -> str:
    """Two figures that count: 0.42, 4.2, 42, 420."""
    if value is None:
        return NOTHING
    return number(value, decimals=2 if value < 1 else 1 if value < 10 else 0)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
