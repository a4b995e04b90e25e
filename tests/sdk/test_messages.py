"""The SDK's messages are the protocol's, in classes that no protobuf runtime refuses."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import arena.sdk
from arena.rules import Follow, Success, Undertrump
from arena.sdk import session
from arena.sdk.messages import PLAY_METHOD, messages
from arena.v1 import game_pb2, play_pb2


def test_classes_have_the_fields_of_the_generated_ones() -> None:
    def fields(message: Any) -> dict[str, tuple[int, int]]:
        return {field.name: (field.number, field.type) for field in message.DESCRIPTOR.fields}

    assert fields(messages().play_request) == fields(play_pb2.PlayRequest)
    assert fields(messages().play_response) == fields(play_pb2.PlayResponse)


def test_classes_stand_beside_the_generated_ones_in_a_pool_of_their_own() -> None:
    assert messages().play_request.DESCRIPTOR is not play_pb2.PlayRequest.DESCRIPTOR


def test_method_is_the_one_of_the_service() -> None:
    method = play_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods_by_name["Play"]

    assert f"/{method.containing_service.full_name}/{method.name}" == PLAY_METHOD


def test_every_enum_of_a_ruleset_is_read() -> None:
    assert set(session._FOLLOW) == set(game_pb2.Follow.values()) - {0}
    assert set(session._FOLLOW.values()) == set(Follow)
    assert set(session._UNDERTRUMP) == set(game_pb2.Undertrump.values()) - {0}
    assert set(session._UNDERTRUMP.values()) == set(Undertrump)
    assert set(session._SUCCESS) == set(game_pb2.Success.values()) - {0}
    assert set(session._SUCCESS.values()) == set(Success)


def test_fault_kinds_have_names_and_unknown_ones_their_number() -> None:
    assert messages().fault_name(game_pb2.FAULT_KIND_TIMEOUT) == "TIMEOUT"
    assert messages().fault_name(77) == "KIND_77"


def test_sdk_imports_no_generated_code() -> None:
    for path in Path(arena.sdk.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            )
            assert not any("pb2" in name and name != "descriptor_pb2" for name in names), path
