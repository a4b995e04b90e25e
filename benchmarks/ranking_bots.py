"""Owns a field of simple rule bots that play Call Break by the default rules, thousands of rounds at a time.

The rules are written again here in numpy, one hand a 64-bit number (bit `card - 16`, as in
`arena.rules.cards`) and one array element a round; a test plays these rounds again through `arena.rules`.
Knows nothing of ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.results import SEATS, Results

__all__ = ["FIELD", "PlayedRounds", "RuleBot", "deal", "play", "play_rounds"]

Hands = NDArray[np.uint64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

ROUNDS: Final = 5
SUITS: Final = 4
SPADES: Final = 3
LANE: Final = 16
RANKS: Final = np.uint64(0x7FFC)
"""Ranks 2 to 14 of one suit, the suits lying side by side in lanes of 16 bits."""
EVERY_SUIT: Final = np.uint64(0x0001_0001_0001_0001)
ALL_SPADES: Final = RANKS << np.uint64(SPADES * LANE)
DECK: Final = np.array(
    [1 << (suit * LANE + rank) for suit in range(SUITS) for rank in range(2, 15)], dtype=np.uint64
)
NONE: Final = np.uint64(0)
ONE: Final = np.uint64(1)


@dataclass(frozen=True, slots=True)
class RuleBot:
    """What tells one rule bot from another: how it values a hand, and how it plays to its call.

    `apart` says it in words. Values are tricks. `blunders` is how often it plays any legal card instead of
    the one that it would.
    """

    name: str
    apart: str = ""
    king: float = 0.7
    queen: float = 0.35
    long_spade: float = 0.9
    ruff: float = 0.5
    daring: float = 0.3
    leads_spades: bool = False
    covers_high: bool = True
    ducks: bool = True
    blunders: float = 0.0


FIELD: Final = (
    RuleBot("leader", "leads its high spades", leads_spades=True),
    RuleBot("careful", "calls a little less", daring=0.15),
    RuleBot("sober", "counts little on queens", queen=0.1),
    RuleBot("plain", "nothing"),
    RuleBot("ruffer", "counts more on ruffs", ruff=0.8),
    RuleBot("daring", "calls a little more", daring=0.45),
    RuleBot("hasty", "blunders one card in ten", blunders=0.1),
    RuleBot("thrifty", "beats others as low as it can", covers_high=False),
)
"""Eight close bots, best first."""


@dataclass(frozen=True, slots=True, eq=False)
class PlayedRounds:
    """Calls, tricks and scores by seat [n, 4]; `leaders` [n, 13], `plays` [n, 13, 4] in order of play."""

    calls: Ints
    won: Ints
    scores_tenths: Ints
    leaders: Ints
    plays: Hands


def deal(rounds: int, rng: np.random.Generator) -> Hands:
    """Random deals, [rounds, 4] by seat."""
    cards = rng.permuted(np.broadcast_to(DECK, (rounds, len(DECK))), axis=1)
    hands: Hands = np.bitwise_or.reduce(cards.reshape(rounds, SEATS, -1), axis=2)
    return hands


def _totals(
    bots: Ints, hands: Hands, field: Sequence[RuleBot], rng: np.random.Generator, *, chunk: int = 4096
) -> Ints:
    """Totals [matches, 4] in tenths; `bots` [matches, 4] by seat, `hands` [matches, 5, 4]."""
    totals = np.zeros(bots.shape, dtype=np.int64)
    for first in range(0, len(bots), chunk):
        cut = slice(first, first + chunk)
        for number in range(ROUNDS):
            dealers = np.full(len(bots[cut]), (SEATS - 1 + number) % SEATS)
            totals[cut] += play_rounds(bots[cut], hands[cut, number], dealers, field, rng).scores_tenths
    return totals


def play(seats: Ints, set_ids: Ints, field: tuple[RuleBot, ...], rng: np.random.Generator) -> Results:
    """Results of matches with bots on `seats` [n, 4]; those of one `set_ids` [n] hold the same hands."""
    _, where = np.unique(set_ids, return_inverse=True)
    hands = deal((int(where.max()) + 1) * ROUNDS, rng).reshape(-1, ROUNDS, SEATS)
    totals = _totals(seats, hands[where], field, rng).astype(np.int32)
    ahead = (totals[:, None, :] > totals[:, :, None]).sum(axis=2)
    return Results(
        bots=tuple(bot.name for bot in field),
        seats=seats.astype(np.int32),
        places=(1 + ahead).astype(np.int8),
        total_tenths=totals,
        set_ids=set_ids.astype(np.int32),
        forfeited=np.zeros(totals.shape, dtype=np.bool_),
    )


def play_rounds(
    bots: Ints, hands: Hands, dealers: Ints, field: Sequence[RuleBot], rng: np.random.Generator
) -> PlayedRounds:
    """Plays one round in each row: `bots` and `hands` [n, 4] by seat, `dealers` [n]."""
    traits = _Traits.of(field)
    rows = np.arange(len(bots))
    held = hands.copy()
    calls = np.stack([_calls(hands[:, seat], traits, bots[:, seat]) for seat in range(SEATS)], axis=1)
    won = np.zeros(bots.shape, dtype=np.int64)
    seen = np.zeros(len(bots), dtype=np.uint64)
    leader = (dealers + 1) % SEATS
    leaders, plays = [], []
    for _ in range(13):
        leaders.append(leader)
        trick = _Trick.empty(len(bots))
        cards = []
        for turn in range(SEATS):
            seat = (leader + turn) % SEATS
            hand = held[rows, seat]
            legal = trick.legal(hand)
            needs = calls[rows, seat] > won[rows, seat]
            choice = _choose(hand, legal, trick, seen | hand, needs, turn, traits, bots[rows, seat])
            card = _blunder(choice, legal, traits.blunders[bots[rows, seat]], rng)
            held[rows, seat] = hand ^ card
            trick.add(card, seat)
            cards.append(card)
        for card in cards:
            seen |= card
        plays.append(np.stack(cards, axis=1))
        leader = trick.winner
        won[rows, leader] += 1
    scores = np.where(won >= calls, 10 * calls + (won - calls), -10 * calls)
    return PlayedRounds(calls, won, scores, np.stack(leaders, axis=1), np.stack(plays, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class _Traits:
    """The field's traits, one array a trait, indexed by bot."""

    king: NDArray[np.float64]
    queen: NDArray[np.float64]
    long_spade: NDArray[np.float64]
    ruff: NDArray[np.float64]
    daring: NDArray[np.float64]
    leads_spades: Flags
    covers_high: Flags
    ducks: Flags
    blunders: NDArray[np.float64]

    @classmethod
    def of(cls, field: Sequence[RuleBot]) -> _Traits:
        names = [trait.name for trait in fields(cls)]
        return cls(**{name: np.array([getattr(bot, name) for bot in field]) for name in names})


