"""What the referee promises of a match: clocks, faults, strikes, forfeits, replacements."""

from __future__ import annotations

import pytest

from arena.errors import ArenaError
from arena.referee import Answer, FaultKind, Player, TimeControl, check_record, play_match, timeless_bytes
from arena.rules import CALLBREAK, PRESETS, Card, View
from tests.referee.players import SEED, FakeClock, Lowest, Scripted, Sleeper, kinds, setup


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS.keys())
async def test_match_of_proper_players_has_no_fault_and_checks(rules: object, clock: FakeClock) -> None:
    record = await play_match(setup(rules=rules), [Lowest()] * 4, clock=clock)  # type: ignore[arg-type]

    check_record(record, SEED)
    assert not record.faults
    assert len(record.rounds) == record.ruleset.rounds


async def test_late_bot_is_charged_and_play_goes_on(clock: FakeClock) -> None:
    record = await play_match(setup(), [Sleeper(clock, 5.0, 0.0), Lowest(), Lowest(), Lowest()], clock=clock)

    assert [(fault.seat, FaultKind(fault.kind)) for fault in record.faults] == [(0, FaultKind.TIMEOUT)]
    assert record.faults[0].replaced_by == "1"
    assert not record.seats[0].forfeited


async def test_bot_just_within_its_limit_never_forfeits(clock: FakeClock) -> None:
    record = await play_match(setup(), [Sleeper(clock, 1.0)] + [Lowest()] * 3, clock=clock)

    assert not record.faults


async def test_bot_just_over_limit_and_bank_is_late(clock: FakeClock) -> None:
    late = Sleeper(clock, 4.000_000_001, 0.0)

    record = await play_match(setup(), [late, Lowest(), Lowest(), Lowest()], clock=clock)

    assert kinds(record) == [FaultKind.TIMEOUT]


async def test_bank_carries_what_earlier_decisions_left(clock: FakeClock) -> None:
    # 3 s in the bank: 1.5 s, 1.25 s and 0.25 s beyond the limit use it up, a nanosecond more is too much.
    exact = Sleeper(clock, 2.5, 2.25, 1.25, 1.0)
    over = Sleeper(clock, 2.5, 2.25, 1.25, 1.000_000_001, 0.0)

    fine = await play_match(setup(), [exact, Lowest(), Lowest(), Lowest()], clock=clock)
    late = await play_match(setup(), [over, Lowest(), Lowest(), Lowest()], clock=clock)

    assert not fine.faults
    assert kinds(late) == [FaultKind.TIMEOUT]


async def test_bank_is_refilled_for_the_next_round_of_no_match(clock: FakeClock) -> None:
    rules = PRESETS["callbreak-short"]
    late = Sleeper(clock, 3.9, 1.2, 0.0)

    record = await play_match(setup(rules=rules), [late, Lowest(), Lowest(), Lowest()], clock=clock)

    assert kinds(record) == [FaultKind.TIMEOUT]


async def test_empty_bank_leaves_the_limit(clock: FakeClock) -> None:
    late = Sleeper(clock, 9.0, 1.0, 1.0, 1.0)

    record = await play_match(setup(), [late, Lowest(), Lowest(), Lowest()], clock=clock)

    assert len(record.faults) == 1


async def test_third_strike_forfeits_the_seat_and_the_others_play_on(clock: FakeClock) -> None:
    record = await play_match(setup(), [Sleeper(clock, 9.0), Lowest(), Lowest(), Lowest()], clock=clock)

    check_record(record, SEED)
    assert [fault.forfeits for fault in record.faults] == [False, False, True]
    assert record.seats[0].forfeited
    assert record.seats[0].strikes == 3
    assert record.places[0] == 4


async def test_forfeited_seat_comes_last_whatever_its_points(clock: FakeClock) -> None:
    def calls_nine(turn: int, view: View) -> Answer | None:
        return Answer(call=9) if view.is_calling else None

    records = []
    for seat in range(4):
        players: list[Player] = [Lowest(), Lowest(), Lowest(), Lowest()]
        players[seat] = Scripted(calls_nine)
        records.append(await play_match(setup(rules=CALLBREAK, strikes=5), players, clock=clock))

    assert [record.places[seat] for seat, record in enumerate(records)] == [4, 4, 4, 4]
    assert any(record.total_tenths[seat] > min(record.total_tenths) for seat, record in enumerate(records))


async def test_two_forfeited_seats_share_the_last_place(clock: FakeClock) -> None:
    late = Sleeper(clock, 9.0)

    record = await play_match(setup(), [late, Lowest(), Sleeper(clock, 9.0), Lowest()], clock=clock)

    assert (record.places[0], record.places[2]) == (3, 3)


