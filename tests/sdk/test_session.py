"""A bot's half of the stream: what it says to each message of the arena."""

from __future__ import annotations

import time

import pytest

from arena.rules import Card, Follow, Success, Undertrump
from arena.sdk import Bot, MatchEnd, MatchStart, RoundEnd, View
from arena.sdk.messages import messages
from arena.sdk.session import Rejected, Session
from arena.v1 import game_pb2, play_pb2
from tests.sdk.bots import Listener, Lowest, call_ask, match_start, numbers, play_ask, read, sent


def turn(**due: object) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(turn=play_pb2.Turn(**due))  # type: ignore[arg-type]


def replies(session: Session, response: play_pb2.PlayResponse) -> list[play_pb2.PlayRequest]:
    return [sent(request) for request in session.replies(read(response))]


def started(bot: Bot, *match_ids: int) -> Session:
    session = Session(bot, messages())
    replies(session, turn(match_starts=[match_start(match_id) for match_id in match_ids]))
    return session


def test_hello_says_what_the_class_says() -> None:
    class Choosy(Lowest):
        name = "choosy"
        max_parallel_matches = 16
        ask_forced_plays = True
        rulesets = ("callbreak", "call-bridge")

    hello = sent(Session(Choosy(), messages(), token="secret").hello()).hello

    assert (hello.name, hello.version) == ("choosy", "1.2.3")
    assert (hello.protocol_min, hello.protocol_max) == (1, 1)
    assert (hello.max_parallel_matches, hello.ask_forced_plays) == (16, True)
    assert list(hello.rulesets) == ["callbreak", "call-bridge"]
    assert hello.token == "secret"


def test_bot_without_a_name_goes_by_its_class() -> None:
    class Nameless(Bot):
        pass

    assert sent(Session(Nameless(), messages()).hello()).hello.name == "Nameless"


def test_welcome_needs_no_answer() -> None:
    session = Session(Lowest(), messages())

    assert not replies(session, play_pb2.PlayResponse(welcome=play_pb2.Welcome(protocol=1)))
    assert session.is_welcome


def test_rejection_raises_with_its_reason() -> None:
    rejection = play_pb2.PlayResponse(rejection=play_pb2.Rejection(reason="speak version 2"))

    with pytest.raises(Rejected, match="speak version 2"):
        replies(Session(Lowest(), messages()), rejection)


def test_goodbye_ends_the_session() -> None:
    session = Session(Lowest(), messages())

    assert not replies(session, play_pb2.PlayResponse(goodbye=play_pb2.Goodbye(reason="done")))
    assert session.is_over


def test_all_starts_of_a_turn_are_answered_in_one_ready() -> None:
    session = Session(Lowest(), messages())

    (request,) = replies(session, turn(match_starts=[match_start(4), match_start(9)]))

    assert list(request.ready.match_ids) == [4, 9]


def test_match_start_tells_rules_seat_and_time() -> None:
    bot = Listener()
    started(bot, 4)

    (start,) = bot.heard
    assert isinstance(start, MatchStart)
    assert (start.match_id, start.seat, start.limit_s, start.bank_s) == (4, 2, 0.5, 10.0)
    assert start.rules.name == "callbreak+rounds=1"
    assert (start.rules.call_min, start.rules.call_max, start.rules.rounds) == (1, 8, 1)
    assert (start.rules.follow, start.rules.undertrump) == (Follow.MUST_BEAT, Undertrump.FREE)
    assert (start.rules.success, start.rules.overtrick_tenths) == (Success.AT_LEAST, 1)
    assert (start.rules.bonus_call, start.rules.bonus_points) == (None, None)


def test_bonus_rules_arrive() -> None:
    bot = Listener()
    start = match_start(4)
    start.ruleset.bonus_call, start.ruleset.bonus_points = 8, 13
    replies(Session(bot, messages()), turn(match_starts=[start]))

    assert isinstance(bot.heard[0], MatchStart)
    assert (bot.heard[0].rules.bonus_call, bot.heard[0].rules.bonus_points) == (8, 13)


