"""Owns a second, naive model of the rules, written from their text: lists of card text, no bits, no tables.

It must not know `arena.rules`: the two are compared. A card is `KH`; a trick is its cards in play order.
"""

from __future__ import annotations

RANKS = "23456789TJQKA"
SEATS = 4


def is_spade(card: str) -> bool:
    return card[1] == "S"


def rank(card: str) -> int:
    return RANKS.index(card[0])


def highest(cards: list[str]) -> str:
    best = cards[0]
    for card in cards:
        if rank(card) > rank(best):
            best = card
    return best


def of_suit(cards: list[str], suit: str) -> list[str]:
    return [card for card in cards if card[1] == suit]


def spades(cards: list[str]) -> list[str]:
    return [card for card in cards if is_spade(card)]


def may_play(hand: list[str], trick: list[str], *, follow: str, undertrump: str) -> list[str]:
    """The cards of `hand` that the rules let a seat play to `trick`."""
    if not trick:
        return hand  # "Any card may be led at any time; spades need no breaking."
    suit_led = trick[0][1]
    held = of_suit(hand, suit_led)
    if held:
        return may_follow_with(held, trick, follow=follow)
    return may_play_when_void(hand, trick, undertrump=undertrump)


def may_follow_with(held: list[str], trick: list[str], *, follow: str) -> list[str]:
    suit_led = trick[0][1]
    has_been_trumped = suit_led != "S" and len(spades(trick)) > 0
    if follow == "free" or has_been_trumped:
        return held
    to_beat = highest(of_suit(trick, suit_led))
    better = [card for card in held if rank(card) > rank(to_beat)]
    return better or held


def may_play_when_void(hand: list[str], trick: list[str], *, undertrump: str) -> list[str]:
    mine = spades(hand)
    theirs = spades(trick)
    winning = [card for card in mine if all(rank(card) > rank(other) for other in theirs)]
    if winning:
        return winning
    if mine and undertrump == "forced":
        return mine
    return hand


def winner(leader: int, trick: list[str]) -> int:
    """The seat that wins a trick, or is winning it."""
    trumps = spades(trick)
    best = highest(trumps) if trumps else highest(of_suit(trick, trick[0][1]))
    return (leader + trick.index(best)) % SEATS


def is_made(call: int, won: int, *, success: str) -> bool:
    if success == "at_least":
        return won >= call
    return won == call or won == call + 1


def score(
    call: int,
    won: int,
    *,
    success: str,
    overtrick_tenths: int,
    bonus_call: int | None,
    bonus_points: int | None,
) -> int:
    """Tenths of a point for one round."""
    if not is_made(call, won, success=success):
        return -10 * call
    overtricks = overtrick_tenths * (won - call)
    if bonus_call is not None and bonus_points is not None and call >= bonus_call:
        return 10 * bonus_points + overtricks
    return 10 * call + overtricks


def place(totals: list[int], seat: int) -> int:
    """Competition rank: one more than the number of seats that did better."""
    return 1 + len([total for total in totals if total > totals[seat]])
