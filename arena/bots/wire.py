"""Owns the bytes of an Ask, written without protobuf's Python objects: the same bytes at a quarter of the
cost.

An Ask is built for every decision, so this is the arena's hottest path. The layout is protobuf's own wire
format; a test holds every byte against the generated classes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from arena.rules import View

__all__ = ["ask_bytes", "duration_field", "turn_bytes"]

_BIG = 0x80
_LATENCY_STEP_NS = 100_000
_LIMIT, _BANK_LEFT, _LAST_LATENCY = b"\x8a\x01", b"\x92\x01", b"\x9a\x01"  # fields 17 to 19, length-delimited
_TURN_ASKS, _RESPONSE_TURN = b"\x22", b"\x1a"


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= _BIG:
        out.append(number & 0x7F | _BIG)
        number >>= 7
    out.append(number)
    return bytes(out)


_VARINTS = tuple(_varint(number) for number in range(1 << 14))


def varint(number: int) -> bytes:
    """An unsigned number as protobuf writes it."""
    if number < 1 << 14:
        return _VARINTS[number]
    if number < 1 << 28:
        low, high = number & 0x3FFF, number >> 14
        return bytes((low & 0x7F | _BIG, low >> 7 | _BIG)) + _VARINTS[high]
    return _varint(number)


@functools.lru_cache(4096)
def _duration_field(tag: bytes, ns: int) -> bytes:
    seconds, nanos = divmod(ns, 1_000_000_000)
    body = (b"\x08" + varint(seconds) if seconds else b"") + (b"\x10" + varint(nanos) if nanos else b"")
    return tag + bytes((len(body),)) + body


def duration_field(ns: int) -> bytes:
    """The field `limit` of an Ask, which is the same in a whole match."""
    return _duration_field(_LIMIT, ns)


@functools.lru_cache(4096)
def _scores_field(tenths: tuple[int, ...]) -> bytes:
    body = b"".join(varint(number * 2 if number >= 0 else -number * 2 - 1) for number in tenths)
    return b"\x82\x01" + varint(len(body)) + body


def ask_bytes(
    view: View,
    *,
    ask_id: int,
    wire_id: int,
    limit: bytes,
    bank_left_ns: int,
    last_latency_ns: int,
    random_seed: int,
    replacements: bytes = b"",
) -> bytes:
    """An `Ask` for `view`; `limit` and `replacements` are fields that were written before.

    A negative `last_latency_ns` leaves the field out; it is told to a tenth of a millisecond. Cards, seats
    and counts are below 128, one byte each.
    """
    parts = [b"\x08", varint(ask_id), b"\x10", varint(wire_id)]
    add = parts.append
    add(b"\x18\x01" if view.is_calling else b"\x18\x02")
    if view.seat:
        add(bytes((0x20, view.seat)))
    add(b"\x28" + varint(view.round_number))
    if view.dealer:
        add(bytes((0x30, view.dealer)))
    add(bytes((0x3A, len(view.hand), *view.hand)))
    if view.is_calling:
        add(bytes((0x42, len(view.legal_calls), *view.legal_calls)))
    else:
        add(bytes((0x4A, len(view.legal_cards), *view.legal_cards)))
    add(bytes((0x52, 4, *view.calls, 0x5A, 4, *view.tricks_won)))
    if view.trick_leader:
        add(bytes((0x60, view.trick_leader)))
    if view.trick:
        add(bytes((0x6A, len(view.trick), *view.trick)))
    if view.history:
        leaders = view.history_leaders
        add(bytes((0x72, len(view.history), *view.history, 0x7A, len(leaders), *leaders)))
    if view.scores_tenths:
        add(_scores_field(tuple(view.scores_tenths)))
    add(limit)
    add(_duration_field(_BANK_LEFT, bank_left_ns))
    if last_latency_ns >= 0:
        add(_duration_field(_LAST_LATENCY, last_latency_ns // _LATENCY_STEP_NS * _LATENCY_STEP_NS))
    add(replacements)
    if random_seed:
        add(b"\xa9\x01" + random_seed.to_bytes(8, "little"))
    return b"".join(parts)


def turn_bytes(turn: bytes, asks: Iterable[bytes]) -> bytes:
    """A `PlayResponse` with the Turn that `turn` begins (its other fields, serialized) and `asks` end."""
    parts = [turn]
    for ask in asks:
        parts += (_TURN_ASKS, varint(len(ask)), ask)
    body = b"".join(parts)
    return _RESPONSE_TURN + varint(len(body)) + body
