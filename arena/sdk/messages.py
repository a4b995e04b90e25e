"""Owns the protocol's messages as the SDK sees them: classes made from descriptors, at run time.

Bots bring their own environments, and code that `protoc` generates refuses an older protobuf runtime than its
own. A serialized descriptor set has no such demand. It is loaded into a pool of its own, so that it can stand
beside the generated code of the same protocol in one process.
"""

from __future__ import annotations

import pkgutil
from functools import lru_cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["PLAY_METHOD", "Messages", "messages"]

PLAY_METHOD = "/arena.v1.ArenaService/Play"


class Messages:
    """The message classes that a bot needs, by their names in `arena/v1/play.proto`."""

    def __init__(self, descriptor_set: bytes) -> None:
        """Build the classes from a serialized FileDescriptorSet that has every import before its user."""
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set).file:
            pool.AddSerializedFile(file.SerializeToString())

        def message(name: str) -> Any:
            return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"arena.v1.{name}"))

        self.play_request = message("PlayRequest")
        self.play_response = message("PlayResponse")
        self.answers = message("Answers")
        self._fault_kinds = pool.FindEnumTypeByName("arena.v1.FaultKind").values_by_number

    def fault_name(self, number: int) -> str:
        """`TIMEOUT` for FAULT_KIND_TIMEOUT; a kind newer than this SDK is given by its number."""
        value = self._fault_kinds.get(number)
        return f"KIND_{number}" if value is None else str(value.name).removeprefix("FAULT_KIND_")


@lru_cache(maxsize=1)
def messages() -> Messages:
    """The messages of the protocol that this package was built with."""
    descriptor_set = pkgutil.get_data("arena.v1", "arena.binpb")
    if descriptor_set is None:
        raise FileNotFoundError("arena/v1/arena.binpb is missing: the package is not whole")
    return Messages(descriptor_set)
