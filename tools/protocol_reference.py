"""Owns `docs/protocol.md`: the reference of the protocol, made from the comments in the .proto files.

python -m tools.protocol_reference
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
)

from tools.generate_protos import ROOT, compile_descriptors

__all__ = ["PAGE", "reference"]

PAGE = ROOT / "docs" / "protocol.md"
_OURS = "arena/v1/"
_MESSAGES, _ENUMS, _SERVICES, _FIELDS, _VALUES, _METHODS = (
    4,
    5,
    6,
    2,
    2,
    2,
)  # field numbers in descriptor.proto
_SYNTAX = 12

INTRODUCTION = """# The protocol, message by message

Made from the comments in `proto/arena/v1/` by `make protos`; do not edit. How a bot uses it is in
[Writing a bot](authors.md); a gRPC tool can also ask a running arena by server reflection.
"""

Comments = dict[tuple[int, ...], str]


def reference() -> str:
    """The page."""
    files = [file for file in compile_descriptors(with_comments=True).file if file.name.startswith(_OURS)]
    order = {"play.proto": 0, "game.proto": 1, "record.proto": 2, "league.proto": 3}
    files.sort(key=lambda file: order[file.name.removeprefix(_OURS)])
    return "\n".join([INTRODUCTION, *(line for file in files for line in _file(file))]).rstrip() + "\n"


def _file(file: FileDescriptorProto) -> Iterator[str]:
    comments = _comments(file)
    yield f"## {file.name}\n"
    yield from _opening(comments.get((_SYNTAX,), ""))
    for number, service in enumerate(file.service):
        yield from _service(service, (_SERVICES, number), comments)
    for number, message in enumerate(file.message_type):
        yield from _message(message, (_MESSAGES, number), comments)
    for number, enum in enumerate(file.enum_type):
        yield from _enum(enum, (_ENUMS, number), comments)


def _opening(comment: str) -> Iterator[str]:
    """The comment that opens a file; an indented drawing in it stays one."""
    for paragraph in comment.split("\n\n"):
        if paragraph.startswith("  "):
            yield f"```\n{paragraph}\n```\n"
        elif paragraph:
            yield f"{paragraph}\n"


def _service(service: ServiceDescriptorProto, path: tuple[int, ...], comments: Comments) -> Iterator[str]:
    yield f"### service {service.name}\n"
    yield f"{comments[path]}\n"
    for number, method in enumerate(service.method):
        takes = ("stream " if method.client_streaming else "") + _short(method.input_type)
        gives = ("stream " if method.server_streaming else "") + _short(method.output_type)
        yield f"- `{method.name}({takes}) returns ({gives})`: {_line(comments[*path, _METHODS, number])}"
    yield ""


def _message(message: DescriptorProto, path: tuple[int, ...], comments: Comments) -> Iterator[str]:
    yield f"### {message.name}\n"
    yield f"{comments[path]}\n"
    yield "| field | type | number | meaning |\n|---|---|---|---|"
    for number, field in enumerate(message.field):
        meaning = _line(comments[*path, _FIELDS, number])
        yield f"| `{field.name}` | {_type(message, field)} | {field.number} | {meaning} |"
    yield ""


def _enum(enum: EnumDescriptorProto, path: tuple[int, ...], comments: Comments) -> Iterator[str]:
    yield f"### enum {enum.name}\n"
    yield f"{comments[path]}\n"
    yield "| value | number | meaning |\n|---|---|---|"
    for number, value in enumerate(enum.value):
        meaning = _line(comments.get((*path, _VALUES, number), ""))
        shown = f"0x{value.number:02X}" if enum.name == "Card" else str(value.number)
        yield f"| `{value.name}` | {shown} | {meaning} |"
    yield ""


def _type(message: DescriptorProto, field: FieldDescriptorProto) -> str:
    kind = _short(field.type_name) or FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {kind}"
    if field.proto3_optional:
        return f"optional {kind}"
    if field.HasField("oneof_index"):
        return f"{kind}, one of `{message.oneof_decl[field.oneof_index].name}`"
    return kind


def _short(type_name: str) -> str:
    return type_name.removeprefix(".arena.v1.").removeprefix(".google.protobuf.")


def _line(comment: str) -> str:
    return " ".join(comment.split()).replace("|", "\\|")


def _comments(file: FileDescriptorProto) -> Comments:
    located = {}
    for location in file.source_code_info.location:
        detached: Sequence[str] = location.leading_detached_comments
        text = location.leading_comments or (detached[0] if detached else "")
        if text:
            located[tuple(location.path)] = "\n".join(
                line.removeprefix(" ").rstrip() for line in text.splitlines()
            )
    return located


if __name__ == "__main__":
    PAGE.write_text(reference())
