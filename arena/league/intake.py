"""Owns the way of a bundle from the wire into the store, and what its sender hears from then on.

Once a submission was acknowledged as received it is stored; whoever checks it needs its sender no more.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from typing import NoReturn

import grpc

from arena.bots.archive import BundleLimits
from arena.league.auth import Doorkeeper
from arena.league.hub import Hub, SubmissionChanged
from arena.league.messages import progress_message
from arena.league.model import Submission, SubmissionState, Token
from arena.league.problems import Problem
from arena.league.store import LeagueStore
from arena.v1 import league_pb2

__all__ = ["MOST_CHUNK", "Intake"]

MOST_CHUNK = 256 * 1024
CHUNK_S = 30.0
"""How long the next part of a bundle may take."""

UPLOAD_S = 600.0
MOST_UPLOADS = 16
"""Bundles that are being sent at once, each of which lies in memory."""

POLL_S = 2.0
"""How often the store is asked about a submission that another arena works on."""

STATES = list(SubmissionState)
FINAL = (SubmissionState.ADMITTED, SubmissionState.REFUSED)

Requests = AsyncIterator[league_pb2.SubmitBotRequest]


class Intake:
    """Takes bundles in. Belongs to the server's event loop."""

    def __init__(
        self,
        store: LeagueStore,
        *,
        hub: Hub,
        doorkeeper: Doorkeeper,
        limits: BundleLimits,
        refuses: str = "",
        on_received: Callable[[Submission], None] = lambda submission: None,
    ) -> None:
        """`refuses` is why this league takes no bundles; `on_received` hears of each that is stored."""
        self._store = store
        self._hub = hub
        self._doorkeeper = doorkeeper
        self._limits = limits
        self._refuses = refuses
        self._on_received = on_received
        self.uploads = 0
        """Bundles that are on their way now."""

    async def receive(self, token: Token, requests: Requests) -> Submission:
        """The submission of the bundle that `requests` bring, stored. Raises Problem, TooMany for a limit."""
        if self._refuses:
            raise Problem(grpc.StatusCode.FAILED_PRECONDITION, self._refuses, reason="NO_SUBMISSIONS")
        await self._doorkeeper.may_submit(token)
        if self.uploads >= MOST_UPLOADS:
            words = f"{MOST_UPLOADS} bundles are being sent to this league already; try again in 10 s"
            raise Problem(grpc.StatusCode.RESOURCE_EXHAUSTED, words, reason="LIMIT_REACHED", retry_s=10.0)
        self.uploads += 1
        try:
            with self._doorkeeper.uploading(token):
                data = await _Upload(requests, self._limits).bundle()
            submission = await asyncio.to_thread(self._store.receive, token.author, data)
        finally:
            self.uploads -= 1
        self._on_received(submission)
        return submission

    async def follow(self, submission: Submission) -> AsyncIterator[league_pb2.SubmitBotResponse]:
        """How the submission goes on, from RECEIVED to its end. Raises Problem when the server ends first."""
        with self._hub.subscribe(SubmissionChanged) as changes:
            coming = asyncio.ensure_future(anext(changes, None))
            newer, told = submission, -1
            try:
                while True:
                    if STATES.index(newer.state) > told:  # an event may be older than what the store said
                        submission, told = newer, STATES.index(newer.state)
                        yield progress_message(submission, version=await self._version(submission))
                    if submission.state in FINAL:
                        return
                    await asyncio.wait((coming,), timeout=POLL_S if told else 0)
                    if coming.done():
                        newer = _named_by(coming.result(), submission)
                        coming = asyncio.ensure_future(anext(changes, None))
                    else:
                        newer = await asyncio.to_thread(self._store.submission, submission.submission_id)
            finally:
                coming.cancel()

    async def _version(self, submission: Submission) -> int:
        """The version that the submission became; 0 when it did not."""
        if submission.state is not SubmissionState.ADMITTED:
            return 0
        return await asyncio.to_thread(self._number, submission)

    def _number(self, submission: Submission) -> int:
        """Runs in a thread."""
        versions = self._store.versions(self._store.bot(submission.bot))
        same = (one.number for one in versions if one.bundle_sha256 == submission.bundle_sha256)
        return next(same, 0)


class _Upload:
    """One bundle on its way."""

    def __init__(self, requests: Requests, limits: BundleLimits) -> None:
        self._requests = requests
        self._limits = limits
        self._until_s = time.monotonic() + UPLOAD_S

    async def bundle(self) -> bytes:
        """All of it, compared with its header."""
        first = await self._next()
        if first is None or first.WhichOneof("part") != "header":
            _invalid("header", "the first message must be the bundle's header")
        header = first.header
        self._check(header)
        data = bytearray()
        while (part := await self._next()) is not None:
            if part.WhichOneof("part") != "chunk":
                _invalid("chunk", "after the header come chunks, and nothing else")
            if len(part.chunk) > MOST_CHUNK:
                _invalid("chunk", f"a chunk has at most {MOST_CHUNK} bytes, not {len(part.chunk)}")
            data += part.chunk
            if len(data) > header.size_bytes:
                _invalid("chunk", f"more bytes were sent than the {header.size_bytes} of the header")
        if len(data) < header.size_bytes:
            _invalid("chunk", f"the header says {header.size_bytes} bytes, and {len(data)} were sent")
        if hashlib.sha256(data).digest() != header.sha256:
            _invalid("sha256", "the bytes that came do not have the SHA-256 of the header; send them again")
        return bytes(data)

    def _check(self, header: league_pb2.BundleHeader) -> None:
        if len(header.sha256) != 32:
            _invalid("sha256", f"a SHA-256 has 32 bytes, not {len(header.sha256)}")
        if header.size_bytes > self._limits.total_bytes:
            most = self._limits.total_bytes
            _invalid("size_bytes", f"the bundle has {header.size_bytes} bytes; at most {most} are allowed")

    async def _next(self) -> league_pb2.SubmitBotRequest | None:
        """The next message; None at the end of the stream."""
        reading = asyncio.ensure_future(anext(self._requests, None))
        left_s = max(0.0, self._until_s - time.monotonic())
        await asyncio.wait((reading,), timeout=min(CHUNK_S, left_s))
        if not reading.done():  # not cancelled: the read ends with the call
            reading.add_done_callback(lambda task: task.cancelled() or task.exception())
            words = f"nothing came for {CHUNK_S:.0f} s, or the bundle took longer than {UPLOAD_S:.0f} s"
            raise Problem(grpc.StatusCode.DEADLINE_EXCEEDED, words, reason="UPLOAD_STALLED")
        return reading.result()


def _named_by(event: object, submission: Submission) -> Submission:
    """The submission as the event has it, if the event is about it."""
    if event is None:
        _closing(submission)
    is_own = (
        isinstance(event, SubmissionChanged) and event.submission.submission_id == submission.submission_id
    )
    return event.submission if is_own and isinstance(event, SubmissionChanged) else submission


def _closing(submission: Submission) -> NoReturn:
    raise Problem(
        grpc.StatusCode.UNAVAILABLE,
        f"the league is closing; submission {submission.submission_id} is stored and goes on when it is back",
        reason="DRAINING",
        retry_s=5.0,
        metadata={"submission_id": submission.submission_id},
    )


def _invalid(field: str, message: str) -> NoReturn:
    raise Problem(grpc.StatusCode.INVALID_ARGUMENT, message, reason="BAD_UPLOAD", field=field)
