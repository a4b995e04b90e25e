"""Owns the promise that the wire lock notices what would break bots that are already written."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

from tools.wire_lock import broken_promises, format_lock, parse_lock, reserved_names, wire_of

NO_RESERVED: dict[str, set[int]] = {}


def test_fields_and_values_are_locked_with_number_and_type() -> None:
    descriptors = file_with(
        message=DescriptorProto(
            name="Ask",
            field=[
                FieldDescriptorProto(
                    name="hand",
                    number=7,
                    label=FieldDescriptorProto.LABEL_REPEATED,
                    type=FieldDescriptorProto.TYPE_ENUM,
                    type_name=".arena.v1.Card",
                ),
                FieldDescriptorProto(name="seat", number=4, type=FieldDescriptorProto.TYPE_UINT32),
            ],
        ),
        enum=EnumDescriptorProto(name="Card"),
    )
    descriptors.file[0].enum_type[0].value.add(name="CARD_CLUBS_TWO", number=0x12)

    assert wire_of(descriptors) == {
        "arena.v1.Ask.hand": "7 repeated arena.v1.Card",
        "arena.v1.Ask.seat": "4 uint32",
        "arena.v1.Card.CARD_CLUBS_TWO": "18",
    }


def test_new_field_breaks_nothing() -> None:
    assert broken_promises({}, {"arena.v1.Ask.seat": "4 uint32"}, reserved=NO_RESERVED) == []


@pytest.mark.parametrize("now", ["5 uint32", "4 sint32", "4 repeated uint32", "4 uint32 oneof which"])
def test_changed_number_or_type_is_told_with_both(now: str) -> None:
    [sentence] = broken_promises(
        {"arena.v1.Ask.seat": "4 uint32"}, {"arena.v1.Ask.seat": now}, reserved=NO_RESERVED
    )

    assert sentence.startswith(f"arena.v1.Ask.seat was `4 uint32` and is now `{now}`")


def test_deleted_field_wants_its_number_reserved() -> None:
    [sentence] = broken_promises({"arena.v1.Ask.seat": "4 uint32"}, {}, reserved=NO_RESERVED)

    assert sentence == (
        "arena.v1.Ask.seat is gone but its number 4 is not reserved: write `reserved 4;` in arena.v1.Ask."
    )


def test_deleted_field_with_its_number_reserved_is_no_breach() -> None:
    message = DescriptorProto(name="Ask", reserved_range=[DescriptorProto.ReservedRange(start=4, end=5)])
    reserved = reserved_names(file_with(message=message))

    assert broken_promises({"arena.v1.Ask.seat": "4 uint32"}, {}, reserved=reserved) == []


def test_deleted_enum_value_with_its_number_reserved_is_no_breach() -> None:
    enum = EnumDescriptorProto(
        name="Card", reserved_range=[EnumDescriptorProto.EnumReservedRange(start=18, end=18)]
    )
    reserved = reserved_names(file_with(enum=enum))

    assert broken_promises({"arena.v1.Card.CARD_CLUBS_TWO": "18"}, {}, reserved=reserved) == []


def test_deleted_method_is_told() -> None:
    [sentence] = broken_promises(
        {"arena.v1.ArenaService.Play": "stream A -> stream B"}, {}, reserved=NO_RESERVED
    )

    assert "still call it" in sentence


def test_lock_reads_back_as_written() -> None:
    wire = {"arena.v1.Ask.seat": "4 uint32", "arena.v1.ArenaService.Play": "stream A -> stream B"}

    assert parse_lock(format_lock(wire)) == wire


def test_line_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ValueError, match="'nonsense'"):
        parse_lock("nonsense")


def file_with(
    message: DescriptorProto | None = None, *, enum: EnumDescriptorProto | None = None
) -> FileDescriptorSet:
    file = FileDescriptorProto(
        name="arena/v1/test.proto",
        package="arena.v1",
        message_type=[message] if message else [],
        enum_type=[enum] if enum else [],
    )
    return FileDescriptorSet(file=[file])
