"""Owns what people see and do in a real browser on a league's pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.league.model import SubmissionState
from arena.rules import Card
from tests.web.leagues import HOSTILE, League, Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

# The first test starts the browser: slow on a busy machine.
pytestmark = [pytest.mark.needs_chromium, pytest.mark.timeout(240)]

CONTRAST = Path(__file__).parent.parent / "reports" / "site" / "contrast.js"


class Visitor:
    """A tab on the league; any complaint of a page fails the test, and any request that leaves the league."""

    def __init__(self, tab: Tab, server: Served) -> None:
        self.tab, self.server = tab, server
        self.league = server.league
        self.complaints: list[str] = []
        self.requested: list[str] = []
        tab.on("console", lambda message: self.complaints.append(message.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        self.requested.append(url.removeprefix(self.server.origin))
        if not url.startswith(f"{self.server.origin}/"):
            self.complaints.append(f"requested {url}")

    def open(self, address: str) -> Tab:
        self.tab.goto(self.server.origin + address)
        return self.tab

    def log_in(self, author: str = "ann", *, onward: str = "/") -> Tab:
        self.open(f"/login?next={onward}")
        self.tab.fill("#token", self.league.token(author).text)
        self.tab.click("main button")
        self.tab.wait_for_url(self.server.origin + onward)
        return self.tab

    def follow(self) -> Tab:
        """The standings, once their stream stands."""
        self.open("/")
        self.tab.wait_for_selector("#live.on")
        return self.tab

    def take_seat(self) -> Tab:
        self.log_in(onward="/play")
        self.tab.click("main button")
        self.tab.wait_for_selector("#table:not([hidden])")
        return self.tab


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A league with matches, a bot whose name would do harm, and its web server."""
    league = League(tmp_path)
    league.rename("eel", HOSTILE)
    league.play_some(6)
    with served(league) as found:
        yield found


@pytest.fixture
def visitor(chromium: Browser, server: Served) -> Iterator[Visitor]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        found = Visitor(context.new_page(), server)
        yield found
        assert found.complaints == []


def all_pages(league: League) -> list[str]:
    match = f"/matches/{league.first_match().match_id}#r1.t3.c2"
    bots = ["/bots/ant", "/bots/%3Cscript%3Ealert%281%29%3C%2Fscript%3E"]
    return ["/", "/live", "/matches", "/play", "/submissions", "/season", "/login", match, *bots]


def settled(visitor: Visitor, address: str) -> Tab:
    """The page with all that its scripts draw at first."""
    tab = visitor.open(address)
    tab.wait_for_load_state()
    if "#r" in address:
        tab.wait_for_selector(".trick-list")
    return tab


def names_of(tab: Tab) -> list[str]:
    return tab.locator(".board tbody .name a").all_inner_texts()


def test_table_moves_by_itself(visitor: Visitor) -> None:
    tab = visitor.follow()
    opened = visitor.requested.count("/")
    before = tab.text_content("#matches")
    visitor.league.play("ant", "bee", "cat", "dog", luck="more")
    tab.wait_for_function("before => document.getElementById('matches').textContent !== before", arg=before)

    assert tab.text_content("#matches") == "28"
    standings = [entry.bot.name for entry in visitor.league.store.entries(visitor.league.season)]
    assert names_of(tab) == standings
    assert visitor.requested.count("/") == opened


def test_bot_that_rises_is_marked_and_keeps_its_link_focused(visitor: Visitor) -> None:
    tab = visitor.follow()
    last = tab.locator(".board tbody tr").last
    version_id = int(last.get_attribute("data-key") or 0)
    link = tab.locator(f"[data-key='{version_id}'] .name a")
    link.focus()
    with_sql(visitor.league, "UPDATE entries SET mu = 40 WHERE version_id = ?", version_id)
    tab.wait_for_selector(f"[data-key='{version_id}'] .moved.up")

    first = tab.locator(".board tbody tr").first
    assert first.get_attribute("data-key") == str(version_id)
    assert tab.locator(f"[data-key='{version_id}'] .moved").get_attribute("aria-label") == "up 4"
    assert tab.evaluate("document.activeElement.closest('tr').dataset.key") == str(version_id)
    assert "leads now" in (tab.text_content("#said") or "")


def with_sql(league: League, statement: str, version_id: int) -> None:
    """Changes an entry behind the store's back, and says that the season has changed."""
    import sqlite3

    with sqlite3.connect(league.folder / "league.sqlite3") as database:
        database.execute(statement, (version_id,))
        database.execute("UPDATE seasons SET revision = revision + 1")
    league.hub.touch()


def test_new_bot_appears_by_itself(visitor: Visitor) -> None:
    tab = visitor.follow()
    author = visitor.league.store.author("rob")
    visitor.league.store.remote_bot(author, "tortoise", label="1", language="go")
    tab.wait_for_selector("text=tortoise")

    assert names_of(tab)[-1] == "tortoise"
    assert "away" in (tab.locator(".board tbody tr").last.text_content() or "")


