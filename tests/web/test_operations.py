"""What machines ask of the server."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from arena.errors import ArenaError
from tests.web.leagues import League


def test_healthy_server_says_so(visitor: TestClient) -> None:
    answer = visitor.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_draining_server_wants_no_more_visitors_and_ends_streams(league: League, visitor: TestClient) -> None:
    assert visitor.portal is not None
    visitor.portal.call(league.context.draining.set)

    assert (visitor.get("/healthz").status_code, visitor.get("/healthz").json()) == (
        503,
        {"status": "draining"},
    )
    assert visitor.get("/events/standings").status_code == 503


def test_server_without_its_database_is_not_well(
    league: League, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise ArenaError("the database does not answer")

    monkeypatch.setattr(league.store, "ping", gone)

    assert (visitor.get("/healthz").status_code, visitor.get("/healthz").json()) == (
        503,
        {"status": "database"},
    )


def test_our_own_fault_is_told_without_its_cause(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(league.store, "seasons", broken)
    with TestClient(league.app(), raise_server_exceptions=False) as visitor:
        answer = visitor.get("/")

    assert answer.status_code == 500
    assert "a secret" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_stream_can_be_asked_for_without_being_opened(league: League, visitor: TestClient) -> None:
    assert visitor.head("/events/standings").headers["content-type"].startswith("text/event-stream")
    assert visitor.head("/events/live/none").status_code == 404


def test_metrics_count_by_route_and_not_by_address(league: League, visitor: TestClient) -> None:
    league.play_some(2)
    for bot in ("ant", "bee", "none"):
        visitor.get(f"/bots/{bot}")
    text = visitor.get("/metrics").text

    assert 'arena_http_requests_total{route="/bots/{name:path}",status="200"} 2.0' in text
    assert 'arena_http_requests_total{route="/bots/{name:path}",status="404"} 1.0' in text
    assert re.search(r"^arena_league_matches 8\.0$", text, re.MULTILINE)
    assert re.search(r"^arena_watchers 0\.0$", text, re.MULTILINE)
    assert "ant" not in re.findall(r'route="([^"]*)"', text)


def test_no_metric_is_named_twice(visitor: TestClient) -> None:
    names = re.findall(r"^# TYPE (\S+)", visitor.get("/metrics").text, re.MULTILINE)

    assert names
    assert len(names) == len(set(names))


def test_more_watchers_than_may_be_are_sent_away_for_a_while(league: League, visitor: TestClient) -> None:
    site = visitor.app.state.site  # type: ignore[attr-defined]
    site.watchers.now = site.watchers.most
    answer = visitor.get("/events/standings")

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
