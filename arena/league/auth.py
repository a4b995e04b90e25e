"""Owns who is calling and how much more they may: tokens, and limits per token and per address.

What is counted is counted in this server's memory and forgotten when it ends; only submissions are counted by
the store. It must not know gRPC's calls or the web's pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from arena.errors import ArenaError
from arena.league.model import Token

__all__ = ["TOKEN_WORDS", "Buckets", "Doorkeeper", "TooMany", "UnknownToken", "address_of", "bearer"]

ANONYMOUS_CALLS_PER_MINUTE = 600
"""Calls without a token from one address that is not this machine's own."""

HOUR_US = 3_600_000_000
UPLOADS_AT_ONCE = 2
SCRIMMAGES_PER_HOUR = 30
_MOST_KEYS = 20_000
TOKEN_WORDS = "a token goes with the call as `authorization: Bearer TOKEN`; the organiser issues them"


class UnknownToken(ArenaError):
    """There is no token, or none that stands."""


class TooMany(ArenaError):
    """A limit is reached; `retry_s` is when to try again."""

    def __init__(self, message: str, *, retry_s: float) -> None:
        super().__init__(message)
        self.retry_s = retry_s


class TokenStore(Protocol):
    """What is needed of the store."""

    def token_of(self, text: str) -> Token | None: ...

    def submissions_since(self, token: Token, since_unix_us: int) -> int: ...


def bearer(value: str) -> str | None:
    """The token of an `authorization` header; None when it is no bearer's."""
    scheme, _, text = value.strip().partition(" ")
    return text.strip() if scheme.lower() == "bearer" and text.strip() else None


def address_of(peer: str) -> str:
    """The address of a gRPC peer like `ipv4:10.0.0.1:4711`; of IPv6 its /64; empty for this machine's own."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    host = unquote(rest).rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return rest
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return "" if address.is_loopback else str(ipaddress.ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return "" if address.is_loopback else str(address)


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class Buckets:
    """Token buckets by key: each holds what may be done in its period, and fills evenly."""

    def __init__(self, now_s: Callable[[], float], *, most_keys: int = _MOST_KEYS) -> None:
        self._now_s = now_s
        self._most_keys = most_keys
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, key: str, *, most: int, period_s: float) -> float:
        """Takes one of the `most` a period for `key`: 0, or the seconds until there is one again."""
        now_s = self._now_s()
        bucket = self._buckets.setdefault(key, _Bucket(most, now_s))
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._most_keys:
            self._buckets.popitem(last=False)
        rate = most / period_s
        bucket.left = min(most, bucket.left + (now_s - bucket.at_s) * rate)
        bucket.at_s = now_s
        if bucket.left < 1:
            return (1 - bucket.left) / rate
        bucket.left -= 1
        return 0.0


class Doorkeeper:
    """Knows whose token it is and what it may still do. Belongs to the server's event loop."""

    def __init__(
        self,
        store: TokenStore,
        *,
        now_s: Callable[[], float],
        now_us: Callable[[], int],
        anonymous_per_minute: int = ANONYMOUS_CALLS_PER_MINUTE,
    ) -> None:
        """`now_s` may be any clock that goes on; `now_us` is microseconds since 1970."""
        self._store = store
        self._now_us = now_us
        self._buckets = Buckets(now_s)
        self._anonymous_per_minute = anonymous_per_minute
        self._uploads: Counter[str] = Counter()

    async def token(self, text: str | None, *, peer: str) -> Token | None:
        """The token that a call brings, with the call counted; None when it brings none.

        Raises UnknownToken for one that does not stand, TooMany for too many calls: of the token, or of the
        address for callers without one (and for those who try tokens out).
        """
        if text is None:
            self._count_address(peer)
            return None
        token = await asyncio.to_thread(self._store.token_of, text)
        if token is None:
            self._count_address(peer)
            raise UnknownToken(f"this token is unknown or was revoked; {TOKEN_WORDS}")
        self._take(
            f"call {token.token_id}",
            most=token.calls_per_minute,
            period_s=60.0,
            words=f"this token may make {token.calls_per_minute} calls a minute",
        )
        return token

    async def may_submit(self, token: Token) -> None:
        """Raises TooMany when the token's author has submitted as often as it may within the hour."""
        since_us = self._now_us() - HOUR_US
        sent = await asyncio.to_thread(self._store.submissions_since, token, since_us)
        if sent >= token.submissions_per_hour:
            raise TooMany(
                f"{token.author.name} has sent {sent} submissions within the hour, and this token may send "
                f"{token.submissions_per_hour}, whatever becomes of them",
                retry_s=300.0,
            )

    @contextlib.contextmanager
    def uploading(self, token: Token) -> Iterator[None]:
        """Counts a bundle that is being sent while the context lasts; TooMany for too many at once."""
        if self._uploads[token.token_id] >= UPLOADS_AT_ONCE:
            raise TooMany(f"this token is sending {UPLOADS_AT_ONCE} bundles already", retry_s=5.0)
        self._uploads[token.token_id] += 1
        try:
            yield
        finally:
            self._uploads[token.token_id] -= 1
            self._uploads += Counter()

    def may_ask_scrimmage(self, token: Token) -> None:
        """Raises TooMany when the token has asked for as many scrimmages as it may."""
        words = f"this token may ask for {SCRIMMAGES_PER_HOUR} scrimmages an hour"
        key = f"scrimmage {token.token_id}"
        self._take(key, most=SCRIMMAGES_PER_HOUR, period_s=3600.0, words=words)

    def _count_address(self, peer: str) -> None:
        address = address_of(peer)
        if address:
            words = f"{address} may make {self._anonymous_per_minute} calls a minute without a token"
            self._take(f"address {address}", most=self._anonymous_per_minute, period_s=60.0, words=words)

    def _take(self, key: str, *, most: int, period_s: float, words: str) -> None:
        wait_s = self._buckets.take(key, most=most, period_s=period_s)
        if wait_s:
            raise TooMany(words, retry_s=wait_s)
