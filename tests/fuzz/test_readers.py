"""Whatever strangers send or somebody changed on disk is read, or refused in words: no other exception, ever.

bot.toml is tried in tests/bots/test_manifest.py.
"""

from __future__ import annotations

import asyncio
from functools import cache

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.codec import Malformed, greeting_of, read_request, settle
from arena.errors import ArenaError
from arena.referee import RecordError, RefereedMatch, check_record, play_match, record_of
from arena.rules import PRESETS
from arena.rules.house_rules import parse_ruleset
from arena.rules.rulesets import KEYS
from arena.v1 import play_pb2, record_pb2
from tests.referee.players import SEED, FakeClock, Lowest, setup

U32 = st.integers(0, 2**32 - 1)
ANSWERS = st.builds(
    play_pb2.Answer,
    ask_id=st.integers(0, 2**64 - 1),
    call=st.none() | U32,
    note=st.text(max_size=400),
) | st.builds(
    play_pb2.Answer,
    card=st.none() | st.integers(0, 70) | st.integers(-(2**31), 2**31 - 1),
    note=st.text(max_size=400),
)
REQUESTS = (
    st.builds(
        play_pb2.PlayRequest, answers=st.builds(play_pb2.Answers, answers=st.lists(ANSWERS, max_size=4))
    )
    | st.builds(play_pb2.PlayRequest, ready=st.builds(play_pb2.Ready))
    | st.builds(
        play_pb2.PlayRequest,
        hello=st.builds(
            play_pb2.Hello,
            protocol_min=U32,
            protocol_max=U32,
            name=st.text(max_size=2000),
            rulesets=st.lists(st.text(max_size=200), max_size=40),
            max_parallel_matches=U32,
        ),
    )
).map(lambda request: request.SerializeToString())


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """`whole` with some bytes changed, lost or added."""
    changed = bytearray(whole)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, max(0, len(changed) - 1)))
        match draw(st.sampled_from(["set", "cut", "add", "end"])):
            case "set" if changed:
                changed[at] = draw(st.integers(0, 255))
            case "cut":
                del changed[at : at + draw(st.integers(1, 9))]
            case "add":
                changed[at:at] = draw(st.binary(min_size=1, max_size=9))
            case "end":
                del changed[at:]
    return bytes(changed)


@cache
def good_record() -> bytes:
    played = asyncio.run(play_match(setup(), [Lowest(), Lowest(), Lowest(), Lowest()], clock=FakeClock()))
    return played.SerializeToString()


@given(payload=st.binary(max_size=400) | REQUESTS.flatmap(damaged) | REQUESTS)
def test_any_bytes_are_a_request_or_malformed(payload: bytes) -> None:
    try:
        request = read_request(payload)
    except Malformed:
        return
    greeting = greeting_of(request.hello)
    assert len(greeting.name) <= 200
    assert len(greeting.rulesets) <= 64
    greeting.refusal("callbreak")


@settings(max_examples=60)
@given(answers=st.lists(st.tuples(ANSWERS, st.integers(0, 10**10)), max_size=70))
def test_any_answers_leave_a_match_whose_record_checks(answers: list[tuple[play_pb2.Answer, int]]) -> None:
    match = RefereedMatch(setup())
    match.begin()
    for answer, took_ns in answers:
        if match.is_over:
            break
        settle(match, answer, took_ns)
    while not match.is_over:
        view = match.view()
        if view.is_calling:
            match.call(view.legal_calls[0], took_ns=0)
        else:
            match.play(view.legal_cards[0], took_ns=0)

    record = record_of(match, started_unix_us=0, duration_us=0)

    check_record(record_pb2.MatchRecord.FromString(record.SerializeToString()), SEED)


@settings(max_examples=300)
@given(data=st.data())
def test_any_change_of_a_record_is_found_or_changes_nothing_that_counts(data: st.DataObject) -> None:
    changed = data.draw(damaged(good_record()))
    try:
        record = record_pb2.MatchRecord.FromString(changed)
    except DecodeError:
        return
    try:
        check_record(record, SEED)
    except RecordError:
        return
    whole = record_pb2.MatchRecord.FromString(good_record())
    assert [list(r.plays) for r in record.rounds] == [list(r.plays) for r in whole.rounds]
    assert list(record.total_tenths) == list(whole.total_tenths)
    assert list(record.places) == list(whole.places)


def toml_value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


@given(
    text=st.text(max_size=200)
    | st.dictionaries(
        st.sampled_from([*KEYS, "base", "trumps"]),
        st.integers(-5, 10**12)
        | st.booleans()
        | st.floats()
        | st.sampled_from(["none", "callbreak", "x", "forced"]),
        max_size=6,
    ).map(lambda table: "\n".join(f"{key} = {toml_value(value)}" for key, value in table.items()))
)
def test_any_text_is_a_ruleset_or_one_line_of_refusal(text: str) -> None:
    try:
        rules = parse_ruleset(text, source="house.toml")
    except ArenaError:
        return
    names = {preset.name: preset for preset in PRESETS.values()}
    assert names.get(rules.name, rules) == rules, "a name is given to one ruleset only"


def test_deeply_nested_text_is_refused_like_any_other() -> None:
    with pytest.raises(ArenaError, match=r"^house\.toml: is not TOML"):
        parse_ruleset("a = " + "[" * 100_000, source="house.toml")
