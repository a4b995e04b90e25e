"""Owns the ranked table in a terminal, in CSV and in Markdown, and the words under it.

A terminal shows as many columns as it has room for, the most telling first.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import Box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.reports.text import NOTHING, number, percent
from arena.store.csv_file import write_csv
from arena.store.standings import HeadToHead, Standing, Standings

__all__ = [
    "footer",
    "head_to_head_csv",
    "head_to_head_markdown",
    "head_to_head_table",
    "standings_csv",
    "standings_markdown",
    "standings_table",
]

SHORTEST_NAME = 8
LONG_NAME = 20
"""What of a name is not cut for the sake of one more column."""
GAP = 2
ALWAYS = ("#", "bot", "rating", "adj.")
FOR_SHORTER_NAMES = ("matches", "place", "made %", "faults", "ms")
"""Columns for which names are cut to `SHORTEST_NAME` where room is short, the most telling first."""
WHERE_THERE_IS_ROOM = (
    *("adj. ±", "ranks", "wins", "points ±", "adj., 95 %", "version", "mu", "sigma"),
    *("p99 ms", "call", "tricks", "forfeits"),
)
UNSEPARATED = "~"
PAIRS_TOLD = 5
RULED = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
"""A line under the header and between blocks; nothing round them."""

RATING_MEANS = (
    "rating = mu − 3 sigma (TrueSkill, matches rated in schedule order): the skill very probably reached."
)
BY_POINTS = (
    "Ordered by adj.: points a match, adjusted for the luck of the deal; then rating does. "
    "Bots level in both share a rank."
)
BY_SKILL = (
    "Ordered by mu of all matches fitted together, since bots met opponents of unlike strength by design: "
    "their points are no fair comparison."
)
FIGURES_MEAN = (
    "points, place: a match, level seats sharing win and mean place; made %: rounds whose call was made; "
    "ms: mean time of a decision that was asked."
)
INTERVALS_MEAN = "±, ranks: 95 % intervals, with a set of four matches on the same deals as the unit."
SHARES_MEAN = "percent of their matches in which the row came before the column; level counts half"
BETTER_MEANS = "percent: how likely it is that the row is better than the column, from all matches"
TOO_FEW = "There are too few sets to tell how sure this order is."
ALL_SEPARATED = "Every bot is separated from the one above it (95 %)."


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the table: what a row shows in it."""

    header: str
    cell: Callable[[Standing], str]
    is_text: bool = False


def standings_table(standings: Standings, *, planned: int, is_plain: bool, width: int) -> RenderableType:
    """The table and the words under it, for a terminal that many characters wide."""
    columns = _fitting(_columns(standings, is_plain=is_plain), standings.rows, width=width)
    table = _table([(column.header, column.is_text) for column in columns], is_plain=is_plain)
    rows = [
        ([column.cell(row) for column in columns], None if row.matches else "dim") for row in standings.rows
    ]
    _add_rows(table, rows, width=width, ruled=_rules(standings))
    lines = [Text(line, style="dim") for line in footer(standings, planned=planned)]
    return Group(table, *lines)


def footer(standings: Standings, *, planned: int) -> list[str]:
    """What the figures mean and what the table must not be taken for, a paragraph a line."""
    order = BY_SKILL if standings.is_by_skill else BY_POINTS
    lines = [_separation_text(standings), order, RATING_MEANS, FIGURES_MEAN]
    if any(row.points_low is not None for row in standings.rows):
        lines.append(INTERVALS_MEAN)
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
    """Who came before whom, and who is likely better, in percent: two matrices."""
    parts: list[RenderableType] = []
    for figure, meaning in _figures_of(table):
        grid = _table([(header, header == "bot") for header in _matrix_headers(table)], is_plain=is_plain)
        _add_rows(grid, [(cells, None) for cells in _matrix_rows(table, figure)], width=width)
        parts += [grid, Text(meaning, style="dim"), Text("")]
    return Group(*parts[:-1])


def standings_csv(standings: Standings) -> str:
    """The rows with the keys of the JSON for columns, faults as `KIND=n` words."""
    out = io.StringIO()
    names = list(Standing.__slots__)
    values = [{name: getattr(row, name) for name in names} for row in standings.rows]
    for row in values:
        row["faults"] = [f"{kind}={count}" for kind, count in row["faults"].items()]
    write_csv(out, names, [list(row.values()) for row in values])
    return out.getvalue()


def standings_markdown(standings: Standings, *, planned: int) -> str:
    """The table for pasting into a page."""
    by_header = _columns(standings, is_plain=False)
    shown = (
        "#",
        "bot",
        "rating",
        "adj. ±",
        "points ±",
        "ranks",
        "wins",
        "place",
        "made %",
        "matches",
        "ms",
        "faults",
    )
    columns = [by_header[header] for header in shown]
    lines = [
        _markdown_row([column.header for column in columns]),
        _markdown_row([":--" if column.is_text else "--:" for column in columns]),
        *(_markdown_row([column.cell(row) for column in columns]) for row in standings.rows),
    ]
    words = " ".join(footer(standings, planned=planned))
    return "\n".join([*lines, "", words]) + "\n"


