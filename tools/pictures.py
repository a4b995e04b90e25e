"""Owns the pictures in README: the reference run's table as SVG, and its report as Chromium shows it.

`python -m tools.pictures` writes them to docs/pictures. It needs the extra `report`, playwright and Chromium.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from arena.cli.group import run
from arena.reports.standings import standings_table
from arena.store.reader import StoreReader
from arena.store.standings import planned_matches, standings_of
from arena.tournament.plan import plan_digest, read_plan

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "results" / "reference"
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 100
REPLAYED = "t000-s00000-r0#r2.t9.c2"

# Rich's own frame loads a font from another host; this one takes what the reader has.
SVG_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">\
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
<rect fill="#fbfbf9" stroke="#c9ced6" x="0.5" y="0.5" width="{width}" height="{height}" rx="6"/>
<g transform="translate({terminal_x}, 14)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
THEME = TerminalTheme(
    (251, 251, 249),
    (28, 32, 38),
    [
        (28, 32, 38),
        (179, 38, 30),
        (24, 112, 66),
        (140, 94, 0),
        (31, 95, 168),
        (120, 60, 140),
        (0, 110, 125),
        (90, 96, 105),
    ],
)


def main() -> None:
    """Writes all of them."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "standings.svg").write_text(standings_svg(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        if run(["report", str(REFERENCE), "--out", str(report)]):
            raise SystemExit("the report could not be written")
        _photograph(report)


def standings_svg() -> str:
    """The table of the reference run as a terminal shows it."""
    plan = read_plan(REFERENCE)
    with StoreReader.open(REFERENCE, plan_digest=plan_digest(REFERENCE)) as store:
        table, planned = standings_of(plan, store), planned_matches(plan, store)
    console = Console(record=True, width=WIDTH, force_terminal=True, file=io.StringIO())
    console.print(standings_table(table, planned=planned, is_plain=False, width=WIDTH))
    return console.export_svg(title="", theme=THEME, code_format=SVG_FORMAT, unique_id="standings")


def _photograph(report: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 1180, "height": 820})
        for name, page in (("report", "index.html"), ("replay", f"match.html?{REPLAYED}")):
            tab.goto(f"{report.as_uri()}/{page}")
            tab.wait_for_load_state("networkidle")
            tab.screenshot(path=PICTURES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
