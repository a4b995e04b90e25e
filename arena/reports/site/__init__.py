"""Owns the static site of a run: pages that open from disk, charts, replays.

It must not know how matches are run. `writing` writes a site. A league's server takes from here the card
table, its scripts and its style and need not have what draws the charts: nothing is imported unasked.
"""

from __future__ import annotations
