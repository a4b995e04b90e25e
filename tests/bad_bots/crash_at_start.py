"""Ends before it has dialled."""

from __future__ import annotations

import sys

print("no model.bin in this folder", file=sys.stderr)
sys.exit(3)