def head_to_head_csv(table: HeadToHead) -> str:
    """A row a pair, both ways round: bot, other, matches together, share in which the bot came first, P."""
    out = io.StringIO()
    pairs = [
        (
            *(bot, other, int(table.meetings[row, column])),
            *(table.share(row, column), table.likely(row, column)),
        )
        for row, bot in enumerate(table.bots)
        for column, other in enumerate(table.bots)
        if row != column
    ]
    write_csv(out, ["bot", "other", "meetings", "share_above", "better"], pairs)
    return out.getvalue()


def head_to_head_markdown(table: HeadToHead) -> str:
    """The matrices for pasting into a page, in percent."""
    head = [
        _markdown_row(_matrix_headers(table)),
        _markdown_row(["--:", ":--", *["--:"] * len(table.bots)]),
    ]
    parts = [
        "\n".join([*head, *map(_markdown_row, _matrix_rows(table, figure)), "", meaning])
        for figure, meaning in _figures_of(table)
    ]
    return "\n\n".join(parts) + "\n"


def _figures_of(table: HeadToHead) -> list[tuple[Callable[[int, int], float | None], str]]:
    """What a cell holds in each matrix, and what it means."""
    return [(table.share, SHARES_MEAN), (table.likely, BETTER_MEANS)]


def _matrix_headers(table: HeadToHead) -> list[str]:
    return ["#", "bot", *(str(number + 1) for number in range(len(table.bots)))]


def _matrix_rows(table: HeadToHead, figure: Callable[[int, int], float | None]) -> list[list[str]]:
    columns = range(len(table.bots))
    return [
        [str(row + 1), bot, *(percent(figure(row, column)) for column in columns)]
        for row, bot in enumerate(table.bots)
    ]


def _columns(standings: Standings, *, is_plain: bool) -> dict[str, _Column]:
    """Every column there is, in the order in which they stand; of two of one header one is shown."""
    bar = _Bars.of(standings.rows, is_plain=is_plain)
    apart = dict(zip((row.bot for row in standings.rows), standings.separated, strict=True))
    sure = any(row.points_low is not None for row in standings.rows)
    return {
        "#": _Column("#", lambda row: f"{row.rank}{_mark(apart[row.bot], is_sure=sure)}"),
        "bot": _Column("bot", lambda row: row.bot, is_text=True),
        "version": _Column("version", lambda row: row.version, is_text=True),
        "rating": _Column("rating", lambda row: number(row.rating, decimals=1) if row.matches else NOTHING),
        "ranks": _Column("ranks", _ranks),
        "mu": _Column("mu", lambda row: number(row.mu, decimals=2)),
        "sigma": _Column("sigma", lambda row: number(row.sigma, decimals=2)),
        "adj.": _Column("adj.", lambda row: number(row.adjusted_points, decimals=1)),
        "adj. ±": _Column("adj.", lambda row: _within(_adjusted(row), "+-" if is_plain else "±")),
        "adj., 95 %": _Column("adj., 95 %", bar.drawn, is_text=True),
        "points ±": _Column("points", lambda row: _within(_points(row), "+-" if is_plain else "±")),
        "wins": _Column("wins", lambda row: number(row.wins if row.matches else None, decimals=1)),
        "place": _Column("place", lambda row: number(row.mean_place, decimals=2)),
        "made %": _Column("made %", lambda row: percent(row.calls_made)),
        "call": _Column("call", lambda row: number(row.mean_call, decimals=2)),
        "tricks": _Column("tricks", lambda row: number(row.mean_tricks, decimals=2)),
        "matches": _Column("matches", lambda row: str(row.matches)),
        "ms": _Column("ms", lambda row: _milliseconds(row.mean_decision_ms)),
        "p99 ms": _Column("p99 ms", lambda row: _milliseconds(row.p99_decision_ms)),
        "faults": _Column("faults", lambda row: str(sum(row.faults.values()))),
        "forfeits": _Column("forfeits", lambda row: str(row.forfeits)),
    }


def _fitting(columns: dict[str, _Column], rows: Sequence[Standing], *, width: int) -> list[_Column]:
    """As many columns as there is room for."""
    widths = {
        name: max([len(column.header), *(len(column.cell(row)) for row in rows)])
        for name, column in columns.items()
    }
    longest = widths["bot"]
    chosen = set(ALWAYS)
    for names, kept in ((FOR_SHORTER_NAMES, SHORTEST_NAME), (WHERE_THERE_IS_ROOM, LONG_NAME)):
        widths["bot"] = min(longest, kept)
        for name in names:
            wider = (chosen | {name}) - ({"adj."} if name == "adj. ±" else set())
            if sum(widths[each] + GAP for each in wider) - GAP <= width:
                chosen = wider
    return [column for name, column in columns.items() if name in chosen]