def test_table_says_when_the_connection_is_lost_and_comes_back(visitor: Visitor) -> None:
    tab = visitor.follow()
    site = visitor.server.app.state.site
    visitor.server.call(site.board.feed.close)
    tab.wait_for_selector("#live:not(.on)")
    assert "connection lost" in (tab.text_content("#live") or "")

    visitor.server.call(lambda: setattr(site.board.feed, "is_closed", False))
    tab.wait_for_selector("#live.on")
    visitor.league.play("ant", "bee", "cat", "dog", luck="more")
    tab.wait_for_selector("#matches:text-is('28')")


def test_replay_steps_by_key(visitor: Visitor) -> None:
    tab = settled(visitor, f"/matches/{visitor.league.first_match().match_id}#r1.t3.c2")
    assert tab.locator("#summary").is_hidden()
    for key, address in [
        ("ArrowRight", "#r1.t3.c3"),
        ("ArrowDown", "#r1.t3.c4"),
        ("]", "#r2"),
        ("ArrowLeft", "#r1.t13.c4"),
        ("Home", "#r1"),
    ]:
        tab.keyboard.press(key)
        assert tab.evaluate("location.hash") == address


def test_match_is_watched_card_by_card_with_no_hand_seen(visitor: Visitor) -> None:
    league = visitor.league
    match_id = visitor.server.call(lambda: league.show_live("ant", "bee", "cat", "dog", rounds=1, upto=8))
    visitor.open("/live")
    visitor.tab.click(f"a[href='/live/{match_id}']")
    tab = visitor.tab
    tab.wait_for_selector(".trick .card.won")

    assert tab.locator(".hand .card").count() == 4 * 12
    assert tab.locator(".hand .card.back").count() == 4 * 12
    assert tab.locator(".trick-list tbody tr").count() == 2
    held = tab.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert not [name for name in held if "replay" in name and name.endswith(".json")]

    visitor.server.call(lambda: league.live.drop(match_id))
    tab.wait_for_selector("text=no longer on view")


def test_list_of_matches_in_play_fills_and_empties_by_itself(visitor: Visitor) -> None:
    tab = visitor.open("/live")
    tab.wait_for_selector("#nothing:not([hidden])")
    match_id = visitor.server.call(lambda: visitor.league.show_live("ant", "bee", "cat", "dog", upto=8))
    tab.wait_for_selector(f"[data-key='{match_id}']")
    assert tab.locator("#nothing").is_hidden()

    visitor.server.call(lambda: visitor.league.live.drop(match_id))
    tab.wait_for_selector("#nothing:not([hidden])")


def test_person_plays_a_whole_round_by_clicking(visitor: Visitor) -> None:
    tab = visitor.take_seat()
    tab.wait_for_selector(".calls button")
    assert tab.locator(".hand .card:not(.back)").count() == 13
    tab.click(".calls button:nth-child(3)")
    reasons = set()
    while tab.text_content("#where") == "Round 1 of 2":
        tab.keyboard.press(" ")  # no need to see the bots at their pace
        greyed = tab.locator(".card.illegal")
        if greyed.count():
            greyed.first.hover()
            reasons.add(tab.text_content(".why"))
            assert not greyed.first.locator("button").count()
        legal = tab.locator(".card.legal button")
        if legal.count():
            legal.first.click()
    record_calls = visitor.league.tables[0].match.game.finished[0].calls

    assert record_calls[0] == 3
    assert reasons
    assert all(re.search(r"may not be played: must ", reason or "") for reason in reasons)


def test_person_plays_by_keyboard_alone(visitor: Visitor) -> None:
    tab = visitor.take_seat()
    tab.wait_for_selector(".calls button")
    tab.keyboard.press("4")
    tab.wait_for_selector(".card.legal button")
    held = tab.locator(".hand .card:not(.back)").count()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    chosen = tab.evaluate("document.activeElement.textContent")
    assert ", may be played" in chosen
    tab.keyboard.press("Enter")
    tab.wait_for_function(
        "held => document.querySelectorAll('.hand .card:not(.back)').length < held", arg=held
    )

    game = visitor.league.tables[0].match.game
    assert game.round.calls[0] == 4
    assert any(named(card) in chosen for card in (*game.round.history, *game.round.trick))


def named(card: int) -> str:
    ranks = {11: "jack", 12: "queen", 13: "king", 14: "ace"}
    return f"{ranks.get(card & 15, card & 15)} of {Card(card).suit.name.lower()}"


