"""Lesson 5: not knowing, many times over. Deals the unseen cards again and again as they may lie, plays every
deal out as `counting` would, and takes the card that came out best: as many deals as its time allows.

All of them are played in step, in numpy: a card is a bit, a hand is 64 bits, sixteen a suit.
"""

from __future__ import annotations

import math
import time
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.sdk import Bot, Card, Ruleset, Trick, View, run, score_tenths

Lanes = NDArray[np.uint64]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Splits = dict[tuple[int, ...], list[Counts]]
U = np.uint64
EACH = U(0x0001_0001_0001_0001)  # the lowest bit of each suit
FULL = U(0xFFFF)
DECK = U(0x7FFC) * EACH
SPADES = U(0x7FFC << 48)
PLAIN = DECK & ~SPADES
SUITS = [0x7FFC << 16 * suit for suit in range(4)]

THINK_S = 0.1
BATCH = 96
FEWEST, MOST = 192, 6000
OTHERS = 0.5  # a point that the others make costs half a point: who wins is told by the difference


class MonteCarlo(Bot):
    """Samples worlds that agree with everything seen, and plays them out."""

    name = "montecarlo"
    version = "1.0.0"

    def call(self, view: View) -> int:
        # It plays better than `counting`, whose hand values these are: a fifth of a trick a round.
        tricks = NormalDist(expected_tricks(view.hand) + 0.2, 0.85)
        return max(view.legal_calls, key=lambda call: expected_score(call, tricks, view.rules))

    def play(self, view: View) -> Card:
        choices = unlike(view)
        if len(choices) == 1:
            return choices[0]
        until = time.perf_counter() + min(THINK_S, 0.4 * view.time.limit_s)
        worlds = Worlds(view)
        points = np.zeros((len(choices), 0))
        weights = np.zeros(0)
        while points.shape[1] < MOST:
            hands, weight = worlds.sample(BATCH)
            points = np.hstack([points, play_out(view, choices, hands)])
            weights = np.concatenate([weights, weight])
            if points.shape[1] >= FEWEST and (is_clear(points, weights) or time.perf_counter() > until):
                break
            if time.perf_counter() > until:
                break
        return choices[int(np.argmax(points @ weights))]


def is_clear(points: Floats, weights: Floats) -> bool:
    """Whether the best choice leads every other by three standard errors, or they are all but level."""
    share = weights / weights.sum()
    mean = points @ share
    gap = points[int(mean.argmax())] - points
    lead = gap @ share
    error = np.sqrt(((gap - lead[:, None]) ** 2) @ share**2)
    return bool(np.all((lead > 3 * error) | (lead + 3 * error < 0.03)))


def unlike(view: View) -> list[Card]:
    """The legal cards, one of each run that nothing lies between: the rest would come out the same."""
    between = set(view.unseen) | set(view.trick)
    choices: list[Card] = []
    for card in view.legal_cards:
        last = choices[-1] if choices else None
        if last is None or last.suit is not card.suit or any(last < other < card for other in between):
            choices.append(card)
    return choices


# Which worlds agree with what was seen


def bits(cards: tuple[Card, ...]) -> int:
    """A hand as bits."""
    return sum(1 << card - 16 for card in cards)


def above(bit: int) -> int:
    """The cards of any suit that stand above this one, bit by bit."""
    return ~(2 * bit - 1) & 0xFFFF_FFFF_FFFF_FFFF


def seen(view: View) -> tuple[list[int], list[int]]:
    """By seat: cards that it cannot hold, and suits that it showed to be out of (as bits).

    Who does not follow is out of the suit. Who follows low where a higher card was due has none; who
    neither follows nor trumps has no spade that would have won.
    """
    cannot, void = [0] * 4, [0] * 4
    must_beat, forced = view.rules.follow == "must_beat", view.rules.undertrump == "forced"
    for trick in (*view.tricks, Trick(view.trick_leader, view.trick)):
        best = led = 0
        for turn, card in enumerate(trick.cards):
            seat, bit = (trick.leader + turn) % 4, 1 << card - 16
            suit = SUITS[card.suit - 1]
            if not turn:
                best, led = bit, suit
                continue
            beaters = above(best) & (next(s for s in SUITS if s & best) | SUITS[3])
            if suit != led:
                cannot[seat] |= led
                void[seat] |= led
            if not bit & beaters and (suit != led or must_beat):
                cannot[seat] |= beaters & (led if suit == led else SUITS[3])
            if forced and suit not in (led, SUITS[3]):
                cannot[seat] |= SUITS[3]
            best = bit if bit & beaters else best
    return cannot, void


def played_by(view: View, seat: int) -> int:
    """What a seat has played in this round, as bits."""
    tricks = (*view.tricks, Trick(view.trick_leader, view.trick))
    cards = [card for trick in tricks for i, card in enumerate(trick.cards) if (trick.leader + i) % 4 == seat]
    return bits(tuple(cards))


