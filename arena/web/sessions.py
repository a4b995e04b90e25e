"""Owns who is logged in: sessions of this process, each behind a random cookie. A restart logs everybody out.

A session keeps the token that it was begun with, so that a token that is revoked ends it within seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from arena.league.model import Token

__all__ = ["COOKIE", "Sessions", "TooManyTries", "clear_cookie", "set_cookie"]

COOKIE: Final = "arena_session"
LASTS_S: Final = 7 * 24 * 3600
RECHECKED_S: Final = 10.0
MOST_SESSIONS: Final = 10_000
TRIES: Final = 10
TRIES_S: Final = 60.0

TokenOf = Callable[[str], Token | None]


class TooManyTries(Exception):
    """So many tokens from one address were wrong lately that no more are looked at for a while."""


@dataclass(slots=True)
class _Session:
    text: str = field(repr=False)
    token: Token
    ends_s: float
    checked_s: float


class Sessions:
    """Sessions by the hash of their cookie. `token_of` blocks, and runs in a thread."""

    def __init__(self, token_of: TokenOf, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self._token_of = token_of
        self._now_s = now_s
        self._sessions: dict[str, _Session] = {}
        self._wrong: dict[str, list[float]] = {}

    async def begin(self, text: str, *, address: str) -> tuple[str, Token] | None:
        """A new session's cookie and its token; None when the token does not stand."""
        now_s = self._now_s()
        self._check_tries(address, now_s)
        token = await asyncio.to_thread(self._token_of, text.strip()[:200])
        if token is None:
            self._wrong.setdefault(address, []).append(now_s)
            return None
        cookie = secrets.token_urlsafe(32)
        self._forget_old(now_s)
        self._sessions[_hash(cookie)] = _Session(text.strip(), token, now_s + LASTS_S, now_s)
        return cookie, token

    async def token(self, request: Request) -> Token | None:
        """The token of whoever sent the request; None for a stranger."""
        key = _hash(request.cookies.get(COOKIE, ""))
        session = self._sessions.get(key)
        now_s = self._now_s()
        if session is None or session.ends_s < now_s:
            self._sessions.pop(key, None)
            return None
        if now_s - session.checked_s > RECHECKED_S:
            session.checked_s = now_s
            token = await asyncio.to_thread(self._token_of, session.text)
            if token is None:
                self._sessions.pop(key, None)
                return None
            session.token = token
        return session.token

    def end(self, request: Request) -> None:
        """Forgets the session."""
        self._sessions.pop(_hash(request.cookies.get(COOKIE, "")), None)

    def _check_tries(self, address: str, now_s: float) -> None:
        for other in list(self._wrong):
            lately = [at for at in self._wrong[other] if now_s - at < TRIES_S]
            if lately:
                self._wrong[other] = lately
            else:
                del self._wrong[other]
        if len(self._wrong.get(address, ())) >= TRIES:
            raise TooManyTries

    def _forget_old(self, now_s: float) -> None:
        for key in [key for key, session in self._sessions.items() if session.ends_s < now_s]:
            del self._sessions[key]
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]


def set_cookie(response: Response, cookie: str, *, is_secure: bool) -> None:
    """Gives the browser its session: not for scripts, not for other sites' links."""
    response.set_cookie(
        COOKIE, cookie, max_age=LASTS_S, httponly=True, samesite="strict", secure=is_secure, path="/"
    )


def clear_cookie(response: Response, *, is_secure: bool) -> None:
    """Takes it away."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=is_secure, path="/")


def _hash(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()
