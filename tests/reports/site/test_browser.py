"""Owns what a reader sees in a real browser that opens the report from disk."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.referee.faults import FaultKind
from arena.reports.site.listed_faults import address_of
from arena.rules import CALLBREAK, Card, Trick, card_list, card_set, find_ruleset, legal_cards, score_tenths
from tests.reports.site.sites import Run

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

# The first test starts the browser and writes the report: slow on a busy machine.
pytestmark = [pytest.mark.needs_chromium, pytest.mark.timeout(240)]

RULESETS = ["callbreak", "call-bridge", "callbreak+undertrump=forced", "callbreak-master+undertrump=forced"]
SCRIPTS = ["dom.js", "cards.js", "rules.js", "replay.js"]


class Reader:
    """A tab on the report that fails on any complaint of the page and any request that leaves the disk."""

    def __init__(self, tab: Tab, run: Run) -> None:
        self.tab, self.run = tab, run
        self.complaints: list[str] = []
        tab.on("console", lambda message: self.complaints.append(message.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("request", lambda request: self._check(request.url))

    def _check(self, url: str) -> None:
        if not url.startswith(f"file://{self.run.report}/"):
            self.complaints.append(f"requested {url}")

    def open(self, page: str) -> Tab:
        self.tab.goto(f"file://{self.run.report}/{page}")
        return self.tab

    def replay(self, match_id: str, address: str = "") -> Tab:
        self.open(f"match.html?{match_id}{address}")
        self.tab.wait_for_selector(".trick-list")
        return self.tab

    def press(self, *keys: str) -> str:
        for key in keys:
            self.tab.keyboard.press(key)
        return str(self.tab.evaluate("location.hash"))


@pytest.fixture
def reader(chromium: Browser, run: Run) -> Iterator[Reader]:
    with chromium.new_page(viewport={"width": 1280, "height": 800}) as tab:
        found = Reader(tab, run)
        yield found
        assert found.complaints == []


def clean_match(run: Run) -> str:
    return next(record.match_id for record in run.records if not record.faults)


def positions(count: int) -> Iterator[tuple[list[Card], Trick]]:
    """Hands and tricks at random, the more often with few cards, where the hard cases are."""
    dealing = random.Random(7)
    for _ in range(count):
        cards = dealing.sample(list(Card), 16)
        held = dealing.randint(1, 13)
        yield (
            cards[3 : 3 + held],
            Trick(leader=dealing.randrange(4), cards=tuple(cards[: dealing.randint(0, 3)])),
        )


def test_scripts_know_the_rules_card_by_card(reader: Reader) -> None:
    tab = reader.replay(clean_match(reader.run))
    for name in RULESETS:
        rules = find_ruleset(name)
        asked = list(positions(1500))
        found = tab.evaluate(
            "([asked, rules]) => asked.map(([hand, trick]) => arena.rules.legalCards(hand, trick, rules))",
            [[[hand, list(trick.cards)] for hand, trick in asked], asdict(rules)],
        )
        for (hand, trick), legal in zip(asked, found, strict=True):
            assert sorted(legal) == card_list(legal_cards(card_set(hand), trick, rules)), (name, hand, trick)


def test_scripts_name_the_winner_of_a_trick(reader: Reader) -> None:
    tab = reader.replay(clean_match(reader.run))
    asked = [trick for _, trick in positions(500) if trick.cards]
    found = tab.evaluate(
        "(asked) => asked.map(([leader, cards]) => arena.rules.winnerOf(leader, cards))",
        [[trick.leader, list(trick.cards)] for trick in asked],
    )

    assert found == [trick.winner for trick in asked]


@pytest.mark.parametrize("name", ["callbreak", "callbreak-master"])
def test_call_is_called_made_or_lost_just_when_it_is(reader: Reader, name: str) -> None:
    rules = find_ruleset(name)
    tab = reader.replay(clean_match(reader.run))
    asked = [(call, won, left) for call in range(1, 14) for won in range(14) for left in range(14 - won)]
    found = tab.evaluate(
        "([asked, rules]) => asked.map(([call, won, left]) => arena.rules.callState(call, won, left, rules))",
        [[list(one) for one in asked], asdict(rules)],
    )
    for (call, won, left), state in zip(asked, found, strict=True):
        ends = [score_tenths(call, won + more, rules) > 0 for more in range(left + 1)]
        assert state == ("lost" if not any(ends) else "made" if ends[0] else "open"), (call, won, left)


@pytest.mark.parametrize(
    ("hand", "trick", "card", "reason"),
    [
        ("KH 2H AS", "QH", "2H", "must beat the queen of hearts"),
        ("KH 2H AS", "QH", "AS", "must follow hearts"),
        ("3S 9H", "KD", "9H", "must trump"),
        ("TS 2S 9H", "KD 9S", "9H", "must overtrump the 9 of spades"),
        ("TS 2S 9H", "KD 9S", "2S", "must overtrump the 9 of spades"),
        ("2S 9H", "KD 9S", "9H", ""),
    ],
)
def test_reason_is_told_as_players_know_it(
    reader: Reader, hand: str, trick: str, card: str, reason: str
) -> None:
    tab = reader.replay(clean_match(reader.run))
    found = tab.evaluate(
        "([card, hand, trick, rules]) => arena.rules.whyNot(card, hand, trick, rules)",
        [Card.parse(card), cards_of(hand), cards_of(trick), asdict(CALLBREAK)],
    )

    assert found == reason


def cards_of(text: str) -> list[int]:
    return [int(Card.parse(word)) for word in text.split()]


def test_forced_spade_has_its_reason(reader: Reader) -> None:
    tab = reader.replay(clean_match(reader.run))
    rules = asdict(find_ruleset("callbreak+undertrump=forced"))
    asked = [Card.parse("9H"), cards_of("2S 9H"), cards_of("KD 9S"), rules]

    assert tab.evaluate("(asked) => arena.rules.whyNot(...asked)", asked) == "must still play a spade"


def test_every_match_is_read_as_it_was_recorded(reader: Reader) -> None:
    reader.replay(clean_match(reader.run))
    matches = reader.tab.evaluate(
        """async () => {
            const entries = await arena.replayFiles.loadFile(0);
            return entries.map((entry) => arena.replay.decode(entry, arena.run));
        }"""
    )

    assert len(matches) == len(reader.run.records)
    for match, record in zip(matches, reader.run.records, strict=True):
        assert [seat["name"] for seat in match["seats"]] == [seat.bot for seat in record.seats]
        assert match["totals"] == record.total_tenths
        assert match["places"] == record.places
        for number, (seen, played) in enumerate(zip(match["rounds"], record.rounds, strict=True)):
            check_round(seen, played, record.timing.rounds[number])
        assert len(match["notes"]) == sum(len(played.notes) for played in record.rounds)
        for seen, fault in zip(match["faults"], record.faults, strict=True):
            assert seen["kind"] == FaultKind(fault.kind).name
            assert (seen["seat"], seen["decision"], seen["answer"]) == (
                fault.seat,
                fault.decision,
                fault.answer,
            )


def check_round(seen: dict[str, Any], played: Any, timing: Any) -> None:
    assert seen["dealer"] == played.dealer
    assert seen["calls"] == played.calls
    assert seen["plays"] == played.plays
    assert seen["leaders"][:13] == played.leaders
    assert seen["tricksWon"] == played.tricks_won
    assert seen["scores"] == played.score_tenths
    assert [sorted(hand) for hand in seen["hands"]] == [
        sorted(played.hands[13 * seat : 13 * seat + 13]) for seat in range(4)
    ]
    for time_us, asked, found in zip(timing.decision_us, timing.asked, seen["times"], strict=True):
        assert found == (pytest.approx(max(time_us, 1), rel=2e-3) if asked else None)


def test_keys_step_by_card_trick_and_round(reader: Reader) -> None:
    reader.replay(clean_match(reader.run))

    assert reader.press("ArrowRight") == "#r1.call1"
    assert reader.press("ArrowDown") == "#r1.call4"
    assert reader.press("ArrowRight") == "#r1.t1.c1"
    assert reader.press("ArrowDown") == "#r1.t1.c4"
    assert reader.press("ArrowDown", "ArrowUp") == "#r1.t1.c4"
    assert reader.press("ArrowLeft") == "#r1.t1.c3"
    assert reader.press("]") == "#r2"
    assert reader.press("ArrowLeft") == "#r1.t13.c4"
    assert reader.press("[", "[") == "#r1"
    assert reader.press("End") == "#r2.t13.c4"
    assert reader.press("ArrowRight") == "#r2.t13.c4"
    assert reader.press("Home") == "#r1"


def test_address_names_the_exact_card(reader: Reader) -> None:
    record = reader.run.record(clean_match(reader.run))
    played = record.rounds[1]
    tab = reader.replay(record.match_id, "#r2.t7.c2")

    assert tab.text_content(".where") == "Round 2 of 2, trick 7, card 2"
    assert tab.locator(".trick .card").count() == 2
    assert tab.locator(".place .card").count() == 26
    card = Card(played.plays[4 * 6 + 1])
    assert tab.text_content(".trick-list [aria-current]") == text_of(card)
    assert tab.locator(".card.legal, .card.illegal").count() == 7


def text_of(card: Card) -> str:
    return f"{str(card)[0].replace('T', '10')}{'♣♦♥♠'[card.suit - 1]}"


def test_keys_choose_the_seat_and_hide_the_other_hands(reader: Reader) -> None:
    tab = reader.replay(clean_match(reader.run), "#r1.t7.c2")

    assert reader.press("3") == "#r1.t7.c2.s2"
    assert tab.text_content(".place.bottom .name") == tab.text_content(".trick-list thead th:nth-child(4)")
    assert reader.press("h") == "#r1.t7.c2.s2.only"
    assert tab.locator(".place.bottom .back").count() == 0
    assert tab.locator(".place .back").count() == 26 - tab.locator(".place.bottom .card").count()
    later = tab.locator(".trick-list tbody tr").nth(9).locator("a")
    assert later.count() == 0
    assert reader.press("h", "1") == "#r1.t7.c2"


def test_page_of_a_fault_shows_answer_replacement_and_time(reader: Reader) -> None:
    record, fault = reader.run.first_fault(FaultKind.TIMEOUT)
    tab = reader.replay(record.match_id, address_of(fault.round, fault.decision))

    told = tab.text_content(".fault") or ""
    assert "timeout" in told
    assert "was played instead" in told
    assert "2.0 ms" in told
    assert r"\x1b[31mred" in told


def test_illegal_card_tells_why_when_pointed_at_or_focused(reader: Reader) -> None:
    record, step = first_with_illegal(reader.run)
    tab = reader.replay(record, step)
    card = tab.locator(".card.illegal").first
    assert tab.text_content(".why") == ""

    card.hover(position={"x": 4, "y": 4})
    assert " may not be played: must " in (tab.text_content(".why") or "")
    tab.mouse.move(5, 5)
    assert tab.text_content(".why") == ""
    card.focus()
    assert " may not be played: must " in (tab.text_content(".why") or "")
    assert "may not be played: must" in (card.text_content() or "")


def first_with_illegal(run: Run) -> tuple[str, str]:
    """A decision after which the next seat holds a card that it may not play."""
    for record in run.records:
        played = record.rounds[0]
        for decision in range(4, 55):
            trick, turn = divmod(decision - 3, 4)
            if not turn:
                continue
            seat = (played.leaders[trick] + turn) % 4
            gone = set(played.plays[: decision - 3])
            hand = [card for card in played.hands[13 * seat : 13 * seat + 13] if card not in gone]
            on_table = Trick(
                played.leaders[trick], tuple(map(Card, played.plays[4 * trick : 4 * trick + turn]))
            )
            if len(card_list(legal_cards(card_set(map(Card, hand)), on_table, CALLBREAK))) < len(hand):
                return record.match_id, address_of(1, decision)
    raise AssertionError("no such decision")


def test_scorecard_is_the_record(reader: Reader) -> None:
    record = reader.run.record(clean_match(reader.run))
    tab = reader.replay(record.match_id)
    cell = tab.locator(".scorecard tbody tr").nth(1).locator("td").nth(2)
    played = record.rounds[1]

    told = cell.inner_text()
    assert f"{played.calls[2]} / {played.tricks_won[2]}" in told
    assert f"{abs(played.score_tenths[2]) / 10:.1f}" in told
    places = tab.locator(".scorecard tfoot tr").nth(1).locator("td").all_inner_texts()
    assert places == [str(place) for place in record.places]


def test_space_plays_and_any_step_stops(reader: Reader) -> None:
    tab = reader.replay(clean_match(reader.run))
    tab.keyboard.press("Space")
    tab.wait_for_url(re.compile("#r1.call1$"))
    assert tab.locator("button[title^='Stop']").count() == 1

    tab.keyboard.press("ArrowRight")
    assert tab.locator("button[title^='Play']").count() == 1


def test_help_lists_the_keys_and_closes(reader: Reader) -> None:
    tab = reader.replay(clean_match(reader.run))
    tab.keyboard.press("?")
    assert tab.locator("dialog[open] dt").count() >= 8

    tab.keyboard.press("Escape")
    assert tab.locator("dialog[open]").count() == 0


def test_match_that_is_not_there_is_said_to_be_missing(reader: Reader) -> None:
    tab = reader.open("match.html?t999-s00000-r0")
    tab.wait_for_selector("#message a")

    assert "This report has no match t999-s00000-r0" in (tab.text_content("#message") or "")


def test_standings_sort_and_the_link_keeps_the_order(reader: Reader) -> None:
    tab = reader.open("index.html")
    names = tab.locator(".standings tbody .name a")
    by_place = names.all_inner_texts()
    tab.click(".standings th[data-key=wins] button")

    assert tab.evaluate("location.hash") == "#sort=-wins"
    wins = [float(text) for text in tab.locator(".standings tbody td:nth-child(7)").all_inner_texts()]
    assert wins == sorted(wins, reverse=True)
    tab.click(".standings th[data-key=wins] button")
    assert tab.evaluate("location.hash") == "#sort=wins"
    by_wins = names.all_inner_texts()
    reader.open("matches.html")
    reader.open("index.html#sort=wins")
    assert names.all_inner_texts() == by_wins
    assert tab.get_attribute(".standings th[data-key=wins]", "aria-sort") == "ascending"
    tab.click(".standings th[data-key=place] button")
    assert names.all_inner_texts() == by_place


def test_all_matches_are_listed_and_lead_to_their_replays(reader: Reader) -> None:
    tab = reader.open("matches.html")
    tab.wait_for_selector("#matches tr")

    assert tab.locator("#matches tr").count() == len(reader.run.records)
    tab.click("#matches tr:nth-child(3) a")
    tab.wait_for_selector(".trick-list")
    assert tab.text_content("#match-id") == reader.run.records[2].match_id


@pytest.mark.parametrize("width", [360, 2560])
def test_no_page_needs_to_be_scrolled_sideways(reader: Reader, width: int) -> None:
    reader.tab.set_viewport_size({"width": width, "height": 800})
    pages = [
        "index.html",
        "head-to-head.html",
        "matches.html",
        "run.html",
        "bots/cat.html",
        "bots/bot.3.html",
    ]
    for page in [*pages, f"match.html?{reader.run.records[0].match_id}#r1.t3.c2"]:
        tab = reader.open(page)
        tab.wait_for_load_state()
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(reader: Reader, scheme: Any) -> None:
    reader.tab.emulate_media(color_scheme=scheme)
    record, fault = reader.run.first_fault(FaultKind.TIMEOUT)
    match = f"match.html?{record.match_id}{address_of(fault.round, fault.decision)}"
    for page in ["index.html", "head-to-head.html", "run.html", "bots/cat.html", match]:
        tab = reader.open(page)
        tab.wait_for_load_state()
        faint = tab.evaluate((Path(__file__).parent / "contrast.js").read_text())
        assert faint == [], f"{page}: {json.dumps(faint[:5], indent=1)}"


def test_everything_that_can_be_pressed_has_a_name(reader: Reader) -> None:
    for page in ["index.html", "matches.html", "bots/cat.html", f"match.html?{clean_match(reader.run)}"]:
        tab = reader.open(page)
        tab.wait_for_load_state()
        nameless = tab.evaluate(
            """() => [...document.querySelectorAll("a, button, select, input, [tabindex='0']")]
                .filter((one) => !one.hidden && !(one.textContent.trim() || one.getAttribute("aria-label") ||
                    one.labels?.length))
                .map((one) => one.outerHTML)"""
        )
        assert nameless == [], page