@dataclass(slots=True, eq=False)
class _Trick:
    """The tricks in play: the suit led as a mask, the best card so far and its seat."""

    led: Hands
    best: Hands
    winner: Ints

    @classmethod
    def empty(cls, rounds: int) -> _Trick:
        nothing = np.zeros(rounds, dtype=np.uint64)
        return cls(nothing, nothing.copy(), np.zeros(rounds, dtype=np.int64))

    def add(self, card: Hands, seat: Ints) -> None:
        if not self.led.any():
            self.led, self.best, self.winner = _suit_of(card), card, seat
            return
        wins = (card & self.beaters()) != 0
        self.best = np.where(wins, card, self.best)
        self.winner = np.where(wins, seat, self.winner)

    def beaters(self) -> Hands:
        """Every card that would beat the best so far."""
        higher = _above(self.best)
        return np.where((self.best & ALL_SPADES) != 0, higher, higher | ALL_SPADES)

    def legal(self, hand: Hands) -> Hands:
        if not self.led.any():
            return hand
        beating = hand & self.beaters()
        own = hand & self.led
        # In a trick that was trumped no card of the suit led beats the best, so nothing is demanded.
        own_beating = beating & self.led
        following = np.where(own_beating != 0, own_beating, own)
        void = np.where(beating != 0, beating, hand)
        return np.where(own != 0, following, void)


