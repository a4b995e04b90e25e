"""Owns what the pages promise without a browser: whole, harmless, honest about what is not known."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.reports.site.entries import TIME_LETTERS
from arena.reports.site.field import page_names
from arena.reports.site.files import STATIC
from arena.reports.site.listed_faults import address_of
from arena.rules import find_ruleset
from tests.reports.site.sites import HOSTILE, Page, Run, run_of

KINDS = ["index.html", "head-to-head.html", "matches.html", "match.html", "run.html", "bots/ant.html"]


def pages_of(run: Run) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in run.report.rglob("*.html")}


def test_report_has_a_page_for_everything(run: Run) -> None:
    written = {path.relative_to(run.report).as_posix() for path in run.report.rglob("*.html")}

    assert written == {*KINDS, "bots/bee.html", "bots/cat.html", "bots/bot.3.html", "bots/bot.4.html"}


def test_every_link_leads_to_something_of_the_report(run: Run) -> None:
    pages = pages_of(run)
    for path, page in pages.items():
        for link in page.links():
            name, _, anchor = link.partition("#")
            target = path.parent / name.partition("?")[0] if name else path
            assert target.is_file(), f"{path}: {link}"
            if anchor and "?" not in name:
                assert anchor in pages[target.resolve()].ids(), f"{path}: {link}"


def test_links_to_matches_name_matches_that_were_played(run: Run) -> None:
    named = {
        link.partition("?")[2].partition("#")[0]
        for page in pages_of(run).values()
        for link in page.links()
        if "match.html?" in link
    }

    assert named
    assert named <= {record.match_id for record in run.records}


def test_no_page_has_script_or_style_in_it_nor_anything_from_elsewhere(run: Run) -> None:
    for path, page in pages_of(run).items():
        for tag, attributes in page.tags:
            assert tag != "style", path
            assert tag != "script" or attributes["src"], path
            assert not any(name == "style" or name.startswith("on") for name in attributes), (path, tag)
        assert not [link for link in page.links() if re.match(r"\w+:|//", link)], path


def test_every_page_forbids_scripts_of_others(run: Run) -> None:
    for path, page in pages_of(run).items():
        [policy] = [
            attributes["content"]
            for tag, attributes in page.tags
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy, path


def test_hostile_names_are_text_on_every_page(run: Run) -> None:
    index = Page(run.page("index.html"))

    assert set(HOSTILE[:2]) <= set(index.words)
    for page in pages_of(run).values():
        assert not [attributes for tag, attributes in page.tags if tag == "img"]
        assert not [tag for tag, attributes in page.tags if tag == "script" and "src" not in attributes]


def test_control_characters_of_a_bot_are_shown_not_sent(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", bots=("ant", "bee", "cat", HOSTILE[3]))

    for path in run.report.rglob("*"):
        if path.is_file():
            assert not re.search("[\x00-\x08\x0e-\x1f\u202a-\u202e]", path.read_text(encoding="utf-8")), path
    assert r"\x1b[31mred\u202e" in run.page("index.html")


def test_replay_files_are_ascii_and_hold_every_match_once(run: Run) -> None:
    ids = []
    for path in sorted((run.report / "replays").glob("0*.js")):
        text = path.read_bytes().decode("ascii")
        found = re.fullmatch(r"arena\.replayFile\((\d+),(\[.*\])\);\n", text, flags=re.DOTALL)
        assert found is not None
        ids += [entry[0] for entry in json.loads(found[2])]

    assert ids == [record.match_id for record in run.records]


def test_pages_weigh_less_than_200_kb_before_charts(run: Run) -> None:
    assets = sum(path.stat().st_size for path in (run.report / "assets").iterdir())
    heaviest = max(len(re.sub(r"<svg.*?</svg>", "", run.page(name), flags=re.DOTALL)) for name in KINDS)

    assert assets + heaviest < 200_000


def test_every_chart_has_a_name_and_its_numbers(run: Run) -> None:
    for name in ("index.html", "bots/ant.html"):
        page = Page(run.page(name))
        charts = [attributes for tag, attributes in page.tags if attributes.get("class") == "chart"]
        assert charts
        assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in charts)
        assert page.words.count("The numbers") == len(charts)


def test_run_page_shows_what_differs_from_the_preset_and_the_seed(run: Run) -> None:
    page = Page(run.page("run.html"))

    assert "callbreak+rounds=2" in page.words
    assert [tag for tag, attributes in page.tags if attributes.get("class") == "differs"] == ["tr"]
    assert run.plan.seed_commitment in page.words
    assert run.plan.seed_text in page.words


def test_unfinished_run_is_called_provisional_and_keeps_its_seed(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=3)
    page = Page(run.page("run.html"))

    assert "Provisional: 17 of 20 matches are stored." in page.words
    assert run.plan.seed_text not in page.words
    assert "--seed SEED" in run.page("run.html")


def test_report_before_the_first_match_says_what_will_stand_there(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=20)

    assert "No match has been played yet." in Page(run.page("index.html")).words
    assert "This bot has not played yet." in Page(run.page("bots/ant.html")).words


def test_faults_lead_to_the_very_decision(run: Run) -> None:
    page = Page(run.page("bots/cat.html"))
    record, fault = next((record, record.faults[0]) for record in run.records if record.faults)

    assert f"../match.html?{record.match_id}{address_of(fault.round, fault.decision)}" in page.links()


@pytest.mark.parametrize(
    ("round_number", "decision", "address"),
    [(3, 0, "#r3.call1"), (3, 3, "#r3.call4"), (3, 4, "#r3.t1.c1"), (3, 29, "#r3.t7.c2"), (0, 0, "#r1")],
)
def test_address_names_the_decision(round_number: int, decision: int, address: str) -> None:
    assert address_of(round_number, decision) == address


def test_report_is_replaced_but_nothing_else_is(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=16)
    (run.report / "old.html").write_text("old")
    run.write()
    assert not (run.report / "old.html").exists()

    (run.report / ".arena-report").unlink()
    with pytest.raises(ArenaError, match="is there already and is not a report"):
        run.write()
    assert (run.report / "index.html").is_file()


def test_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", missing=16)
    before = sorted(path.name for path in run.folder.iterdir())
    (run.report / ".arena-report").unlink()
    with pytest.raises(ArenaError):
        run.write()

    assert sorted(path.name for path in run.folder.iterdir()) == before


def test_pages_of_bots_are_files_on_every_system() -> None:
    assert page_names(["Greedy", "greedy", "../etc", "", "a" * 61, "con-1"]) == (
        "Greedy.html",
        "bot.1.html",
        "bot.2.html",
        "bot.3.html",
        "bot.4.html",
        "con-1.html",
    )


def test_report_of_another_ruleset_counts_its_calls(tmp_path: Path) -> None:
    rules = find_ruleset("callbreak-master+rounds=2")
    run = run_of(tmp_path / "run", bots=("ant", "bee", "cat", "dog"), ruleset=rules)

    assert "calls were made (blue)" in run.page("bots/dog.html")


def test_documented_digits_of_times_are_those_in_use() -> None:
    docs = Path(__file__).parents[3] / "docs" / "report.md"

    assert TIME_LETTERS in docs.read_text(encoding="utf-8")
    assert TIME_LETTERS in (STATIC / "replay.js").read_text(encoding="utf-8")
