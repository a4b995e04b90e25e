"""Tries to open a second stream; the first goes on."""

from __future__ import annotations

import os
from typing import Any

import grpc
from _wire import PLAY, Wire, misbehave, proper

from arena.v1 import play_pb2


def answer(wire: Wire, ask: play_pb2.Ask) -> None:
    if ask.ask_id == 2:
        other = grpc.insecure_channel(os.environ["ARENA_ADDRESS"], (("grpc.use_local_subchannel_pool", 1),))
        hello = play_pb2.PlayRequest(hello=play_pb2.Hello(protocol_min=1, protocol_max=1))
        try:
            play: Any = other.stream_stream(PLAY)
            next(play(iter([hello.SerializeToString()]), timeout=1))
            print("the second stream was accepted")
        except grpc.RpcError as refusal:
            print("the second stream was refused:", refusal.code().name)
    wire.answer(proper(ask))


misbehave(answer)
