"""A person's seat through the web: only theirs, only legal answers, and never another hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.league.model import Replays
from arena.web.person_seats import KEPT_S, PersonSeats
from tests.web.conftest import FROM_OUR_PAGE
from tests.web.leagues import League


@pytest.fixture
def player(league: League, visitor: TestClient) -> TestClient:
    """Somebody who is logged in as ann."""
    visitor.post("/login", data={"token": league.token("ann").text})
    return visitor


def taken(player: TestClient, opponents: list[str] | None = None) -> str:
    """The address of a seat that was taken."""
    visitor_chose = {"opponent": opponents or ["", "", ""]}
    answer = player.post("/play", data=visitor_chose)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def view(league: League, player: TestClient) -> dict[str, Any]:
    """What the seat sees, once something is asked or the match is over."""
    seat = league.tables[-1].seat

    async def when_asked() -> dict[str, Any]:
        while not seat.view().get("asked") and seat.state in ("waiting", "playing"):
            await seat.changed(seat.revision)
        return seat.view()

    assert player.portal is not None
    found: dict[str, Any] = player.portal.call(when_asked)
    return found


def play_on(league: League, player: TestClient, address: str) -> None:
    """Plays to the end with the first legal answers."""
    while (seen := view(league, player))["state"] == "playing":
        answer = (
            {"call": seen["legal_calls"][0]} if seen["asked"] == "call" else {"card": seen["legal_cards"][0]}
        )
        assert player.post(f"{address}/answer", json=answer).status_code == 204


def test_person_plays_a_match_to_its_end(league: League, player: TestClient) -> None:
    address = taken(player, ["cat", "ant", ""])
    play_on(league, player, address)

    record = league.tables[0].seat.record
    assert record is not None
    assert len(record.rounds) == 2
    assert [seat.bot for seat in record.seats][1:3] == ["cat", "ant"]
    document = player.get(f"{address}/replay.json").json()
    assert document["run"]["bots"][0] == {"name": "person", "version": "1", "page": ""}


def test_illegal_answers_change_nothing_and_say_why(league: League, player: TestClient) -> None:
    address = taken(player)
    view(league, player)

    refused = player.post(f"{address}/answer", json={"call": 9})
    assert (refused.status_code, refused.json()["detail"]) == (409, "1 to 8 may be called")
    assert player.post(f"{address}/answer", json={"card": 19}).status_code == 409
    assert player.post(f"{address}/answer", json={"call": 2, "card": 19}).status_code == 409
    assert view(league, player)["asked"] == "call"


@pytest.mark.parametrize(
    "body",
    [b"", b"no json", b"[]", b'{"call": "2"}', b'{"call": true}', b'{"call": 2.5}', b"[" * 8000, b"x" * 9000],
)
def test_answers_that_are_none_are_refused(league: League, player: TestClient, body: bytes) -> None:
    address = taken(player)
    view(league, player)

    assert player.post(f"{address}/answer", content=body).status_code in (400, 409, 413)
    assert view(league, player)["asked"] == "call"


def test_seat_is_nobody_elses(league: League, player: TestClient) -> None:
    address = taken(player)
    player.post("/login", data={"token": league.token("cem").text})

    assert player.get(address).status_code == 404
    assert player.get(f"/events{address}").status_code == 404
    assert player.post(f"{address}/answer", json={"call": 2}).status_code == 404
    assert player.post(f"{address}/leave").status_code == 404
    assert league.tables[0].seat.state == "playing"


def test_author_sits_at_one_table_at_a_time(league: League, player: TestClient) -> None:
    first = taken(player)

    assert taken(player) == first
    assert "Back to the table" in player.get("/play").text
    assert len(league.tables) == 1


def test_person_who_gets_up_may_take_another_seat(league: League, player: TestClient) -> None:
    first = taken(player)
    view(league, player)
    assert player.post(f"{first}/leave").headers["location"] == "/play"
    assert view(league, player)["state"] == "void"

    assert taken(player) != first


@pytest.mark.parametrize("chosen", [["ant", "ant", "ant"], ["none", "", ""], ["ant", "bee", "cat'"]])
def test_opponents_that_cannot_be_are_refused_in_words(
    league: League, player: TestClient, chosen: list[str]
) -> None:
    answer = player.post("/play", data={"opponent": chosen})

    assert answer.status_code == 409
    assert 'role="alert"' in answer.text
    assert league.tables == []


def test_opponents_left_open_are_others_than_those_chosen(league: League, player: TestClient) -> None:
    taken(player, ["bee", "", ""])

    names = [seat.bot for seat in league.tables[0].match.setup.seats]
    assert names[1] == "bee"
    assert len(set(names)) == 4


def test_replay_waits_for_the_end_and_for_the_season(tmp_path: Path) -> None:
    league = League(tmp_path, replays=Replays.NEVER)
    with TestClient(league.app(), headers=FROM_OUR_PAGE, follow_redirects=False) as player:
        player.post("/login", data={"token": league.token("ann").text})
        address = taken(player)
        assert player.get(f"{address}/replay.json").status_code == 404
        play_on(league, player, address)
        assert player.get(f"{address}/replay.json").status_code == 403
        assert 'data-may-replay=""' in player.get(address).text
    league.store.close()


async def test_seats_told_to_a_page_hold_one_hand(league: League) -> None:
    seat = await league.seat_person(None)
    await seat.changed(seat.revision)
    from arena.web.tables import seat_document

    told = json.dumps(seat_document(seat))
    assert "hands" not in told
    assert seat_document(seat)["hand"] == seat.view()["hand"]
    seat.leave()


async def test_seats_are_forgotten_some_time_after_the_match(league: League) -> None:
    now_s = 0.0
    seats = PersonSeats(now_s=lambda: now_s)
    ann = league.store.author("ann")
    old = await league.seat_person(None)
    seats.add(old, ann, may_replay=True)
    old.give_up("the test is over")
    assert (len(seats), seats.of(ann)) == (0, None)
    now_s += KEPT_S + 1
    seats.add(await league.seat_person(None), ann, may_replay=True)

    assert seats.find(old.seat_id, ann) is None