def splits(size: dict[tuple[int, ...], int], left: list[int]) -> tuple[Splits, Floats]:
    """How many cards of each group go to each of its holders: every way, and how likely it is.

    `size` has how many cards only these of three seats can hold, `left` how many each seat still has. A way
    is as likely as it has deals.
    """
    ab, ac, bc = size.get((0, 1), 0), size.get((0, 2), 0), size.get((1, 2), 0)
    free = [left[i] - size.get((i,), 0) for i in range(3)]
    a, b, c = (axis.ravel() for axis in np.meshgrid(*(np.arange(n + 1) for n in (ab, ac, bc)), indexing="ij"))
    rest = [free[0] - a - b, free[1] - (ab - a) - c, free[2] - (ac - b) - (bc - c)]
    ways = {(0, 1): [a, ab - a], (0, 2): [b, ac - b], (1, 2): [c, bc - c], (0, 1, 2): rest}
    is_possible = (rest[0] >= 0) & (rest[1] >= 0) & (rest[2] >= 0)
    ways = {key: [take[is_possible] for take in takes] for key, takes in ways.items()}
    log = np.array([math.lgamma(n + 1) for n in range(53)])
    unlikely = np.sum([log[take] for takes in ways.values() for take in takes], axis=0)
    chance = np.exp(unlikely.min() - unlikely)
    return ways, chance / chance.sum()


class Worlds:
    """All ways in which the unseen cards may lie, each as likely as it should be."""

    def __init__(self, view: View) -> None:
        self.rng = np.random.default_rng(view.random.getrandbits(64))
        self.view = view
        self.seats = [(view.seat + i) % 4 for i in (1, 2, 3)]
        cannot, _ = seen(view)
        has_played = [(seat - view.trick_leader) % 4 < len(view.trick) for seat in self.seats]
        left = [13 - len(view.tricks) - has for has in has_played]
        self.played = [played_by(view, seat) for seat in self.seats]
        self.groups: dict[tuple[int, ...], list[int]] = {}
        for card in view.unseen:
            holders = tuple(i for i, seat in enumerate(self.seats) if not cannot[seat] & 1 << card - 16)
            self.groups.setdefault(holders, []).append(1 << card - 16)
        self.splits, self.chance = splits({key: len(cards) for key, cards in self.groups.items()}, left)

    def sample(self, count: int) -> tuple[Lanes, Floats]:
        """Hands (four seats, `count` worlds), and how well each world explains what was called."""
        split = self.rng.choice(len(self.chance), size=count, p=self.chance)
        hands = np.zeros((4, count), U)
        hands[self.view.seat] = bits(self.view.hand)
        for holders, cards in self.groups.items():
            packed = np.array(cards, U)
            order = self.rng.random((count, len(cards))).argsort(axis=1)
            start = np.zeros(count, np.int64)
            for i, holder in enumerate(holders):
                takes = self.splits[holders][i][split] if len(holders) > 1 else np.full(count, len(cards))
                is_mine = (order >= start[:, None]) & (order < (start + takes)[:, None])
                hands[self.seats[holder]] |= np.where(is_mine, packed, U(0)).sum(axis=1, dtype=U)
                start = start + takes
        return hands, self._weights(hands)

    def _weights(self, hands: Lanes) -> Floats:
        weight = np.ones(hands.shape[1])
        for seat, played in zip(self.seats, self.played, strict=True):
            surprise = self.view.calls[seat] - (hand_values(hands[seat] | U(played)) - 0.6)
            weight *= 0.05 + 0.95 * np.exp(-0.5 * surprise**2)
        return weight


# Playing them out


def play_out(view: View, choices: list[Card], worlds: Lanes) -> Floats:
    """Points (choices by worlds) of each choice in each world, less what the others then make."""
    count, width = worlds.shape[1], len(choices)
    hands = np.repeat(worlds[:, None, :], width, axis=1).reshape(4, -1)
    card = np.repeat(np.array([1 << choice - 16 for choice in choices], U), count)
    _, void = seen(view)
    lanes = hands.shape[1]
    voids = np.repeat(np.array([[mask] for mask in void], U), lanes, axis=1)
    gone = np.full(lanes, DECK & ~U(bits(view.unseen)) & ~U(bits(view.hand)), U)
    won = np.repeat(np.array(view.tricks_won)[:, None], lanes, axis=1)
    begun = [np.full(lanes, 1 << one - 16, U) for one in view.trick]
    hands[view.seat] ^= card
    won = finish(hands, voids, gone | card, won, view.trick_leader, [*begun, card], view.rules)
    table = np.array(
        [[score_tenths(call, tricks, view.rules) / 10 for tricks in range(14)] for call in view.calls]
    )
    points = table[np.arange(4)[:, None], won]
    mine = points[view.seat]
    margin: Floats = mine - OTHERS * (points.sum(axis=0) - mine) / 3
    return margin.reshape(width, count)


