"""Owns the promise that the pages in `docs/` say what is: generated ones are current."""

from __future__ import annotations

from tools.protocol_reference import PAGE, reference


def test_protocol_page_is_what_the_proto_comments_say() -> None:
    assert PAGE.read_text() == reference(), "run `make protos`"
