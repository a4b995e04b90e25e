"""The bytes of an Ask are those that protobuf would write of the view of the seat to decide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.bots.wire import AskWriter, round_end_bytes, round_end_field, turn_bytes
from arena.rules import CALLBREAK, PRESETS, Match, Seed, deal, view_of, with_rules
from arena.v1 import play_pb2

SEED = Seed.parse("3")
U64 = st.integers(0, 2**64 - 1)
NS = st.integers(0, 10**15)
RULES = [*PRESETS.values(), with_rules(CALLBREAK, {"call_max": "13", "rounds": "7"})]


@st.composite
def games(draw: st.DrawFn) -> Match:
    """A match somewhere between its first and its last decision, after random legal ones."""
    rules = draw(st.sampled_from(RULES))
    set_number = draw(st.integers(0, 50))
    match = Match(rules, lambda round_number, attempt: deal(SEED, set_number, round_number, attempt))
    choices = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, 56 * rules.rounds - 1))):
        view = view_of(match)
        if view.is_calling:
            match.round.call(choices.choice(view.legal_calls))
        else:
            match.round.play(choices.choice(view.legal_cards))
        if match.round.is_over:
            match.next_round()
    return match


def _ask(
    game: Match, ask_id: int, wire_id: int, times: tuple[int, int, int], random_seed: int
) -> play_pb2.Ask:
    limit_ns, bank_left_ns, last_latency_ns = times
    view = view_of(game)
    ask = play_pb2.Ask(
        ask_id=ask_id,
        match_id=wire_id,
        decision=play_pb2.DECISION_CALL if view.is_calling else play_pb2.DECISION_PLAY,
        seat=view.seat,
        round=view.round_number,
        dealer=view.dealer,
        hand=view.hand,  # type: ignore[arg-type]
        legal_calls=view.legal_calls,
        legal_cards=view.legal_cards,  # type: ignore[arg-type]
        calls=view.calls,
        tricks_won=view.tricks_won,
        trick_leader=view.trick_leader,
        trick=view.trick,  # type: ignore[arg-type]
        history=view.history,  # type: ignore[arg-type]
        history_leaders=view.history_leaders,
        score_tenths=view.scores_tenths,
        random_seed=random_seed,
    )
    ask.limit.FromNanoseconds(limit_ns)
    ask.bank_left.FromNanoseconds(bank_left_ns)
    if last_latency_ns >= 0:
        ask.last_latency.FromNanoseconds(last_latency_ns // 100_000 * 100_000)
    return ask


@given(games(), st.integers(1, 2**40), st.integers(1, 2**31), st.tuples(NS, NS, st.integers(-1, 10**12)), U64)
def test_ask_holds_what_its_view_shows_and_is_written_as_protobuf_writes_it(
    game: Match, ask_id: int, wire_id: int, times: tuple[int, int, int], random_seed: int
) -> None:
    limit_ns, bank_left_ns, last_latency_ns = times

    written = AskWriter(game, limit_ns=limit_ns).ask(
        ask_id=ask_id,
        wire_id=wire_id,
        bank_left_ns=bank_left_ns,
        last_latency_ns=last_latency_ns,
        random_seed=random_seed,
    )

    assert written == _ask(game, ask_id, wire_id, times, random_seed).SerializeToString(deterministic=True)


@given(st.lists(games(), max_size=5))
def test_turn_holds_its_notices_and_its_asks(seen: list[Match]) -> None:
    turn = play_pb2.Turn(match_ends=[play_pb2.MatchEnd(match_id=4, forfeited=True)])
    asks = [_ask(game, 1, 2, (5, 6, 7), 8) for game in seen]

    written = turn_bytes(
        turn.SerializeToString(), [ask.SerializeToString(deterministic=True) for ask in asks]
    )

    turn.asks.extend(asks)
    assert play_pb2.PlayResponse.FromString(written) == play_pb2.PlayResponse(turn=turn)


@given(games(), st.data())
def test_writer_that_wrote_every_ask_before_writes_the_same_as_a_fresh_one(
    game: Match, data: st.DataObject
) -> None:
    writer = AskWriter(game, limit_ns=1)
    for _ in range(30):
        if game.is_over:
            return
        written, fresh = (
            one.ask(ask_id=1, wire_id=2, bank_left_ns=3, last_latency_ns=4, random_seed=5)
            for one in (writer, AskWriter(game, limit_ns=1))
        )
        assert written == fresh

        view = view_of(game)
        if view.is_calling:
            game.round.call(data.draw(st.sampled_from(view.legal_calls)))
        else:
            game.round.play(data.draw(st.sampled_from(view.legal_cards)))
        if game.round.is_over:
            game.next_round()


@given(games().filter(lambda game: bool(game.finished)), st.integers(1, 2**31))
def test_end_of_a_round_is_written_as_protobuf_writes_it(game: Match, wire_id: int) -> None:
    played = game.finished[-1]
    message = play_pb2.RoundEnd(
        match_id=wire_id,
        round=played.round_number,
        calls=played.calls,
        tricks_won=played.tricks_won,
        score_tenths=played.scores_tenths,
        history=played.plays,  # type: ignore[arg-type]
        history_leaders=played.leaders,
    )

    written = round_end_field(round_end_bytes(played), wire_id)

    assert written == play_pb2.Turn(round_ends=[message]).SerializeToString(deterministic=True)
