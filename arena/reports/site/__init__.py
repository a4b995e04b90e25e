"""Owns the static site of a run: pages that open from disk, charts, replays.

It must not know how matches are run.
"""

from __future__ import annotations

from arena.reports.site.writing import INDEX_FILE, write_site

__all__ = ["INDEX_FILE", "write_site"]
