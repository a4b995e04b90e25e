"""Owns how the arena and its workers talk over pipes: a kind, a length, and that many bytes."""

from __future__ import annotations

import asyncio
import json
import struct
from enum import IntEnum
from typing import Any, BinaryIO

__all__ = ["Frame", "Kind", "pack", "pack_json", "read_frame", "read_frame_of"]

HEAD = struct.Struct(">BI")
LONGEST = 64 * 1024 * 1024

Frame = tuple["Kind", bytes]


class Kind(IntEnum):
    """What a frame holds."""

    SETUP = 1  # to a worker, once, first: JSON, see worker.WorkerSetup
    JOB = 2  # to a worker: JSON, the job's id and the positions of its matches
    STOP = 3  # to a worker: end the bots and exit; the end of the pipe says the same
    RECORD = 4  # from a worker: an arena.v1.MatchRecord
    DONE = 5  # from a worker: JSON, the job's id; every record of it came before
    NEWS = 6  # from a league's worker: JSON, see arena.league.worker


def pack(kind: Kind, body: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return HEAD.pack(kind, len(body)) + body


def pack_json(kind: Kind, document: Any) -> bytes:
    """The bytes of a frame that holds a JSON document."""
    return pack(kind, json.dumps(document).encode())


async def read_frame(reader: asyncio.StreamReader) -> Frame | None:
    """The next frame; None at the end of the pipe, also when it ends within a frame."""
    try:
        kind, length = _head_of(await reader.readexactly(HEAD.size))
        return kind, await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None


def read_frame_of(pipe: BinaryIO) -> Frame | None:
    """The next frame of a pipe, waited for; None as `read_frame` has it."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, length = _head_of(head)
    body = pipe.read(length)
    return None if len(body) < length else (kind, body)


def _head_of(head: bytes) -> tuple[Kind, int]:
    kind, length = HEAD.unpack(head)
    if length > LONGEST:
        raise ValueError(f"a frame of {length} bytes; the longest is {LONGEST}")
    return Kind(kind), length