async def test_illegal_card_is_replaced_by_the_lowest_legal_one(clock: FakeClock) -> None:
    def not_in_hand(turn: int, view: View) -> Answer | None:
        if view.is_calling or turn != 1:
            return None
        return Answer(card=next(card for card in Card if card not in view.hand))

    player = Scripted(not_in_hand)
    record = await play_match(setup(), [player, Lowest(), Lowest(), Lowest()], clock=clock)

    fault = record.faults[0]
    legal = [Card(card) for card in record.rounds[0].hands[:13]]
    lowest = min(legal, key=lambda card: (card.rank, card.suit))
    assert FaultKind(fault.kind) is FaultKind.ILLEGAL_CARD
    assert fault.replaced_by == str(lowest)
    assert (fault.round, fault.trick, fault.decision) == (1, 1, 4)
    assert fault.answer in fault.detail


async def test_illegal_call_names_what_was_allowed(clock: FakeClock) -> None:
    nine = Scripted(lambda turn, view: Answer(call=9) if view.is_calling else None)

    record = await play_match(setup(), [nine, Lowest(), Lowest(), Lowest()], clock=clock)

    fault = record.faults[0]
    assert FaultKind(fault.kind) is FaultKind.ILLEGAL_CALL
    assert fault.detail == "seat 0 called 9: 1 to 8 may be called"
    assert (fault.answer, fault.replaced_by, fault.trick) == ("9", "1", 0)


async def test_card_for_a_call_is_malformed(clock: FakeClock) -> None:
    confused = Scripted(lambda turn, view: Answer(card=view.hand[0]) if view.is_calling else None)

    record = await play_match(setup(), [confused, Lowest(), Lowest(), Lowest()], clock=clock)

    assert kinds(record) == [FaultKind.MALFORMED]


async def test_player_that_raises_is_forfeited_at_once(clock: FakeClock) -> None:
    def explode(turn: int, view: View) -> Answer | None:
        if turn == 2:
            raise ZeroDivisionError("no spades left")
        return None

    record = await play_match(setup(), [Lowest(), Lowest(), Scripted(explode), Lowest()], clock=clock)

    check_record(record, SEED)
    assert kinds(record) == [FaultKind.CRASHED]
    assert record.faults[0].forfeits
    assert record.faults[0].detail == "ZeroDivisionError: no spades left"


async def test_forced_plays_are_not_asked_for(clock: FakeClock) -> None:
    player = Scripted(lambda turn, view: None)
    seen: list[View] = []

    def remember(turn: int, view: View) -> None:
        seen.append(view)

    record = await play_match(setup(), [Scripted(remember), player, player, player], clock=clock)

    assert all(view.is_calling or len(view.legal_cards) > 1 for view in seen)
    assert sum(record.timing.rounds[0].asked) < 56


async def test_decision_times_are_recorded_where_they_were_spent(clock: FakeClock) -> None:
    record = await play_match(setup(), [Sleeper(clock, 0.25)] + [Lowest()] * 3, clock=clock)

    charged = {us for us in record.timing.rounds[0].decision_us if us}
    assert charged == {250_000}


async def test_note_is_cut_and_kept_with_its_decision(clock: FakeClock) -> None:
    chatty = Scripted(lambda turn, view: Answer(call=2, note="x" * 300) if view.is_calling else None)

    record = await play_match(setup(), [Lowest(), chatty, Lowest(), Lowest()], clock=clock)

    assert [(note.decision, len(note.text)) for note in record.rounds[0].notes] == [(1, 200)]


async def test_same_match_twice_is_the_same_record_but_for_its_times(clock: FakeClock) -> None:
    first = await play_match(setup(rules=CALLBREAK), [Sleeper(clock, 0.25)] + [Lowest()] * 3, clock=clock)
    again = await play_match(setup(rules=CALLBREAK), [Sleeper(clock, 0.5)] + [Lowest()] * 3, clock=clock)

    assert first != again
    assert timeless_bytes(first) == timeless_bytes(again)


@pytest.mark.parametrize("text", ["", "0", "0+5", "-1", "1+", "1+-2", "nan", "inf+1", "1+2+3", "fast", "1e9"])
def test_bad_time_control_is_one_line_that_says_what_is_allowed(text: str) -> None:
    with pytest.raises(ArenaError, match=r"expected LIMIT\+BANK in seconds") as caught:
        TimeControl.parse(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["0.5+10", "1+0", "0.05+2.5", "3+600"])
def test_time_control_is_written_as_it_was_read(text: str) -> None:
    assert str(TimeControl.parse(text)) == text
