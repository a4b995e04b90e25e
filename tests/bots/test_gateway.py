"""The door: any gRPC tool can look in, one stream comes in, and who it is rests on nothing that it says."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.bots.gateway import Door, open_door
from arena.bots.line import Line, Refused
from arena.referee import FaultKind
from arena.v1 import play_pb2

PLAY = "/arena.v1.ArenaService/Play"


@pytest.fixture
async def line() -> Line:
    return Line(now_ns=time.monotonic_ns, preset="callbreak")


@pytest.fixture
async def door(line: Line, tmp_path: Path) -> AsyncIterator[Door]:
    async with open_door(line, folder=tmp_path) as opened:
        yield opened


def _hello(**fields: object) -> bytes:
    said = {"protocol_min": 1, "protocol_max": 1, "name": "test"} | fields
    return play_pb2.PlayRequest(hello=play_pb2.Hello(**said)).SerializeToString()  # type: ignore[arg-type]


async def _first_answer(address: str, first: bytes) -> play_pb2.PlayResponse:
    async with grpc.aio.insecure_channel(address) as channel:
        stream: Any = channel.stream_stream(PLAY)()
        await stream.write(first)
        payload = await stream.read()
        assert isinstance(payload, bytes)
        return play_pb2.PlayResponse.FromString(payload)


async def test_health_service_says_that_the_arena_serves(door: Door) -> None:
    async with grpc.aio.insecure_channel(door.address) as channel:
        asked = health_pb2.HealthCheckRequest(service="arena.v1.ArenaService")
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(asked)

    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_reflection_tells_the_services_and_their_messages(door: Door) -> None:
    asks = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="arena.v1.Ask"),
    ]
    async with grpc.aio.insecure_channel(door.address) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
        services, file = [answer async for answer in stub.ServerReflectionInfo(iter(asks))]

    names = {service.name for service in services.list_services_response.service}
    described = FileDescriptorProto.FromString(file.file_descriptor_response.file_descriptor_proto[0])
    assert names == {
        "arena.v1.ArenaService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }
    assert described.name == "arena/v1/play.proto"


async def test_bot_that_says_hello_is_welcome(door: Door, line: Line) -> None:
    answer = await _first_answer(door.address, _hello(max_parallel_matches=9, name="n" * 500))

    assert answer.welcome.protocol == 1
    assert answer.welcome.max_parallel_matches == 9
    assert len(line.greeting.result().name) == 100


@pytest.mark.parametrize(
    ("first", "kind", "says"),
    [
        (_hello(protocol_min=2, protocol_max=3), FaultKind.VERSION, "speaks version 1 of the protocol"),
        (_hello(rulesets=["call-bridge"]), FaultKind.VERSION, "ruleset callbreak is played here"),
        (b"\xff\xff", FaultKind.MALFORMED, "must be Hello: 2 bytes that are no PlayRequest: ffff"),
        (b"", FaultKind.MALFORMED, "this was an empty PlayRequest"),
        (
            play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=[1])).SerializeToString(),
            FaultKind.MALFORMED,
            "must be Hello, this was ready",
        ),
        (_hello(name="n" * 70_000), FaultKind.RESOURCE, "at most 65536 are read"),
    ],
)
async def test_rejection_says_in_words_what_to_change(
    door: Door, line: Line, first: bytes, kind: FaultKind, says: str
) -> None:
    answer = await _first_answer(door.address, first)

    assert FaultKind(answer.rejection.kind) is kind
    assert says in answer.rejection.reason
    assert isinstance(line.greeting.exception(), Refused)


async def test_second_stream_is_refused_and_the_first_goes_on(door: Door, line: Line) -> None:
    async with grpc.aio.insecure_channel(door.address) as channel:
        stream: Any = channel.stream_stream(PLAY)()
        await stream.write(_hello())
        await stream.read()

        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await _first_answer(door.address, _hello())

        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert line.is_open


async def test_shut_door_lets_nobody_in_but_its_stream_lives(door: Door, line: Line) -> None:
    async with grpc.aio.insecure_channel(door.address) as channel:
        stream: Any = channel.stream_stream(PLAY)()
        await stream.write(_hello())
        await stream.read()

        door.shut()

        assert door.socket_path is not None
        assert door.socket_path.stat().st_mode & 0o777 == 0
        line.say_goodbye("enough")
        payload = await stream.read()
        assert isinstance(payload, bytes)
        assert play_pb2.PlayResponse.FromString(payload).goodbye.reason == "enough"


@pytest.mark.parametrize(("token", "is_welcome"), [("s3cret", True), ("guess", False), ("", False)])
async def test_without_unix_sockets_only_the_secret_lets_in(token: str, is_welcome: bool) -> None:
    line = Line(now_ns=time.monotonic_ns, preset="callbreak", token="s3cret")

    async with open_door(line, folder=None) as door:
        answer = await _first_answer(door.address, _hello(token=token))

    assert door.address.startswith("127.0.0.1:")
    assert answer.HasField("welcome") is is_welcome
