"""Owns how tests start a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
]


@contextmanager
def started_chromium() -> Iterator[Browser]:
    """A real Chromium with a profile of its own. While it is open its thread counts as running a loop."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    assert program is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=120_000)
        yield browser
        browser.close()
