"""Owns logging in and out, and an author's submissions."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.web.forms import form_of
from arena.web.sessions import TooManyTries, clear_cookie, set_cookie
from arena.web.site import site_of
from arena.web.streams import EventStream

__all__ = [
    "log_in",
    "log_out",
    "login_page",
    "submission_events",
    "submissions_page",
]


async def login_page(request: Request) -> Response:
    """The form."""
    return await site_of(request).page(
        request, "login.html", next=_next(request.query_params.get("next")), wrong=""
    )


async def log_in(request: Request) -> Response:
    """Begins a session and leads back to where the visitor came from; the form again for a wrong token."""
    site = site_of(request)
    fields = await form_of(request)
    onward = _next(fields.get("next", [""])[0])
    address = request.client.host if request.client else ""
    try:
        begun = await site.sessions.begin(fields.get("token", [""])[0], address=address)
    except TooManyTries:
        wrong = "Too many tokens were wrong. Try again in a minute."
        return await site.page(request, "login.html", status=429, next=onward, wrong=wrong)
    if begun is None:
        wrong = "This token is not known here, or was revoked."
        return await site.page(request, "login.html", status=403, next=onward, wrong=wrong)
    response = RedirectResponse(onward, 303)
    set_cookie(response, begun[0], is_secure=request.url.scheme == "https")
    return response


async def log_out(request: Request) -> Response:
    """Ends the session."""
    site_of(request).sessions.end(request)
    response = RedirectResponse("/", 303)
    clear_cookie(response, is_secure=request.url.scheme == "https")
    return response


async def submissions_page(request: Request) -> Response:
    """How to submit a bot; for whoever is logged in, what became of theirs."""
    site = site_of(request)
    token = await site.sessions.token(request)
    feed = None if token is None else await site.submission_board.feed(token.author)
    return await site.page(request, "submissions.html", feed=feed, submit_address=site.context.submit_address)


async def submission_events(request: Request) -> EventStream | Response:
    """What changes in an author's submissions; for that author only."""
    site = site_of(request)
    token = await site.author_token(request)
    return site.stream(request, await site.submission_board.feed(token.author))


def _next(wanted: str | None) -> str:
    """A page of ours to go on to: never another host's, whatever the address says."""
    is_ours = wanted and wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if wanted and is_ours and wanted.isprintable() and "\\" not in wanted else "/"
