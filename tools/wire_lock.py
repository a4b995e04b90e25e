"""Owns the promise that what was once on the wire keeps its number and type; knows descriptors, no files.

The lock (`proto/wire.lock`) has a line for every field, enum value and method that was ever there. It only
grows: a deleted one keeps its line, and its number must be `reserved` in the .proto file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)

__all__ = ["PACKAGE", "broken_promises", "format_lock", "parse_lock", "reserved_names", "wire_of"]

PACKAGE = "arena.v1"

HEADER = """\
# What was ever on the wire of arena.v1, with its number and type. `make protos` adds what is new and refuses
# to change what is here: a bot built last year must still be understood. Lines are never deleted.
"""


def wire_of(descriptors: FileDescriptorSet) -> dict[str, str]:
    """Every field, enum value and method of our package, by full name, with its number and type."""
    wire: dict[str, str] = {}
    for file in _our_files(descriptors):
        for message in file.message_type:
            wire |= _message_wire(message, f"{PACKAGE}.{message.name}")
        for enum in file.enum_type:
            wire |= _enum_wire(enum, f"{PACKAGE}.{enum.name}")
        for service in file.service:
            for method in service.method:
                wire[f"{PACKAGE}.{service.name}.{method.name}"] = _method_type(method)
    return wire


def reserved_names(descriptors: FileDescriptorSet) -> dict[str, set[int]]:
    """Reserved numbers of every message and enum of our package, by its full name."""
    reserved: dict[str, set[int]] = {}
    for file in _our_files(descriptors):
        for name, message in _messages(file):
            reserved[name] = {n for r in message.reserved_range for n in range(r.start, r.end)}
            for enum in message.enum_type:
                reserved[f"{name}.{enum.name}"] = _reserved_values(enum)
        for enum in file.enum_type:
            reserved[f"{PACKAGE}.{enum.name}"] = _reserved_values(enum)
    return reserved


def broken_promises(
    lock: Mapping[str, str], wire: Mapping[str, str], *, reserved: Mapping[str, set[int]]
) -> list[str]:
    """What `wire` does to bots that were built against `lock`, one sentence each; empty when all is well."""
    return [
        sentence
        for name, locked in lock.items()
        if (sentence := _broken_promise(name, locked, now=wire.get(name), reserved=reserved))
    ]


def _broken_promise(
    name: str, locked: str, *, now: str | None, reserved: Mapping[str, set[int]]
) -> str | None:
    if now == locked:
        return None
    if now is not None:
        return (
            f"{name} was `{locked}` and is now `{now}`: bots that are out there would misread it. "
            f"Keep it, and add a new name with a new number."
        )
    parent = name.rpartition(".")[0]
    number = locked.split(maxsplit=1)[0]
    if not number.lstrip("-").isdigit():
        return f"{name} (`{locked}`) is gone: bots that are out there still call it."
    if int(number) not in reserved.get(parent, set()):
        return (
            f"{name} is gone but its number {number} is not reserved: write `reserved {number};` in {parent}."
        )
    return None


def format_lock(wire: Mapping[str, str]) -> str:
    """Text of the lock file."""
    return HEADER + "".join(f"{name} = {value}\n" for name, value in wire.items())


def parse_lock(text: str) -> dict[str, str]:
    """Reads what `format_lock` wrote; ValueError with the line that cannot be read."""
    lock: dict[str, str] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, separator, value = line.partition(" = ")
        if not separator:
            raise ValueError(f"the wire lock has a line without ` = `: {line!r}")
        lock[name] = value
    return lock


def _our_files(descriptors: FileDescriptorSet) -> Iterator[FileDescriptorProto]:
    return (file for file in descriptors.file if file.package == PACKAGE)


def _messages(file: FileDescriptorProto) -> Iterator[tuple[str, DescriptorProto]]:
    """All messages with their full names, nested ones too."""
    pending = [(f"{PACKAGE}.{message.name}", message) for message in file.message_type]
    while pending:
        name, message = pending.pop()
        yield name, message
        pending += [(f"{name}.{nested.name}", nested) for nested in message.nested_type]


def _message_wire(message: DescriptorProto, name: str) -> dict[str, str]:
    wire = {f"{name}.{field.name}": _field_type(message, field) for field in message.field}
    for nested in message.nested_type:
        wire |= _message_wire(nested, f"{name}.{nested.name}")
    for enum in message.enum_type:
        wire |= _enum_wire(enum, f"{name}.{enum.name}")
    return wire


def _enum_wire(enum: EnumDescriptorProto, name: str) -> dict[str, str]:
    return {f"{name}.{value.name}": str(value.number) for value in enum.value}


def _field_type(message: DescriptorProto, field: FieldDescriptorProto) -> str:
    kind = field.type_name.lstrip(".") or FieldDescriptorProto.Type.Name(field.type)[5:].lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"{field.number} repeated {kind}"
    if field.proto3_optional:
        return f"{field.number} optional {kind}"
    if field.HasField("oneof_index"):
        return f"{field.number} {kind} oneof {message.oneof_decl[field.oneof_index].name}"
    return f"{field.number} {kind}"


def _method_type(method: MethodDescriptorProto) -> str:
    asks = "stream " * method.client_streaming + method.input_type.lstrip(".")
    answers = "stream " * method.server_streaming + method.output_type.lstrip(".")
    return f"{asks} -> {answers}"


def _reserved_values(enum: EnumDescriptorProto) -> set[int]:
    # Unlike a message's, the ranges of an enum include their end.
    return {n for r in enum.reserved_range for n in range(r.start, r.end + 1)}
