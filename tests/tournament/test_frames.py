"""Frames over a pipe: whole, or not at all."""

from __future__ import annotations

import asyncio

import pytest

from arena.tournament.frames import Frame, Kind, pack, pack_json, read_frame


async def frames_of(sent: bytes) -> list[Frame]:
    reader = asyncio.StreamReader()
    reader.feed_data(sent)
    reader.feed_eof()
    read = []
    while (frame := await read_frame(reader)) is not None:
        read.append(frame)
    return read


async def test_frames_come_out_as_they_went_in() -> None:
    sent = pack(Kind.RECORD, b"abc") + pack_json(Kind.DONE, {"job_id": "t1"}) + pack(Kind.STOP)

    assert await frames_of(sent) == [
        (Kind.RECORD, b"abc"),
        (Kind.DONE, b'{"job_id": "t1"}'),
        (Kind.STOP, b""),
    ]


@pytest.mark.parametrize("missing", range(1, 8))
async def test_frame_that_was_cut_off_is_the_end(missing: int) -> None:
    whole = pack(Kind.RECORD, b"abc")

    assert await frames_of(whole + whole[:-missing]) == [(Kind.RECORD, b"abc")]


async def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="99"):
        await frames_of(bytes([99, 0, 0, 0, 0]))
    with pytest.raises(ValueError, match="longest"):
        await frames_of(bytes([4, 255, 255, 255, 255]))
