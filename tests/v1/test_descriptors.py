"""Owns the rules that every message of the protocol keeps: comments, names, types, and that no hand leaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto

from arena.v1 import game_pb2, league_pb2, play_pb2, record_pb2
from tools.generate_protos import compile_descriptors

FILES: list[FileDescriptor] = [module.DESCRIPTOR for module in (game_pb2, play_pb2, record_pb2, league_pb2)]

# Everything sent to a bot that can hold cards. All of it is its own hand, or lies face up on the table. A new
# entry wants an argument why it can never hold what another seat has not played.
CARDS_THAT_A_BOT_SEES = {
    "Ask.hand",
    "Ask.legal_cards",
    "Ask.trick",
    "Ask.history",
    "Replacement.card",
    "RoundEnd.history",
}

# Everything else sent to a bot that is a list of numbers or wide enough for a hand (52 bits); same rule.
NUMBERS_THAT_COULD_HIDE_CARDS = {
    "Ask.ask_id",
    "Ask.legal_calls",
    "Ask.calls",
    "Ask.tricks_won",
    "Ask.history_leaders",
    "Ask.score_tenths",
    "Ask.random_seed",
    "RoundEnd.calls",
    "RoundEnd.tricks_won",
    "RoundEnd.score_tenths",
    "RoundEnd.history_leaders",
    "MatchEnd.total_tenths",
    "MatchEnd.places",
    "MatchEnd.faults",
}

# Words of the plan from which a deal could be told, in the name of a field: none may be sent to a bot.
WORDS_THAT_TELL_A_DEAL = {"set", "rotation", "table", "position", "commitment", "tournament", "attempt"}

NARROW = {
    FieldDescriptor.TYPE_BOOL,
    FieldDescriptor.TYPE_UINT32,
    FieldDescriptor.TYPE_SINT32,
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_ENUM,
    FieldDescriptor.TYPE_STRING,
    FieldDescriptor.TYPE_MESSAGE,
}


def messages() -> Iterator[Descriptor]:
    pending: list[Descriptor] = [m for file in FILES for m in file.message_types_by_name.values()]
    while pending:
        message = pending.pop(0)
        yield message
        pending += message.nested_types


def fields() -> Iterator[FieldDescriptor]:
    return (field for message in messages() for field in message.fields)


def enums() -> Iterator[EnumDescriptor]:
    for file in FILES:
        yield from file.enum_types_by_name.values()
    for message in messages():
        yield from message.enum_types


def sent_to_bots() -> Iterator[FieldDescriptor]:
    """Every field of our own that a bot can be sent."""
    pending: list[Descriptor] = [play_pb2.DESCRIPTOR.message_types_by_name["PlayResponse"]]
    seen: set[str] = set()
    while pending:
        message = pending.pop(0)
        if message.full_name in seen or not message.full_name.startswith("arena.v1."):
            continue
        seen.add(message.full_name)
        yield from message.fields
        pending += [field.message_type for field in message.fields if field.message_type]


def message_of(field: FieldDescriptor) -> str:
    assert field.containing_type is not None
    return field.containing_type.full_name


def short_name(field: FieldDescriptor) -> str:
    return f"{message_of(field).removeprefix('arena.v1.')}.{field.name}"


def is_card(field: FieldDescriptor) -> bool:
    return field.enum_type is not None and field.enum_type.full_name == "arena.v1.Card"


def snake_case(name: str) -> str:
    return "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(name))


def uncommented(file: FileDescriptorProto) -> list[str]:
    """Names of what has no comment directly above it."""
    locations = file.source_code_info.location
    commented = {tuple(place.path) for place in locations if place.leading_comments.strip()}
    return [name for name, path in described(file) if path not in commented]


def described(file: FileDescriptorProto) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Everything that wants a comment, with its path as descriptor.proto numbers it.

    The 52 cards want none: their names say all.
    """
    for i, message in enumerate(file.message_type):
        yield from described_in(message, path=(4, i))
    for i, enum in enumerate(file.enum_type):
        yield enum.name, (5, i)
        if enum.name != "Card":
            yield from ((value.name, (5, i, 2, j)) for j, value in enumerate(enum.value))
    for i, service in enumerate(file.service):
        yield service.name, (6, i)
        yield from ((f"{service.name}.{m.name}", (6, i, 2, j)) for j, m in enumerate(service.method))


