"""What anybody may read in a league's pages, what nobody may, and that no name breaks out of its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.league.model import Replays, SubmissionState, TableKind
from tests.reports.site.sites import Page
from tests.web.conftest import FROM_OUR_PAGE
from tests.web.leagues import HOSTILE, League

HOSTILE_ADDRESS = "/bots/%3Cscript%3Ealert%281%29%3C%2Fscript%3E"
BEFORE_CHARTS = 200_000


@pytest.fixture
def played(league: League) -> League:
    """The league with matches, some with faults, and a bot that is called what no store would take."""
    league.rename("eel", HOSTILE)
    league.play_some(5)
    return league


def pages_of(league: League) -> list[str]:
    match = f"/matches/{league.first_match().match_id}"
    live = ["/live", "/play", "/submissions", "/login"]
    return ["/", "/season", "/matches", "/matches?bot=ant", "/bots/ant", HOSTILE_ADDRESS, match, *live]


def test_every_page_opens(played: League, visitor: TestClient) -> None:
    assert {page: visitor.get(page).status_code for page in pages_of(played)} == dict.fromkeys(
        pages_of(played), 200
    )


def test_names_stay_names(played: League, visitor: TestClient) -> None:
    shown = 0
    for address in pages_of(played):
        text = visitor.get(address).text
        assert "alert(1)</script>" not in text, address
        assert "mal<b>lory" not in text, address
        assert "1.0<i>" not in text, address
        shown += any(HOSTILE in word for word in Page(text).words)
    assert shown >= 5


def test_names_in_scripts_data_stay_names(played: League, visitor: TestClient) -> None:
    for match in played.store.matches(played.season).matches:
        answer = visitor.get(f"/matches/{match.match_id}/replay.json")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_hides_or_reorders_is_made_visible(league: League, visitor: TestClient) -> None:
    league.rename("ant", "ant\u202eevil\x07")
    league.play_some(2)

    assert "ant\\u202eevil\\x07" in visitor.get("/").text


def test_every_link_of_every_page_leads_somewhere(played: League, visitor: TestClient) -> None:
    seen: set[str] = set()
    for page in pages_of(played):
        for link in Page(visitor.get(page).text).links():
            assert link.startswith(("/", "#")), f"{page} links to {link}"
            seen.add(link.partition("#")[0] or page)
    broken = [link for link in sorted(seen) if visitor.get(link).status_code != 200]

    assert broken == []


def test_pages_forbid_what_is_not_theirs(played: League, visitor: TestClient) -> None:
    for address in [*pages_of(played), "/nothing", "/healthz", "/events/live/none"]:
        headers = visitor.get(address).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'", address
        assert policy["script-src"] == policy["style-src"] == "'self'", address
        assert policy["frame-ancestors"] == "'none'", address
        assert headers["x-content-type-options"] == "nosniff", address
        assert "strict-transport-security" not in headers


def test_no_page_has_script_or_style_of_its_own(played: League, visitor: TestClient) -> None:
    for address in pages_of(played):
        for tag, attributes in Page(visitor.get(address).text).tags:
            assert tag != "style", address
            assert tag != "script" or attributes.get("src"), address
            assert not [name for name in attributes if name == "style" or name.startswith("on")], address


@pytest.mark.parametrize("page", ["/", "/live", "/bots/ant", "match"])
def test_page_with_all_it_loads_is_small(played: League, visitor: TestClient, page: str) -> None:
    address = f"/matches/{played.first_match().match_id}" if page == "match" else page
    text = visitor.get(address).text
    loaded = {link for link in Page(text).links() if link.startswith("/assets/")}
    plain = {"accept-encoding": "identity"}
    size = len(text.encode()) + sum(len(visitor.get(link, headers=plain).content) for link in loaded)

    assert size < BEFORE_CHARTS


def test_assets_are_kept_by_browsers_for_good_and_by_their_digest(visitor: TestClient) -> None:
    [address] = [link for link in Page(visitor.get("/").text).links() if link.endswith("league.css")]
    found = visitor.get(address)

    assert "immutable" in found.headers["cache-control"]
    assert found.headers["content-encoding"] == "gzip"
    assert visitor.get(address.replace("/assets/", "/assets/0")).status_code == 404
    assert visitor.get("/assets/../app.py").status_code == 404


def test_standings_are_in_order_with_those_below_that_have_not_played(
    league: League, visitor: TestClient
) -> None:
    league.play("ant", "bee", "cat", "dog")
    words = Page(visitor.get("/").text).words
    table = league.store.entries(league.season)
    names = [name for name in words if name in league.versions]

    assert names[-1] == "eel"
    assert names[:4] == [entry.bot.name for entry in table if entry.matches]
    assert "not played yet" in words


def test_league_without_bots_says_how_to_submit_one(tmp_path: Path) -> None:
    league = League(tmp_path, bots=())
    with TestClient(league.app()) as visitor:
        words = " ".join(Page(visitor.get("/").text).words)
    league.store.close()

    assert "No bot plays here yet" in words
    assert "arena submit sample_bots/greedy --server 127.0.0.1:7878" in words


def test_league_before_its_first_season_says_so(tmp_path: Path) -> None:
    league = League(tmp_path, bots=())
    league.store.end_season(league.store.freeze_season(league.season))
    with TestClient(league.app()) as visitor:
        assert visitor.get("/").status_code == 200
        assert visitor.get("/?season=none").status_code == 404
        assert "Final standings" in visitor.get("/").text
    league.store.close()


def test_bot_page_tells_what_anybody_may_know(played: League, visitor: TestClient) -> None:
    played.store.set_log(played.versions["ant"], "my secret plan")
    page = visitor.get("/bots/ant").text

    assert "Rating over matches" in page
    assert "malformed" in page
    assert f"/matches/{played.first_match().match_id[:-2]}" in page or "/matches/" in page
    assert "my secret plan" not in page
    assert "For its author only" not in page


def test_faults_lead_to_the_very_decision(played: League, visitor: TestClient) -> None:
    links = [link for link in Page(visitor.get("/bots/ant").text).links() if ".call" in link]

    assert links
    match_id, _, decision = links[0].removeprefix("/matches/").partition("#")
    record = played.store.record(match_id)
    places = {f"r{fault.round}.call{fault.decision + 1}" for fault in record.faults}
    assert decision in places


@pytest.mark.parametrize(
    "address",
    ["/nothing", "/bots/none", "/matches/none", "/live/none", "/matches?bot=none", "/season?season=x"],
)
def test_what_is_not_there_is_said_in_words(visitor: TestClient, address: str) -> None:
    answer = visitor.get(address)

    assert answer.status_code == 404
    assert "To the standings" in answer.text


def test_page_token_that_nobody_gave_is_refused(played: League, visitor: TestClient) -> None:
    assert visitor.get("/matches?page=nonsense").status_code == 400


def test_list_of_matches_goes_on_page_by_page(league: League, visitor: TestClient) -> None:
    for number in range(14):
        league.play("ant", "bee", "cat", "dog", luck=str(number))
    seen: list[str] = []
    address = "/matches"
    while address:
        page = Page(visitor.get(address).text)
        seen += [link for link in page.links() if link.startswith("/matches/")]
        older = [at["href"] for tag, at in page.tags if tag == "a" and at.get("rel") == "next"]
        address = older[0] if older else ""

    assert len(seen) == len(set(seen)) == 56


def test_qualifying_matches_are_not_shown(league: League, visitor: TestClient) -> None:
    [first, *_] = league.play("ant", "bee", "cat", "dog", kind=TableKind.QUALIFYING)

    assert visitor.get(f"/matches/{first}").status_code == 404
    assert visitor.get(f"/matches/{first}/replay.json").status_code == 404
    assert first not in visitor.get("/matches").text


@pytest.fixture(params=[Replays.AFTER_SEASON, Replays.NEVER])
def discreet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[League]:
    """A league that keeps its replays back."""
    found = League(tmp_path, replays=request.param)
    found.play_some(3)
    yield found
    found.store.close()


def test_replays_that_are_kept_back_are_nowhere(discreet: League) -> None:
    match_id = discreet.first_match().match_id
    with TestClient(discreet.app(), headers=FROM_OUR_PAGE) as visitor:
        page = visitor.get(f"/matches/{match_id}").text
        assert "Replays of this season are" in page
        assert "replay.json" not in page
        assert visitor.get(f"/matches/{match_id}/replay.json").status_code == 403
        assert ".call" not in visitor.get("/bots/ant").text
        organiser = discreet.token("olga", is_organiser=True)
        visitor.post("/login", data={"token": organiser.text})
        assert visitor.get(f"/matches/{match_id}/replay.json").status_code == 403


def test_replays_kept_for_the_end_are_public_then_and_those_for_never_are_not(discreet: League) -> None:
    discreet.store.end_season(discreet.store.freeze_season(discreet.season))
    expected = 200 if discreet.season.replays is Replays.AFTER_SEASON else 403
    with TestClient(discreet.app()) as visitor:
        answer = visitor.get(f"/matches/{discreet.first_match().match_id}/replay.json")

    assert answer.status_code == expected


def test_seed_is_told_only_when_the_season_has_ended(league: League, visitor: TestClient) -> None:
    seed = league.season.seed_text
    assert all(seed not in visitor.get(page).text for page in ["/", "/season", "/matches", "/bots/ant"])

    league.store.end_season(league.store.freeze_season(league.season))
    assert seed in visitor.get("/season").text


def test_bots_of_one_author_at_a_table_are_named(league: League, visitor: TestClient) -> None:
    [shared, *_], [apart, *_] = (
        league.play("ant", "bee", "cat", "eel"),
        league.play("ant", "cat", "eel", "dog"),
    )

    assert "Of one author: ant, bee." in visitor.get(f"/matches/{shared}").text
    assert "Of one author: cat, dog." in visitor.get(f"/matches/{apart}").text


def test_tables_that_were_given_up_are_told_with_the_reason(league: League, visitor: TestClient) -> None:
    assert "No contest" not in visitor.get("/season").text
    version_ids = [league.versions[bot] for bot in ("ant", "bee", "cat", "dog")]
    table = league.store.add_table(
        league.season, version_ids, kind=TableKind.RATED, is_fresh=True, owner="here"
    )
    league.store.void(table, "dog is not <connected>")

    page = visitor.get("/season").text

    assert "1 table was given up" in page
    assert "ant, bee, cat, dog" in page
    assert "dog is not &lt;connected&gt;" in page


def test_replay_has_the_match_as_it_was_recorded(played: League, visitor: TestClient) -> None:
    match = played.first_match()
    record = played.store.record(match.match_id)
    document = visitor.get(f"/matches/{match.match_id}/replay.json").json()

    assert [document["run"]["bots"][bot]["name"] for bot in document["entry"][1]] == [
        seat.bot for seat in record.seats
    ]
    assert document["entry"][4] == list(record.total_tenths)
    assert document["run"]["ruleset"]["rounds"] == 2


def test_remote_bot_that_is_not_connected_is_away(league: League, visitor: TestClient) -> None:
    bot = league.store.remote_bot(league.store.author("rob"), "tortoise", label="1", language="go")
    assert bot.newest is not None
    assert "by rob, away" in visitor.get("/").text
    assert "not connected now" in visitor.get("/bots/tortoise").text

    league.connected.add(bot.newest.version_id)
    assert "by rob, remote" in visitor.get("/").text
    assert "not connected now" not in visitor.get("/bots/tortoise").text


def test_retired_bot_keeps_its_page(played: League, visitor: TestClient) -> None:
    played.store.retire(played.store.bot("ant"))

    assert "it plays no more" in visitor.get("/bots/ant").text


def test_submissions_are_their_authors_business(league: League, visitor: TestClient) -> None:
    submission = league.store.receive(league.store.author("ann"), b"a bundle")
    league.store.advance(submission.submission_id, SubmissionState.REFUSED, "no <command> in it", bot="fox")
    assert "fox" not in visitor.get("/submissions").text

    visitor.post("/login", data={"token": league.token("cem").text})
    assert "fox" not in visitor.get("/submissions").text

    visitor.post("/login", data={"token": league.token("ann").text})
    page = visitor.get("/submissions").text
    assert "fox" in page
    assert "no &lt;command&gt; in it" in page


def test_log_is_shown_to_its_author_and_organisers_alone(league: League, visitor: TestClient) -> None:
    league.store.set_log(league.versions["ant"], "thought <hard>")
    seen = {}
    for author, is_organiser in [("ann", False), ("cem", False), ("olga", True)]:
        visitor.post("/login", data={"token": league.token(author, is_organiser=is_organiser).text})
        seen[author] = "thought &lt;hard&gt;" in visitor.get("/bots/ant").text

    assert seen == {"ann": True, "cem": False, "olga": True}
