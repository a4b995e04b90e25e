"""Owns the tests of rulesets: the presets, house rules by text and by TOML, and what is refused how."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.rules import (
    ALIASES,
    CALLBREAK,
    PRESETS,
    RULE_MEANINGS,
    Follow,
    Ruleset,
    RulesetError,
    Success,
    Undertrump,
    find_ruleset,
    load_ruleset,
    parse_ruleset,
    rule_text,
    with_rules,
)
from tests.rules.boards import HOUSE_NAMES, PRESET_NAMES

FIELDS = [field.name for field in fields(Ruleset)]

# As in the rules' table: field by field, one value a preset in the order of PRESET_NAMES.
TABLE = {
    "call_min": (1, 1, 2, 2),
    "call_max": (8, 8, 8, 13),
    "follow": (Follow.MUST_BEAT, Follow.MUST_BEAT, Follow.FREE, Follow.FREE),
    "undertrump": (Undertrump.FREE,) * 4,
    "success": (Success.AT_LEAST, Success.AT_LEAST, Success.AT_LEAST, Success.EXACT_OR_ONE_OVER),
    "overtrick_tenths": (1, 1, 1, 0),
    "bonus_call": (None, None, None, 8),
    "bonus_points": (None, None, None, 13),
    "rounds": (5, 3, 5, 5),
    "redeal": (False,) * 4,
    "redeal_face_ranks": ("JQK",) * 4,
}


def test_presets_are_those_of_the_table() -> None:
    assert tuple(PRESETS) == PRESET_NAMES
    assert ["name", *TABLE] == FIELDS
    for number, name in enumerate(PRESET_NAMES):
        expected = Ruleset(name=name, **{key: row[number] for key, row in TABLE.items()})  # type: ignore[arg-type]
        assert PRESETS[name] == find_ruleset(name) == expected


def test_default_is_callbreak_and_lakdi_is_callbreak_master() -> None:
    assert CALLBREAK is PRESETS["callbreak"]
    assert dict(ALIASES) == {"lakdi": "callbreak-master"}
    assert find_ruleset("lakdi") == PRESETS["callbreak-master"]


def test_every_field_has_its_meaning_in_one_line() -> None:
    assert list(RULE_MEANINGS) == FIELDS
    assert all(meaning and "\n" not in meaning for meaning in RULE_MEANINGS.values())


def test_unknown_ruleset_is_refused_with_all_names_and_aliases() -> None:
    with pytest.raises(RulesetError) as refusal:
        find_ruleset("Callbreak")

    assert str(refusal.value) == (
        "unknown ruleset 'Callbreak'; known: callbreak, callbreak-short, call-bridge, callbreak-master, "
        "lakdi (= callbreak-master)"
    )


def test_ruleset_can_not_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        CALLBREAK.rounds = 9  # type: ignore[misc]


CHANGES = {
    "call_min": "2",
    "call_max": "13",
    "follow": "free",
    "undertrump": "forced",
    "success": "exact_or_one_over",
    "overtrick_tenths": "0",
    "rounds": "10",
    "redeal": "on",
    "redeal_face_ranks": "JQKA",
}


@pytest.mark.parametrize(("key", "text"), CHANGES.items())
def test_every_field_can_be_set_on_its_own(key: str, text: str) -> None:
    changed = with_rules(CALLBREAK, {key: text})

    assert rule_text(getattr(changed, key)) == text
    assert changed.name == f"callbreak+{key}={text}"
    assert [each for each in FIELDS[1:] if getattr(changed, each) != getattr(CALLBREAK, each)] == [key]


def test_bonus_is_set_and_taken_away_with_both_its_fields() -> None:
    bonus = with_rules(CALLBREAK, {"bonus_call": "8", "bonus_points": "13"})
    plain = with_rules(PRESETS["callbreak-master"], {"bonus_call": "none", "bonus_points": "none"})

    assert (bonus.bonus_call, bonus.bonus_points) == (8, 13)
    assert (plain.bonus_call, plain.bonus_points) == (None, None)
    assert plain.name == "callbreak-master+bonus_call=none+bonus_points=none"


def test_name_lists_differences_in_the_order_of_the_fields() -> None:
    changed = with_rules(with_rules(CALLBREAK, {"rounds": "10"}), {"call_max": "13"})

    assert changed.name == "callbreak+call_max=13+rounds=10"
    assert with_rules(changed, {"rounds": "5", "call_max": "8"}) == CALLBREAK


@pytest.mark.parametrize("name", PRESET_NAMES + HOUSE_NAMES)
def test_ruleset_is_found_again_by_its_own_name(name: str) -> None:
    rules = find_ruleset(name)

    assert rules.name == name
    assert find_ruleset(rules.name) == rules


def test_ruleset_of_another_name_keeps_it_when_changed() -> None:
    club = replace(CALLBREAK, name="club", rounds=7)

    assert with_rules(club, {"call_max": "13"}).name == "club+call_max=13"


def test_face_ranks_are_put_in_order() -> None:
    assert with_rules(CALLBREAK, {"redeal_face_ranks": "KQJ"}) == CALLBREAK


REFUSED = {
    "unknown rule": ({"tricks": "13"}, "unknown rule 'tricks'; known: call_min, call_max, follow, "),
    "the name": ({"name": "mine"}, "unknown rule 'name'; known: "),
    "no number": ({"rounds": "ten"}, "rounds is 'ten'; allowed: a whole number from 1 to 1000"),
    "a fraction": ({"rounds": "1.5"}, "rounds is '1.5'; allowed: a whole number from 1 to 1000"),
    "other digits": ({"rounds": "٣"}, "rounds is '٣'; allowed: a whole number from 1 to 1000"),
    "too many digits": ({"rounds": "9" * 5000}, "allowed: a whole number from 1 to 1000"),
    "no rounds": ({"rounds": "0"}, "rounds is 0; allowed: a whole number from 1 to 1000"),
    "negative": ({"overtrick_tenths": "-1"}, "overtrick_tenths is '-1'; allowed: a whole number from 0"),
    "zero call": ({"call_min": "0"}, "call_min is 0; allowed: a whole number from 1 to 13"),
    "fourteen": ({"call_max": "14"}, "call_max is 14; allowed: a whole number from 1 to 13"),
    "empty": ({"call_max": ""}, "call_max is ''; allowed: a whole number from 1 to 13"),
    "choice": ({"follow": "FREE"}, "follow is 'FREE'; allowed: must_beat or free"),
    "other choice": ({"undertrump": "must_beat"}, "undertrump is 'must_beat'; allowed: free or forced"),
    "success": ({"success": "exact"}, "success is 'exact'; allowed: at_least or exact_or_one_over"),
    "switch": ({"redeal": "yes"}, "redeal is 'yes'; allowed: on or off"),
    "ten is no face": ({"redeal_face_ranks": "TJQ"}, "redeal_face_ranks is 'TJQ'; allowed: ranks of JQKA"),
    "rank twice": (
        {"redeal_face_ranks": "JJ"},
        "redeal_face_ranks is 'JJ'; allowed: ranks of JQKA, each at most once",
    ),
    "none": ({"rounds": "none"}, "rounds is 'none'; allowed: a whole number from 1 to 1000"),
    "bonus": ({"bonus_call": "no"}, "bonus_call is 'no'; allowed: a whole number from 1 to 13, or none"),
    "min above max": ({"call_min": "9"}, "call_min 9 is above call_max 8"),
    "bonus above max": ({"bonus_call": "9", "bonus_points": "13"}, "bonus_call 9 is above call_max 8"),
    "half a bonus": (
        {"bonus_call": "8"},
        "bonus_call is 8 and bonus_points is none: set both, or both to none",
    ),
    "other half": ({"bonus_points": "13"}, "bonus_call is none and bonus_points is 13: set both"),
    "all thrown in": ({"redeal": "on", "redeal_face_ranks": ""}, "every deal would be thrown in"),
}


@pytest.mark.parametrize(("rules", "message"), REFUSED.values(), ids=REFUSED)
def test_rules_that_make_no_game_are_refused_in_one_line(rules: dict[str, str], message: str) -> None:
    with pytest.raises(ArenaError) as refusal:
        with_rules(CALLBREAK, rules)

    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "name", ["callbreak+rounds", "callbreak+", "callbreak+rounds=0", "lakdi+call_max=7", "+rounds=3"]
)
def test_name_with_rules_that_make_no_game_is_refused(name: str) -> None:
    with pytest.raises(RulesetError):
        find_ruleset(name)


def test_choice_that_is_not_of_its_enum_is_refused() -> None:
    with pytest.raises(RulesetError, match="follow is 'free'; allowed: must_beat or free"):
        replace(CALLBREAK, follow="free")  # type: ignore[arg-type]


def test_toml_file_sets_fields_on_a_base(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(
        'base = "lakdi"\nrounds = 10\nfollow = "must_beat"\nredeal = true\nbonus_call = "none"\n'
        'bonus_points = "none"\n'
    )

    rules = load_ruleset(path)

    assert rules.name == (
        "callbreak-master+follow=must_beat+bonus_call=none+bonus_points=none+rounds=10+redeal=on"
    )
    assert rules == find_ruleset(rules.name)


def test_toml_without_a_base_changes_callbreak() -> None:
    assert parse_ruleset("", source="house.toml") == CALLBREAK
    assert parse_ruleset("call_max = 13", source="house.toml").name == "callbreak+call_max=13"
    assert parse_ruleset("redeal = 'on'", source="house.toml").redeal


TOML_REFUSED = {
    "unknown key": ("tricks = 13", "unknown rule 'tricks'; known: call_min, "),
    "a table": ("[rules]\nrounds = 3", "unknown rule 'rules'; known: "),
    "name": ('name = "mine"', "unknown rule 'name'; known: "),
    "text for a number": ('rounds = "10"', "rounds is '10'; allowed: a whole number from 1 to 1000"),
    "fraction": ("rounds = 5.0", "rounds is 5.0; allowed: a whole number from 1 to 1000"),
    "switch for a number": ("rounds = true", "rounds is true; allowed: a whole number from 1 to 1000"),
    "number for a switch": ("redeal = 1", "redeal is 1; allowed: on or off"),
    "number for a choice": ("follow = 1", "follow is 1; allowed: must_beat or free"),
    "switch for a choice": ("follow = false", "follow is false; allowed: must_beat or free"),
    "list for ranks": ('redeal_face_ranks = ["J"]', "redeal_face_ranks is ['J']; allowed: ranks of JQKA"),
    "two lines": ('follow = """a\nb"""', "follow is 'a\\nb'; allowed: must_beat or free"),
    "out of range": ("rounds = 0", "rounds is 0; allowed: a whole number from 1 to 1000"),
    "contradiction": ("call_min = 9", "call_min 9 is above call_max 8"),
    "unknown base": ('base = "whist"', "unknown ruleset 'whist'; known: callbreak, "),
    "base of no text": ("base = 1", "base is 1; allowed: callbreak, "),
    "not TOML": ("rounds: 5", "is not TOML: "),
}


@pytest.mark.parametrize(("text", "message"), TOML_REFUSED.values(), ids=TOML_REFUSED)
def test_toml_that_makes_no_game_is_refused_in_one_line_naming_the_file(text: str, message: str) -> None:
    with pytest.raises(RulesetError) as refusal:
        parse_ruleset(text, source="house.toml")

    assert str(refusal.value).startswith(f"house.toml: {message}")
    assert "\n" not in str(refusal.value)


def test_file_that_can_not_be_read_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(RulesetError, match=r"missing\.toml: cannot be read: No such file"):
        load_ruleset(tmp_path / "missing.toml")
    with pytest.raises(RulesetError, match="cannot be read: Is a directory"):
        load_ruleset(tmp_path)
    with pytest.raises(RulesetError, match=r"binary\.toml: is not UTF-8 text"):
        load_ruleset(tmp_path / "binary.toml")
