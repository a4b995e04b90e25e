"""Owns a second check of a run, written from docs/results.md and docs/deals.md alone.

It imports nothing of the arena but the generated messages. Cards are text, hands are lists, nothing is fast.

    python tests/store/second_verifier.py results/spring
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from hashlib import sha256
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from arena.v1 import record_pb2

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
ORDERS = ("0123", "0132", "0213", "0321", "0231", "0312")
IMMEDIATE = (5, 6, 7, 8)  # CRASHED, NEVER_READY, VERSION, RESOURCE


class Wrong(Exception):
    """What does not follow."""


def expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Wrong(f"{what}: found {found}, expected {expected}")


def text_of(number: int) -> str:
    return RANKS[number % 16 - 2] + SUITS[number // 16 - 1]


# docs/deals.md


def below(n: int, prefix: bytes, state: list[int]) -> int:
    """State: index of the next word."""
    while True:
        counter, word = divmod(state[0], 8)
        state[0] += 1
        digest = sha256(prefix + counter.to_bytes(8, "big")).digest()
        number = int.from_bytes(digest[4 * word : 4 * word + 4], "big")
        if number < 2**32 // n * n:
            return number % n


def deal(seed: bytes, set_number: int, round_number: int, attempt: int) -> list[list[str]]:
    prefix = b"callbreak-arena deal 1\0" + seed + set_number.to_bytes(8, "big")
    prefix += round_number.to_bytes(4, "big") + attempt.to_bytes(4, "big")
    deck, state = list(DECK), [0]
    for i in range(51, 0, -1):
        j = below(i + 1, prefix, state)
        deck[i], deck[j] = deck[j], deck[i]
    return [deck[13 * seat : 13 * seat + 13] for seat in range(4)]


# RULES: who may play what, who wins, what it scores


def beats(card: str, other: str) -> bool:
    if card[1] == other[1]:
        return RANKS.index(card[0]) > RANKS.index(other[0])
    return card[1] == "S"


def best_of(trick: list[str]) -> str:
    best = trick[0]
    for card in trick[1:]:
        best = card if beats(card, best) else best
    return best


def legal(hand: list[str], trick: list[str], rules: dict[str, Any]) -> list[str]:
    if not trick:
        return hand
    led, best = trick[0][1], best_of(trick)
    follow = [card for card in hand if card[1] == led]
    if follow:
        is_trumped = best[1] != led
        higher = [card for card in follow if beats(card, best)]
        return higher if rules["follow"] == "must_beat" and higher and not is_trumped else follow
    spades = [card for card in hand if card[1] == "S"]
    winning = [card for card in spades if beats(card, best)]
    if winning:
        return winning
    return spades if rules["undertrump"] == "forced" and spades else hand


def score(call: int, won: int, rules: dict[str, Any]) -> int:
    most = 13 if rules["success"] == "at_least" else call + 1
    if not call <= won <= most:
        return -10 * call
    has_bonus = rules["bonus_call"] is not None and call >= rules["bonus_call"]
    base: int = rules["bonus_points"] if has_bonus else call
    overtrick: int = rules["overtrick_tenths"]
    return 10 * base + overtrick * (won - call)


def is_thrown_in(hand: list[str], rules: dict[str, Any]) -> bool:
    faces = [card for card in hand if card[0] in rules["redeal_face_ranks"]]
    return bool(rules["redeal"]) and (not faces or not any(card[1] == "S" for card in hand))


# docs/results.md: the schedule


def tables_of(plan: dict[str, Any]) -> list[list[int]]:
    options, count = plan["schedule"], len(plan["entrants"])
    if options["format"] == "paired":
        return [[0, 2, 3, 4], [1, 2, 3, 4]]
    hero = options["hero"] if options["format"] == "gauntlet" else None
    others = [entrant for entrant in range(count) if entrant != hero]
    first = [] if hero is None else [hero]
    if options["base_blocks"]:
        return [
            first + [others[(member + shift) % len(others)] for member in block]
            for block in options["base_blocks"]
            for shift in range(len(others))
        ]
    chosen = [first + list(rest) for rest in combinations(others, 4 - len(first))]
    return arranged(chosen, options["sets_per_table"] % 6 or 1)


def arranged(tables: list[list[int]], sets: int) -> list[list[int]]:
    counted: dict[tuple[int, int], int] = {}

    def pairs(table: list[int]) -> list[tuple[int, int]]:
        rings = [[table[int(i)] for i in order] for order in ORDERS[:sets]]
        return [(ring[i], ring[(i + 1) % 4]) for ring in rings for i in range(4)]

    def cost(table: list[int]) -> int:
        after = dict(counted)
        for pair in pairs(table):
            after[pair] = after.get(pair, 0) + 1
        return sum(times * times for times in after.values())

    out = []
    for table in tables:
        best = min(([table[0], *rest] for rest in permutations(table[1:])), key=cost)
        for pair in pairs(best):
            counted[pair] = counted.get(pair, 0) + 1
        out.append(best)
    return out


def place_of(plan: dict[str, Any], tables: list[list[int]], position: int) -> tuple[int, int, int]:
    """Table, sets that it has played before, and the set, of a position; `tables` are the planned ones."""
    place, planned = position // 4, len(tables) * plan["schedule"]["sets_per_table"]
    if place >= planned:
        return len(tables) + (place - planned) // 6, (place - planned) % 6, place
    turn, table = divmod(place, len(tables))
    return table, turn, turn if plan["schedule"]["format"] == "paired" else place


def seats_at(
    plan: dict[str, Any], tables: list[list[int]], added: list[list[int]], position: int
) -> tuple[str, int, list[str]]:
    """Id of the match, its set, and the bots by seat."""
    table, turn, set_number = place_of(plan, tables, position)
    rotation = position % 4
    seats = [""] * 4
    for i, index in enumerate(ORDERS[turn % 6]):
        seats[(i + rotation) % 4] = plan["entrants"][[*tables, *added][table][int(index)]]["name"]
    return f"t{table:03d}-s{set_number:05d}-r{rotation}", set_number, seats


# One match


def check_match(record: record_pb2.MatchRecord, plan: dict[str, Any], seed: bytes) -> None:
    rules, totals = plan["ruleset"], [0, 0, 0, 0]
    expect("rounds", len(record.rounds), rules["rounds"])
    for index, played in enumerate(record.rounds):
        scores = check_round(played, record.set, index + 1, rules, seed)
        totals = [total + new for total, new in zip(totals, scores, strict=True)]
    expect("totals", list(record.total_tenths), totals)
    lost = check_faults(record)
    order = [(seat in lost, 0 if seat in lost else -totals[seat]) for seat in range(4)]
    expect("places", list(record.places), [1 + sum(other < mine for other in order) for mine in order])


def check_round(
    played: record_pb2.RoundRecord, set_number: int, number: int, rules: dict[str, Any], seed: bytes
) -> list[int]:
    where = f"round {number}"
    attempt = len(played.redeals)
    for earlier in range(attempt):
        thrown = any(is_thrown_in(hand, rules) for hand in deal(seed, set_number, number, earlier))
        expect(f"{where}: deal {earlier} is thrown in", thrown, True)
    hands = deal(seed, set_number, number, attempt)
    expect(f"{where}: thrown in", any(is_thrown_in(hand, rules) for hand in hands), False)
    for seat in range(4):
        told = [text_of(card) for card in played.hands[13 * seat : 13 * seat + 13]]
        expect(f"{where}: hand of seat {seat}", sorted(told), sorted(hands[seat]))
    expect(f"{where}: dealer", played.dealer, (3 + number - 1) % 4)
    for call in played.calls:
        expect(f"{where}: call {call} is allowed", rules["call_min"] <= call <= rules["call_max"], True)
    won = play_out(where, played, hands, rules)
    expect(f"{where}: tricks won", list(played.tricks_won), won)
    scores = [score(call, tricks, rules) for call, tricks in zip(played.calls, won, strict=True)]
    expect(f"{where}: scores", list(played.score_tenths), scores)
    return scores


def play_out(
    where: str, played: record_pb2.RoundRecord, hands: list[list[str]], rules: dict[str, Any]
) -> list[int]:
    won, leader = [0, 0, 0, 0], (played.dealer + 1) % 4
    for number in range(13):
        expect(f"{where}, trick {number + 1}: leader", played.leaders[number], leader)
        trick: list[str] = []
        for turn, card in enumerate(map(text_of, played.plays[4 * number : 4 * number + 4])):
            hand = hands[(leader + turn) % 4]
            expect(f"{where}, trick {number + 1}: {card} is legal", card in legal(hand, trick, rules), True)
            hand.remove(card)
            trick.append(card)
        leader = (leader + trick.index(best_of(trick))) % 4
        won[leader] += 1
    return won


def check_faults(record: record_pb2.MatchRecord) -> set[int]:
    """Seats that are forfeited, from the faults alone."""
    strikes, lost = [0, 0, 0, 0], set()
    for fault in record.faults:
        expect("a fault of a seat that was forfeited before", fault.seat in lost, False)
        is_immediate = fault.forfeits and (fault.round == 0 or fault.kind in IMMEDIATE)
        strikes[fault.seat] += not is_immediate
        if is_immediate or strikes[fault.seat] >= record.strikes_allowed:
            lost.add(fault.seat)
        if fault.replaced_by:
            played = record.rounds[fault.round - 1]
            is_call = fault.decision < 4
            stands = str(played.calls[fault.seat]) if is_call else text_of(played.plays[fault.decision - 4])
            expect("a replaced decision", stands, fault.replaced_by)
    expect("strikes", [seat.strikes for seat in record.seats], strikes)
    expect("forfeited", {seat for seat in range(4) if record.seats[seat].forfeited}, lost)
    return lost


def verify(folder: Path) -> int:
    """Number of matches that follow from the plan and the seed; raises Wrong at the first that does not."""
    plan = json.loads((folder / "plan.json").read_text())
    text = plan["seed_text"]
    seed = bytes.fromhex(text) if len(text) == 64 else int(text).to_bytes(32, "big")
    told = sha256(b"callbreak-arena commitment 1\0" + seed).hexdigest()
    expect("seed commitment", plan["seed_commitment"], told)
    tables, checked = tables_of(plan), 0
    extra = folder / "added.json"
    added = [table for look in json.loads(extra.read_text()) for table in look] if extra.exists() else []
    with closing(sqlite3.connect(f"file:{folder / 'results.sqlite3'}?mode=ro", uri=True)) as database:
        rows = database.execute(
            "select position, match_id, record_sha256, record from matches join records using (position)"
        )
        for position, match_id, digest, blob in rows:
            record = record_pb2.MatchRecord.FromString(blob)
            try:
                expect("SHA-256 of the record", sha256(blob).digest(), digest)
                expect(
                    "id, set and seats",
                    (match_id, record.set, [s.bot for s in record.seats]),
                    seats_at(plan, tables, added, position),
                )
                expect("id in the record", record.match_id, match_id)
                check_match(record, plan, seed)
                kept = database.execute(
                    "select total_tenths, place, forfeited from match_seats where position = ? order by seat",
                    (position,),
                ).fetchall()
                seats = range(4)
                written = [
                    (record.total_tenths[s], record.places[s], record.seats[s].forfeited) for s in seats
                ]
                expect("match_seats", kept, written)
            except Wrong as trouble:
                raise Wrong(f"{match_id}: {trouble}") from None
            checked += 1
    return checked


if __name__ == "__main__":
    print(verify(Path(sys.argv[1])), "matches follow from the plan and the seed")
