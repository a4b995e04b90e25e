"""Owns rulesets as people write them: by name, as `key=value`, as a TOML file; knows no card and no play."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.rules.rulesets import (
    ALIASES,
    CALLBREAK,
    CHOICES,
    KEYS,
    MAY_BE_NONE,
    PRESETS,
    RANGES,
    Ruleset,
    RulesetError,
    refusal,
    rule_text,
)

__all__ = ["find_ruleset", "load_ruleset", "parse_ruleset", "with_rules"]

_SWITCH: Final = {"on": True, "true": True, "off": False, "false": False}


def find_ruleset(name: str) -> Ruleset:
    """The ruleset of that name: a preset, an alias, or either with differences, `callbreak+rounds=10`."""
    base, *rules = name.split("+")
    preset = PRESETS.get(ALIASES.get(base, base))
    if preset is None:
        raise RulesetError(f"unknown ruleset {base!r}; known: {_known_names()}")
    return with_rules(preset, dict(_split_rule(rule) for rule in rules))


def with_rules(ruleset: Ruleset, rules: Mapping[str, str]) -> Ruleset:
    """The ruleset with some fields changed, values as text (`{"rounds": "10", "bonus_call": "none"}`).

    Its name is that of the preset with every difference from it. Raises RulesetError for an unknown field, a
    value that it may not have, and values that contradict each other.
    """
    return _changed(ruleset, {key: _from_text(key, text) for key, text in rules.items()})


def load_ruleset(path: Path) -> Ruleset:
    """The ruleset of a TOML file, as `parse_ruleset` reads it; RulesetError names the file and the key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RulesetError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RulesetError(f"{path}: is not UTF-8 text") from error
    return parse_ruleset(text, source=str(path))


def parse_ruleset(text: str, *, source: str) -> Ruleset:
    """The ruleset of a TOML document: fields, and perhaps a `base` (a name that `find_ruleset` knows).

    The base is callbreak where none is named. Errors begin with `source`.
    """
    try:
        table = tomllib.loads(text)
        base = table.pop("base", CALLBREAK.name)
        if not isinstance(base, str):
            raise RulesetError(f"base is {base!r}; allowed: {_known_names()}")
        return _changed(find_ruleset(base), {key: _from_toml(key, value) for key, value in table.items()})
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RulesetError(f"{source}: is not TOML: {error}") from error
    except RulesetError as error:
        raise RulesetError(f"{source}: {error}") from error


def _known_names() -> str:
    return ", ".join([*PRESETS, *(f"{alias} (= {preset})" for alias, preset in ALIASES.items())])


def _split_rule(rule: str) -> tuple[str, str]:
    key, equals, value = rule.partition("=")
    if not equals:
        raise RulesetError(f"rule {rule!r} has no value; write key=value, as in rounds=10")
    return key, value


def _changed(ruleset: Ruleset, changes: Mapping[str, object]) -> Ruleset:
    changed: Ruleset = replace(ruleset, **changes)  # type: ignore[arg-type]
    base = PRESETS.get(ruleset.name.split("+")[0], ruleset)
    differences = [key for key in KEYS if getattr(changed, key) != getattr(base, key)]
    name = "+".join([base.name, *(f"{key}={rule_text(getattr(changed, key))}" for key in differences)])
    return replace(changed, name=name)


def _check_key(key: str) -> None:
    if key not in KEYS:
        raise RulesetError(f"unknown rule {key!r}; known: {', '.join(KEYS)}")


def _from_text(key: str, text: str) -> object:
    _check_key(key)
    if key in RANGES and re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    if key in MAY_BE_NONE and text == "none":
        return None
    if key == "redeal" and text in _SWITCH:
        return _SWITCH[text]
    if key in CHOICES and text in list(CHOICES[key]):
        return CHOICES[key](text)
    if key == "redeal_face_ranks":
        return text
    raise refusal(key, text)


def _from_toml(key: str, value: object) -> object:
    _check_key(key)
    if key in RANGES and isinstance(value, int) and not isinstance(value, bool):
        return value
    if key == "redeal" and isinstance(value, bool):
        return value
    if isinstance(value, str) and (key not in RANGES or value == "none"):
        return _from_text(key, value)
    raise refusal(key, value)
