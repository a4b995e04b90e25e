"""Owns the promise that the pages in `docs/` say what is: generated ones are current, links lead somewhere,
and the tutorial's bots do what it says of them.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from arena.sdk import Bot
from arena.sdk.local import import_bot, play_set
from tools.build_site import PAGES, ROOT, SiteError, build_site
from tools.protocol_reference import PAGE, reference

GREEDY = ROOT / "sample_bots" / "greedy"
STEPS = re.findall(r"```python\n(.*?)```", (PAGES / "tutorial.md").read_text(), re.DOTALL)
SETS = 30
LINK = re.compile(r"\]\(([^)\s]+)\)")
LOADED = re.compile(r"<(?:script|img|source|link)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")


def test_protocol_page_is_what_the_proto_comments_say() -> None:
    assert PAGE.read_text() == reference(), "run `make protos`"


# The site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    return build_site(tmp_path_factory.mktemp("site")).parent


def test_site_has_every_page_and_they_are_within_reach_of_the_first(site: Path) -> None:
    first = (site / "index.html").read_text()

    for page in PAGES.glob("*.md"):
        assert (site / f"{page.stem}.html").is_file()
        assert f'href="{page.stem}.html"' in first or page.stem == "index"


def test_site_loads_nothing_from_elsewhere_and_all_that_it_loads_is_there(site: Path) -> None:
    loaded = {
        (page, address)
        for page in site.glob("*.html")
        for address in LOADED.findall(page.read_text())
        if not address.startswith(("data:", "#"))
    }

    assert len(loaded) > 50
    assert [one for one in loaded if urlsplit(one[1]).netloc] == []
    assert [one for one in loaded if not (one[0].parent / urlsplit(one[1]).path).is_file()] == []


def test_links_that_lead_nowhere_are_errors_that_name_them(tmp_path: Path) -> None:
    wrong = ["nowhere.md", "authors.md#no-such-heading", "#no-heading-here", "../no_such_file.py"]
    shutil.copy(PAGES / "authors.md", tmp_path)
    links = "".join(f"[link]({address})\n" for address in wrong)
    page = f"# Pages\n{links}![picture](pictures/none.png)\n\n```{{toctree}}\nauthors\n```\n"
    (tmp_path / "index.md").write_text(page)

    with pytest.raises(SiteError) as trouble:
        build_site(tmp_path / "out", pages=tmp_path)

    lines = [line for line in str(trouble.value).splitlines() if "index.md:" in line]
    said = [*(address.rpartition("#")[2] for address in wrong), "none.png"]
    assert [words for words in said if not any(words in line for line in lines)] == []


def test_page_that_nobody_links_to_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Pages\n")
    (tmp_path / "lost.md").write_text("# Lost\n")

    with pytest.raises(SiteError, match=r"lost\.md"):
        build_site(tmp_path / "out", pages=tmp_path)


# Markdown outside the site


@lru_cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they come of their words."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.needs_git
def test_links_in_every_readme_lead_to_files_and_headings_that_are_there() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    pages = [ROOT / name for name in listed.stdout.split()]
    lost = []
    for page in pages:
        for address in LINK.findall(page.read_text()):
            link = urlsplit(address)
            target = page if not link.path else page.parent / link.path
            is_there = bool(link.scheme) or (
                target.exists() and (not link.fragment or link.fragment in anchors(target))
            )
            if not is_there:
                lost.append(f"{page.relative_to(ROOT)}: {address}")

    assert len(pages) > 15
    assert lost == []


# The tutorial


def step(number: int, folder: Path) -> Bot:
    """The bot of a step of the tutorial, as its reader would save it."""
    path = folder / f"star{number}.py"
    path.write_text(STEPS[number - 1])
    return import_bot(path)


def gain(better: Bot, worse: Bot) -> tuple[float, float]:
    """Points a match by which one bot beats three of another, and twice the standard error."""
    gains = []
    for set_number in range(SETS):
        first, *others = play_set([better, worse, worse, worse], seed=5, set_number=set_number)
        gains.append((first - statistics.fmean(others)) / 40)
    return statistics.fmean(gains), 2 * statistics.stdev(gains) / SETS**0.5


def test_tutorial_has_three_programs() -> None:
    assert len(STEPS) == 3
    assert all(program.rstrip().endswith("run(Star())") for program in STEPS)


@pytest.mark.parametrize("number", [2, 3])
def test_each_step_of_the_tutorial_beats_the_one_before(number: int, tmp_path: Path) -> None:
    points, error = gain(step(number, tmp_path), step(number - 1, tmp_path))

    assert points > error


def test_last_step_of_the_tutorial_beats_greedy_and_the_others_do_not(tmp_path: Path) -> None:
    greedy = import_bot(GREEDY)
    gains = [gain(step(number, tmp_path), greedy) for number in (1, 2, 3)]

    (first, _), (second, _), (third, error) = gains
    assert first < second < 0
    assert third > error
