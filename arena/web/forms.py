"""Owns how a request's body is read: small, and as what it should be."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

__all__ = ["form_of", "json_of"]

MOST_BYTES = 8192


async def form_of(request: Request) -> dict[str, list[str]]:
    """The fields of a form that a page sent; 413 when it is too long, 400 when it is none."""
    try:
        text = (await _body(request)).decode()
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        raise HTTPException(400, "the form cannot be read") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


async def json_of(request: Request) -> dict[str, Any]:
    """The JSON object that a script sent; 400 for anything else."""
    try:
        found = json.loads(await _body(request))
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is no JSON") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "the body is no JSON object")
    return found


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"the body is longer than {MOST_BYTES} bytes")
    return body