def _calls(hand: Hands, traits: _Traits, bots: Ints) -> Ints:
    value = traits.daring[bots].copy()
    spades = np.bitwise_count(hand & ALL_SPADES).astype(np.int64)
    for suit in range(SUITS):
        lane = (hand >> np.uint64(suit * LANE)) & RANKS
        length = np.bitwise_count(lane).astype(np.int64)
        value += _holds(lane, 14)
        value += traits.king[bots] * (_holds(lane, 13) & (length >= 2))
        value += traits.queen[bots] * (_holds(lane, 12) & (length >= 3))
        if suit != SPADES:
            value += traits.ruff[bots] * ((length < 2) & (spades >= 2))
    value += traits.long_spade[bots] * np.maximum(spades - 3, 0)
    return np.clip(np.floor(value).astype(np.int64), 1, 8)


def _holds(lane: Hands, rank: int) -> Flags:
    holds: Flags = (lane & np.uint64(1 << rank)) != 0
    return holds


def _choose(
    hand: Hands,
    legal: Hands,
    trick: _Trick,
    known: Hands,
    needs: Flags,
    turn: int,
    traits: _Traits,
    bots: Ints,
) -> Hands:
    """The card each bot would play, before blunders."""
    plain = legal & ~ALL_SPADES
    low = _lowest(np.where(plain != 0, plain, legal))
    if turn == 0:
        bosses = legal & ~_shadow(~known)
        bosses = np.where(traits.leads_spades[bots], bosses, bosses & ~ALL_SPADES)
        return np.where(needs & (bosses != 0), _highest(bosses), low)
    winning = legal & trick.beaters()
    losing = legal & ~winning
    cheap = (turn == SEATS - 1) | ~traits.covers_high[bots] | ((winning & trick.led) == 0)
    take = np.where(cheap, _lowest(winning), _highest(winning))
    shed = np.where(traits.ducks[bots], _highest(losing), _lowest(losing))
    unneeded = np.where(losing != 0, shed, take)
    return np.where(winning == 0, low, np.where(needs, take, unneeded))


def _blunder(choice: Hands, legal: Hands, rate: NDArray[np.float64], rng: np.random.Generator) -> Hands:
    """`choice`, but now and then any card of `legal`."""
    rows = np.flatnonzero(rng.random(len(rate)) < rate)
    card = choice.copy()
    if len(rows):
        rest = legal[rows]
        skips = (rng.random(len(rows)) * np.bitwise_count(rest)).astype(np.int64)
        for skipped in range(int(skips.max())):
            rest = np.where(skips > skipped, rest & (rest - ONE), rest)
        card[rows] = rest & (~rest + ONE)
    return card


def _suit_of(card: Hands) -> Hands:
    """All cards of the suit of `card`."""
    suits: Hands = np.zeros_like(card)
    for suit in range(SUITS):
        lane = RANKS << np.uint64(suit * LANE)
        suits |= np.where((card & lane) != 0, lane, NONE)
    return suits


def _above(card: Hands) -> Hands:
    """The cards of the same suit above `card`."""
    return _suit_of(card) & ~(card | (card - ONE))


def _shadow(cards: Hands) -> Hands:
    """Every card that one of `cards` of its suit beats, and `cards` themselves, as far as real cards go."""
    deck = RANKS * EVERY_SUIT
    shadow = cards & deck
    for step in (1, 2, 4, 8):
        below = np.uint64(0xFFFF >> step) * EVERY_SUIT
        shadow |= (shadow >> np.uint64(step)) & below
    return shadow & deck


def _lowest(cards: Hands) -> Hands:
    """The card of the lowest rank, clubs before diamonds, hearts and spades; nothing of nothing."""
    folded = (
        cards | (cards >> np.uint64(LANE)) | (cards >> np.uint64(2 * LANE)) | (cards >> np.uint64(3 * LANE))
    )
    folded &= np.uint64(0xFFFF)
    rank = folded & (~folded + ONE)
    same = cards & (rank * EVERY_SUIT)
    card: Hands = same & (~same + ONE)
    return card


def _highest(cards: Hands) -> Hands:
    """The card of the highest rank, clubs before diamonds, hearts and spades; nothing of nothing."""
    folded = (
        cards | (cards >> np.uint64(LANE)) | (cards >> np.uint64(2 * LANE)) | (cards >> np.uint64(3 * LANE))
    )
    folded &= np.uint64(0xFFFF)
    for step in (1, 2, 4, 8):
        folded |= folded >> np.uint64(step)
    rank = folded ^ (folded >> ONE)
    same = cards & (rank * EVERY_SUIT)
    card: Hands = same & (~same + ONE)
    return card
