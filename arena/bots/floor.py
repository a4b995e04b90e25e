"""Owns the floor: many matches at once between four bots, every ask and answer taken to where it belongs.

What falls due for a bot while it has something unanswered waits and goes out in one message: that is where
throughput comes from. It knows no gRPC and no process: bots are `Chair`s with a `Line`, times are charged by
the clock and the heartbeat that are passed in.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from arena.bots import codec
from arena.bots.heartbeat import Heartbeat
from arena.bots.line import Line, Refused
from arena.bots.wire import AskWriter, round_end_bytes, round_end_field, turn_bytes
from arena.referee.faults import FaultKind
from arena.referee.refereed import NOBODY, RefereedMatch
from arena.referee.setup import MatchSetup
from arena.v1 import play_pb2

__all__ = ["Chair", "FinishedMatch", "Floor", "Loss", "Seating"]

STRAYS_ALLOWED = 200
"""Messages and answers that nobody waits for (late ones, duplicates) before they count as a flood."""

FAILED_STARTS_ALLOWED = 2
"""Starts in a row that may fail before a bot is left alone for this pass: a night is not spent waiting."""

_NEVER_NS = 1 << 62


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a bot is gone: its fault, and the cause in words."""

    kind: FaultKind
    detail: str


class Guest(Protocol):
    """A bot that can be started, as often as needed; each start is a process, and a line, of its own."""

    async def start(self) -> Line:
        """Starts the bot and waits for its Hello; raises Refused with the fault when it does not come."""
        ...

    async def end(self, reason: str) -> None:
        """Ends what `start` began: Goodbye, some grace, then the whole process tree. Never raises."""
        ...

    async def cause_of_death(self) -> Loss:
        """Why the stream ended that `start` began."""
        ...

    def keep_output(self, label: str) -> Path | None:
        """Files what the bot printed since the last call under `label`; the file, None for nothing."""
        ...


@dataclass(eq=False, slots=True)
class Chair:
    """One bot at the table, over all its processes: `line` is None while there is none."""

    name: str
    guest: Guest
    line: Line | None = None
    loss: Loss | None = None
    failed_starts: int = 0
    is_tired: bool = False
    is_busy: bool = False
    matches: set[_Slot] = field(default_factory=set)

    @property
    def is_dead(self) -> bool:
        """Whether the bot is given up for this pass; its seats are forfeited from the start."""
        return self.failed_starts >= FAILED_STARTS_ALLOWED

    @property
    def is_playing(self) -> bool:
        """Whether the bot still decides in some match."""
        return any(slot.chairs.index(self) not in slot.match.forfeited for slot in self.matches)


@dataclass(frozen=True, slots=True)
class Seating:
    """A match to play, and the chairs by seat."""

    setup: MatchSetup
    chairs: tuple[Chair, Chair, Chair, Chair]


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that is over; times are the clock's nanoseconds."""

    match: RefereedMatch
    chairs: tuple[Chair, Chair, Chair, Chair]
    began_ns: int
    ended_ns: int


@dataclass(eq=False, slots=True)
class _Slot:
    """A match in play: `wire_ids` number it on each seat's stream, `unready` seats have not said Ready."""

    match: RefereedMatch
    chairs: tuple[Chair, Chair, Chair, Chair]
    writer: AskWriter
    wire_ids: list[int]
    unready: set[int]
    starts_sent_ns: int = _NEVER_NS
    began_ns: int = 0
    rounds_told: int = 0
    faults_told: int = 0