def _rules(standings: Standings) -> list[bool]:
    """Whether a line is drawn under each row, the last left out: between blocks, where there are any."""
    has_blocks = not all(standings.separated)
    return [has_blocks and apart for apart in standings.separated[1:]]


def _separation_text(standings: Standings) -> str:
    if all(row.rank_low is None for row in standings.rows):
        return TOO_FEW
    pairs = [
        f"{row.bot} from {above.bot}"
        for above, row, apart in zip(
            standings.rows, standings.rows[1:], standings.separated[1:], strict=False
        )
        if not apart
    ]
    if not pairs:
        return ALL_SEPARATED
    told = "; ".join(pairs[:PAIRS_TOLD]) + (f"; {len(pairs) - PAIRS_TOLD} more" * (len(pairs) > PAIRS_TOLD))
    return f"{UNSEPARATED} not separated from the row above, so that their order may be chance: {told}."


def _mark(is_apart: bool, *, is_sure: bool) -> str:
    return "" if is_apart or not is_sure else UNSEPARATED


def _ranks(row: Standing) -> str:
    """`2`, or `1-3`: the ranks that the bot may truly have."""
    if row.rank_low is None:
        return NOTHING
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


Estimate = tuple[float | None, float | None, float | None]
"""A mean, and the ends of its interval."""


def _points(row: Standing) -> Estimate:
    return row.mean_points, row.points_low, row.points_high


def _adjusted(row: Standing) -> Estimate:
    return row.adjusted_points, row.adjusted_low, row.adjusted_high


def _within(estimate: Estimate, plus_minus: str) -> str:
    """`24.1 ± 0.8`."""
    mean, low, high = estimate
    text = number(mean, decimals=1)
    if low is None or high is None:
        return text
    return f"{text} {plus_minus} {number((high - low) / 2, decimals=1)}"


@dataclass(frozen=True, slots=True)
class _Bars:
    """Intervals drawn on one scale, so that overlap is seen: `  ──●──   `."""

    low: float
    high: float
    line: str
    dot: str

    WIDTH = 24

    @classmethod
    def of(cls, rows: Sequence[Standing], *, is_plain: bool) -> _Bars:
        ends = [end for row in rows for end in _adjusted(row)[1:] if end is not None]
        line, dot = ("=", "o") if is_plain else ("─", "●")
        return cls(min(ends, default=0.0), max(ends, default=1.0), line, dot)

    def drawn(self, row: Standing) -> str:
        """The row's interval of adjusted points, always as wide."""
        mean, low, high = _adjusted(row)
        if mean is None or low is None or high is None:
            return ""
        first, middle, last = map(self._place, (low, mean, high))
        cells = [self.line if first <= place <= last else " " for place in range(self.WIDTH)]
        cells[middle] = self.dot
        return "".join(cells)

    def _place(self, value: float) -> int:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return min(self.WIDTH - 1, int(share * self.WIDTH))


def _table(headers: Sequence[tuple[str, bool]], *, is_plain: bool) -> Table:
    """An empty table; headers come with whether the column holds text."""
    table = Table(
        box=None if is_plain else RULED,
        pad_edge=False,
        show_edge=False,
        header_style="" if is_plain else "bold",
        padding=(0, GAP, 0, 0) if is_plain else (0, GAP - 1, 0, 0),
    )
    for header, is_text in headers:
        table.add_column(
            header,
            justify="left" if is_text else "right",
            no_wrap=True,
            overflow="crop" if is_plain else "ellipsis",
        )
    return table


def _add_rows(
    table: Table,
    rows: Sequence[tuple[Sequence[str], str | None]],
    *,
    width: int,
    ruled: Sequence[bool] = (),
) -> None:
    """Adds rows of (cells, style), with a line under some; where room is short, names are cut, no figure."""
    used = 0
    for index, column in enumerate(table.columns):
        if column.header != "bot":
            column.width = max(len(str(column.header)), *(len(cells[index]) for cells, _ in rows))
            used += column.width + GAP
    names = next(column for column in table.columns if column.header == "bot")
    names.max_width = max(SHORTEST_NAME, width - used)
    for index, (cells, style) in enumerate(rows):
        has_line = index < len(ruled) and ruled[index]
        table.add_row(*(Text(cell) for cell in cells), style=style, end_section=has_line)


def _milliseconds(value: float | None) -> str:
    """Two figures that count: 0.42, 4.2, 42, 420."""
    if value is None:
        return NOTHING
    return number(value, decimals=2 if value < 1 else 1 if value < 10 else 0)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