def test_clock_and_question_are_shown_while_the_person_decides(visitor: Visitor) -> None:
    tab = visitor.take_seat()
    tab.wait_for_selector(".calls button")

    assert re.fullmatch(r"\d min \d\d s left", tab.text_content("#clock") or "")
    assert tab.text_content("#question") == "How many tricks will you take?"
    assert tab.locator(".calls button").all_inner_texts() == [str(call) for call in range(1, 9)]


def test_table_is_found_again_after_a_reload(visitor: Visitor) -> None:
    tab = visitor.take_seat()
    tab.wait_for_selector(".calls button")
    tab.click(".calls button:nth-child(2)")
    tab.wait_for_selector(".card.legal button")
    tab.reload()
    tab.wait_for_selector(".card.legal button")

    assert tab.locator(".place.bottom .call").text_content() == "call 2 / 0 tricks, open"


def test_table_that_a_restart_took_away_is_said_to_be_gone(visitor: Visitor) -> None:
    tab = visitor.take_seat()
    tab.wait_for_selector(".calls button")
    site = visitor.server.app.state.site
    seat = visitor.league.tables[0].seat
    visitor.server.call(site.person_seats._seats.clear)
    visitor.server.call(lambda: site.tables.feed(seat).close())
    tab.wait_for_selector("text=the table is gone")
    visitor.complaints[:] = [text for text in visitor.complaints if "404" not in text]

    assert tab.locator("#again").is_visible()


def test_person_gets_up(visitor: Visitor) -> None:
    tab = visitor.take_seat()
    tab.wait_for_selector(".calls button")
    tab.click("#leave button")
    tab.wait_for_url(f"{visitor.server.origin}/play")

    tab.wait_for_selector("select")
    assert visitor.league.tables[0].seat.state == "void"
    assert tab.locator("select").count() == 3


def test_submission_is_followed_to_its_verdict(visitor: Visitor) -> None:
    league = visitor.league
    tab = visitor.log_in("ann", onward="/submissions")
    tab.wait_for_selector("#live.on", state="attached")
    submission = league.store.receive(league.store.author("ann"), b"a bundle of a new bot")
    for state, bot in [(SubmissionState.UNPACKED, "fox"), (SubmissionState.REFUSED, "fox")]:
        changed = league.store.advance(submission.submission_id, state, f"it is {state.value}", bot=bot)
        publish(visitor, changed)
        tab.wait_for_selector(f"text=it is {state.value}")

    assert tab.locator(".submission.refused .verdict").text_content() == "Refused"


def publish(visitor: Visitor, submission: Any) -> None:
    from arena.league.hub import SubmissionChanged

    visitor.server.call(lambda: visitor.league.hub.publish(SubmissionChanged(submission)))


def test_logging_in_and_out(visitor: Visitor) -> None:
    tab = visitor.log_in("ann")
    assert tab.text_content(".who") == "ann"
    tab.click("text=Log out")
    tab.wait_for_selector("text=Log in")

    assert visitor.tab.context.cookies() == []


@pytest.mark.parametrize("width", [360, 2560])
def test_no_page_needs_to_be_scrolled_sideways(visitor: Visitor, width: int) -> None:
    visitor.tab.set_viewport_size({"width": width, "height": 800})
    match_id = visitor.server.call(lambda: visitor.league.show_live("ant", "bee", "cat", "dog", upto=24))
    visitor.log_in("ann")
    for page in [*all_pages(visitor.league), f"/live/{match_id}"]:
        tab = settled(visitor, page)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, page
    tab = visitor.open("/play")
    tab.click("main button")
    tab.wait_for_selector(".calls button")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(visitor: Visitor, scheme: Any) -> None:
    visitor.tab.emulate_media(color_scheme=scheme)
    visitor.log_in("ann")
    for page in all_pages(visitor.league):
        tab = settled(visitor, page)
        faint = tab.evaluate(CONTRAST.read_text())
        assert faint == [], f"{page}: {json.dumps(faint[:5], indent=1)}"
    paper = visitor.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 27)" if scheme == "dark" else "rgb(252, 252, 250)")


def test_everything_that_can_be_pressed_has_a_name(visitor: Visitor) -> None:
    visitor.log_in("ann")
    for page in all_pages(visitor.league):
        tab = settled(visitor, page)
        nameless = tab.evaluate(
            """() => [...document.querySelectorAll("a, button, select, input, [tabindex='0']")]
                .filter((one) => !one.hidden && one.type !== "hidden")
                .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") ||
                    one.labels?.length))
                .map((one) => one.outerHTML)"""
        )
        assert nameless == [], page


def test_no_page_breaks_its_policy(visitor: Visitor) -> None:
    visitor.tab.add_init_script(
        "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))"
    )
    visitor.log_in("ann")
    for page in all_pages(visitor.league):
        tab = settled(visitor, page)
        assert tab.evaluate("document.querySelectorAll('script:not([src])').length") == 0, page
