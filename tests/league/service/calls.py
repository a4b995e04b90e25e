"""How tests call LeagueService: a server in this process with nothing behind it but the store."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from arena.bots.archive import BundleLimits
from arena.league.auth import Doorkeeper
from arena.league.client import method
from arena.league.hub import Hub, SubmissionChanged
from arena.league.intake import Intake
from arena.league.model import Submission, SubmissionState
from arena.league.service import LeagueService
from arena.league.store import LeagueStore
from arena.v1 import league_pb2

MOST_BYTES = 10_000


@dataclass
class Remotes:
    """Remote bots that are connected."""

    connected: set[int] = field(default_factory=set)
    latencies: dict[int, list[int]] = field(default_factory=dict)

    def latency_us(self, bot_id: int) -> Sequence[int]:
        return self.latencies.get(bot_id, [])


@dataclass
class Watch:
    """A clock that the test moves."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass
class Desk:
    """The service, and a channel to it."""

    store: LeagueStore
    hub: Hub
    service: LeagueService
    remotes: Remotes
    watch: Watch
    channel: grpc.aio.Channel
    intake: Intake
    received: list[Submission]
    scrimmages: list[None]
    bugs: list[str]

    @property
    def uploads(self) -> int:
        """Bundles that are on their way now."""
        return self.intake.uploads

    def token(self, author: str, **limits: Any) -> str:
        """A new token of an author."""
        return self.store.issue_token(self.store.author(author), label="", **limits).text

    async def call(self, name: str, token: str = "", /, **request: Any) -> Any:
        """The answer to a call of one message."""
        request_class = getattr(league_pb2, f"{name}Request")
        return await method(self.channel, name)(request_class(**request), metadata=bearing(token))

    async def refused(self, name: str, token: str = "", /, **request: Any) -> Refused:
        """How a call is refused."""
        try:
            answer = await self.call(name, token, **request)
        except grpc.aio.AioRpcError as error:
            return Refused.of(error)
        raise AssertionError(f"{name} was answered: {answer}")

    async def submit(self, token: str, *parts: league_pb2.SubmitBotRequest) -> list[Any]:
        """All that is told of a submission."""

        async def requests() -> AsyncIterator[league_pb2.SubmitBotRequest]:
            for part in parts:
                yield part

        return [told async for told in method(self.channel, "SubmitBot")(requests(), metadata=bearing(token))]

    async def submit_refused(self, token: str, *parts: league_pb2.SubmitBotRequest) -> Refused:
        """How a submission is not taken."""
        try:
            told = await self.submit(token, *parts)
        except grpc.aio.AioRpcError as error:
            return Refused.of(error)
        raise AssertionError(f"it was taken: {told}")

    def reach(self, submission: Submission, *states: SubmissionState) -> None:
        """Has the submission get further, as the pipeline would."""
        for state in states:
            if state is SubmissionState.ADMITTED:
                self.store.admit(
                    submission.submission_id, bot="ant", label="1", language="python", content_hash="00"
                )
                changed = self.store.submission(submission.submission_id)
            else:
                changed = self.store.advance(submission.submission_id, state, f"was {state}", bot="ant")
            self.hub.publish(SubmissionChanged(changed))


@dataclass(frozen=True)
class Refused:
    """A refusal, with its details."""

    code: grpc.StatusCode
    message: str
    reason: str
    field: str
    retry_s: float | None

    @classmethod
    def of(cls, error: grpc.aio.AioRpcError) -> Refused:
        """What every gRPC library can read off the error."""
        trailing = dict(error.trailing_metadata() or ())
        status = Status.FromString(trailing["grpc-status-details-bin"])
        info, request, retry = ErrorInfo(), BadRequest(), RetryInfo()
        kinds = (info, request, retry)
        found = [id(kind) for detail in status.details for kind in kinds if detail.Unpack(kind)]
        assert (status.code, status.message) == (error.code().value[0], error.details())
        assert id(info) in found
        assert info.domain == "arena.v1"
        return cls(
            code=error.code(),
            message=error.details() or "",
            reason=info.reason,
            field=request.field_violations[0].field if id(request) in found else "",
            retry_s=retry.retry_delay.ToMilliseconds() / 1000 if id(retry) in found else None,
        )


def bearing(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a call with that token."""
    return (("authorization", f"Bearer {token}"),) if token else ()


def header(data: bytes, **changes: Any) -> league_pb2.SubmitBotRequest:
    """What goes before a bundle."""
    fields: dict[str, Any] = {"sha256": hashlib.sha256(data).digest(), "size_bytes": len(data)} | changes
    return league_pb2.SubmitBotRequest(header=league_pb2.BundleHeader(**fields))


def chunk(data: bytes) -> league_pb2.SubmitBotRequest:
    """A part of a bundle."""
    return league_pb2.SubmitBotRequest(chunk=data)


@contextlib.asynccontextmanager
async def desk_of(store: LeagueStore, *, refuses: str = "") -> AsyncIterator[Desk]:
    """The service on a loopback port."""
    hub, remotes, watch = Hub(store), Remotes(), Watch()
    received: list[Submission] = []
    scrimmages: list[None] = []
    bugs: list[str] = []
    doorkeeper = Doorkeeper(store, now_s=watch, now_us=lambda: 0)
    intake = Intake(
        store,
        hub=hub,
        doorkeeper=doorkeeper,
        limits=BundleLimits(total_bytes=MOST_BYTES),
        refuses=refuses,
        on_received=received.append,
    )
    service = LeagueService(
        store,
        hub=hub,
        doorkeeper=doorkeeper,
        intake=intake,
        remotes=remotes,
        on_scrimmage=lambda: scrimmages.append(None),
        on_bug=lambda call, trace: bugs.append(trace),
    )
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    server.add_generic_rpc_handlers((service.handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Desk(store, hub, service, remotes, watch, channel, intake, received, scrimmages, bugs)
    finally:
        hub.close()
        await server.stop(grace=0)
    assert bugs == []
