"""An author's side: what goes over TLS, whose token it is, and who hears which answer after a lost stream."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.league.client import Server, found_token
from arena.league.dialling import Books, Played
from arena.v1 import play_pb2


@pytest.mark.parametrize(
    ("address", "target", "is_secure"),
    [
        ("127.0.0.1:7878", "127.0.0.1:7878", False),
        ("localhost:7878", "localhost:7878", False),
        ("[::1]:7878", "[::1]:7878", False),
        ("http://127.0.0.1:7878", "127.0.0.1:7878", False),
        ("https://127.0.0.1:7878/", "127.0.0.1:7878", True),
        ("league.example.org:443", "league.example.org:443", True),
        ("grpcs://league.example.org:443", "league.example.org:443", True),
        ("192.168.0.9:7878", "192.168.0.9:7878", True),
    ],
)
def test_token_leaves_this_machine_over_tls(address: str, target: str, is_secure: bool) -> None:
    server = Server.of(address, token="cb_1.secret")

    assert (server.address, server.is_secure) == (target, is_secure)
    assert "secret" not in repr(server)


def test_plain_text_is_said_aloud() -> None:
    assert not Server.of("league.example.org:7878", is_insecure=True).is_secure


def test_certificate_of_ones_own_is_tls_everywhere(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(b"certificate")

    server = Server.of("127.0.0.1:7878", ca=tmp_path / "ca.pem")

    assert (server.is_secure, server.roots) == (True, b"certificate")


@pytest.mark.parametrize("address", ["league", "league:", ":7878", "league:port", "ftp://league:1", ""])
def test_what_is_no_address_is_a_mistake(address: str) -> None:
    with pytest.raises(ArenaError, match="--server"):
        Server.of(address)


def test_token_given_comes_before_the_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "cb_1.environment")
    (tmp_path / "token").write_text("cb_1.file\n")

    assert found_token("cb_1.given", None) == "cb_1.given"
    assert found_token(None, tmp_path / "token") == "cb_1.file"
    assert found_token(None, None) == "cb_1.environment"
    with pytest.raises(ArenaError, match="give one of them"):
        found_token("cb_1.given", tmp_path / "token")


@pytest.mark.parametrize("text", ["two words", "caf\u00e9", "a\nb"])
def test_what_is_no_token_is_never_sent(text: str) -> None:
    with pytest.raises(ArenaError, match="this is no token") as mistake:
        found_token(text, None)

    assert text not in str(mistake.value)


def turn(*, starts: tuple[int, ...] = (), asks: tuple[int, ...] = ()) -> play_pb2.Turn:
    """What a league says."""
    return play_pb2.Turn(
        match_starts=[play_pb2.MatchStart(match_id=one, seat=2) for one in starts],
        asks=[play_pb2.Ask(ask_id=one) for one in asks],
    )


def answers(*ask_ids: int) -> play_pb2.PlayRequest:
    """What a bot says."""
    return play_pb2.PlayRequest(
        answers=play_pb2.Answers(answers=[play_pb2.Answer(ask_id=one) for one in ask_ids])
    )


def ready(*match_ids: int) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=match_ids))


def test_answers_pass_once_each() -> None:
    books = Books()
    books.told(turn(starts=(1,), asks=(5, 6)))

    assert books.heard(ready(1)) == ready(1)
    assert books.heard(ready(1)) is None
    assert books.heard(answers(6)) == answers(6)
    assert not books.is_idle.is_set()
    assert books.heard(answers(5, 6, 9)) == answers(5)
    assert books.is_idle.is_set()


def test_answer_from_before_a_lost_stream_never_answers_what_is_asked_after_it() -> None:
    books = Books()
    books.told(turn(starts=(1,), asks=(5,)))
    assert not books.is_idle.is_set()

    assert books.heard(answers(5)) is not None  # given while nobody listened
    books.dial()
    books.told(turn(starts=(1,), asks=(5,)))

    assert books.heard(ready(1)) == ready(1)
    assert books.heard(answers(5)) == answers(5)


def test_bot_that_still_thinks_keeps_the_next_stream_waiting() -> None:
    books = Books()
    books.told(turn(asks=(5,)))
    books.dial()

    assert not books.is_idle.is_set()
    assert books.heard(answers(5)) is None
    assert books.is_idle.is_set()


def test_match_in_play_is_known_until_it_is_over() -> None:
    books = Books()
    books.told(turn(starts=(1, 2)))

    assert books.over(1) == 2
    assert books.over(7) is None
    assert not books.is_free.is_set()
    books.over(2)
    assert books.is_free.is_set()


@pytest.mark.parametrize(
    ("played", "line"),
    [
        (Played(1, 2, (1, 3, 2, 4), (140, -20, 83, -55), 0, ()), "match 1: place 2, 8.3 points"),
        (
            Played(2, 0, (1, 3, 2, 4), (140, -20, 83, -55), 1, (1500, 900, 12_000)),
            "match 2: place 1, 14.0 points, 1 fault, round trip 1.5 ms, 12.0 ms at most",
        ),
        (Played(3, 0, (), (), 3, ()), "match 3: forfeited, 3 faults"),
    ],
)
def test_match_that_ended_is_a_line(played: Played, line: str) -> None:
    assert str(played) == line
