"""Owns lists whose rows come and go while they are watched: rows of HTML by key, told once for all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.web.streams import Feed

__all__ = ["RowsFeed"]


class RowsFeed(Feed):
    """A feed of rows in order, drawn here only: a script of the page puts them in place."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Mapping[str, str] = {}
        self._around: Mapping[str, Any] = {}

    @property
    def last_event_id(self) -> str:
        """What a page that shows the rows as they are now asks to go on from."""
        return f"{self.epoch}-{self.number}"

    def tell(self, rows: Mapping[str, str], **around: Any) -> None:
        """The rows are these from now on, in this order; `around` is what else the page says."""
        before, self.rows = self.rows, dict(rows)
        is_same = list(before.items()) == list(rows.items()) and self._around == around
        if self.number and is_same:
            return
        self._around = around
        changed = {key: row for key, row in rows.items() if before.get(key) != row}
        whole = _document(rows, rows, around)
        self.publish(whole, change=_document(rows, changed, around) if self.number else None)


def _document(rows: Mapping[str, str], told: Mapping[str, str], around: Mapping[str, Any]) -> str:
    return json.dumps({"order": list(rows), "rows": dict(told), **around})
