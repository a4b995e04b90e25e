"""Promises about authors and tokens."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from arena.league.store import LeagueStore, NotFound
from tests.league.store.league import Clock


def test_author_is_made_once(store: LeagueStore) -> None:
    assert store.author("ann") == store.author("ann")
    assert store.author("ann") != store.author("Ann")


def test_author_becomes_an_organiser_and_stays_one(store: LeagueStore) -> None:
    store.author("ann")
    store.author("ann", is_organiser=True)

    assert store.author("ann").is_organiser


def test_token_is_known_again(store: LeagueStore) -> None:
    author = store.author("ann")
    issued = store.issue_token(author, label="laptop", submissions_per_hour=3, streams=2, calls_per_minute=60)

    assert issued.text.startswith(f"cb_{issued.token.token_id}.")
    assert store.token_of(issued.text) == issued.token
    assert (issued.token.author, issued.token.label) == (author, "laptop")
    assert (issued.token.submissions_per_hour, issued.token.streams) == (3, 2)
    assert issued.token.calls_per_minute == 60


@pytest.mark.parametrize("change", ["x{}", "{}x", "{}\0", "", ".", "cb_.", "cb_nobody.secret"])
def test_other_text_is_no_token(store: LeagueStore, change: str) -> None:
    issued = store.issue_token(store.author("ann"), label="laptop")

    assert store.token_of(change.format(issued.text)) is None


def test_secret_of_one_token_does_not_fit_another(store: LeagueStore) -> None:
    one, other = (store.issue_token(store.author("ann"), label=label) for label in "ab")
    secret = other.text.partition(".")[2]

    assert store.token_of(f"cb_{one.token.token_id}.{secret}") is None


def test_secret_is_in_no_repr_and_its_hash_alone_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "league.sqlite3"
    with LeagueStore.open(f"sqlite:///{file}") as store:
        issued = store.issue_token(store.author("ann"), label="laptop")
    secret = issued.text.partition(".")[2]
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert len(secret) >= 43  # 256 bits
    assert secret not in repr(issued)
    assert secret.encode() not in kept
    assert hashlib.sha256(secret.encode()).digest() in kept


def test_revoked_token_is_none(store: LeagueStore, clock: Clock) -> None:
    issued = store.issue_token(store.author("ann"), label="laptop")
    clock.sleep(5)
    revoked = store.revoke_token(issued.token.token_id)
    clock.sleep(5)

    assert store.token_of(issued.text) is None
    assert revoked.revoked_unix_us == issued.token.created_unix_us + 5_000_000
    assert store.revoke_token(issued.token.token_id) == revoked
    with pytest.raises(NotFound, match="there is no token abc"):
        store.revoke_token("abc")


def test_use_of_a_token_is_noted_once_a_minute(store: LeagueStore, clock: Clock) -> None:
    issued = store.issue_token(store.author("ann"), label="laptop")

    def noted_after(seconds: float) -> int:
        clock.sleep(seconds)
        store.token_of(issued.text)
        [token] = store.tokens()
        assert token.last_used_unix_us is not None
        return token.last_used_unix_us - issued.token.created_unix_us

    assert [noted_after(10), noted_after(30), noted_after(30)] == [10_000_000, 10_000_000, 70_000_000]


def test_tokens_are_listed_oldest_first(store: LeagueStore, clock: Clock) -> None:
    for label in ("first", "second", "third"):
        store.issue_token(store.author("ann"), label=label)
        clock.sleep(1)

    assert [token.label for token in store.tokens()] == ["first", "second", "third"]
