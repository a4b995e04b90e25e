"""Starts a child, and a daemon in a session of its own, that outlive every decision."""

from __future__ import annotations

import os
import subprocess
import sys

from _wire import Wire, misbehave, proper

from arena.v1 import play_pb2

SLEEP = [sys.executable, "-c", "import time; time.sleep(611)"]
subprocess.Popen(SLEEP)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, SLEEP)
    os._exit(0)


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    wire.answer(proper(ask))


misbehave(answer)
