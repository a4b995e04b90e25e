"""A Smart Bots server as such bots are: global state, reset by /bid; told by its arguments how to misbehave.

    python server.py PORT [MANNER]

It is strict: a request that breaks the protocol gets status 500 and a word about it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

RANKS = "23456789TJQK1"
SUITS = "SHCD"
MANNER = sys.argv[2] if len(sys.argv) > 2 else "well"
LATE_S = 3.0
hand: list[str] = []  # as it was at the last /bid, less what was played since
seen: dict[str, int] = {"hi": 0}


class Unexpected(Exception):
    """The request is not what the protocol says."""


def expect(is_so: bool, what: str) -> None:
    if not is_so:
        raise Unexpected(what)


def order(card: str) -> tuple[int, int]:
    return SUITS.index(card[1]), -RANKS.index(card[0])


def check(body: dict[str, Any], *, is_play: bool) -> None:
    ids, cards = body["playerIds"], body["cards"]
    expect(body["playerId"] in ids and len(set(ids)) == 4, f"playerIds {ids}")
    expect(isinstance(body["timeBudget"], int) and body["timeBudget"] > 0, f"timeBudget {body['timeBudget']}")
    expect(all(len(card) == 2 and card[0] in RANKS and card[1] in SUITS for card in cards), f"cards {cards}")
    expect(cards == sorted(cards, key=order), f"cards in disorder {cards}")
    expect(set(body["context"]["players"]) == set(ids), "players")
    expect(is_play == ("history" in body) == ("played" in body), "fields")


def bid(body: dict[str, Any]) -> object:
    check(body, is_play=False)
    expect(not hand, f"a second /bid in a round, with {hand} in hand")
    expect(len(body["cards"]) == 13, f"{len(body['cards'])} cards at /bid")
    hand[:] = body["cards"]
    answers: dict[str, object] = {"wrong type": "3", "bids nought": 0, "bids minus one": -1}
    return answers.get(MANNER, 1)


def play(body: dict[str, Any]) -> object:
    check(body, is_play=True)
    if MANNER == "forgets":
        return hand[0]  # the same card each time: it is soon no longer there
    if MANNER == "late once":
        if len(body["cards"]) == 13:
            time.sleep(LATE_S)
        hand[:] = body["cards"]  # what was played instead is gone
    if MANNER == "hangs at the last card" and len(hand) == 1:
        time.sleep(600)
    expect(body["cards"] == hand, f"cards {body['cards']} where {hand} are held: a turn was not asked")
    me = body["playerIds"].index(body["playerId"])
    expect(len(body["history"]) == 13 - len(hand), "history")
    for leader, cards, winner in body["history"]:
        expect(best(cards) == (winner - leader) % 4, f"winner {winner} of {cards} led by {leader}")
    last_winner = body["history"][-1][2] if body["history"] else None
    expect(last_winner is None or (last_winner + len(body["played"])) % 4 == me, "whose turn")
    card = legal(hand, body["played"])[-1]
    hand.remove(card)
    return {"unknown card": "AS", "a number": 12}.get(MANNER, card)


def best(cards: list[str]) -> int:
    led = cards[0][1]
    return max(range(len(cards)), key=lambda i: (cards[i][1] == "S", cards[i][1] == led, -order(cards[i])[1]))


def legal(cards: list[str], trick: list[str]) -> list[str]:
    if not trick:
        return cards
    led, winner = trick[0][1], trick[best(trick)]
    same = [card for card in cards if card[1] == led]
    if same:
        beating = [card for card in same if winner[1] == led and best([*trick, card]) == len(trick)]
        return beating or same
    return [card for card in cards if card[1] == "S" and best([*trick, card]) == len(trick)] or cards


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        seen["hi"] += 1
        is_up = self.path == "/hi" and MANNER != "never up" and seen["hi"] > 2
        self.say(200 if is_up else 503, {"value": "hello"})

    def do_POST(self) -> None:
        if MANNER == "dies" and self.path == "/play":
            print("out of luck", flush=True)
            os._exit(3)
        if MANNER == "hangs up" and self.path == "/play":
            return
        try:
            expect(self.headers["Content-Type"] == "application/json", "Content-Type")
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            value = {"/bid": bid, "/play": play}[self.path](body)
            expect(MANNER != "fails", "no idea\nand more of it")
        except Unexpected as problem:
            self.say(500, str(problem))
        else:
            self.say(200, "certainly" if MANNER == "talks" else {"value": value})

    def say(self, status: int, document: object) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as its base has it
        pass


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
