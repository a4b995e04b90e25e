"""Owns the parameterised rules: fields, presets, house rules as text or TOML; knows no card and no play."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from arena.errors import ArenaError

__all__ = [
    "ALIASES",
    "CALLBREAK",
    "PRESETS",
    "RULE_MEANINGS",
    "Follow",
    "Ruleset",
    "RulesetError",
    "Success",
    "Undertrump",
    "find_ruleset",
    "load_ruleset",
    "parse_ruleset",
    "rule_text",
    "with_rules",
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
        _check_ranges(self)
        _check_contradictions(self)
        in_order = "".join(rank for rank in FACE_RANKS if rank in self.redeal_face_ranks)
        object.__setattr__(self, "redeal_face_ranks", in_order)


RULE_MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "the preset, with every difference from it",
        "call_min": "lowest number of tricks that may be called",
        "call_max": "highest number of tricks that may be called",
        "follow": "holding the suit led: must_beat its best card in the trick if you can, or free",
        "undertrump": "void, and only spades too low to win: free to play any card, or forced to play a spade",
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

_RANGES: Final = {
    "call_min": (1, HIGHEST_CALL),
    "call_max": (1, HIGHEST_CALL),
    "overtrick_tenths": (0, 1000),
    "bonus_call": (1, HIGHEST_CALL),
    "bonus_points": (0, 1000),
    "rounds": (1, 1000),
}
_CHOICES: Final[Mapping[str, type[Follow] | type[Undertrump] | type[Success]]] = {
    "follow": Follow,
    "undertrump": Undertrump,
    "success": Success,
}
_MAY_BE_NONE: Final = ("bonus_call", "bonus_points")


def _check_ranges(rules: Ruleset) -> None:
    for key, (lowest, highest) in _RANGES.items():
        value = getattr(rules, key)
        if value is None and key in _MAY_BE_NONE:
            continue
        if not lowest <= value <= highest:
            raise _refusal(key, value)


def _check_contradictions(rules: Ruleset) -> None:
    if rules.call_min > rules.call_max:
        raise RulesetError(f"call_min {rules.call_min} is above call_max {rules.call_max}")
    if (rules.bonus_call is None) != (rules.bonus_points is None):
        raise RulesetError(
            f"bonus_call is {rule_text(rules.bonus_call)} and bonus_points is {rule_text(rules.bonus_points)}: "
            "set both, or both to none"
        )
    if rules.bonus_call is not None and rules.bonus_call > rules.call_max:
        raise RulesetError(f"bonus_call {rules.bonus_call} is above call_max {rules.call_max}")
    ranks = rules.redeal_face_ranks
    if len(set(ranks)) != len(ranks) or not set(ranks) <= set(FACE_RANKS):
        raise _refusal("redeal_face_ranks", ranks)
    if rules.redeal and not ranks:
        raise RulesetError("redeal is on and redeal_face_ranks is empty: every deal would be thrown in")


def _allowed(key: str) -> str:
    if key in _RANGES:
        lowest, highest = _RANGES[key]
        none = ", or none" if key in _MAY_BE_NONE else ""
        return f"a whole number from {lowest} to {highest}{none}"
    if key in _CHOICES:
        return " or ".join(choice.value for choice in _CHOICES[key])
    return "on or off" if key == "redeal" else "some of J, Q, K, A, each once, as in JQK"


def _refusal(key: str, value: object) -> RulesetError:
    return RulesetError(f"{key} is {rule_text(value)}; allowed: {_allowed(key)}")


def rule_text(value: object) -> str:
    """A field's value as `--rule` takes it and as names show it: `13`, `must_beat`, `none`, `on`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


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

_KEYS: Final = tuple(field.name for field in fields(Ruleset) if field.name != "name")


def find_ruleset(name: str) -> Ruleset:
    """The ruleset of that name: a preset, an alias, or either with differences, `callbreak+rounds=10`."""
    base, *rules = name.split("+")
    preset = PRESETS.get(ALIASES.get(base, base))
    if preset is None:
        aliases = ", ".join(f"{alias} (= {target})" for alias, target in ALIASES.items())
        raise RulesetError(f"unknown ruleset {base!r}; known: {', '.join(PRESETS)}, {aliases}")
    return with_rules(preset, dict(_split_rule(rule) for rule in rules))


def _split_rule(rule: str) -> tuple[str, str]:
    key, equals, value = rule.partition("=")
    if not equals:
        raise RulesetError(f"rule {rule!r} has no value; write key=value, as in rounds=10")
    return key, value


def with_rules(ruleset: Ruleset, rules: Mapping[str, str]) -> Ruleset:
    """The ruleset with some fields changed, values as text (`{"rounds": "10", "bonus_call": "none"}`)."""
    return _changed(ruleset, {key: _from_text(key, text) for key, text in rules.items()})


def load_ruleset(path: Path) -> Ruleset:
    """The ruleset of a TOML file: `base`, a name that `find_ruleset` knows (callbreak if absent), and fields."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RulesetError(f"{path}: cannot be read: {reason}") from error
    return parse_ruleset(text, source=str(path))


def parse_ruleset(text: str, *, source: str) -> Ruleset:
    """The ruleset of a TOML document; errors begin with `source`."""
    try:
        table = tomllib.loads(text)
        base = table.pop("base", CALLBREAK.name)
        if not isinstance(base, str):
            raise RulesetError(f"base is {base!r}; allowed: {', '.join([*PRESETS, *ALIASES])}")
        return _changed(find_ruleset(base), {key: _from_toml(key, value) for key, value in table.items()})
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(f"{source}: is not TOML: {error}") from error
    except RulesetError as error:
        raise RulesetError(f"{source}: {error}") from error


def _changed(ruleset: Ruleset, changes: Mapping[str, object]) -> Ruleset:
    changed: Ruleset = replace(ruleset, **changes)  # type: ignore[arg-type]
    base = PRESETS.get(ruleset.name.split("+")[0])
    if base is None:
        return changed
    differences = [key for key in _KEYS if getattr(changed, key) != getattr(base, key)]
    name = "+".join([base.name, *(f"{key}={rule_text(getattr(changed, key))}" for key in differences)])
    return replace(changed, name=name)


def _known(key: str) -> str:
    if key not in _KEYS:
        raise RulesetError(f"unknown rule {key!r}; known: {', '.join(_KEYS)}")
    return key


def _from_text(key: str, text: str) -> object:
    if _known(key) in _RANGES and text.isascii() and text.isdigit():
        return int(text)
    if key in _MAY_BE_NONE and text == "none":
        return None
    if key == "redeal" and text in ("on", "off"):
        return text == "on"
    return _choice(key, text)


def _from_toml(key: str, value: object) -> object:
    if _known(key) in _RANGES and isinstance(value, int) and not isinstance(value, bool):
        return value
    if key in _MAY_BE_NONE and value == "none":
        return None
    if key == "redeal" and isinstance(value, bool):
        return value
    return _choice(key, value)


def _choice(key: str, value: object) -> object:
    if isinstance(value, str) and key == "redeal_face_ranks":
        return value
    kind: Callable[[object], object] | None = _CHOICES.get(key)
    try:
        if kind is not None:
            return kind(value)
    except ValueError:
        pass
    raise _refusal(key, value)
