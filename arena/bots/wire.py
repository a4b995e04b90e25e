"""Owns the bytes of an Ask, written without protobuf's Python objects: the same bytes at a quarter of the
cost.

An Ask is built for every decision, so this is the arena's hottest path. The layout is protobuf's own wire
format; a test holds every byte against the generated classes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from arena.rules import Match, card_numbers

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


_BYTES = tuple(bytes((number,)) for number in range(_BIG))
_LEADERS = (b"", b"\x60\x01", b"\x60\x02", b"\x60\x03")  # field 12, left out when it is 0
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


@functools.lru_cache(4096)
def _head(is_calling: bool, seat: int, round_number: int, dealer: int) -> bytes:
    decision = b"\x18\x01" if is_calling else b"\x18\x02"
    return b"".join(
        (
            decision,
            b"\x20" + varint(seat) if seat else b"",
            b"\x28" + varint(round_number),
            b"\x30" + varint(dealer) if dealer else b"",
        )
    )


def ask_bytes(
    game: Match,
    *,
    ask_id: int,
    wire_id: int,
    limit: bytes,
    bank_left_ns: int,
    last_latency_ns: int,
    random_seed: int,
    replacements: bytes = b"",
) -> bytes:
    """An `Ask` for the seat to decide; `limit` and `replacements` are fields that were written before.

    It tells what `view_of(game)` shows and nothing else: a test compares the two. A negative
    `last_latency_ns` leaves the field out; it is told to a tenth of a millisecond. Cards, seats and counts
    are below 128, one byte each.
    """
    now = game.round
    held, trick, history, leaders = now.hands[now.turn], now.trick, now.history, now.history_leaders
    hand = bytes(card_numbers(held))
    if now.is_calling:
        legal_tag, legal = b"\x42", bytes(now.legal_calls)
    else:
        legal_tag, legal = b"\x4a", hand if now.legal == held else bytes(card_numbers(now.legal))
    return b"".join(
        (
            b"\x08",
            varint(ask_id),
            b"\x10",
            varint(wire_id),
            _head(now.is_calling, now.turn, game.round_number, now.dealer),
            b"\x3a",
            _BYTES[len(hand)],
            hand,
            legal_tag,
            _BYTES[len(legal)],
            legal,
            b"\x52\x04",
            bytes(now.calls),
            b"\x5a\x04",
            bytes(now.tricks_won),
            _LEADERS[now.trick_leader],
            b"\x6a%c%b" % (len(trick), bytes(trick)) if trick else b"",
            b"\x72%c%b" % (len(history), bytes(history)) if history else b"",
            b"\x7a%c%b" % (len(leaders), bytes(leaders)) if leaders else b"",
            _scores_field(tuple(game.scores_tenths)) if game.scores_tenths else b"",
            limit,
            _duration_field(_BANK_LEFT, bank_left_ns),
            b"" if last_latency_ns < 0 else _latency_field(last_latency_ns),
            replacements,
            b"\xa9\x01" + random_seed.to_bytes(8, "little") if random_seed else b"",
        )
    )


def _latency_field(ns: int) -> bytes:
    return _duration_field(_LAST_LATENCY, ns // _LATENCY_STEP_NS * _LATENCY_STEP_NS)


def turn_bytes(turn: bytes, asks: Iterable[bytes]) -> bytes:
    """A `PlayResponse` with the Turn that `turn` begins (its other fields, serialized) and `asks` end."""
    parts = [turn]
    for ask in asks:
        parts += (_TURN_ASKS, varint(len(ask)), ask)
    body = b"".join(parts)
    return _RESPONSE_TURN + varint(len(body)) + body
