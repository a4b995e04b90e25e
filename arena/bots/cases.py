"""Owns the hard cases that a bot is examined with: deals whose first trick puts it to the question.

Pure: cards in, deals out. Who asks and who judges is `arena.bots.interview`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from arena.rules import (
    FULL_DECK,
    Card,
    CardSet,
    IllegalCard,
    Round,
    Ruleset,
    Suit,
    card_list,
    card_set,
    cards,
)

__all__ = ["CASES", "Case", "CaseDeal", "deal_case"]

_TRIES = 500


@dataclass(frozen=True, slots=True)
class Case:
    """A first trick: what was played before the bot, what it holds, and what it surely does not hold.

    `voids` are suits of which the bot has no card, by letter; `others_void` those of whoever played the n-th
    card before it.
    """

    name: str
    played: str = ""
    holds: str = ""
    lacks: str = ""
    voids: str = ""
    others_void: tuple[str, ...] = ()


CASES = (
    Case("leads the first trick"),
    Case("must beat the card led", played="KH", holds="AH 4H"),
    Case("cannot beat the card led", played="AH", holds="KH 4H"),
    Case("must beat the best card of the suit, not the card led", played="5H JH", holds="QH TH"),
    Case("a discard is not the card to beat", played="5H AD", holds="QH TH", others_void=("", "HS")),
    Case("follows suit in a trumped trick", played="KH 2S", holds="AH 4H", others_void=("", "H")),
    Case("void, must trump", played="KH", holds="3S", voids="H"),
    Case("void, must overtrump", played="KH 9S", holds="JS 3S", voids="H", others_void=("", "H")),
    Case(
        "void, only lower spades",
        played="KH 9S",
        holds="3S 2S",
        lacks="TS JS QS KS AS",
        voids="H",
        others_void=("", "H"),
    ),
    Case("void, without a spade", played="KH", voids="HS"),
    Case("spades led, must beat", played="JS", holds="QS 2S"),
    Case("spades led, cannot beat", played="AS", holds="TS 2S"),
    Case("a hand that tempts to call nothing", holds="2C 3C 4C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S"),
    Case("a hand that tempts to call everything", holds="2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"),
)


@dataclass(frozen=True, slots=True)
class CaseDeal:
    """A deal for a case: four hands by seat, and what the seats before the bot play to the first trick.

    The bot sits on `seat`; seat 0 leads, as in the first round of every match.
    """

    hands: tuple[CardSet, ...]
    script: tuple[Card, ...]

    @property
    def seat(self) -> int:
        """Where the bot sits: right behind those whose cards are given."""
        return len(self.script)


def deal_case(case: Case, rules: Ruleset) -> CaseDeal:
    """Hands in which the case comes about; the same every time."""
    script = tuple(Card.parse(word) for word in case.played.split())
    for attempt in range(_TRIES):
        hands = _fill(case, script, random.Random(attempt))
        if hands is not None and _is_playable(hands, script, rules):
            return CaseDeal(hands, script)
    raise ValueError(f"no deal was found for the case {case.name!r} under {rules.name}")


def _fill(case: Case, script: Sequence[Card], chance: random.Random) -> tuple[CardSet, ...] | None:
    """Hands with what the case asks for, the rest dealt by chance; None when the last cards fit nowhere."""
    bot = len(script)
    hands = [card_set([card]) for card in script] + [0] * (4 - bot)
    barred = [_suits(letters) for letters in case.others_void] + [0] * (4 - len(case.others_void))
    hands[bot], barred[bot] = cards(case.holds), cards(case.lacks) | _suits(case.voids)
    rest = card_list(FULL_DECK & ~(hands[0] | hands[1] | hands[2] | hands[3]))
    chance.shuffle(rest)
    for card in rest:
        room = [seat for seat in range(4) if hands[seat].bit_count() < 13 and not barred[seat] & card.bit]
        if not room:
            return None
        hands[max(room, key=lambda seat: (barred[seat] != 0, -hands[seat].bit_count()))] |= card.bit
    return tuple(hands)


def _is_playable(hands: Sequence[CardSet], script: Sequence[Card], rules: Ruleset) -> bool:
    round_ = Round(hands, dealer=3, rules=rules)
    for _ in range(4):
        round_.call(rules.call_min)
    try:
        for card in script:
            round_.play(card)
    except IllegalCard:
        return False
    return True


def _suits(letters: str) -> CardSet:
    names = {"C": Suit.CLUBS, "D": Suit.DIAMONDS, "H": Suit.HEARTS, "S": Suit.SPADES}
    wanted = {names[letter] for letter in letters}
    return card_set(card for card in Card if card.suit in wanted)
