"""The steady bots of all languages answer the same thousand views, legally, with the same call or card."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from arena.sdk.local import import_bot
from arena.sdk.messages import messages
from arena.sdk.session import Session
from arena.v1 import play_pb2
from tests.languages.languages import COMPILED, PYTHON, SAMPLE_BOTS, Language, built, param
from tests.languages.small_arena import ADDRESSES, SmallArena, meet
from tests.languages.small_arena import turn as sent
from tests.languages.views import RecordedMatch, recorded_matches, turns

Answers = dict[int, tuple[str, int]]


@lru_cache(maxsize=1)
def matches() -> list[RecordedMatch]:
    return recorded_matches()


@lru_cache(maxsize=1)
def asks() -> dict[int, play_pb2.Ask]:
    return {ask.ask_id: ask for turn in turns(matches()) for ask in turn.asks}


@lru_cache(maxsize=1)
def reference() -> Answers:
    """What the Python bot answers, asked in this process."""
    known = messages()
    session = Session(import_bot(SAMPLE_BOTS / PYTHON.folder), known)
    dues = [play_pb2.Turn(match_starts=[match.start() for match in matches()]), *turns(matches())]
    answers = [
        answer
        for due in dues
        for request in session.replies(known.play_response.FromString(sent(due).SerializeToString()))
        for answer in play_pb2.PlayRequest.FromString(request.SerializeToString()).answers.answers
    ]
    return decisions(answers)


def decisions(answers: list[play_pb2.Answer]) -> Answers:
    """What was decided, by the id of the question: a call or a card, and its number."""
    kinds = {answer.ask_id: answer.WhichOneof("decision") or "nothing" for answer in answers}
    return {
        answer.ask_id: (kinds[answer.ask_id], getattr(answer, kinds[answer.ask_id], 0)) for answer in answers
    }


def is_legal(ask: play_pb2.Ask, decision: tuple[str, int]) -> bool:
    kind, number = decision
    if kind == "call":
        return number in ask.legal_calls
    return kind == "card" and number in ask.legal_cards


def test_a_thousand_views_hold_every_ruleset_and_every_kind_of_decision() -> None:
    kinds = ["call" if ask.legal_calls else "follow" if ask.trick else "lead" for ask in asks().values()]

    assert len(asks()) >= 1000
    assert min(kinds.count(kind) for kind in ("call", "lead", "follow")) > 100
    assert {round(len(ask.history) / 4) for ask in asks().values()} >= set(range(12))


def test_reference_answers_legally() -> None:
    assert reference().keys() == asks().keys()
    assert [ask for ask in asks().values() if not is_legal(ask, reference()[ask.ask_id])] == []


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("language", [param(language) for language in (PYTHON, *COMPILED)])
async def test_bot_answers_every_view_as_the_reference_does(
    language: Language, address: str, tmp_path: Path
) -> None:
    bot = await built(SAMPLE_BOTS / language.folder)
    arena = SmallArena([match.start() for match in matches()], turns(matches()))

    heard = await meet(arena, bot, tmp_path, address=address, token="a secret")

    assert (heard.output, heard.exit and heard.exit.code) == ("", 0)
    answered = decisions(heard.answers)
    wrong = {ask_id: (answered.get(ask_id), right) for ask_id, right in reference().items()}
    wrong = {ask_id: pair for ask_id, pair in wrong.items() if pair[0] != pair[1]}
    assert [f"{got}, not {right}, to {asks()[ask_id]}" for ask_id, (got, right) in wrong.items()][:1] == []
    assert len(heard.answers) == len(asks())


@pytest.mark.parametrize("language", [param(language) for language in COMPILED])
async def test_bot_introduces_itself_and_answers_each_turn_in_one_message(
    language: Language, tmp_path: Path
) -> None:
    bot = await built(SAMPLE_BOTS / language.folder)
    dues = list(turns(matches()))[:3]
    arena = SmallArena([match.start() for match in matches()], dues)

    heard = await meet(arena, bot, tmp_path, address="unix", token="a secret")

    assert heard.hello == play_pb2.Hello(
        protocol_min=1,
        protocol_max=1,
        name=bot.name,
        version=bot.version,
        max_parallel_matches=64,
        token="a secret",
    )
    assert sorted(heard.ready) == [match.match_id for match in matches()]
    assert heard.messages_with_answers == len(dues)
