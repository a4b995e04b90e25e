"""Owns a bot's HTTP server: its process, its port, one request at a time; must not know what is said.

One thread asks; another may give the server up while it does. It runs where the bridge runs.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from arena.bots.smart_bots.words import Reply

__all__ = ["CUSTOMARY_PORT", "PORT_WORD", "Server", "ServerEnded"]

CUSTOMARY_PORT = 7000
PORT_WORD = "{port}"
HOSTS = ("127.0.0.1", "::1")
HI_S = 5.0
"""Longest wait for one `GET /hi`: a server that is still loading may accept and say nothing."""
POLL_S = 0.05
DEATH_S = 0.25
"""How soon after hanging up a server is seen to have ended, if it has."""
END_S = 0.3
PORT_S = 5.0
"""How long a port may stay taken by the server that was just given up."""
BODY_BYTES = 64 * 1024
"""Of an answer's body this much is read."""
_HAS_GROUPS = sys.platform == "linux"
"""True where the arena's keeper finds processes that have left its group."""


class ServerEnded(Exception):
    """The bot's server is gone, or could not be started."""


class Server:
    """A server started with `command`; `{port}` in it is a free port, without it the customary one is used.

    Raises ServerEnded when the port is taken or the command cannot be run.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._port = _port_for(command)
        self._host = HOSTS[0]
        self._connection: http.client.HTTPConnection | None = None
        self._process = _started(command, self._port)

    def wait_until_up(self) -> None:
        """Polls `GET /hi` until it says 200; for how long that may take is the arena's to decide."""
        while not self._says_hi():
            self._refuse_dead("before it said 200 to GET /hi", within_s=POLL_S)

    def ask(self, path: str, body: dict[str, Any]) -> Reply:
        """What the server says to this; a fault in words when it hangs up and lives on.

        It takes as long as the server takes. Raises ServerEnded when that is the server's end.
        """
        try:
            return self._request("POST", path, json.dumps(body).encode(), timeout_s=None)
        except (OSError, http.client.HTTPException) as error:
            self._refuse_dead(f"at POST {path}", within_s=DEATH_S)
            return Reply(problem=f"no answer to POST {path}: {type(error).__name__} {error}".rstrip())

    def give_up(self) -> None:
        """Kills it, from any thread; an `ask` that still waits comes back with nothing."""
        self._signal(signal.SIGKILL)
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
        self._process.wait()

    def end(self) -> None:
        """SIGTERM; the arena sees to whatever is left."""
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)

    def _signal(self, number: signal.Signals) -> None:
        """To the server's whole group, since some fork reloaders."""
        with suppress(ProcessLookupError, PermissionError):
            if _HAS_GROUPS:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def _says_hi(self) -> bool:
        for self._host in HOSTS:
            with suppress(OSError, http.client.HTTPException):
                if self._request("GET", "/hi", None, timeout_s=HI_S).status == 200:
                    return True
        return False

    def _refuse_dead(self, when: str, *, within_s: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(within_s)
            raise ServerEnded(f"the bot's server ended {when}: {_how(status)}")

    def _request(self, method: str, path: str, body: bytes | None, *, timeout_s: float | None) -> Reply:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout_s)
        headers = {} if body is None else {"Content-Type": "application/json"}
        self._connection = connection
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return Reply(response.status, response.read(BODY_BYTES))
        finally:
            self._connection = None
            connection.close()


def _started(command: Sequence[str], port: int) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    words = [word.replace(PORT_WORD, str(port)) for word in command]
    if words[0] == "python":
        words[0] = sys.executable
    try:
        return subprocess.Popen(
            words,
            env=environment | {"PORT": str(port)},
            stdin=subprocess.DEVNULL,
            process_group=0 if _HAS_GROUPS else None,
        )
    except OSError as error:
        raise ServerEnded(f"the bot's server cannot be started: {error}") from error


def _port_for(command: Sequence[str]) -> int:
    """A free port if the command can be told one, else the customary one; ServerEnded when it is taken."""
    wanted = 0 if any(PORT_WORD in word for word in command) else CUSTOMARY_PORT
    gives_up = time.monotonic() + PORT_S
    while (port := _free(wanted)) is None:
        if time.monotonic() > gives_up:
            raise ServerEnded(
                f"port {wanted} is taken: play in the sandbox, or put {PORT_WORD} into the command"
            )
        time.sleep(POLL_S)
    return port


def _free(port: int) -> int | None:
    """The port if nobody has it, any free one for 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOSTS[0], port))
        except OSError:
            return None
        return int(probe.getsockname()[1])


def _how(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
