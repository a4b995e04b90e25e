"""Opens its stream and says nothing."""

from __future__ import annotations

import time

from _wire import Wire

wire = Wire()
time.sleep(600)