class Floor:
    """Plays matches between the same chairs, as many at once as every bot has promised to handle."""

    def __init__(
        self,
        chairs: Sequence[Chair],
        *,
        heartbeat: Heartbeat,
        now_ns: Callable[[], int],
        startup_s: float,
        on_finished: Callable[[FinishedMatch], None],
        on_loss: Callable[[Chair, Loss], None] = lambda chair, loss: None,
    ) -> None:
        self._chairs = list(chairs)
        self._heartbeat = heartbeat
        self._now_ns = now_ns
        self._startup_ns = int(startup_s * 1e9)
        self._on_finished = on_finished
        self._on_loss = on_loss
        self._waiting: deque[Seating] = deque()
        self._running: set[_Slot] = set()
        self._chair_of: dict[Line, Chair] = {}
        self._dirty: set[Line] = set()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: asyncio.TaskGroup | None = None

    @property
    def in_play(self) -> list[RefereedMatch]:
        """The matches that have begun and are not over; to be looked at only."""
        return [slot.match for slot in self._running if slot.match.notes]

    async def play(self, seatings: Sequence[Seating]) -> None:
        """Plays every match; returns when all are over and every bot is ended."""
        self._waiting.extend(seatings)
        self._heartbeat.watch(self._look_for_overdue)
        try:
            async with asyncio.TaskGroup() as self._tasks:
                for chair in self._chairs:
                    self._begin(chair, self._seat_bot(chair))
                self._fill()
                await self._over
        finally:
            self._heartbeat.unwatch(self._look_for_overdue)
            self._tasks = None
            async with asyncio.TaskGroup() as farewells:
                for chair in self._chairs:
                    farewells.create_task(self._see_off(chair))

    # What the lines say

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        """A message of a bot: answers, or Ready."""
        try:
            kind = request.WhichOneof("message")
            if kind == "answers":
                self._hear_answers(line, request.answers, now_ns)
            elif kind == "ready":
                self._hear_ready(line, request.ready)
            else:
                self._charge_oldest(line, "", f"{kind or 'an empty PlayRequest'} has no place here", now_ns)
            self._flush()
        except Exception as error:  # noqa: BLE001 - ours, and gRPC would swallow it: it must end the run
            self._fail(error)

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        """Something of a bot that is no message."""
        try:
            self._charge_oldest(line, "", trouble, now_ns)
            self._flush()
        except Exception as error:  # noqa: BLE001 - as in `heard`
            self._fail(error)

    def due(self, line: Line) -> bytes | None:
        """A PlayResponse with all that waits for `line`, unless it still owes an answer."""
        try:
            return self._compose(line)
        except Exception as error:  # noqa: BLE001 - as in `heard`
            self._fail(error)
            return None

    def lost(self, line: Line) -> None:
        """A bot's stream ended."""
        chair = self._chair_of.pop(line, None)
        if chair is not None and chair.line is line and self._tasks is not None and not self._over.done():
            chair.line = None
            self._begin(chair, self._bury(chair))

    # Answers

    def _hear_answers(self, line: Line, answers: play_pb2.Answers, now_ns: int) -> None:
        took_ns = self._passed_ns(line.sent_ns, now_ns)
        asked = line.asked
        cpu_us = self._cpu_us(line)
        for answer in answers.answers:
            slot = asked.pop(answer.ask_id, None)
            if slot is not None:
                slot.match.cpu_us = cpu_us
                codec.settle(slot.match, answer, took_ns)
                self._go_on(slot)
            elif 0 < answer.ask_id <= line.last_ask_id:
                self._stray(line)
            else:
                detail = f"ask_id {answer.ask_id} was never asked"
                self._charge_oldest(line, "", detail, now_ns)
        if not asked:
            self._dirty.add(line)
        if not answers.answers:
            self._stray(line)

    def _cpu_us(self, line: Line) -> int:
        """Processor time that the bot used since it was asked; 0 where nobody tells, or it is for several."""
        if line.cpu_ns is None or len(line.asked) != 1:
            return 0
        return (line.cpu_ns() - line.cpu_sent_ns) // 1000

    def _hear_ready(self, line: Line, ready: play_pb2.Ready) -> None:
        for wire_id in ready.match_ids:
            slot = line.starting.pop(wire_id, None)
            if slot is None:
                self._stray(line)
                continue
            slot.unready.discard(_seat_of(line, slot))
            self._begin_if_ready(slot)
        self._dirty.add(line)

    def _charge_oldest(self, line: Line, answer: str, detail: str, now_ns: int) -> None:
        """A MALFORMED fault for the decision that waits longest, or a stray message when none does."""
        if not line.asked:
            self._stray(line)
            return
        ask_id = next(iter(line.asked))
        slot = line.asked.pop(ask_id)
        took_ns = self._passed_ns(line.sent_ns, now_ns)
        slot.match.fail(FaultKind.MALFORMED, answer=answer, detail=detail, took_ns=took_ns)
        self._go_on(slot)
        self._dirty.add(line)

    def _stray(self, line: Line) -> None:
        line.strays += 1
        chair = self._chair_of.get(line)
        if line.strays > STRAYS_ALLOWED and chair is not None:
            detail = f"a flood: more than {STRAYS_ALLOWED} messages and answers that nobody waited for"
            del self._chair_of[line]
            line.listener = chair.line = None
            self._begin(chair, self._throw_out(chair, Loss(FaultKind.RESOURCE, detail)))

    def _look_for_overdue(self, now_ns: int) -> None:
        """At every beat: decisions whose time is up, and bots that do not become ready."""
        try:
            for line in tuple(self._chair_of):
                if line.asked and now_ns - line.sent_ns > line.shortest_allowed_ns:
                    self._time_out_overdue(line, now_ns)
            for slot in tuple(self._running):
                if slot.unready and self._passed_ns(slot.starts_sent_ns, now_ns) > self._startup_ns:
                    self._give_up_waiting(slot)
            self._flush()
        except Exception as error:  # noqa: BLE001 - a timer's exception would only be logged
            self._fail(error)

    def _passed_ns(self, since_ns: int, now_ns: int) -> int:
        """Nanoseconds in which the arena did not stand still: only those are charged."""
        return now_ns - since_ns - self._heartbeat.stalls.stalled_ns(since_ns, now_ns)

    def _time_out_overdue(self, line: Line, now_ns: int) -> None:
        took_ns = self._passed_ns(line.sent_ns, now_ns)
        for ask_id, slot in tuple(line.asked.items()):
            if took_ns > slot.match.allowed_ns(slot.match.seat):
                del line.asked[ask_id]
                line.strays -= 1  # its answer may still come
                slot.match.time_out(took_ns=took_ns)
                self._go_on(slot)
        self._dirty.add(line)

    def _give_up_waiting(self, slot: _Slot) -> None:
        detail = f"no Ready within {self._startup_ns / 1e9:g} s of MatchStart"
        for seat in tuple(slot.unready):
            slot.unready.discard(seat)
            slot.match.forfeit(seat, FaultKind.NEVER_READY, detail)
            chair = slot.chairs[seat]
            chair.is_tired = True
            if chair.line is not None:
                chair.line.starting.pop(slot.wire_ids[seat], None)
                self._dirty.add(chair.line)
        self._begin_if_ready(slot)

    # Matches

    def _fill(self) -> None:
        """Starts as many of the waiting matches as the bots can take now."""
        if self._over.done():
            return
        if not self._waiting and not self._running:
            self._over.set_result(None)
            return
        if any(chair.is_busy for chair in self._chairs) or not self._waiting:
            return
        if self._refresh_bots():
            return
        while self._waiting and len(self._running) < self._most_at_once():
            self._start(self._waiting.popleft())
        self._flush()

    def _refresh_bots(self) -> bool:
        """Starts again the bots that are gone or worn out; True when matches must wait for that."""
        must_wait = False
        for chair in self._chairs:
            if chair.is_dead or (chair.line is not None and not chair.is_tired):
                continue
            must_wait = True
            if chair.line is None or not chair.is_playing:
                self._begin(chair, self._seat_bot(chair))
        return must_wait

    def _most_at_once(self) -> int:
        lines = [chair.line for chair in self._chairs if chair.line is not None]
        promised = [min(line.greeting.result().max_parallel_matches, line.most_parallel) for line in lines]
        return min(promised, default=1)

    def _start(self, seating: Seating) -> None:
        match = RefereedMatch(seating.setup)
        slot = _Slot(match, seating.chairs, codec.ask_writer(match), [0] * 4, set())
        self._running.add(slot)
        for seat, chair in enumerate(seating.chairs):
            chair.matches.add(slot)
            if chair.line is None:
                loss = chair.loss or Loss(FaultKind.CRASHED, "its stream ended")
                match.forfeit(
                    seat,
                    loss.kind,
                    f"not started again after {FAILED_STARTS_ALLOWED} failures: {loss.detail}",
                )
                continue
            line = chair.line
            line.last_wire_id += 1
            slot.wire_ids[seat] = line.last_wire_id
            slot.unready.add(seat)
            line.starts_due[line.last_wire_id] = slot
            self._dirty.add(line)
        self._begin_if_ready(slot)

    def _begin_if_ready(self, slot: _Slot) -> None:
        if slot.unready or slot.match.notes:
            return
        slot.began_ns = self._now_ns()
        wishes = [
            chair.line is not None and chair.line.greeting.result().ask_forced_plays for chair in slot.chairs
        ]
        slot.match.begin(ask_forced=(wishes[0], wishes[1], wishes[2], wishes[3]))
        self._go_on(slot)

    def _go_on(self, slot: _Slot) -> None:
        """After a decision: tells what ended, asks for the next, or ends the match."""
        match = slot.match
        if len(match.game.finished) != slot.rounds_told:
            self._tell_rounds(slot)
        if len(match.faults) != slot.faults_told:
            self._tell_forfeits(slot)
        if match.seat == NOBODY:
            self._end(slot)
            return
        line = slot.chairs[match.seat].line
        if line is not None:
            line.asks_due.append(slot)
            self._dirty.add(line)

    def _tell_rounds(self, slot: _Slot) -> None:
        for played in slot.match.game.finished[slot.rounds_told :]:
            written = round_end_bytes(played)
            for seat, chair in enumerate(slot.chairs):
                if chair.line is not None and seat not in slot.match.forfeited:
                    chair.line.round_ends.append(round_end_field(written, slot.wire_ids[seat]))
        slot.rounds_told = len(slot.match.game.finished)

    def _tell_forfeits(self, slot: _Slot) -> None:
        match = slot.match
        for fault in match.faults[slot.faults_told :]:
            chair = slot.chairs[fault.seat]
            if fault.forfeits and chair.line is not None:
                chair.is_tired |= fault.kind is FaultKind.TIMEOUT
                wire_id = slot.wire_ids[fault.seat]
                chair.line.match_ends.append(codec.match_end_message(match, fault.seat, wire_id))
        slot.faults_told = len(match.faults)

    def _end(self, slot: _Slot) -> None:
        if slot not in self._running:
            return
        self._running.discard(slot)
        match = slot.match
        for seat, chair in enumerate(slot.chairs):
            chair.matches.discard(slot)
            if seat in match.forfeited:
                continue
            if chair.line is not None:
                chair.line.match_ends.append(codec.match_end_message(match, seat, slot.wire_ids[seat]))
        finished = FinishedMatch(match, slot.chairs, slot.began_ns, self._now_ns())
        asyncio.get_running_loop().call_soon(self._close, finished)

    def _close(self, finished: FinishedMatch) -> None:
        """Off the timed path, after the asks that were due have been sent."""
        try:
            self._on_finished(finished)
            self._fill()
        except Exception as error:  # noqa: BLE001 - as in `heard`
            self._fail(error)

    # Sending

    def _flush(self) -> None:
        is_alone = len(self._running) == 1  # nothing else can arrive that would go into the same message
        for line in self._dirty:
            if line.asked or line.starting:
                continue
            if not line.asks_due and not line.starts_due:
                line.doze()
            elif is_alone:
                line.wake_at_once()
            else:
                line.wake()
        self._dirty.clear()

    def _compose(self, line: Line) -> bytes | None:
        if line.asked or line.starting or not (line.asks_due or line.starts_due):
            return None
        notices = line.take_notices() + self._match_starts(line)
        asks = []
        shortest_ns = _NEVER_NS
        while line.asks_due:
            slot = line.asks_due.popleft()
            match = slot.match
            seat = match.seat
            if seat == NOBODY or slot.chairs[seat].line is not line:
                continue
            line.last_ask_id = ask_id = line.last_ask_id + 1
            line.asked[ask_id] = slot
            asks.append(codec.ask_of(match, slot.wire_ids[seat], ask_id, slot.writer))
            allowed_ns = match.allowed_ns(seat)
            if allowed_ns < shortest_ns:
                shortest_ns = allowed_ns
        line.shortest_allowed_ns = shortest_ns
        return turn_bytes(notices, asks)

    def _match_starts(self, line: Line) -> bytes:
        """A Turn, serialized, that announces the matches which are about to start."""
        if not line.starts_due:
            return b""
        turn = play_pb2.Turn()
        for wire_id, slot in line.starts_due.items():
            line.starting[wire_id] = slot
            slot.starts_sent_ns = self._now_ns()
            turn.match_starts.append(codec.match_start_message(slot.match, _seat_of(line, slot), wire_id))
        line.starts_due.clear()
        return turn.SerializeToString()

    # Bots come and go

    def _begin(self, chair: Chair, change: Coroutine[Any, Any, None]) -> None:
        """Runs a change of `chair`'s bot; no match is started until it is done."""
        if self._tasks is None:
            change.close()
            return
        chair.is_busy = True
        changing = self._tasks.create_task(self._change(chair, change))
        changing.add_done_callback(lambda _: change.close())  # where it was cancelled before its first step

    async def _change(self, chair: Chair, change: Coroutine[Any, Any, None]) -> None:
        try:
            await change
        finally:
            chair.is_busy = False
        self._flush()
        self._fill()

    async def _seat_bot(self, chair: Chair) -> None:
        if chair.line is not None:
            await self._see_off(chair)
        chair.is_tired = False
        outcome = await self._started(chair)
        if isinstance(outcome, Loss):
            chair.failed_starts = (
                FAILED_STARTS_ALLOWED if outcome.kind is FaultKind.VERSION else chair.failed_starts + 1
            )
            self._note_loss(chair, outcome)
            await chair.guest.end("it did not start")
            return
        chair.line, chair.failed_starts = outcome, 0
        self._chair_of[outcome] = chair
        outcome.listener = self
        if outcome.closed.is_set():
            self.lost(outcome)

    async def _started(self, chair: Chair) -> Line | Loss:
        try:
            return await chair.guest.start()
        except Refused as refusal:
            return Loss(refusal.kind, str(refusal))

    async def _bury(self, chair: Chair) -> None:
        loss = await chair.guest.cause_of_death()
        await self._throw_out(chair, loss)

    async def _throw_out(self, chair: Chair, loss: Loss) -> None:
        self._note_loss(chair, loss)
        for slot in tuple(chair.matches):
            seat = slot.chairs.index(chair)
            slot.unready.discard(seat)
            slot.match.forfeit(seat, loss.kind, loss.detail)
            if slot.match.notes:
                self._go_on_without(slot)
            else:
                self._begin_if_ready(slot)
        self._flush()
        await chair.guest.end(loss.detail)

    def _go_on_without(self, slot: _Slot) -> None:
        """Goes on after a seat was forfeited; the ask of another seat stands if there is one."""
        if slot.match.seat == NOBODY or not self._is_asked(slot):
            self._go_on(slot)

    def _is_asked(self, slot: _Slot) -> bool:
        line = slot.chairs[slot.match.seat].line
        return line is not None and (slot in line.asked.values() or slot in line.asks_due)

    def _note_loss(self, chair: Chair, loss: Loss) -> None:
        chair.line = None
        chair.loss = loss
        self._on_loss(chair, loss)

    async def _see_off(self, chair: Chair) -> None:
        line, chair.line = chair.line, None
        if line is not None:
            self._chair_of.pop(line, None)
        await chair.guest.end("no more matches")

    def _fail(self, error: BaseException) -> None:
        if not self._over.done():
            self._over.set_exception(error)


def _seat_of(line: Line, slot: _Slot) -> int:
    return next(seat for seat, chair in enumerate(slot.chairs) if chair.line is line)