def test_asks_of_several_matches_are_answered_in_one_message() -> None:
    session = started(Lowest(), 4, 9)

    (request,) = replies(session, turn(asks=[call_ask(71, match_id=4), play_ask(72, match_id=9)]))

    call, play = request.answers.answers
    assert (call.ask_id, call.WhichOneof("decision"), call.call) == (71, "call", 1)
    assert (play.ask_id, play.WhichOneof("decision"), play.card) == (72, "card", game_pb2.CARD_CLUBS_NINE)


def test_slow_decisions_are_not_kept_waiting_for_slower_ones() -> None:
    class Slow(Lowest):
        def call(self, view: View) -> int:
            deadline = time.monotonic() + 0.01
            while time.monotonic() < deadline:
                pass
            return 1

    session = started(Slow(), 4, 9)

    requests = replies(session, turn(asks=[call_ask(71, match_id=4), call_ask(72, match_id=9)]))

    assert [[answer.ask_id for answer in request.answers.answers] for request in requests] == [[71], [72]]


def test_note_goes_with_the_answer_cut_at_200_characters() -> None:
    class Talker(Lowest):
        def call(self, view: View) -> int:
            view.note("x" * 201)
            return 1

    session = started(Talker(), 4)

    (request,) = replies(session, turn(asks=[call_ask(71, match_id=4)]))

    assert request.answers.answers[0].note == "x" * 200


def test_call_that_is_no_number_says_what_was_wanted() -> None:
    class Wrong(Lowest):
        def call(self, view: View) -> int:
            return 2.5  # type: ignore[return-value]

    with pytest.raises(TypeError, match=r"call\(view\) returned 2.5: .*legal_calls"):
        replies(started(Wrong(), 4), turn(asks=[call_ask(71, match_id=4)]))


def test_card_that_is_no_card_says_what_was_wanted() -> None:
    class Wrong(Lowest):
        def play(self, view: View) -> Card:
            return None  # type: ignore[return-value]

    with pytest.raises(TypeError, match=r"play\(view\) returned None: .*legal_cards"):
        replies(started(Wrong(), 4), turn(asks=[play_ask(71, match_id=4)]))


def test_ends_are_told_before_starts_and_asks() -> None:
    bot = Listener()
    session = started(bot, 4)
    bot.heard.clear()

    replies(
        session,
        turn(
            asks=[call_ask(71, match_id=9)],
            match_starts=[match_start(9)],
            match_ends=[play_pb2.MatchEnd(match_id=4)],
            round_ends=[play_pb2.RoundEnd(match_id=4, round=1)],
        ),
    )

    assert [type(told).__name__ for told in bot.heard] == ["RoundEnd", "MatchEnd", "MatchStart", "AskView"]


def test_round_end_tells_scores_and_tricks() -> None:
    bot = Listener()
    end = play_pb2.RoundEnd(
        match_id=4,
        round=2,
        calls=[1, 2, 3, 4],
        tricks_won=[2, 2, 2, 7],
        score_tenths=[11, 20, -30, 43],
        history=numbers("2C 5C AC 4C"),
        history_leaders=[3],
    )
    replies(started(bot, 4), turn(round_ends=[end]))

    told = bot.heard[-1]
    assert isinstance(told, RoundEnd)
    assert (told.match_id, told.round_number) == (4, 2)
    assert (told.calls, told.tricks_won) == ((1, 2, 3, 4), (2, 2, 2, 7))
    assert told.scores_tenths == (11, 20, -30, 43)
    assert told.tricks[0].winner == 1


def test_match_end_tells_totals_places_and_faults() -> None:
    bot = Listener()
    end = play_pb2.MatchEnd(
        match_id=4,
        total_tenths=[10, -20, 30, 30],
        places=[3, 4, 1, 1],
        faults=[game_pb2.FAULT_KIND_TIMEOUT],
        forfeited=True,
    )
    replies(started(bot, 4), turn(match_ends=[end]))

    told = bot.heard[-1]
    assert told == MatchEnd(4, (10, -20, 30, 30), (3, 4, 1, 1), ("TIMEOUT",), True, ())
