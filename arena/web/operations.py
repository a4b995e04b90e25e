"""Owns what machines ask: whether the server is well, and its metrics."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import ArenaError
from arena.web.metrics import CONTENT_TYPE
from arena.web.site import site_of

__all__ = ["health", "metrics"]

PATIENCE_S: Final = 2.0


async def health(request: Request) -> Response:
    """200 while new visitors should be sent here; 503 with the reason in one word."""
    context = site_of(request).context
    if context.draining.is_set():
        return JSONResponse({"status": "draining"}, 503)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.to_thread(context.store.ping)
    except (ArenaError, TimeoutError):
        return JSONResponse({"status": "database"}, 503)
    return JSONResponse({"status": "ok"})


async def metrics(request: Request) -> Response:
    """Everything that is measured."""
    return Response(await site_of(request).metrics.text(), media_type=CONTENT_TYPE)
