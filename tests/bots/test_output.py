"""What is kept of a bot's output is its first and its last, however much there was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bots.output import Excerpt, Output


@given(pieces=st.lists(st.binary(max_size=40)), head=st.integers(0, 30), tail=st.integers(1, 30))
def test_excerpt_is_the_whole_or_head_and_tail_around_the_count_left_out(
    pieces: list[bytes], head: int, tail: int
) -> None:
    excerpt = Excerpt(head_bytes=head, tail_bytes=tail)
    for piece in pieces:
        excerpt.feed(piece)
    whole = b"".join(pieces)

    left_out = len(whole) - head - tail
    expected = whole
    if left_out > 0:
        expected = whole[:head] + f"\n... {left_out} bytes left out ...\n".encode() + whole[-tail:]
    assert bytes(excerpt) == expected


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    os.close(write_end)


async def test_cut_takes_what_is_still_in_the_pipe(pipe: tuple[int, int]) -> None:
    output = Output(pipe[0])
    os.write(pipe[1], b"not read yet")

    assert output.cut("now") == b"not read yet"
    assert output.cut("again") == b""

    output.close()


async def test_peek_takes_nothing_away(pipe: tuple[int, int]) -> None:
    output = Output(pipe[0])
    os.write(pipe[1], b"here")

    assert output.peek() == b"here"
    assert output.cut("later") == b"here"

    output.close()


async def test_closing_twice_and_cutting_after_it_is_harmless(pipe: tuple[int, int]) -> None:
    output = Output(pipe[0])
    os.write(pipe[1], b"last words")

    output.close()
    output.close()

    assert output.cut("after the end") == b"last words"


async def test_log_that_cannot_be_written_is_told_and_ends_nothing(
    pipe: tuple[int, int], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    output = Output(pipe[0], log=tmp_path / "file" / "bot.log")
    os.write(pipe[1], b"text")

    assert output.cut("match") == b"text"
    assert output.log_failure is not None
    assert "bot.log: " in output.log_failure

    output.close()


async def test_log_of_one_process_is_bounded(pipe: tuple[int, int], tmp_path: Path) -> None:
    output = Output(pipe[0], log=tmp_path / "bot.log")
    for number in range(120):
        os.write(pipe[1], b"x" * 60_000)
        output.cut(str(number))

    assert (tmp_path / "bot.log").stat().st_size == 4 * 1024 * 1024

    output.close()
