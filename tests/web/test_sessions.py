"""Who may do what: read-only without a token, and nothing at all for pages of other sites."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from arena.web.sessions import COOKIE, RECHECKED_S, TRIES, TRIES_S, Sessions, TooManyTries
from tests.web.conftest import FROM_OUR_PAGE
from tests.web.leagues import League

CHANGES = ["/login", "/logout", "/play", "/play/x/answer", "/play/x/leave"]
FROM_ELSEWHERE: list[dict[str, str]] = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://testserver.evil.example"},
    {"origin": "http://testserver:81"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "cross-site", "origin": "http://testserver"},
    {},
]


def logged_in(visitor: TestClient, league: League, author: str = "ann") -> None:
    assert visitor.post("/login", data={"token": league.token(author).text}).status_code == 303


def test_token_begins_a_session_that_scripts_and_other_sites_cannot_use(
    league: League, visitor: TestClient
) -> None:
    answer = visitor.post("/login", data={"token": league.token("ann").text, "next": "/play"})
    cookie = SimpleCookie(answer.headers["set-cookie"])[COOKIE]

    assert (answer.status_code, answer.headers["location"]) == (303, "/play")
    assert cookie["httponly"]
    assert cookie["samesite"] == "strict"
    assert not cookie["secure"]
    assert len(cookie.value) >= 43
    assert "Log out" in visitor.get("/").text


def test_cookie_travels_over_tls_only_where_there_is_tls(league: League) -> None:
    with TestClient(
        league.app(), base_url="https://testserver", headers={"sec-fetch-site": "same-origin"}
    ) as visitor:
        answer = visitor.post("/login", data={"token": league.token("ann").text}, follow_redirects=False)

    assert SimpleCookie(answer.headers["set-cookie"])[COOKIE]["secure"]
    assert "max-age" in answer.headers["strict-transport-security"]


@pytest.mark.parametrize("text", ["", "nonsense", "cb_none.secret", "x" * 5000])
def test_what_is_no_token_begins_nothing(visitor: TestClient, text: str) -> None:
    answer = visitor.post("/login", data={"token": text})

    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert "not known here" in answer.text


def test_logging_out_ends_the_session_for_whoever_kept_its_cookie(
    league: League, visitor: TestClient
) -> None:
    logged_in(visitor, league)
    kept = visitor.cookies[COOKIE]
    assert visitor.post("/logout").status_code == 303
    visitor.cookies.set(COOKIE, kept)

    assert "Log out" not in visitor.get("/").text


def test_session_is_another_after_each_login(league: League, visitor: TestClient) -> None:
    logged_in(visitor, league)
    first = visitor.cookies[COOKIE]
    logged_in(visitor, league)

    assert visitor.cookies[COOKIE] != first


async def test_revoked_token_ends_its_sessions_soon(league: League) -> None:
    now_s = 0.0
    sessions = Sessions(league.store.token_of, now_s=lambda: now_s)
    token = league.token("ann")
    begun = await sessions.begin(token.text, address="here")
    assert begun is not None
    request = asked_with(begun[0])
    league.store.revoke_token(token.token.token_id)
    now_s += RECHECKED_S + 1

    assert await sessions.token(request) is None
    assert await sessions.token(request) is None


async def test_session_that_is_old_is_over(league: League) -> None:
    now_s = 0.0
    sessions = Sessions(league.store.token_of, now_s=lambda: now_s)
    begun = await sessions.begin(league.token("ann").text, address="here")
    assert begun is not None
    now_s += 8 * 24 * 3600

    assert await sessions.token(asked_with(begun[0])) is None


async def test_who_guesses_is_made_to_wait_and_nobody_else_is(league: League) -> None:
    now_s = 0.0
    sessions = Sessions(league.store.token_of, now_s=lambda: now_s)
    good = league.token("ann").text
    for _ in range(TRIES):
        assert await sessions.begin("guess", address="there") is None

    with pytest.raises(TooManyTries):
        await sessions.begin(good, address="there")
    assert await sessions.begin(good, address="here") is not None
    now_s += TRIES_S + 1
    assert await sessions.begin(good, address="there") is not None


def asked_with(cookie: str) -> Request:
    headers = [(b"cookie", f"{COOKIE}={cookie}".encode())]
    return Request({"type": "http", "headers": headers, "method": "GET", "path": "/"})


def test_other_sites_change_nothing(league: League) -> None:
    with TestClient(league.app(), follow_redirects=False) as visitor:
        visitor.post("/login", data={"token": league.token("ann").text}, headers=FROM_OUR_PAGE)
        for address in CHANGES:
            for headers in FROM_ELSEWHERE:
                assert visitor.post(address, headers=headers).status_code == 403, (address, headers)

        assert "Log out" in visitor.get("/").text
        assert league.tables == []


@pytest.mark.parametrize("address", ["/play/x", "/events/submissions", "/events/play/x"])
def test_strangers_are_asked_to_log_in(visitor: TestClient, address: str) -> None:
    answer = visitor.get(address)

    assert answer.status_code in (303, 401)
    assert answer.status_code == 401 or answer.headers["location"].startswith("/login?next=")


def test_strangers_take_no_seat(league: League, visitor: TestClient) -> None:
    assert visitor.post("/play").headers["location"].startswith("/login")
    assert league.tables == []


@pytest.mark.parametrize(
    "wanted",
    ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/a\r\nb", ""],
)
def test_login_leads_to_no_other_host(league: League, visitor: TestClient, wanted: str) -> None:
    answer = visitor.post("/login", data={"token": league.token("ann").text, "next": wanted})

    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("body", [b"x" * 9000, b"%ff" * 10, b"&".join([b"a=1"] * 100)])
def test_forms_that_are_none_are_refused(visitor: TestClient, body: bytes) -> None:
    answer = visitor.post(
        "/login", content=body, headers={"content-type": "application/x-www-form-urlencoded"}
    )

    assert answer.status_code in (400, 403, 413)
    assert "set-cookie" not in answer.headers
