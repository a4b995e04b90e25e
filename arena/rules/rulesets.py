"""Owns the parameterised rules: every field, what it may be, and the presets; knows no card and no play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from arena.errors import ArenaError

__all__ = [
    "ALIASES",
    "CALLBREAK",
    "CHOICES",
    "KEYS",
    "MAY_BE_NONE",
    "PRESETS",
    "RANGES",
    "RULE_MEANINGS",
    "Follow",
    "Ruleset",
    "RulesetError",
    "Success",
    "Undertrump",
    "refusal",
    "rule_text",
]

FACE_RANKS: Final = "JQKA"
HIGHEST_CALL: Final = 13


class RulesetError(ArenaError):
    """Rules that do not exist or that contradict each other; one line, with what is allowed."""


class Follow(StrEnum):
    """What a seat must play that holds the suit led."""

    MUST_BEAT = "must_beat"
    FREE = "free"


class Undertrump(StrEnum):
    """What a seat must play that is void in the suit led and holds only spades too low to win."""

    FREE = "free"
    FORCED = "forced"


class Success(StrEnum):
    """Which numbers of tricks make a call."""

    AT_LEAST = "at_least"
    EXACT_OR_ONE_OVER = "exact_or_one_over"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a match, every field of them; RulesetError for values that make no game."""

    name: str
    call_min: int
    call_max: int
    follow: Follow
    undertrump: Undertrump
    success: Success
    overtrick_tenths: int
    bonus_call: int | None
    bonus_points: int | None
    rounds: int
    redeal: bool
    redeal_face_ranks: str

    def __post_init__(self) -> None:
        _check_fields(self)
        _check_contradictions(self)
        in_order = "".join(rank for rank in FACE_RANKS if rank in self.redeal_face_ranks)
        object.__setattr__(self, "redeal_face_ranks", in_order)


RULE_MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "the preset, with every difference from it",
        "call_min": "lowest number of tricks that may be called",
        "call_max": "highest number of tricks that may be called",
        "follow": "holding the suit led: must_beat its best card in the trick if you can, or free",
        "undertrump": "void, its spades too low to win: free to play any card, or forced to play a spade",
        "success": "a call is made with at_least as many tricks, or with exact_or_one_over",
        "overtrick_tenths": "tenths of a point for each trick above a call that was made",
        "bonus_call": "a call of at least this many tricks, if made, scores bonus_points; or none",
        "bonus_points": "whole points that such a call scores instead of itself; or none",
        "rounds": "rounds in a match",
        "redeal": "whether a deal is thrown in when a hand has no spade or no face card: on or off",
        "redeal_face_ranks": "ranks that count as face cards for redeal, some of JQKA",
    }
)
"""What each field of a Ruleset means, in one line."""

RANGES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "call_min": (1, HIGHEST_CALL),
        "call_max": (1, HIGHEST_CALL),
        "overtrick_tenths": (0, 1000),
        "bonus_call": (1, HIGHEST_CALL),
        "bonus_points": (0, 1000),
        "rounds": (1, 1000),
    }
)
"""Lowest and highest value of each field that is a number."""

CHOICES: Final[Mapping[str, type[Follow] | type[Undertrump] | type[Success]]] = MappingProxyType(
    {"follow": Follow, "undertrump": Undertrump, "success": Success}
)
"""Each field that is a choice, with its values."""

MAY_BE_NONE: Final = ("bonus_call", "bonus_points")
"""Fields that may be absent: both or neither."""


def refusal(key: str, value: object) -> RulesetError:
    """The error that says what `value` of the field `key` is and what it may be."""
    if isinstance(value, bool):
        shown = "true" if value else "false"
    else:
        shown = "none" if value is None else repr(value)
    return RulesetError(f"{key} is {shown}; allowed: {_allowed(key)}")


def rule_text(value: object) -> str:
    """A field's value as `--rule` takes it and as names show it: `13`, `must_beat`, `none`, `on`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def _allowed(key: str) -> str:
    if key in RANGES:
        lowest, highest = RANGES[key]
        return f"a whole number from {lowest} to {highest}" + (", or none" if key in MAY_BE_NONE else "")
    if key in CHOICES:
        return " or ".join(CHOICES[key])
    return "on or off" if key == "redeal" else f"ranks of {FACE_RANKS}, each at most once"


def _check_fields(rules: Ruleset) -> None:
    for key, (lowest, highest) in RANGES.items():
        value = getattr(rules, key)
        if not (value is None and key in MAY_BE_NONE) and not lowest <= value <= highest:
            raise refusal(key, value)
    for key, choices in CHOICES.items():
        if not isinstance(getattr(rules, key), choices):
            raise refusal(key, getattr(rules, key))
    ranks = rules.redeal_face_ranks
    if len(set(ranks)) != len(ranks) or not set(ranks) <= set(FACE_RANKS):
        raise refusal("redeal_face_ranks", ranks)


def _check_contradictions(rules: Ruleset) -> None:
    call_max, bonus_call, bonus_points = rules.call_max, rules.bonus_call, rules.bonus_points
    if rules.call_min > call_max:
        raise RulesetError(f"call_min {rules.call_min} is above call_max {call_max}")
    if (bonus_call is None) != (bonus_points is None):
        given = f"bonus_call is {rule_text(bonus_call)} and bonus_points is {rule_text(bonus_points)}"
        raise RulesetError(f"{given}: set both, or both to none")
    if bonus_call is not None and bonus_call > call_max:
        raise RulesetError(f"bonus_call {bonus_call} is above call_max {call_max}")
    if rules.redeal and not rules.redeal_face_ranks:
        raise RulesetError("redeal is on and redeal_face_ranks is empty: every deal would be thrown in")


_CALLBREAK: Final = Ruleset(
    name="callbreak",
    call_min=1,
    call_max=8,
    follow=Follow.MUST_BEAT,
    undertrump=Undertrump.FREE,
    success=Success.AT_LEAST,
    overtrick_tenths=1,
    bonus_call=None,
    bonus_points=None,
    rounds=5,
    redeal=False,
    redeal_face_ranks="JQK",
)
_PRESETS: Final = (
    _CALLBREAK,
    replace(_CALLBREAK, name="callbreak-short", rounds=3),
    replace(_CALLBREAK, name="call-bridge", call_min=2, follow=Follow.FREE),
    replace(
        _CALLBREAK,
        name="callbreak-master",
        call_min=2,
        call_max=13,
        follow=Follow.FREE,
        success=Success.EXACT_OR_ONE_OVER,
        overtrick_tenths=0,
        bonus_call=8,
        bonus_points=13,
    ),
)

PRESETS: Final[Mapping[str, Ruleset]] = MappingProxyType({preset.name: preset for preset in _PRESETS})
"""The rulesets that have a name of their own."""

ALIASES: Final[Mapping[str, str]] = MappingProxyType({"lakdi": "callbreak-master"})
"""Other names of presets."""

CALLBREAK: Final = PRESETS["callbreak"]
"""The default."""

KEYS: Final = tuple(field.name for field in fields(Ruleset) if field.name != "name")
"""The fields that can be set, in declaration order; the name follows from them."""