def described_in(message: DescriptorProto, *, path: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield message.name, path
    for i, field in enumerate(message.field):
        yield f"{message.name}.{field.name}", (*path, 2, i)
    for i, oneof in enumerate(message.oneof_decl):
        if not oneof.name.startswith("_"):  # protoc makes one for each `optional`
            yield f"{message.name}.{oneof.name}", (*path, 8, i)
    for i, nested in enumerate(message.nested_type):
        yield from described_in(nested, path=(*path, 3, i))
    for i, enum in enumerate(message.enum_type):
        yield f"{message.name}.{enum.name}", (*path, 4, i)
        yield from ((value.name, (*path, 4, i, 2, j)) for j, value in enumerate(enum.value))


def test_everything_has_a_comment() -> None:
    files = [f for f in compile_descriptors(with_comments=True).file if f.package == "arena.v1"]

    assert len(files) == len(FILES)
    assert [name for file in files for name in uncommented(file)] == []


def test_what_has_no_comment_is_named() -> None:
    [file] = [f for f in compile_descriptors(with_comments=True).file if f.name == "arena/v1/game.proto"]
    for location in file.source_code_info.location:
        if tuple(location.path) == (4, 0, 2, 1):
            location.ClearField("leading_comments")

    assert uncommented(file) == ["Ruleset.call_min"]


@pytest.mark.parametrize("enum", list(enums()), ids=lambda enum: enum.name)
def test_zero_is_unspecified_and_values_carry_the_name_of_their_enum(enum: EnumDescriptor) -> None:
    prefix = snake_case(enum.name).upper() + "_"

    assert enum.values_by_number[0].name == f"{prefix}UNSPECIFIED"
    assert [value.name for value in enum.values if not value.name.startswith(prefix)] == []


@pytest.mark.parametrize("enum", list(enums()), ids=lambda enum: enum.name)
def test_no_two_values_of_an_enum_share_a_number(enum: EnumDescriptor) -> None:
    assert len({value.number for value in enum.values}) == len(enum.values)


def test_there_are_no_floats() -> None:
    floats = {FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE}

    assert [short_name(field) for field in fields() if field.type in floats] == []


def test_repeated_numbers_are_packed() -> None:
    loose = [
        short_name(field)
        for field in fields()
        if field.is_repeated
        and field.cpp_type not in {FieldDescriptor.CPPTYPE_STRING, FieldDescriptor.CPPTYPE_MESSAGE}
        and not field.is_packed
    ]

    assert loose == []


def test_there_are_no_maps() -> None:
    # Their order on the wire is not fixed: equal records would not be equal bytes.
    assert [m.full_name for m in messages() if m.GetOptions().map_entry] == []


def test_field_names_are_snake_case() -> None:
    assert [short_name(field) for field in fields() if field.name != field.name.lower()] == []


def test_lists_have_plural_names() -> None:
    singular_on_purpose = {"hand", "trick", "history", "decision_us", "asked", "output"}
    singular = {
        short_name(field)
        for field in fields()
        if field.is_repeated and field.name not in singular_on_purpose and not field.name.endswith("s")
    }

    assert singular <= {"Ask.tricks_won", "RoundEnd.tricks_won", "RoundRecord.tricks_won"}


def test_cards_are_suit_times_sixteen_plus_rank() -> None:
    ranks = "TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING ACE"
    expected = {
        f"CARD_{suit_name}_{rank_name}": suit * 16 + rank
        for suit, suit_name in enumerate(["CLUBS", "DIAMONDS", "HEARTS", "SPADES"], start=1)
        for rank, rank_name in enumerate(ranks.split(), start=2)
    }

    assert dict(game_pb2.Card.items()) == {"CARD_UNSPECIFIED": 0} | expected
    assert len(expected) == 52
    assert game_pb2.CARD_SPADES_ACE == 0x4E


def test_bot_is_sent_no_cards_but_its_own_and_those_on_the_table() -> None:
    assert {short_name(field) for field in sent_to_bots() if is_card(field)} == CARDS_THAT_A_BOT_SEES


def test_no_other_field_sent_to_a_bot_could_hide_a_hand() -> None:
    roomy = {
        short_name(field)
        for field in sent_to_bots()
        if not is_card(field)
        and (field.type not in NARROW or (field.is_repeated and field.type != FieldDescriptor.TYPE_MESSAGE))
    }

    assert roomy == NUMBERS_THAT_COULD_HIDE_CARDS


def test_bot_is_sent_no_id_from_which_a_deal_could_be_told() -> None:
    telling = [
        short_name(field) for field in sent_to_bots() if WORDS_THAT_TELL_A_DEAL & set(field.name.split("_"))
    ]

    assert telling == []


def test_bot_is_sent_no_message_of_the_record() -> None:
    in_record = {message.full_name for message in record_pb2.DESCRIPTOR.message_types_by_name.values()}

    assert not in_record & {message_of(field) for field in sent_to_bots()}


def test_arena_service_is_one_stream_both_ways() -> None:
    service = play_pb2.DESCRIPTOR.services_by_name["ArenaService"]
    play = service.methods_by_name["Play"]

    assert (play.input_type.name, play.client_streaming) == ("PlayRequest", True)
    assert (play.output_type.name, play.server_streaming) == ("PlayResponse", True)


def test_times_are_durations() -> None:
    named_for_time = {"limit", "bank", "bank_left", "last_latency"}
    others = [
        short_name(field)
        for field in fields()
        if field.name in named_for_time
        and (field.message_type is None or field.message_type.full_name != "google.protobuf.Duration")
    ]

    assert others == []
