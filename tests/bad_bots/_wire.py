"""A bare client of the protocol for bots that misbehave: messages by hand, nothing checked."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from arena.v1 import play_pb2

PLAY = "/arena.v1.ArenaService/Play"
Answering = Callable[["Wire", play_pb2.Ask], None]


class Wire:
    """One Play stream. `send` takes messages or raw bytes."""

    def __init__(self) -> None:
        self.channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"])
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play: Any = self.channel.stream_stream(PLAY)
        self._stream = play(iter(self._out.get, None), wait_for_ready=True)

    def send(self, message: play_pb2.PlayRequest | bytes) -> None:
        self._out.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hello(self, **fields: object) -> None:
        said = {"protocol_min": 1, "protocol_max": 1, "name": "bad", "version": "1"} | fields
        self.send(play_pb2.PlayRequest(hello=play_pb2.Hello(**said)))  # type: ignore[arg-type]

    def ready(self, *match_ids: int) -> None:
        self.send(play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=match_ids)))

    def answer(self, *answers: play_pb2.Answer) -> None:
        self.send(play_pb2.PlayRequest(answers=play_pb2.Answers(answers=answers)))

    def close(self) -> None:
        """Ends the bot's side of the stream."""
        self._out.put(None)

    def responses(self) -> Iterator[play_pb2.PlayResponse]:
        """What the arena says, until it says Goodbye or ends the stream."""
        try:
            for payload in self._stream:
                response = play_pb2.PlayResponse.FromString(payload)
                yield response
                if response.HasField("goodbye"):
                    self.close()
        except grpc.RpcError:
            return

    def asks(self) -> Iterator[play_pb2.Ask]:
        """The asks; says Ready to every match."""
        for response in self.responses():
            for start in response.turn.match_starts:
                self.ready(start.match_id)
            yield from response.turn.asks


def proper(ask: play_pb2.Ask) -> play_pb2.Answer:
    """A legal answer."""
    if ask.decision == play_pb2.DECISION_CALL:
        return play_pb2.Answer(ask_id=ask.ask_id, call=ask.legal_calls[0])
    return play_pb2.Answer(ask_id=ask.ask_id, card=ask.legal_cards[0])


def is_call(ask: play_pb2.Ask) -> bool:
    """Whether a call is asked for."""
    return ask.decision == play_pb2.DECISION_CALL


def misbehave(answering: Answering, **hello: object) -> None:
    """A bot that does as it should but for its answers, which `answering` gives."""
    wire = Wire()
    wire.hello(**hello)
    for ask in wire.asks():
        answering(wire, ask)
