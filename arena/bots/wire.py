"""Owns the bytes of what is sent most, written without protobuf's Python objects: the same at a quarter of
the cost.

An Ask is built for every decision, so this is the arena's hottest path. The layout is protobuf's own wire
format; tests hold every byte against the generated classes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from arena.rules import FinishedRound, Match, Round, card_bytes

__all__ = ["AskWriter", "round_end_bytes", "round_end_field", "turn_bytes", "varint"]

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
_CALL_OF_SEAT = (b"\x18\x01", *(b"\x18\x01\x20%c" % seat for seat in (1, 2, 3)))
_PLAY_OF_SEAT = (b"\x18\x02", *(b"\x18\x02\x20%c" % seat for seat in (1, 2, 3)))
_HAND = tuple(b"\x3a%c" % number for number in range(14))
_LEGAL_CARDS = tuple(b"\x4a%c" % number for number in range(14))
_TRICK = (b"", *(b"\x6a%c" % number for number in range(1, 4)))
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


def _scores_field(tenths: Sequence[int]) -> bytes:
    body = b"".join(varint(number * 2 if number >= 0 else -number * 2 - 1) for number in tenths)
    return b"\x82\x01" + varint(len(body)) + body if body else b""


class AskWriter:
    """Writes the Asks of one match, each for the seat to decide.

    An Ask tells what `view_of(game)` shows and nothing else: a test compares the two. What the Asks of a
    round or of a trick have in common is written once. Cards, seats and counts are below 128, one byte each.
    """

    __slots__ = (
        "_before",
        "_dealt",
        "_game",
        "_legal_calls",
        "_limit",
        "_round",
        "_scores",
        "_so_far",
        "_trick",
    )

    def __init__(self, game: Match, *, limit_ns: int) -> None:
        self._game = game
        self._limit = _duration_field(_LIMIT, limit_ns)
        self._legal_calls = b"\x42" + _counted(range(game.rules.call_min, game.rules.call_max + 1))
        self._round: Round | None = None
        self._trick = -1
        self._dealt = self._scores = self._so_far = self._before = b""

    def ask(
        self,
        *,
        ask_id: int,
        wire_id: int,
        bank_left_ns: int,
        last_latency_ns: int,
        random_seed: int,
        replacements: bytes = b"",
    ) -> bytes:
        """The Ask, with `replacements` as fields that were written before.

        A negative `last_latency_ns` leaves the field out; it is told to a tenth of a millisecond.
        """
        now = self._game.round
        if now is not self._round:
            self._begin_round(now)
        if now.is_calling or now.decision >> 2 != self._trick:
            self._begin_trick(now)
        held, trick = now.hands[now.turn], now.trick
        hand = card_bytes(held)
        if now.is_calling:
            decision, legal = _CALL_OF_SEAT[now.turn], self._legal_calls
        else:
            cards = hand if now.legal == held else card_bytes(now.legal)
            decision, legal = _PLAY_OF_SEAT[now.turn], _LEGAL_CARDS[len(cards)] + cards
        return b"".join(
            (
                b"\x08",
                varint(ask_id),
                b"\x10",
                varint(wire_id),
                decision,
                self._dealt,
                _HAND[len(hand)],
                hand,
                legal,
                self._so_far,
                _TRICK[len(trick)],
                bytes(trick),
                self._before,
                _duration_field(_BANK_LEFT, bank_left_ns),
                b"" if last_latency_ns < 0 else _latency_field(last_latency_ns),
                replacements,
                b"\xa9\x01" + random_seed.to_bytes(8, "little") if random_seed else b"",
            )
        )

    def _begin_round(self, now: Round) -> None:
        game = self._game
        self._round, self._trick = now, -1
        self._dealt = b"\x28" + varint(game.round_number) + (b"\x30%c" % now.dealer if now.dealer else b"")
        self._scores = _scores_field(game.scores_tenths)

    def _begin_trick(self, now: Round) -> None:
        history, leaders = now.history, now.history_leaders
        self._trick = now.decision >> 2
        self._so_far = b"".join(
            (b"\x52\x04", bytes(now.calls), b"\x5a\x04", bytes(now.tricks_won), _LEADERS[now.trick_leader])
        )
        self._before = b"".join(
            (
                b"\x72" + _counted(history) if history else b"",
                b"\x7a" + _counted(leaders) if leaders else b"",
                self._scores,
                self._limit,
            )
        )


def _latency_field(ns: int) -> bytes:
    return _duration_field(_LAST_LATENCY, ns // _LATENCY_STEP_NS * _LATENCY_STEP_NS)


def _counted(numbers: Sequence[int]) -> bytes:
    return _BYTES[len(numbers)] + bytes(numbers)


def round_end_bytes(played: FinishedRound) -> bytes:
    """A `RoundEnd` without its match, which every seat knows by a number of its own."""
    scores = b"".join(
        varint(number * 2 if number >= 0 else -number * 2 - 1) for number in played.scores_tenths
    )
    return b"".join(
        (
            b"\x10",
            varint(played.round_number),
            b"\x1a" + _counted(played.calls),
            b"\x22" + _counted(played.tricks_won),
            b"\x2a" + varint(len(scores)) + scores,
            b"\x32" + _counted(played.plays),
            b"\x3a" + _counted(played.leaders),
        )
    )


def round_end_field(round_end: bytes, wire_id: int) -> bytes:
    """The field of a Turn that tells the end of a round of match `wire_id`."""
    match_id = b"\x08" + varint(wire_id)
    return b"\x0a" + varint(len(match_id) + len(round_end)) + match_id + round_end


def turn_bytes(turn: bytes, asks: Iterable[bytes]) -> bytes:
    """A `PlayResponse` with the Turn that `turn` begins (its other fields, serialized) and `asks` end."""
    parts = [turn]
    for ask in asks:
        parts += (_TURN_ASKS, varint(len(ask)), ask)
    body = b"".join(parts)
    return _RESPONSE_TURN + varint(len(body)) + body
