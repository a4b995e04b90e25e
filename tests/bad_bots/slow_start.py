"""Takes longer to start than it may."""

from __future__ import annotations

import time

time.sleep(600)
