"""Owns `SubmitBot` from the author's side: chunks, progress, and a league that goes away meanwhile."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import grpc

from arena.errors import ArenaError
from arena.league.client import CALL_S, Server, method, mistake_of
from arena.v1 import league_pb2

__all__ = ["Progress", "submit"]

CHUNK_BYTES = 128 * 1024
LOOK_S = 1.0
MOST_WAIT_S = 10.0

_FINAL = (league_pb2.SUBMISSION_STATE_ADMITTED, league_pb2.SUBMISSION_STATE_REFUSED)
# What a call ends with whose server goes away in the middle of it; CANCELLED when it had begun to answer.
_AWAY = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL,
)


@dataclass(frozen=True, slots=True)
class Progress:
    """What was reached, as the league said it."""

    submission_id: str
    state: int
    detail: str
    version: int = 0

    @property
    def word(self) -> str:
        """The state in a word."""
        return league_pb2.SubmissionState.Name(self.state).removeprefix("SUBMISSION_STATE_").lower()

    @property
    def is_final(self) -> bool:
        """Whether nothing comes after it."""
        return self.state in _FINAL

    @property
    def is_admitted(self) -> bool:
        """Whether the bot plays."""
        return self.state == league_pb2.SUBMISSION_STATE_ADMITTED


def submit(
    server: Server,
    bundle: bytes,
    *,
    name: str,
    on_away: Callable[[str, str], None],
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[Progress]:
    """Sends the bundle of the bot `name`; yields what is reached, the verdict last.

    When the connection is lost after the league has acknowledged the bundle, `on_away` is told the number of
    the submission and the reason, and it is followed on when the league is back. Raises ArenaError for what
    comes before.
    """
    with server.channel() as channel:
        last: Progress | None = None
        try:
            for progress in _sent(server, channel, bundle):
                last = progress
                yield progress
        except grpc.RpcError as error:
            if last is None or error.code() not in _AWAY:
                raise mistake_of(server, error) from None
            on_away(last.submission_id, error.details() or "the connection was lost")
        if last is None:
            raise ArenaError(f"{server.address}: it ended the call without a word")
        yield from _followed(server, channel, name, last, wait)


def _sent(server: Server, channel: grpc.Channel, bundle: bytes) -> Iterator[Progress]:
    for told in method(channel, "SubmitBot")(_parts(bundle), metadata=server.metadata):
        yield Progress(told.submission_id, told.state, told.detail, told.version)


def _parts(bundle: bytes) -> Iterator[league_pb2.SubmitBotRequest]:
    sha256 = hashlib.sha256(bundle).digest()
    yield league_pb2.SubmitBotRequest(header=league_pb2.BundleHeader(sha256=sha256, size_bytes=len(bundle)))
    for at in range(0, len(bundle), CHUNK_BYTES):
        yield league_pb2.SubmitBotRequest(chunk=bundle[at : at + CHUNK_BYTES])


def _followed(
    server: Server, channel: grpc.Channel, name: str, last: Progress, wait: Callable[[float], None]
) -> Iterator[Progress]:
    """Asks how the submission stands until it is decided; nothing when it is."""
    wait_s = LOOK_S
    while not last.is_final:
        wait(wait_s)
        try:
            request = league_pb2.GetBotRequest(name=name)
            answer = method(channel, "GetBot")(request, metadata=server.metadata, timeout=CALL_S)
        except grpc.RpcError as error:
            if error.code() not in (*_AWAY, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise mistake_of(server, error) from None
            wait_s = min(2 * wait_s, MOST_WAIT_S)
            continue
        wait_s = LOOK_S
        found = next((one for one in answer.submissions if one.submission_id == last.submission_id), None)
        if found is not None and found.state > last.state:
            last = Progress(found.submission_id, found.state, found.detail)
            yield last