def finish(
    hands: Lanes, voids: Lanes, gone: Lanes, won: Counts, leader: int, begun: list[Lanes], rules: Ruleset
) -> Counts:
    """Tricks won by seat once every lane is played out; everybody plays as `counting` does.

    `hands` and `voids` (suits that a seat showed to be out of) go by seat; `begun` is the trick in play.
    """
    turn = [(leader + i) % 4 for i in range(4)]
    hands, voids, won = hands[turn], voids[turn], won[turn]
    lane, four = np.arange(hands.shape[1]), np.arange(4)[:, None]
    first = np.full(hands.shape[1], leader)
    left = int(np.bitwise_count(hands[3, 0])) + (len(begun) == 4)
    for _ in range(left):
        wins = np.zeros(len(lane), np.int64)
        best = begun[0] if begun else lead(hands[0], gone, voids)
        led = suit_of(best)
        if not begun:
            hands[0] ^= best
            gone = gone | best
        for place in (1, 2, 3):
            beaters = ~(best | best - U(1)) & (suit_of(best) | SPADES)
            if place < len(begun):
                card = begun[place]
            else:
                legal = legal_cards(hands[place], led, beaters, rules)
                card = follow(hands[place], legal, gone, voids[place + 1 :], beaters)
                hands[place] ^= card
                gone = gone | card
            is_best = card & beaters != 0
            best, wins = np.where(is_best, card, best), np.where(is_best, place, wins)
            voids[place] |= np.where(card & led == 0, led, U(0))
        begun = []
        won[wins, lane] += 1
        turned = (wins + four) % 4
        hands, voids, won = hands[turned, lane], voids[turned, lane], won[turned, lane]
        first = (first + wins) % 4
    by_seat: Counts = won[(four - first) % 4, lane]
    return by_seat


def lead(hand: Lanes, gone: Lanes, voids: Lanes) -> Lanes:
    """A master safe from trumps, of the shortest suit; else the best of long spades; else the lowest card."""
    out = DECK & ~hand & ~gone
    masters = hand & ~smeared(out)
    sure = masters & ~trumped(out, voids[1:]) & PLAIN
    length = counts(hand)
    shortest, pick = np.full(len(hand), 99, U), np.zeros(len(hand), U)
    for suit in range(3):
        here = sure & U(SUITS[suit])
        own = (length >> U(16 * suit)) & FULL
        is_better = (here != 0) & (own < shortest)
        shortest, pick = np.where(is_better, own, shortest), np.where(is_better, lowest(here), pick)
    spades = np.where(length >> U(48) > 2, masters & SPADES, U(0))
    low = lowest_rank(np.where(hand & PLAIN != 0, hand & PLAIN, hand))
    return np.where(pick != 0, pick, np.where(spades != 0, highest(spades), low))


def follow(hand: Lanes, legal: Lanes, gone: Lanes, voids: Lanes, beaters: Lanes) -> Lanes:
    """The cheapest winner, a master where it should hold; if none wins, the card that is missed least."""
    winners = legal & beaters
    out = DECK & ~hand & ~gone
    masters = hand & ~smeared(out)
    card = cheapest(np.where(winners != 0, winners, legal), masters)
    if not len(voids):
        return card
    holds = winners & masters & ~trumped(out, voids) & PLAIN
    return np.where(holds != 0, lowest(holds), card)


def legal_cards(hand: Lanes, led: Lanes, beaters: Lanes, rules: Ruleset) -> Lanes:
    """What may be played to a trick, in every lane; `beaters` is all that would win it now."""
    in_suit, winning = hand & led, hand & beaters
    higher = in_suit & beaters
    has_suit = np.where(higher != 0, higher, in_suit) if rules.follow == "must_beat" else in_suit
    has_none = np.where(winning != 0, winning, hand)
    if rules.undertrump == "forced":
        has_none = np.where((winning == 0) & (hand & SPADES != 0), hand & SPADES, has_none)
    return np.where(in_suit != 0, has_suit, has_none)


def cheapest(cards: Lanes, masters: Lanes) -> Lanes:
    """Plain cards before spades, others before masters, low before high."""
    pick = cards
    for group in (SPADES & ~masters, PLAIN & masters, PLAIN & ~masters):
        pick = np.where(cards & group != 0, cards & group, pick)
    return lowest_rank(pick)


