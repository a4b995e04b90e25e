"""Owns where the files lie that pages are made of: templates, and what a browser loads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["STATIC", "TEMPLATES"]

STATIC: Final = Path(__file__).parent / "static"
TEMPLATES: Final = Path(__file__).parent / "templates"
