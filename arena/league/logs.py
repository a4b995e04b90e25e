"""Owns how a server's log looks: one JSON object a line, or a line of text for people at a terminal."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, TextIO

from arena.reports.text import harmless

__all__ = ["event", "log_to"]

_log = logging.getLogger("arena.league.events")
_FIELDS = "arena_fields"


def event(what: str, /, **fields: Any) -> None:
    """Notes that something happened: `what` is a word, `fields` what a program wants to know of it."""
    _log.info(what, extra={_FIELDS: fields})


def warning(what: str, /, **fields: Any) -> None:
    """Notes something that an operator should look at."""
    _log.warning(what, extra={_FIELDS: fields})


def log_to(stream: TextIO, *, is_text: bool) -> logging.Handler:
    """Has everything that is logged from INFO on written to `stream`; the handler, to be removed again."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Text() if is_text else _Json())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for noisy in ("uvicorn", "uvicorn.error", "uvicorn.access", "alembic", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return handler


class _Json(logging.Formatter):
    """`{"time", "level", "event", ...}`; a traceback is in `trace`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds")
        document = {"time": moment, "level": record.levelname.lower(), "event": record.getMessage()}
        document |= getattr(record, _FIELDS, {})
        if record.exc_info:
            document["trace"] = self.formatException(record.exc_info)
        return json.dumps(document, ensure_ascii=True, default=str)


class _Text(logging.Formatter):
    """A time, what happened, and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        fields: dict[str, Any] = getattr(record, _FIELDS, {})
        told = "".join(f"  {key}={harmless(str(value))}" for key, value in fields.items() if key != "trace")
        level = "" if record.levelno <= logging.INFO else f"{record.levelname}: "
        line = f"{moment}  {level}{harmless(record.getMessage(), longest=2000)}{told}"
        trace = self.formatException(record.exc_info) if record.exc_info else fields.get("trace", "")
        return f"{line}\n{trace}" if trace else line