def trumped(out: Lanes, voids: Lanes) -> Lanes:
    """Suits (all bits of them) in which someone still to play may be out, and have a spade."""
    has_spade = (voids & SPADES == 0) & (out & SPADES != 0)
    able = has_spade.sum(axis=0).astype(U)
    known = np.bitwise_or.reduce(np.where(has_spade, voids, U(0)), axis=0)
    few = ~(counts(out) + (U(0x8000) - U(2) * able) * EACH) & U(0x8000) * EACH
    suits: Lanes = known | np.where(able > 0, (few >> U(15)) * FULL, U(0))
    return suits


def counts(cards: Lanes) -> Lanes:
    """How many cards of each suit, in the sixteen bits of that suit."""
    x = cards - (cards >> U(1) & U(0x5555) * EACH)
    x = (x & U(0x3333) * EACH) + (x >> U(2) & U(0x3333) * EACH)
    x = x + (x >> U(4)) & U(0x0F0F) * EACH
    in_suit: Lanes = x + (x >> U(8)) & U(0x00FF) * EACH
    return in_suit


def smeared(cards: Lanes) -> Lanes:
    """Every card of a suit that is not above its highest card in `cards`."""
    x = cards | cards >> U(1) & U(0x7FFF) * EACH
    x |= x >> U(2) & U(0x3FFF) * EACH
    x |= x >> U(4) & U(0x0FFF) * EACH
    x |= x >> U(8) & U(0x00FF) * EACH
    return x


def suit_of(card: Lanes) -> Lanes:
    """All bits of the suit of each card."""
    suit = np.where(card >= U(1 << 16), U(SUITS[1]), U(SUITS[0]))
    return np.where(card >= U(1 << 48), SPADES, np.where(card >= U(1 << 32), U(SUITS[2]), suit))


def lowest(cards: Lanes) -> Lanes:
    """The lowest bit."""
    return cards & (~cards + U(1))


def highest(cards: Lanes) -> Lanes:
    """The highest bit of spades."""
    x = smeared(cards)
    return x ^ x >> U(1) & U(0x7FFF) * EACH


def lowest_rank(cards: Lanes) -> Lanes:
    """The card of lowest rank; of those the one of the lowest suit."""
    ranks = (cards | cards >> U(16) | cards >> U(32) | cards >> U(48)) & FULL
    return lowest(cards & lowest(ranks) * EACH)


# What a hand is worth: as in `counting`

ACE = (0.0, 0.95, 1.0, 1.0, 1.0, 0.9, 0.8)
KING = (0.0, 0.0, 0.7, 0.7, 0.6, 0.35, 0.1)
QUEEN = (0.0, 0.0, 0.15, 0.3, 0.2, 0.1, 0.05)
SPADE = {14: 1.0, 13: 0.8, 12: 0.45, 11: 0.3, 10: 0.15}
LENGTH = (0.0, 0.0, 0.1, 0.6, 1.2, 1.8, 2.4, 3.1, 3.6, 4.2)
SHORT = (1.2, 0.75, 0.25)


def _plain_value(ranks: int) -> float:
    length = min(ranks.bit_count(), 6)
    return sum(worth[length] for worth, rank in ((ACE, 14), (KING, 13), (QUEEN, 12)) if ranks >> rank & 1)


def _spade_value(ranks: int) -> float:
    return (
        sum(worth for rank, worth in SPADE.items() if ranks >> rank & 1) + LENGTH[min(ranks.bit_count(), 9)]
    )


def _short(ranks: int) -> float:
    return SHORT[ranks.bit_count()] if ranks.bit_count() < 3 else 0.0


ALL_RANKS = range(0, 1 << 15, 4)
PLAIN_VALUE = np.array([_plain_value(ranks) for ranks in ALL_RANKS])
SPADE_VALUE = np.array([_spade_value(ranks) for ranks in ALL_RANKS])
SHORT_VALUE = np.array([_short(ranks) for ranks in ALL_RANKS])


def hand_values(hands: Lanes) -> Floats:
    """Expected tricks of many hands at once."""
    suits = [((hands >> U(16 * suit) & FULL) >> U(2)).astype(np.int64) for suit in range(4)]
    ruffs = np.minimum(np.bitwise_count(hands & SPADES), 3) / 3
    values: Floats = SPADE_VALUE[suits[3]]
    for suit in suits[:3]:
        values = values + PLAIN_VALUE[suit] + SHORT_VALUE[suit] * ruffs
    return values


def expected_tricks(hand: tuple[Card, ...]) -> float:
    """A guess at the tricks in a hand; it is off by 0.8 on average."""
    return float(hand_values(np.array([bits(hand)], U))[0])


def expected_score(call: int, tricks: NormalDist, rules: Ruleset) -> float:
    """Tenths of a point that the call is worth, over all numbers of tricks that may come of it."""
    chances = [tricks.cdf(won + 0.5) - tricks.cdf(won - 0.5) for won in range(14)]
    return sum(chance * score_tenths(call, won, rules) for won, chance in enumerate(chances))


if __name__ == "__main__":
    run(MonteCarlo())
