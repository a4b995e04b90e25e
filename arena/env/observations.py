"""Owns how a match, or a batch of them, becomes observations; the columns are those of `arena.env.layout`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.env.actions import ACTION_OF_CARD, CARDS, card_row
from arena.env.card_sets import CardSets, card_columns
from arena.env.layout import rows_of
from arena.env.match_batch import MatchBatch
from arena.env.round_batch import RoundBatch
from arena.rules.matches import Match

__all__ = ["observation_of", "observations_of"]

_ONE: Final = np.uint64(1)
_FIRST_CARD: Final = np.uint64(16)


def observation_of(match: Match, seat: int) -> NDArray[np.int8]:
    """What `seat` may see of a match, whether or not it is to decide: shape (OBSERVATION_SIZE,)."""
    now = match.round
    totals = _from(seat, match.totals_tenths)
    values: dict[str, ArrayLike] = {
        "hand": card_row(now.hands[seat]),
        "trick": _card_columns_by_seat(now.trick, [now.trick_leader], seat),
        "played": _card_columns_by_seat(now.history, now.history_leaders, seat),
        "trick_number": _trick_numbers(now.history),
        "trick_leader": _one_hot(now.trick_leader - seat),
        "dealer": _one_hot(now.dealer - seat),
        "calls": _from(seat, now.calls),
        "tricks_won": _from(seat, now.tricks_won),
        "points": [int(total / 10) for total in totals],
        "tenths": [total - 10 * int(total / 10) for total in totals],
        "round_number": match.round_number,
        "rounds_left": match.rules.rounds - match.round_number,
        "is_calling": now.is_calling,
    }
    return rows_of(values, size=1).reshape(-1)


def _card_columns_by_seat(played: Sequence[int], leaders: Sequence[int], seat: int) -> NDArray[np.int8]:
    columns = np.zeros(4 * CARDS, np.int8)
    players = [(leaders[i // 4] + i - seat) % 4 for i in range(len(played))]
    actions = ACTION_OF_CARD[list(played)].tolist()
    columns[[CARDS * player + action for player, action in zip(players, actions, strict=True)]] = 1
    return columns


def _trick_numbers(history: Sequence[int]) -> NDArray[np.int8]:
    numbers = np.zeros(CARDS, np.int8)
    numbers[ACTION_OF_CARD[list(history)]] = np.arange(len(history)) // 4 + 1
    return numbers


def _one_hot(relative_seat: int) -> NDArray[np.int8]:
    columns = np.zeros(4, np.int8)
    columns[relative_seat % 4] = 1
    return columns


def _from(seat: int, by_seat: list[int]) -> list[int]:
    return by_seat[seat:] + by_seat[:seat]


def observations_of(matches: MatchBatch) -> NDArray[np.int8]:
    """What the seats to decide may see, one a match: shape (size, OBSERVATION_SIZE)."""
    now = matches.round
    on_table = _tricks_from_turn(now)
    gone = now.from_turn(now.dealt ^ now.hands) ^ on_table
    totals = now.from_turn(matches.totals_tenths)
    points = np.abs(totals) // 10 * np.sign(totals)
    relative_seats = np.arange(4, dtype=np.uint8)
    values: dict[str, ArrayLike] = {
        "hand": card_columns(now.hands_to_decide),
        "trick": card_columns(on_table.T).reshape(now.size, -1),
        "played": card_columns(gone.T).reshape(now.size, -1),
        "trick_number": _trick_numbers_of(now),
        "trick_leader": relative_seats == -now.decision % 4,
        "dealer": relative_seats == ((now.dealer - now.turn) & 3)[:, None],
        "calls": now.from_turn(now.calls).T,
        "tricks_won": now.from_turn(now.tricks_won).T,
        "points": points.T,
        "tenths": (totals - 10 * points).T,
        "round_number": matches.round_number,
        "rounds_left": matches.rules.rounds - matches.round_number,
        "is_calling": now.is_calling,
    }
    return rows_of(values, size=matches.size)


def _tricks_from_turn(now: RoundBatch) -> CardSets:
    """The card of each relative seat in the trick in play, as a set of one or none: shape (4, size)."""
    on_table = np.zeros((4, now.size), np.uint64)
    fallen = now.cards_in_trick
    first = now.decision - 4 - fallen
    for i in range(fallen):
        on_table[(i - fallen) % 4] = _ONE << (now.plays[first + i] - _FIRST_CARD)
    return on_table


def _trick_numbers_of(now: RoundBatch) -> NDArray[np.int8]:
    numbers = np.zeros((now.size, CARDS), np.int8)
    finished = max(0, now.decision - 4) // 4 * 4
    actions = ACTION_OF_CARD[now.plays[:finished]]
    numbers[np.arange(now.size), actions] = np.arange(finished)[:, None] // 4 + 1
    return numbers
