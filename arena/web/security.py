"""Owns what every answer forbids the browser, and which requests may change things: those of our pages."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "SameOrigin", "SecureHeaders", "is_from_our_page"]

SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

# `same-origin`, not `no-referrer`: with that a browser would send forms with the origin `null`.
HEADERS: Final = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
ONE_YEAR_S: Final = 365 * 24 * 3600


class SecureHeaders:
    """Adds the headers to every answer, errors and assets included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if scope["scheme"] == "https":
                    headers["strict-transport-security"] = f"max-age={ONE_YEAR_S}"
            await send(message)

        await self._app(scope, receive, send_secured)


def is_from_our_page(request: Request) -> bool:
    """Whether a page of this very server sent the request; False when the browser does not say.

    `Sec-Fetch-Site` is the browser's own word and stands whatever a proxy does to the host; browsers leave it
    out over plain text, and then the origin must be this host.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = urlsplit(request.headers.get("origin", ""))
    return origin.scheme in ("http", "https") and origin.netloc == request.headers.get("host")


class SameOrigin:
    """Refuses whatever would change something and was not sent by a page of ours."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers 403."""
        if (
            scope["type"] == "http"
            and scope["method"] not in SAFE_METHODS
            and not is_from_our_page(Request(scope))
        ):
            refusal = PlainTextResponse("403: this was not sent by a page of this league\n", 403)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)
