"""Owns what the tests of a league's engine share: this machine's sandbox, or a skip with its reason."""

from __future__ import annotations

from tests.bots.conftest import bwrap

__all__ = ["bwrap"]
