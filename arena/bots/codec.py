"""Owns the translation between the referee's values and the protocol's messages; it distrusts every reply.

Pure: bytes and values in, values and messages out. It knows no stream, process or clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from arena.bots.wire import AskWriter
from arena.referee.faults import FaultKind
from arena.referee.record import ruleset_message, time_control_message
from arena.referee.refereed import NOTE_LIMIT, RefereedMatch, Replaced
from arena.rules import PRESETS, Card
from arena.v1 import play_pb2

__all__ = [
    "MOST_PARALLEL_MATCHES",
    "PROTOCOL",
    "Greeting",
    "Malformed",
    "ask_of",
    "ask_writer",
    "greeting_of",
    "match_end_message",
    "match_start_message",
    "read_request",
    "settle",
    "shown_bytes",
]

PROTOCOL = 1
"""The version of the protocol that this arena speaks."""

MOST_PARALLEL_MATCHES = 1024
"""Matches that a bot plays at the same time, at most, whatever it promises."""

_SHOWN_BYTES = 32
_NAME_LIMIT = 100
_CARD_NUMBERS = frozenset(int(card) for card in Card)
_TEXT_OF = {int(card): str(card) for card in Card}


class Malformed(Exception):
    """Bytes or a message of a bot that cannot be read; the message says what was wrong with it."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """A Hello that was read: what the bot says of itself, within bounds."""

    name: str
    version: str
    protocol_min: int
    protocol_max: int
    rulesets: tuple[str, ...]
    max_parallel_matches: int
    ask_forced_plays: bool
    token: str

    def refusal(self, preset: str | None) -> str | None:
        """Why a bot that said this cannot play `preset` (None: whatever it knows), and what to change."""
        if not self.protocol_min <= PROTOCOL <= self.protocol_max:
            return (
                f"this arena speaks version {PROTOCOL} of the protocol and the bot said {self.protocol_min} "
                f"to {self.protocol_max}: set protocol_min and protocol_max so that {PROTOCOL} is among them"
            )
        if preset is not None and self.rulesets and preset not in self.rulesets:
            known = ", ".join(self.rulesets)
            return (
                f"ruleset {preset} is played here and the bot said it knows {known}: name it in "
                "Hello.rulesets, or leave that empty for all"
            )
        return None


def read_request(payload: bytes) -> play_pb2.PlayRequest:
    """The message in `payload`; raises Malformed when there is none."""
    try:
        return play_pb2.PlayRequest.FromString(payload)
    except DecodeError:
        raise Malformed(f"{len(payload)} bytes that are no PlayRequest: {shown_bytes(payload)}") from None


def shown_bytes(payload: bytes) -> str:
    """The first bytes of `payload` in hexadecimal, for a record."""
    cut = "..." if len(payload) > _SHOWN_BYTES else ""
    return payload[:_SHOWN_BYTES].hex() + cut


def greeting_of(hello: play_pb2.Hello) -> Greeting:
    """What a Hello says, cut to bounds."""
    return Greeting(
        name=hello.name[:_NAME_LIMIT],
        version=hello.version[:_NAME_LIMIT],
        protocol_min=hello.protocol_min,
        protocol_max=hello.protocol_max,
        rulesets=tuple(name[:_NAME_LIMIT] for name in hello.rulesets[: len(PRESETS) * 4]),
        max_parallel_matches=min(max(hello.max_parallel_matches, 1), MOST_PARALLEL_MATCHES),
        ask_forced_plays=hello.ask_forced_plays,
        token=hello.token,
    )


def match_start_message(match: RefereedMatch, seat: int, wire_id: int) -> play_pb2.MatchStart:
    """What `seat` is told before a match; `wire_id` is the match's number on that bot's stream."""
    setup = match.setup
    return play_pb2.MatchStart(
        match_id=wire_id,
        ruleset=ruleset_message(setup.rules),
        seat=seat,
        time_control=time_control_message(setup.time_control.limit_ns, setup.time_control.bank_ns),
    )


def ask_of(match: RefereedMatch, wire_id: int, ask_id: int, writer: AskWriter) -> bytes:
    """The decision that `match` waits for, as its seat may see it; `writer` is `ask_writer` of the match."""
    seat = match.seat
    told = match.replaced[seat]
    return writer.ask(
        ask_id=ask_id,
        wire_id=wire_id,
        bank_left_ns=match.bank_left_ns[seat],
        last_latency_ns=match.last_latency_ns[seat],
        random_seed=match.random_seed(),
        replacements=_told_in_ask(match, seat) if told else b"",
    )


def ask_writer(match: RefereedMatch) -> AskWriter:
    """Who writes the Asks of this match, one after the other."""
    return AskWriter(match.game, limit_ns=match.setup.time_control.limit_ns)


def match_end_message(match: RefereedMatch, seat: int, wire_id: int) -> play_pb2.MatchEnd:
    """What `seat` is told at the end of a match, or when it is forfeited and the match goes on without it."""
    return play_pb2.MatchEnd(
        match_id=wire_id,
        total_tenths=match.game.totals_tenths if match.is_over else (),
        places=match.places if match.is_over else (),
        faults=[fault.kind.value for fault in match.faults if fault.seat == seat],  # type: ignore[misc]
        forfeited=seat in match.forfeited,
        replacements=_take_replacements(match, seat),
    )


def settle(match: RefereedMatch, answer: play_pb2.Answer, took_ns: int) -> None:
    """Hands a bot's answer to the referee; what cannot be a decision is a MALFORMED fault."""
    card = answer.card
    if card in _CARD_NUMBERS:  # 0 where there is none, so the ordinary case is settled by one look
        match.play(card, took_ns=took_ns, note=answer.note)
        return
    kind = answer.WhichOneof("decision")
    if kind == "card":
        detail = f"card number {card} is no card"
        match.fail(FaultKind.MALFORMED, answer=str(card), detail=detail, took_ns=took_ns)
    elif kind == "call":
        match.call(answer.call, took_ns=took_ns, note=answer.note)
    else:
        why = answer.note[:NOTE_LIMIT]
        detail = "the answer holds neither a call nor a card" + (f": {why}" if why else "")
        match.fail(FaultKind.MALFORMED, answer="", detail=detail, took_ns=took_ns)


def _told_in_ask(match: RefereedMatch, seat: int) -> bytes:
    return play_pb2.Ask(replacements=_take_replacements(match, seat)).SerializeToString()


def _take_replacements(match: RefereedMatch, seat: int) -> Sequence[play_pb2.Replacement]:
    told, match.replaced[seat] = match.replaced[seat], []
    return [_replacement(one, match.setup.strikes_allowed) for one in told]


def _replacement(one: Replaced, strikes_allowed: int) -> play_pb2.Replacement:
    message = play_pb2.Replacement(
        kind=one.kind.value,  # type: ignore[arg-type]
        detail=one.detail,
        strikes=one.strikes,
        strikes_allowed=strikes_allowed,
    )
    if one.card:
        message.card = one.card  # type: ignore[assignment]
    else:
        message.call = one.call
    return message
