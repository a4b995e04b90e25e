"""Owns how `arena/v1` and `proto/wire.lock` are made from `proto/arena/v1/*.proto`; knows protoc and files.

    python -m tools.generate_protos               # writes what is generated, adds what is new to the lock
    python -m tools.generate_protos --break-wire  # also rewrites the lock: only while nobody has built a bot

Besides the Python modules it writes `arena.binpb`, a serialized FileDescriptorSet with imports and without
source info: the SDK builds its messages from it at run time, so that bots may bring an older protobuf than
the one that the generated modules ask for.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

from tools.wire_lock import broken_promises, format_lock, parse_lock, reserved_names, wire_of

__all__ = ["GENERATED", "ROOT", "WIRE_LOCK", "compile_descriptors", "generate", "proto_files"]

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
GENERATED = Path("arena/v1")
WIRE_LOCK = PROTO / "wire.lock"
DESCRIPTORS = "arena.binpb"


def proto_files() -> list[str]:
    """Paths of our .proto files as protoc knows them, in a fixed order."""
    return sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))


def generate(into: Path) -> list[Path]:
    """Writes everything that is generated below `into`; returns the files' paths relative to it, sorted."""
    (into / GENERATED).mkdir(parents=True, exist_ok=True)
    _run_protoc(f"--python_out={into}", f"--pyi_out={into}")
    (into / GENERATED / DESCRIPTORS).write_bytes(compile_descriptors().SerializeToString(deterministic=True))
    return sorted(path.relative_to(into) for path in (into / GENERATED).iterdir() if _is_generated(path))


def compile_descriptors(*, with_comments: bool = False) -> FileDescriptorSet:
    """Descriptors of our files and of what they import; with their comments and positions if asked."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DESCRIPTORS
        options = ["--include_source_info"] if with_comments else []
        _run_protoc("--include_imports", f"--descriptor_set_out={path}", *options)
        return FileDescriptorSet.FromString(path.read_bytes())


def _run_protoc(*options: str) -> None:
    well_known = files("grpc_tools") / "_proto"
    status = protoc.main(["protoc", f"-I{PROTO}", f"-I{well_known}", *options, *proto_files()])
    if status != 0:
        raise SystemExit(f"protoc failed with status {status}: its messages are above")


def _is_generated(path: Path) -> bool:
    return path.name == DESCRIPTORS or path.name.endswith(("_pb2.py", "_pb2.pyi"))


def _update_lock(*, break_wire: bool) -> None:
    descriptors = compile_descriptors()
    wire = wire_of(descriptors)
    lock = {} if break_wire or not WIRE_LOCK.exists() else parse_lock(WIRE_LOCK.read_text())
    broken = broken_promises(lock, wire, reserved=reserved_names(descriptors))
    if broken:
        raise SystemExit("\n".join(broken))
    WIRE_LOCK.write_text(format_lock(wire | lock))


def _remove_stale(written: list[Path]) -> None:
    for path in (ROOT / GENERATED).iterdir():
        if _is_generated(path) and path.relative_to(ROOT) not in written:
            path.unlink()


def main() -> int:
    """Generates into the checkout; exit status 1 when the lock forbids it, before anything is written."""
    parser = argparse.ArgumentParser(description="Generates arena/v1 from proto/arena/v1.")
    parser.add_argument("--break-wire", action="store_true", help="rewrite the lock instead of adding to it")
    _update_lock(break_wire=parser.parse_args().break_wire)
    written = generate(ROOT)
    _remove_stale(written)
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
