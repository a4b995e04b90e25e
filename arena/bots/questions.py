"""Owns the questions of an examination: rounds played with one bot over its line, its answers judged.

Several rounds at once are put in one Turn, as the floor does it. What was found goes into a `Notebook`; which
rounds are played, and why, it must not know.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from arena.bots import codec
from arena.bots.cases import CaseDeal
from arena.bots.findings import Notebook
from arena.bots.floor import STRAYS_ALLOWED
from arena.bots.heartbeat import Heartbeat
from arena.bots.line import Line
from arena.bots.local_bot import LocalBot
from arena.bots.wire import AskWriter, turn_bytes
from arena.referee import NOBODY, FaultKind, RefereedMatch
from arena.referee.refereed import NOTE_LIMIT
from arena.v1 import play_pb2

__all__ = ["NOTE_ABSURD", "Gone", "Questioner", "Trial"]

NOTE_ABSURD = 10 * NOTE_LIMIT
"""Characters of a note that its author cannot have meant."""

FEW = 3
"""Asks of a Turn that may well be answered one by one."""

Said = play_pb2.PlayRequest | str
"""A message, or in words why something was none."""


class Gone(Exception):
    """The bot cannot be asked any further; the finding is written."""


@dataclass(eq=False, slots=True)
class Trial:
    """One round with the bot on the seat of `deal`; findings in it are placed at `where`.

    With `has_patience` a decision that comes too late is counted in `late`, and is no finding yet.
    """

    match: RefereedMatch
    deal: CaseDeal
    where: tuple[str, str]
    has_patience: bool = False
    asked: int = 0
    late: int = 0
    wire_id: int = field(default=0, init=False)
    writer: AskWriter = field(init=False)

    def __post_init__(self) -> None:
        self.writer = codec.ask_writer(self.match)


class Questioner:
    """Puts trials to one bot. It listens to the bot's line and takes its messages one at a time.

    An answer may come `patience_s` after its time is up, and is taken then; only when nothing comes by then
    is the time up, and the bot gone.
    """

    def __init__(
        self,
        bot: LocalBot,
        line: Line,
        notebook: Notebook,
        *,
        startup_s: float,
        patience_s: float,
        heartbeat: Heartbeat,
        now_ns: Callable[[], int],
    ) -> None:
        self._bot = bot
        self._line = line
        self._notebook = notebook
        self._startup_s = startup_s
        self._patience_ns = int(patience_s * 1e9)
        self._heartbeat = heartbeat
        self._now_ns = now_ns
        self._heard: asyncio.Queue[tuple[Said | None, int]] = asyncio.Queue()
        self._outgoing: bytes | None = None
        self._notices = play_pb2.Turn()
        self._ask_id = self._wire_id = self._strays = self._sent_ns = 0
        self._late_ids: set[int] = set()
        greeting = line.greeting.result()
        self._asks_forced = greeting.ask_forced_plays
        line.listener = self
        if line.closed.is_set():  # it ended while nobody listened
            self.lost(line)

    # What the line says: see arena.bots.line.LineListener.

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        """A message of the bot."""
        self._heard.put_nowait((request, now_ns))

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        """Something that is no message."""
        self._heard.put_nowait((trouble, now_ns))

    def due(self, line: Line) -> bytes | None:
        """What was composed last, once."""
        outgoing, self._outgoing = self._outgoing, None
        self._sent_ns = self._now_ns()
        return outgoing

    def lost(self, line: Line) -> None:
        """The stream ended."""
        self._heard.put_nowait((None, self._now_ns()))

    # The questions.

    async def play(self, trials: Sequence[Trial], *, extra: bytes = b"") -> None:
        """Plays these rounds at once: the bot on its seat, the others by the script and then low.

        `extra` is added to every Turn. Raises Gone.
        """
        await self._make_ready(trials, extra)
        for trial in trials:
            forced = [False] * 4
            forced[trial.deal.seat] = self._asks_forced
            trial.match.begin(ask_forced=(forced[0], forced[1], forced[2], forced[3]))
        while due := [trial for trial in trials if _is_due(trial)]:
            await self._ask(due, extra)
        for trial in trials:
            ended = codec.match_end_message(trial.match, trial.deal.seat, trial.wire_id)
            self._notices.match_ends.append(ended)

    async def _make_ready(self, trials: Sequence[Trial], extra: bytes) -> None:
        for trial in trials:
            self._wire_id += 1
            trial.wire_id = self._wire_id
            start = codec.match_start_message(trial.match, trial.deal.seat, trial.wire_id)
            self._notices.match_starts.append(start)
        self._notebook.where = trials[0].where
        waiting = {trial.wire_id for trial in trials}
        self._send([], extra)
        while waiting:
            said, _ = await self._next(int(self._startup_s * 1e9))
            if said is None:
                self._end("NEVER_READY", f"no Ready within {self._startup_s:g} s of MatchStart")
            elif isinstance(said, str) or not self._takes_ready(said, waiting):
                missing = ", ".join(map(str, sorted(waiting)))
                self._end("MALFORMED", f"MatchStart of match {missing} was not answered by Ready with its id")

    def _takes_ready(self, request: play_pb2.PlayRequest, waiting: set[int]) -> bool:
        """Takes the matches of a Ready off `waiting`; False for what has no place here."""
        if request.WhichOneof("message") == "answers":
            for answer in request.answers.answers:
                self._hear_stray(answer.ask_id, set())
            return all(answer.ask_id <= self._ask_id for answer in request.answers.answers)
        ready = set(request.ready.match_ids)
        if not ready & waiting:
            return False
        waiting -= ready
        return True

    async def _ask(self, due: Sequence[Trial], extra: bytes) -> None:
        """Asks for one decision of each of these rounds, and judges the answers as they come."""
        asked: dict[int, Trial] = {}
        for trial in due:
            self._ask_id += 1
            trial.asked += 1
            asked[self._ask_id] = trial
        asks = [
            codec.ask_of(trial.match, trial.wire_id, ask_id, trial.writer) for ask_id, trial in asked.items()
        ]
        ids = set(asked)
        messages = 0
        longest_ns = max(_allowed_ns(trial) for trial in due)
        self._notebook.where = due[0].where
        self._send(asks, extra)
        while asked:
            shortest_ns = min(_allowed_ns(trial) for trial in asked.values())
            said, took_ns = await self._next(shortest_ns + self._patience_ns)
            messages += said is not None
            if said is None:
                self._time_out(asked, took_ns)
            elif isinstance(said, str):
                self._fail_oldest(asked, said, took_ns)
            else:
                self._hear(said, asked, ids, took_ns)
        if FEW < len(ids) == messages:
            text = (
                f"{len(ids)} asks of a Turn were answered in as many messages: one may hold all the answers"
            )
            self._notebook.hear_noise("PIECES", text, is_error=False)
        await self._drop_late(longest_ns)

    def _hear(
        self, request: play_pb2.PlayRequest, asked: dict[int, Trial], ids: Collection[int], took_ns: int
    ) -> None:
        kind = request.WhichOneof("message")
        if kind != "answers":
            self._fail_oldest(asked, f"{kind or 'an empty PlayRequest'} has no place here", took_ns)
            return
        heard_before = set(ids) - set(asked)
        is_of_use = False
        for answer in request.answers.answers:
            trial = asked.pop(answer.ask_id, None)
            if trial is not None:
                is_of_use = True
                self._settle(trial, answer, took_ns)
            elif answer.ask_id > self._ask_id or not answer.ask_id:
                is_of_use = True
                if asked:
                    self._fail_oldest(asked, f"ask_id {answer.ask_id} was never asked", took_ns)
            elif is_of_use and answer.ask_id not in heard_before:
                self._hear_twice(answer.ask_id)
            else:
                self._hear_stray(answer.ask_id, heard_before)
        if not request.answers.answers:
            self._fail_oldest(asked, "an Answers message without an answer", took_ns)

    def _settle(self, trial: Trial, answer: play_pb2.Answer, took_ns: int) -> None:
        if len(answer.note) > NOTE_LIMIT:
            text = f"a note of {len(answer.note)} characters; the first {NOTE_LIMIT} are kept"
            self._notebook.hear_noise("NOTE", text, is_error=len(answer.note) > NOTE_ABSURD)
        self._judge(trial, took_ns, lambda charged_ns: codec.settle(trial.match, answer, charged_ns))

    def _fail_oldest(self, asked: dict[int, Trial], detail: str, took_ns: int) -> None:
        trial = asked.pop(next(iter(asked)))
        self._judge(
            trial,
            took_ns,
            lambda charged_ns: trial.match.fail(
                FaultKind.MALFORMED, answer="", detail=detail, took_ns=charged_ns
            ),
        )

    def _time_out(self, asked: dict[int, Trial], took_ns: int) -> None:
        for ask_id, trial in tuple(asked.items()):
            if took_ns >= _allowed_ns(trial) + self._patience_ns:
                del asked[ask_id]
                self._late_ids.add(ask_id)
                self._judge(
                    trial,
                    took_ns,
                    lambda charged_ns, match=trial.match: match.time_out(took_ns=charged_ns),  # type: ignore[misc]
                )
                if self._patience_ns:
                    raise Gone

    def _judge(self, trial: Trial, took_ns: int, settle: Callable[[int], None]) -> None:
        """Settles a decision and writes down what the referee charges for it."""
        match = trial.match
        view, faults = match.view(), len(match.faults)
        settle(min(took_ns, _allowed_ns(trial)) if self._patience_ns else took_ns)
        self._notebook.report.decision_ms.append(took_ns / 1e6)
        self._notebook.where = trial.where
        for fault in match.faults[faults:]:
            if trial.has_patience and fault.kind is FaultKind.TIMEOUT:
                trial.late += 1
                continue
            self._notebook.find_fault(fault, view)
            if fault.forfeits:
                raise Gone

    def _hear_twice(self, ask_id: int) -> None:
        text = f"ask {ask_id} was answered twice; the second answer is dropped, and counts towards a flood"
        self._notebook.hear_noise("DUPLICATE", text)

    def _hear_stray(self, ask_id: int, heard_before: Collection[int]) -> None:
        """An answer that nobody waits for any more; too many of them are a flood."""
        if ask_id in self._late_ids:
            self._late_ids.discard(ask_id)
            return
        self._hear_twice(ask_id)
        self._strays += 1
        if self._strays > STRAYS_ALLOWED:
            self._end("RESOURCE", f"a flood: more than {STRAYS_ALLOWED} answers that nobody waited for")

    async def _drop_late(self, within_ns: int) -> None:
        """Waits for answers that came too late, so that what is asked next is not late because of them."""
        began_ns = self._now_ns()
        while self._late_ids and (left_ns := within_ns - (self._now_ns() - began_ns)) > 0:
            await self._heard_within(left_ns)
            while not self._heard.empty():
                said, _ = self._heard.get_nowait()
                if said is None:
                    await self._bury()
                elif not isinstance(said, str):
                    self._late_ids -= {answer.ask_id for answer in said.answers.answers}

    async def _next(self, allowed_ns: int) -> tuple[Said | None, int]:
        """What the bot says next and how long after the last Turn; None for nothing within `allowed_ns`.

        Time in which the arena stood still is not counted.
        """
        while self._heard.empty():
            passed_ns = self._passed_ns(self._now_ns())
            if passed_ns >= allowed_ns:
                return None, passed_ns
            await self._heard_within(allowed_ns - passed_ns)
        said, at_ns = self._heard.get_nowait()
        if said is None:
            await self._bury()
        return said, self._passed_ns(at_ns)

    async def _heard_within(self, left_ns: int) -> None:
        """Returns when something was heard, or after so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(left_ns / 1e9):
                self._heard.put_nowait(await self._heard.get())

    def _passed_ns(self, now_ns: int) -> int:
        return now_ns - self._sent_ns - self._heartbeat.stalls.stalled_ns(self._sent_ns, now_ns)

    async def _bury(self) -> None:
        loss = await self._bot.cause_of_death()
        self._end(loss.kind.name, loss.detail)

    def _end(self, kind: str, text: str) -> None:
        self._notebook.find(kind, text)
        raise Gone

    def _send(self, asks: Sequence[bytes], extra: bytes) -> None:
        self._outgoing = turn_bytes(self._notices.SerializeToString() + extra, asks)
        self._notices = play_pb2.Turn()
        self._sent_ns = self._now_ns()
        self._line.wake()


def _allowed_ns(trial: Trial) -> int:
    return trial.match.allowed_ns(trial.deal.seat)


def _is_due(trial: Trial) -> bool:
    """Whether the bot is to decide, once the others have decided as far as they can."""
    match = trial.match
    while match.seat not in (NOBODY, trial.deal.seat):
        _play_other(match, trial.deal)
    return match.seat != NOBODY


def _play_other(match: RefereedMatch, deal: CaseDeal) -> None:
    round_ = match.game.round
    if round_.is_calling:
        match.call(match.setup.rules.call_min, took_ns=0)
    elif not round_.history_leaders and len(round_.trick) < len(deal.script):
        match.play(deal.script[len(round_.trick)], took_ns=0)
    else:
        match.play(round_.lowest_legal_card(), took_ns=0)
