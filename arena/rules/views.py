"""Owns what one seat may see of a match: the only way state leaves. No field can hold another hand."""

from __future__ import annotations

from dataclasses import dataclass

from arena.rules.cards import card_numbers
from arena.rules.matches import Match
from arena.rules.rulesets import Ruleset

__all__ = ["View", "view_of"]


@dataclass(slots=True)
class View:
    """One decision, with everything its seat may know. Cards are numbers, lists go by seat where not said.

    `hand` and `legal_cards` ascend by card number; `legal_cards` is empty when a call is due, `legal_calls`
    when a card is. `calls` holds 0 for not yet called. `trick` is the trick in play from `trick_leader`,
    `history` the finished tricks of the round, four cards each, from `history_leaders`. `scores_tenths` has
    four scores for each finished round.
    """

    seat: int
    round_number: int
    dealer: int
    rules: Ruleset
    hand: list[int]
    is_calling: bool
    legal_calls: list[int]
    legal_cards: list[int]
    calls: list[int]
    tricks_won: list[int]
    trick_leader: int
    trick: list[int]
    history: list[int]
    history_leaders: list[int]
    scores_tenths: list[int]


def view_of(match: Match) -> View:
    """The view of the seat to decide, sharing no list with the match; ValueError when no decision is due."""
    now = match.round
    seat = now.turn
    if seat < 0:
        raise ValueError("no decision is due: the round is over")
    hand = now.hands[seat]
    legal = now.legal
    numbers = card_numbers(hand)
    return View(
        seat,
        match.round_number,
        now.dealer,
        now.rules,
        numbers,
        now.is_calling,
        list(now.legal_calls),
        numbers[:] if legal == hand else card_numbers(legal),
        now.calls[:],
        now.tricks_won[:],
        now.trick_leader,
        now.trick[:],
        now.history[:],
        now.history_leaders[:],
        match.scores_tenths[:],
    )
