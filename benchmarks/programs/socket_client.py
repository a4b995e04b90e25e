"""Answers every message on a Unix socket with the same bytes: `socket_client.py PATH ANSWER_IN_HEX`."""

from __future__ import annotations

import socket
import sys


def main() -> None:
    path, answer = sys.argv[1], bytes.fromhex(sys.argv[2])
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        while line.recv(4096):
            line.sendall(answer)


if __name__ == "__main__":
    main()
