"""Limits hold for each caller on its own, fill evenly, and say when to try again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.auth import Buckets, Doorkeeper, TooMany, UnknownToken, address_of, bearer
from arena.league.store import LeagueStore
from tests.league.service.calls import Watch


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:10.1.2.3:4711", "10.1.2.3"),
        ("ipv4:127.0.0.1:4711", ""),
        ("ipv6:%5B2001:db8:1:2:3::4%5D:4711", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:9::9]:4711", "2001:db8:1:2::/64"),
        ("ipv6:%5B::1%5D:4711", ""),
        ("ipv6:[::ffff:10.1.2.3]:4711", "10.1.2.3"),
        ("ipv6:[::ffff:127.0.0.1]:1", ""),
        ("unix:", ""),
        ("ipv4:nonsense", "nonsense"),
    ],
)
def test_address_is_what_one_household_shares(peer: str, address: str) -> None:
    assert address_of(peer) == address


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer cb_1.x", "cb_1.x"),
        ("bearer  cb_1.x ", "cb_1.x"),
        ("Basic abc", None),
        ("Bearer", None),
        ("Bearer ", None),
        ("", None),
        ("cb_1.x", None),
    ],
)
def test_token_is_a_bearers(header: str, token: str | None) -> None:
    assert bearer(header) == token


def test_bucket_is_empty_after_its_number_and_fills_evenly() -> None:
    watch = Watch()
    buckets = Buckets(watch)

    assert [buckets.take("a", most=3, period_s=60) for _ in range(3)] == [0, 0, 0]
    assert buckets.take("a", most=3, period_s=60) == pytest.approx(20)
    assert buckets.take("b", most=3, period_s=60) == 0
    watch.now_s += 20
    assert buckets.take("a", most=3, period_s=60) == 0
    assert buckets.take("a", most=3, period_s=60) == pytest.approx(20)


@given(pauses=st.lists(st.floats(0, 30), max_size=60))
def test_no_more_than_twice_its_number_in_any_period(pauses: list[float]) -> None:
    watch = Watch()
    buckets = Buckets(watch)
    taken: list[float] = []
    for pause in pauses:
        watch.now_s += pause
        while not buckets.take("a", most=5, period_s=60):
            taken.append(watch.now_s)

    assert all(sum(at <= other < at + 60 for other in taken) <= 10 for at in taken)


def test_keys_that_nobody_used_lately_are_forgotten() -> None:
    buckets = Buckets(Watch(), most_keys=2)
    for key in ("a", "b", "c"):
        assert buckets.take(key, most=1, period_s=60) == 0

    assert buckets.take("a", most=1, period_s=60) == 0
    assert buckets.take("c", most=1, period_s=60) > 0


def doorkeeper(store: LeagueStore, watch: Watch, **limits: int) -> Doorkeeper:
    return Doorkeeper(store, now_s=watch, now_us=lambda: 0, **limits)


async def test_token_that_was_never_issued_or_was_revoked_is_unknown(store: LeagueStore) -> None:
    keeper = doorkeeper(store, Watch())
    new = store.issue_token(store.author("ann"), label="")
    token = await keeper.token(new.text, peer="")
    assert token is not None
    assert token.author.name == "ann"
    store.revoke_token(new.token.token_id)

    for text in (new.text, "cb_1.x", "", "x" * 10_000):
        with pytest.raises(UnknownToken):
            await keeper.token(text, peer="")


async def test_calls_of_one_token_leave_those_of_another_alone(store: LeagueStore) -> None:
    watch = Watch()
    keeper = doorkeeper(store, watch)
    ann = store.issue_token(store.author("ann"), label="", calls_per_minute=2).text
    bob = store.issue_token(store.author("bob"), label="", calls_per_minute=2).text

    for _ in range(2):
        await keeper.token(ann, peer="")
    with pytest.raises(TooMany, match="2 calls a minute") as limit:
        await keeper.token(ann, peer="")
    assert limit.value.retry_s == pytest.approx(30)
    await keeper.token(bob, peer="")
    watch.now_s += 30
    await keeper.token(ann, peer="")


async def test_address_that_tries_tokens_out_is_held_up(store: LeagueStore) -> None:
    keeper = doorkeeper(store, Watch(), anonymous_per_minute=3)
    stranger = "ipv4:203.0.113.9:1"
    for _ in range(3):
        with pytest.raises(UnknownToken):
            await keeper.token("cb_1.guess", peer=stranger)

    with pytest.raises(TooMany, match=r"203\.0\.113\.9 may make 3 calls"):
        await keeper.token("cb_1.guess", peer=stranger)
    with pytest.raises(TooMany):
        await keeper.token(None, peer=stranger)
    assert await keeper.token(None, peer="ipv4:203.0.113.10:1") is None


async def test_bundles_on_their_way_are_counted_until_they_are_in(store: LeagueStore) -> None:
    keeper = doorkeeper(store, Watch())
    token = store.issue_token(store.author("ann"), label="").token

    with keeper.uploading(token), keeper.uploading(token), pytest.raises(TooMany), keeper.uploading(token):
        raise AssertionError("a third was let in")
    with keeper.uploading(token):
        pass
