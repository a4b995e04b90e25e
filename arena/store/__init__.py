"""Owns the results database of a run, what is computed from it, and its exports; must not know the CLI."""

from __future__ import annotations
