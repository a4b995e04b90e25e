"""Owns the tests of deals, seeds and random numbers: docs/deals.md is right, and dealing is fair."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.rules import (
    FULL_DECK,
    SPADES,
    Seed,
    card_numbers,
    card_text,
    commitment,
    deal,
    match_entropy,
    mix,
)

PAGE = (Path(__file__).parents[2] / "docs" / "deals.md").read_text(encoding="utf-8")
KNOWN_SEEDS, KNOWN_STEPS, KNOWN_DEALS, KNOWN_BITS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)

SEED = bytes(range(32))
DEALS = 4_000

seeds = st.binary(min_size=32, max_size=32)
places = st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1), st.integers(0, 2**32 - 1))


def page_code() -> dict[str, Any]:
    """What the page's own Python defines: it must know nothing of the arena."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert "arena" not in re.sub(r'b"callbreak-arena ', "", code)
    names: dict[str, Any] = {}
    exec(code, names)
    return names


PAGE_CODE = page_code()


def known_seeds() -> list[tuple[str, ...]]:
    return re.findall(r"seed (\w+)\n  bytes (\w+)\n  practice (\w+)\n  commitment (\w+)\n", KNOWN_SEEDS)


def known_deals() -> list[tuple[str, int, int, int, list[str]]]:
    known = []
    place = r"seed (\w+), set (\d+), round (\d+), attempt (\d+)\n"
    for seed, set_number, round_number, attempt, hands in re.findall(
        place + r"((?:  seat.*\n){4})", KNOWN_DEALS
    ):
        held = re.findall(r"  seat \d: (.*)\n", hands)
        known.append((seed, int(set_number), int(round_number), int(attempt), held))
    return known


def test_the_page_has_known_answers() -> None:
    assert len(known_seeds()) == 4
    assert len(known_deals()) == 10


@pytest.mark.parametrize(("text", "value", "practice", "hashed"), known_seeds())
def test_seeds_are_read_and_committed_to_as_the_page_says(
    text: str, value: str, practice: str, hashed: str
) -> None:
    seed = Seed.parse(text)

    assert seed.value.hex() == value
    assert seed.is_practice == (practice == "yes")
    assert commitment(seed).hex() == hashed
    assert commitment(seed.value).hex() == hashed


@pytest.mark.parametrize(("text", "set_number", "round_number", "attempt", "hands"), known_deals())
def test_deals_are_those_of_the_page(
    text: str, set_number: int, round_number: int, attempt: int, hands: list[str]
) -> None:
    seed = Seed.parse(text).value

    assert [card_text(hand) for hand in deal(seed, set_number, round_number, attempt)] == hands


def test_the_steps_of_the_page_lead_to_its_first_deal() -> None:
    (message,) = re.findall(r"message for counter 0 (\w+)", KNOWN_STEPS)
    (digest,) = re.findall(r"digest (\w+)", KNOWN_STEPS)
    steps = [tuple(map(int, step)) for step in re.findall(r"i (\d+): word (\d+), j (\d+)", KNOWN_STEPS)]

    assert bytes.fromhex(message).startswith(b"callbreak-arena deal 1\0" + Seed.parse("7").value)
    assert PAGE_CODE["sha256"](bytes.fromhex(message)).hexdigest() == digest
    assert [word for _, word, _ in steps] == [int(digest[8 * n : 8 * n + 8], 16) for n in range(5)]
    assert [chosen for _, _, chosen in steps] == [word % (last + 1) for last, word, _ in steps]


def test_random_bits_are_those_of_the_page() -> None:
    pattern = r"seed (\w+), match_id (\S+), round (\d+), d (\d+): (\d+)"
    known = re.findall(pattern, KNOWN_BITS)
    assert len(known) == 5
    for text, match_id, round_number, decision, bits in known:
        entropy = match_entropy(Seed.parse(text).value, match_id)
        assert mix(entropy, 56 * int(round_number) + int(decision)) == int(bits)


@settings(max_examples=50)
@given(seeds, places)
def test_the_page_and_the_arena_agree_on_any_deal(seed: bytes, place: tuple[int, int, int]) -> None:
    order = PAGE_CODE["DECK"].index

    hands = [" ".join(sorted(hand, key=order)) for hand in PAGE_CODE["deal"](seed, *place)]

    assert [card_text(hand) for hand in deal(seed, *place)] == hands


@settings(max_examples=50)
@given(seeds, st.text(max_size=20), st.integers(1, 1000), st.integers(0, 55))
def test_the_page_and_the_arena_agree_on_any_random_bits(
    seed: bytes, match_id: str, round_number: int, decision: int
) -> None:
    of_page = PAGE_CODE["random_bits"](seed, match_id, round_number, decision)

    assert mix(match_entropy(seed, match_id), 56 * round_number + decision) == of_page


@given(seeds)
def test_the_page_and_the_arena_agree_on_any_seed(value: bytes) -> None:
    seed = Seed(value)

    assert PAGE_CODE["commitment"](value) == commitment(seed).hex()
    assert Seed.parse(seed.text) == seed
    assert PAGE_CODE["parse_seed"](seed.text) == value


def test_a_full_seed_that_is_small_is_for_practice_too() -> None:
    assert Seed.parse("0" * 63 + "7") == Seed.parse("7")
    assert Seed.parse("0" * 63 + "7").is_practice
    assert Seed.parse("007").text == "7"
    assert not Seed.parse("0" * 47 + "1" + "0" * 16).is_practice


