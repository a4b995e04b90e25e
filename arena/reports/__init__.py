"""Owns how results look: tables for the terminal, replays in words; must not know how matches are run."""

from __future__ import annotations
