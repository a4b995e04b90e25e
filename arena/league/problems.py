"""Owns how a call that fails is answered: a canonical code, words, and google.rpc details for programs.

The details travel as every gRPC library looks for them: a google.rpc.Status in `grpc-status-details-bin`.
"""

from __future__ import annotations

from typing import NoReturn, TypeVar

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

__all__ = ["DOMAIN", "Problem", "abort"]

DOMAIN = "arena.v1"
_DETAILS = "grpc-status-details-bin"
_MOST_MESSAGE = 2_000

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class Problem(Exception):
    """A call that cannot be answered.

    `reason` is for programs (upper case, fixed), `field` the part of the request that is wrong, `retry_s` the
    time until it may be tried again, and `metadata` what else a program may want to know.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str,
        field: str = "",
        retry_s: float | None = None,
        metadata: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.field = field
        self.retry_s = retry_s
        self.metadata = metadata or {}

    def status(self) -> Status:
        """The whole of it as google.rpc.Status."""
        number: int = self.code.value[0]
        status = Status(code=number, message=str(self)[:_MOST_MESSAGE])
        for detail in self._details():
            packed = AnyMessage()
            packed.Pack(detail)
            status.details.append(packed)
        return status

    def _details(self) -> list[Message]:
        details: list[Message] = [ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.metadata)]
        if self.field:
            violation = BadRequest.FieldViolation(field=self.field, description=str(self)[:_MOST_MESSAGE])
            details.append(BadRequest(field_violations=[violation]))
        if self.retry_s is not None:
            delay = Duration()
            delay.FromMilliseconds(int(1000 * self.retry_s) + 1)
            details.append(RetryInfo(retry_delay=delay))
        return details


async def abort(context: grpc.aio.ServicerContext[_Request, _Response], problem: Problem) -> NoReturn:
    """Ends the call with the problem."""
    status = problem.status()
    await context.abort(problem.code, status.message, ((_DETAILS, status.SerializeToString()),))
    raise AssertionError
