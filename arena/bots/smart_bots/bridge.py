"""Owns the bridge as a program: starts a Smart Bots server, dials the arena, carries words between them.

    python -m arena.bots.smart_bots.bridge -- COMMAND...

It runs where the bot runs, in the same sandbox: the server's port is on a loopback that only the two share.
Without a sandbox all bots share the machine's: a bot that can be told its port has `{port}` in its command.

The server is asked turn by turn, in order, however late it is, since it learns the game from its turns. One
that still owes an answer when the next match starts has hung: it is given up, and a fresh one plays on.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence

import grpc

from arena.bots.smart_bots.server import Server, ServerEnded
from arena.bots.smart_bots.words import Reply, answer_to, request_for
from arena.v1 import game_pb2, play_pb2

__all__ = ["main"]

_METHOD = "/arena.v1.ArenaService/Play"

Outbox = queue.SimpleQueue[play_pb2.PlayRequest | None]
"""What is to be sent; None ends it."""

Inbox = queue.SimpleQueue[play_pb2.PlayResponse | grpc.RpcError | None]
"""What the arena said; its error, or None, is the end."""


class Seat:
    """The server that sits here: asked by one thread, given up on by another that hears the arena go on."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._match_id = 0
        self._is_asked = self._is_given_up = False
        self._server = Server(command)
        self._server.wait_until_up()

    def hear(self, response: play_pb2.PlayResponse) -> None:
        """Notes which match the arena is at, or that it is done, as soon as it says so."""
        starts = response.turn.match_starts
        if not starts and not response.HasField("goodbye"):
            return
        with self._lock:
            self._match_id = starts[-1].match_id if starts else 0
            if self._is_asked:
                self._is_given_up = True
                self._server.give_up()

    def be_ready(self) -> None:
        """Returns when a server is up that owes no answer. Raises ServerEnded."""
        if self._is_given_up:
            self._server = Server(self._command)
            self._is_given_up = False
            self._server.wait_until_up()
            _say("the server owed an answer when the next match started: a fresh one plays on")

    def ask(self, ask: play_pb2.Ask, rules: game_pb2.Ruleset) -> Reply | None:
        """What the server says; None when the arena has gone on to another match. Raises ServerEnded."""
        with self._lock:
            if ask.match_id != self._match_id:
                return None
            self._is_asked = True
        try:
            reply = self._server.ask(*request_for(ask, rules))
        except ServerEnded:
            if not self._is_given_up:
                raise
            return None
        finally:
            with self._lock:
                self._is_asked = False
        return None if self._is_given_up else reply

    def end(self) -> None:
        """Ends the server."""
        self._server.end()


def main(arguments: Sequence[str]) -> int:
    """Plays until the arena says Goodbye. Status 2: started wrongly; 1: rejected, or one side went away."""
    address = os.environ.get("ARENA_ADDRESS", "")
    if not address or arguments[:1] != ["--"] or not arguments[1:]:
        return _said(2, "usage: ARENA_ADDRESS=... python -m arena.bots.smart_bots.bridge -- COMMAND...")
    try:
        seat = Seat(arguments[1:])
        try:
            return _play(address, os.environ.get("ARENA_TOKEN", ""), seat)
        finally:
            seat.end()
    except ServerEnded as problem:
        return _said(1, str(problem))
    except grpc.RpcError as error:
        return _said(1, f"the arena went away: {error}".splitlines()[0])


def _play(address: str, token: str, seat: Seat) -> int:
    outbox: Outbox = queue.SimpleQueue()
    outbox.put(_hello(token))
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        stream = channel.stream_stream(
            _METHOD,
            request_serializer=play_pb2.PlayRequest.SerializeToString,
            response_deserializer=play_pb2.PlayResponse.FromString,
        )(iter(outbox.get, None))
        try:
            return _converse(_heard(stream, seat), outbox, seat)
        finally:
            outbox.put(None)


def _heard(stream: Iterable[play_pb2.PlayResponse], seat: Seat) -> Iterator[play_pb2.PlayResponse]:
    """What the arena says, in order; `seat` hears it at once, whatever is being done here."""
    inbox: Inbox = queue.SimpleQueue()

    def listen() -> None:
        try:
            for response in stream:
                seat.hear(response)
                inbox.put(response)
            inbox.put(None)
        except grpc.RpcError as error:
            inbox.put(error)

    threading.Thread(target=listen, daemon=True).start()
    while (said := inbox.get()) is not None:
        if isinstance(said, grpc.RpcError):
            raise said
        yield said


def _converse(responses: Iterable[play_pb2.PlayResponse], outbox: Outbox, seat: Seat) -> int:
    rules: dict[int, game_pb2.Ruleset] = {}
    for response in responses:
        if response.HasField("goodbye"):
            return 0
        if response.HasField("rejection"):
            return _said(1, f"the arena rejects this bot: {response.rejection.reason}")
        for request in _replies(response.turn, rules, seat):
            outbox.put(request)
    return _said(1, "the arena ended the stream without a Goodbye")


def _hello(token: str) -> play_pb2.PlayRequest:
    """One match at a time, since a server is one seat; every turn, since it learns the tricks from them."""
    hello = play_pb2.Hello(
        protocol_min=1,
        protocol_max=1,
        name="smart-bots-bridge",
        version="1",
        max_parallel_matches=1,
        ask_forced_plays=True,
        token=token,
    )
    return play_pb2.PlayRequest(hello=hello)


def _replies(
    turn: play_pb2.Turn, rules: dict[int, game_pb2.Ruleset], seat: Seat
) -> Iterator[play_pb2.PlayRequest]:
    for ended in turn.match_ends:
        rules.pop(ended.match_id, None)
    if turn.match_starts:
        rules.update({start.match_id: start.ruleset for start in turn.match_starts})
        seat.be_ready()
        yield play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=[s.match_id for s in turn.match_starts]))
    for ask in turn.asks:
        reply = seat.ask(ask, rules[ask.match_id])
        if reply is not None:
            answer = answer_to(ask, reply, rules[ask.match_id])
            yield play_pb2.PlayRequest(answers=play_pb2.Answers(answers=[answer]))


def _said(status: int, line: str) -> int:
    _say(line)
    return status


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