def test_fresh_seed_is_the_entropy_given() -> None:
    seed = Seed.fresh(SEED)

    assert seed.value == SEED
    assert seed.text == SEED.hex()
    assert not seed.is_practice


@pytest.mark.parametrize("size", [0, 31, 33])
def test_seed_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"a seed has 32 bytes, not {size}"):
        Seed.fresh(bytes(size))
    with pytest.raises(ValueError, match=f"a seed has 32 bytes, not {size}"):
        deal(bytes(size), 0, 1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        " 7",
        "7\n",
        "1_000",
        "0x7",
        "7.0",
        "spring",
        "٧",
        str(2**64),
        "9" * 63,
        "a" * 63,
        "a" * 65,
        "g" * 64,
    ],
)
def test_text_that_is_no_seed_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(
        ArenaError, match=r"allowed: 64 hexadecimal digits or, for practice, a number"
    ) as refusal:
        Seed.parse(text)

    assert repr(text) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_seed_does_not_show_itself_where_it_is_logged() -> None:
    assert SEED.hex() not in repr(Seed(SEED))
    assert repr(SEED) not in repr(Seed(SEED))


@given(seeds, st.integers(0, 10**6))
def test_every_deal_is_52_cards_and_thirteen_a_seat(seed: bytes, set_number: int) -> None:
    hands = deal(seed, set_number, 1, 0)

    assert [hand.bit_count() for hand in hands] == [13] * 4
    assert hands[0] | hands[1] | hands[2] | hands[3] == FULL_DECK


def test_set_round_and_attempt_each_give_another_deal() -> None:
    different = [(0, 1, 0), (1, 1, 0), (0, 2, 0), (0, 1, 1), (1, 0, 0), (256, 1, 0), (0, 1, 256)]

    assert len({deal(SEED, *place) for place in different}) == len(different)
    assert deal(SEED, 0, 1) == deal(SEED, 0, 1, 0) == deal(Seed(SEED), 0, 1, 0)


def test_random_bits_differ_by_match_and_decision_and_fit_64_bits() -> None:
    entropies = {match_entropy(SEED, f"t000-s00000-r{rotation}") for rotation in range(4)}
    bits = {mix(entropy, decision) for entropy in entropies for decision in range(336)}

    assert len(bits) == 4 * 336
    assert all(0 <= number < 2**64 for number in bits)
    assert sum(number.bit_count() for number in bits) / len(bits) == pytest.approx(32, abs=0.5)


def chi_square(observed: Counter[Any], expected: dict[Any, float]) -> float:
    return sum((observed[key] - wanted) ** 2 / wanted for key, wanted in expected.items())


@pytest.fixture(scope="module")
def many_deals() -> list[tuple[int, int, int, int]]:
    return [deal(SEED, set_number, 1, 0) for set_number in range(DEALS)]


def test_every_card_goes_to_every_seat_equally_often(many_deals: list[tuple[int, ...]]) -> None:
    """Three degrees of freedom a card, 156 in all: within four standard deviations of 17.7."""
    seen = Counter(
        (seat, card) for hands in many_deals for seat, hand in enumerate(hands) for card in card_numbers(hand)
    )
    expected = {(seat, card): DEALS / 4 for seat in range(4) for card in card_numbers(FULL_DECK)}

    assert 156 - 4 * 17.7 < chi_square(seen, expected) < 156 + 4 * 17.7


def test_spades_in_a_hand_are_as_many_as_chance_has_it(many_deals: list[tuple[int, ...]]) -> None:
    """Hypergeometric, 0 to 6 and 7 or more: seven degrees of freedom, 29.9 is passed once in 10,000."""
    share = [0.01279, 0.08006, 0.20587, 0.28633, 0.23861, 0.12469, 0.04156]
    expected = {spades: DEALS * part for spades, part in enumerate(share)}
    expected[7] = DEALS - sum(expected.values())
    seen = Counter(min(7, (hands[0] & SPADES).bit_count()) for hands in many_deals)

    assert chi_square(seen, expected) < 29.9


def test_two_cards_meet_in_a_hand_as_often_as_chance_has_it(many_deals: list[tuple[int, ...]]) -> None:
    """Any two cards share a hand in 12 of 51 deals: neighbours in the deck and far ones alike."""
    numbers = card_numbers(FULL_DECK)
    pairs = [(one, other) for at, one in enumerate(numbers) for other in numbers[at + 1 :]]
    masks = {pair: 1 << (pair[0] - 16) | 1 << (pair[1] - 16) for pair in pairs}
    some = many_deals[:1000]
    met = Counter(
        pair for pair, mask in masks.items() for hands in some for hand in hands if hand & mask == mask
    )
    mean, variance = 1000 * 12 / 51, 1000 * 12 / 51 * 39 / 51

    scores = [(met[pair] - mean) / variance**0.5 for pair in pairs]

    assert max(map(abs, scores)) < 4.5
    assert sum(score**2 for score in scores) / len(scores) == pytest.approx(1, abs=0.12)


def test_successive_deals_know_nothing_of_each_other(many_deals: list[tuple[int, ...]]) -> None:
    """Of a seat's thirteen cards, a quarter are with it again in the next deal."""
    kept = sum(
        (hands[seat] & after[seat]).bit_count() for hands, after in pairwise(many_deals) for seat in range(4)
    )

    assert kept / (DEALS - 1) == pytest.approx(13, abs=0.15)
