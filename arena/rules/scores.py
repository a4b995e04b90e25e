"""Owns what a round is worth and who came where; knows no card."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from arena.rules.rulesets import Ruleset, Success

__all__ = ["places", "score_tenths"]


def score_tenths(call: int, won: int, rules: Ruleset) -> int:
    """Tenths of a point for `call` tricks called and `won` won (RULES.md, Score)."""
    if not _is_made(call, won, rules):
        return -10 * call
    points = call
    if rules.bonus_call is not None and rules.bonus_points is not None and call >= rules.bonus_call:
        points = rules.bonus_points
    return 10 * points + rules.overtrick_tenths * (won - call)


def _is_made(call: int, won: int, rules: Ruleset) -> bool:
    if rules.success is Success.AT_LEAST:
        return won >= call
    return won in (call, call + 1)


def places(totals_tenths: Sequence[int], forfeited: AbstractSet[int] = frozenset()) -> list[int]:
    """Places by seat, from 1, as competition ranks (1, 1, 3, 4); forfeited seats share the last one.

    `forfeited` holds seats. Seats level on points share a place.
    """
    staying = [total for seat, total in enumerate(totals_tenths) if seat not in forfeited]
    return [
        1 + (len(staying) if seat in forfeited else sum(other > total for other in staying))
        for seat, total in enumerate(totals_tenths)
    ]
