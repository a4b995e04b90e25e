"""Owns the promise that what is committed in `arena/v1` is what the .proto files say."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from arena.v1 import game_pb2, league_pb2, play_pb2, record_pb2
from tools.generate_protos import GENERATED, ROOT, WIRE_LOCK, compile_descriptors, generate
from tools.wire_lock import broken_promises, parse_lock, reserved_names, wire_of


def test_committed_code_is_what_the_generator_makes(tmp_path: Path) -> None:
    made = generate(tmp_path)
    committed = sorted(
        path.relative_to(ROOT)
        for path in (ROOT / GENERATED).iterdir()
        if path.name != "__init__.py" and path.is_file()
    )
    stale = [
        path
        for path in made
        if path in committed and (ROOT / path).read_bytes() != (tmp_path / path).read_bytes()
    ]

    assert committed == made
    assert not stale, (
        f"run `make protos` (these were made with grpcio-tools {version('grpcio-tools')}): {stale}"
    )


def test_project_asks_for_a_runtime_that_the_generated_code_accepts() -> None:
    generated_for = re.search(
        r"Protobuf Python Version: (\S+)", (ROOT / GENERATED / "game_pb2.py").read_text()
    )
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]

    assert generated_for is not None
    assert any(line.startswith(f"protobuf>={generated_for[1]},") for line in dependencies), generated_for[1]


def test_descriptor_set_makes_messages_without_the_generated_code() -> None:
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString((ROOT / GENERATED / "arena.binpb").read_bytes()).file:
        pool.Add(file)
    ask_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("arena.v1.Ask"))
    ask = play_pb2.Ask(ask_id=7, hand=[game_pb2.CARD_SPADES_ACE, game_pb2.CARD_CLUBS_TWO])

    assert ask_class.FromString(ask.SerializeToString()).SerializeToString() == ask.SerializeToString()


def test_generated_modules_and_descriptor_set_hold_the_same_files() -> None:
    described = FileDescriptorSet.FromString((ROOT / GENERATED / "arena.binpb").read_bytes())
    modules = {
        module.DESCRIPTOR.name: module.DESCRIPTOR for module in (game_pb2, league_pb2, play_pb2, record_pb2)
    }

    assert {file.name for file in described.file if file.package == "arena.v1"} == set(modules)
    for file in described.file:
        if file.package == "arena.v1":
            assert [message.name for message in file.message_type] == list(
                modules[file.name].message_types_by_name
            )


def test_nothing_that_was_on_the_wire_has_changed() -> None:
    descriptors = compile_descriptors()
    lock = parse_lock(WIRE_LOCK.read_text())

    broken = broken_promises(lock, wire_of(descriptors), reserved=reserved_names(descriptors))

    assert not broken, "\n".join(broken)


def test_everything_on_the_wire_is_locked() -> None:
    new = set(wire_of(compile_descriptors())) - set(parse_lock(WIRE_LOCK.read_text()))

    assert not new, f"run `make protos`, which adds them to {WIRE_LOCK.name}: {sorted(new)}"
