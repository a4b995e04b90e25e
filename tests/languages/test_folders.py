"""Each steady bot's folder is whole: its protocol is the arena's, and what was generated from it is fresh."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto

from arena.bots.manifest import load_bot
from arena.v1 import game_pb2, play_pb2
from tests.languages.languages import COMPILED, PYTHON, ROOT, SAMPLE_BOTS

PROTOS = {name: (ROOT / "proto/arena/v1" / name).read_bytes() for name in ("game.proto", "play.proto")}
FOLDERS = [SAMPLE_BOTS / language.folder for language in COMPILED]
PROST_FIELD = re.compile(r'tag = "(\d+)"[^\]]*\)\]\s+(?:pub )?(?:r#)?(\w+)')


def described(file: str) -> FileDescriptorProto:
    message = FileDescriptorProto()
    {"game.proto": game_pb2, "play.proto": play_pb2}[file].DESCRIPTOR.CopyToProto(message)
    return message


def block(source: str, opening: str) -> str:
    """From a line at any depth to the line that closes it."""
    match = re.search(rf"^( *)(?:pub )?{opening} \{{$(.*?)^\1\}}$", source, re.MULTILINE | re.DOTALL)
    assert match, f"no `{opening}` in what was generated"
    return match[2]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def rust_fields(source: str, message: DescriptorProto) -> set[tuple[int, str]]:
    """Tags and names of a message's fields as prost wrote them, those of a oneof in lower case too."""
    text = block(source, f"struct {message.name}") if message.field else ""
    if any(field.HasField("oneof_index") and not field.proto3_optional for field in message.field):
        text = re.sub(r"#\[prost\(\s*oneof.*?\)\]\s+pub \w+", "", text, flags=re.DOTALL)
        text += block(source, f"mod {snake(message.name)}")
    return {(int(tag), snake(name)) for tag, name in PROST_FIELD.findall(text)}


MESSAGES = [message for file in PROTOS for message in described(file).message_type]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_folder_holds_the_protocol_as_the_arena_has_it(folder: Path) -> None:
    copies = {path.name: path.read_bytes() for path in folder.glob("**/proto/arena/v1/*.proto")}

    assert copies == PROTOS


@pytest.mark.parametrize("file", list(PROTOS))
def test_go_code_was_generated_from_this_protocol(file: str) -> None:
    source = (SAMPLE_BOTS / "steady-go/arenapb" / file.replace(".proto", ".pb.go")).read_text()
    literal = re.search(r'rawDesc = ""((?: \+\n\t".*")+)$', source, re.MULTILINE)
    assert literal

    embedded = FileDescriptorProto.FromString(python_bytes(literal[1]))
    for message in embedded.message_type:
        for field in message.field:
            field.ClearField("json_name")

    assert embedded.message_type == described(file).message_type
    assert embedded.enum_type == described(file).enum_type


def python_bytes(go_strings: str) -> bytes:
    """What Go's quoted strings hold, one a line with `+` between them; Python has the same escapes."""
    pieces: list[bytes] = [ast.literal_eval("b" + line.strip(" +\t")) for line in go_strings.split("\n")[1:]]
    return b"".join(pieces)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_rust_code_was_generated_from_this_protocol(message: DescriptorProto) -> None:
    source = (SAMPLE_BOTS / "steady-rust/src/protocol.rs").read_text()

    assert rust_fields(source, message) == {(field.number, field.name) for field in message.field}


@pytest.mark.parametrize("folder", [SAMPLE_BOTS / PYTHON.folder, *FOLDERS], ids=lambda folder: folder.name)
def test_bot_is_called_as_its_folder_is(folder: Path) -> None:
    assert load_bot(folder).name == folder.name


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_readme_fits_a_screen(folder: Path) -> None:
    lines = (folder / "README.md").read_text().splitlines()

    assert 10 < len(lines) < 40
    assert max(map(len, lines)) < 160
