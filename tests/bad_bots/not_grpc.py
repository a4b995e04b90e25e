"""Writes to its socket what is no gRPC at all."""

from __future__ import annotations

import os
import socket
import time

door = socket.socket(socket.AF_UNIX)
door.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix://"))
door.sendall(b"GET / HTTP/1.0\r\n\r\n" * 100)
time.sleep(600)
