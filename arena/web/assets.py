"""Owns the files that pages load: those of the report's card table and the league's own, under one address.

They are read once. The address has their digest in it, so that a browser keeps them for good and a new
arena's are new files to it.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.reports.site.files import STATIC as REPORT_STATIC

__all__ = ["Assets"]

OWN: Final = Path(__file__).parent / "static"
SHARED: Final = (
    "arena.css",
    "card_table.css",
    "card_table.js",
    "cards.js",
    "dom.js",
    "icon.svg",
    "local_times.js",
    "match_view.js",
    "replay.js",
    "replay_view.js",
    "rules.js",
    "scorecard.js",
    "sort.js",
)
"""Files of the report that pages of the league load too."""
TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
FOR_GOOD: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Assets:
    """All files by name, as they are and packed."""

    digest: str
    files: Mapping[str, tuple[str, bytes, bytes]]

    @classmethod
    def read(cls) -> Self:
        """Reads them all."""
        paths = [REPORT_STATIC / name for name in SHARED] + sorted(OWN.iterdir())
        files = {path.name: _file(path) for path in paths}
        whole = hashlib.sha256()
        for name in sorted(files):
            whole.update(name.encode() + b"\0" + hashlib.sha256(files[name][1]).digest())
        return cls(whole.hexdigest()[:16], files)

    def address(self, name: str) -> str:
        """Where a page finds a file; KeyError for one that there is not."""
        return f"/assets/{self.digest}/{name}" if name in self.files else _missing(name)

    def respond(self, request: Request) -> Response:
        """The file that is asked for."""
        found = self.files.get(request.path_params["name"])
        if found is None or request.path_params["digest"] != self.digest:
            raise HTTPException(404)
        content_type, plain, packed = found
        headers = {"cache-control": FOR_GOOD, "vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, media_type=content_type, headers=headers | {"content-encoding": "gzip"})
        return Response(plain, media_type=content_type, headers=headers)


def _file(path: Path) -> tuple[str, bytes, bytes]:
    plain = path.read_bytes()
    return TYPES[path.suffix], plain, gzip.compress(plain, mtime=0)


def _missing(name: str) -> str:
    raise KeyError(f"no asset {name}")
