"""Owns the examination of one bot: canned deals with every hard case, the handshake, the clock, the farewell.

Every finding is told in words, with the view that caused it. It must not know tournaments or how findings
look.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arena.bots import codec
from arena.bots.cases import CASES, Case, CaseDeal, deal_case
from arena.bots.floor import STRAYS_ALLOWED
from arena.bots.line import Line, Refused
from arena.bots.local_bot import LocalBot
from arena.bots.wire import turn_bytes
from arena.referee import NOBODY, Fault, FaultKind, MatchSetup, RefereedMatch, SeatSetup, TimeControl
from arena.rules import PRESETS, Card, Ruleset, View, with_rules
from arena.v1 import play_pb2

__all__ = ["Finding", "Report", "examine"]

FAREWELL_S = 5.0
"""How long a bot may take to end after Goodbye before that is a finding."""

_SLOW_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong (`is_error`) or worth knowing; `view` is what the bot was shown."""

    is_error: bool
    kind: str
    ruleset: str
    case: str
    text: str
    view: str = ""


@dataclass(slots=True)
class Report:
    """What an examination found. `decision_ms` has every decision's time."""

    rulesets: list[str] = field(default_factory=list)
    cases: int = 0
    decision_ms: list[float] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not any(finding.is_error for finding in self.findings)


async def examine(
    bot: LocalBot,
    *,
    rulesets: Sequence[Ruleset] = tuple(PRESETS.values()),
    cases: Sequence[Case] = CASES,
    time_control: TimeControl,
    startup_s: float,
    now_ns: Callable[[], int],
) -> Report:
    """Starts the bot, walks it through `cases` under each of `rulesets` that it knows, and ends it.

    Stops early when the bot is gone; that is a finding, never an exception.
    """
    examination = _Examination(bot, time_control, startup_s, now_ns)
    try:
        await examination.run(rulesets, cases)
    except _Gone:
        pass
    finally:
        await bot.end("the examination is over")
    return examination.report


class _Gone(Exception):
    """The bot cannot be examined any further; the finding is written."""


class _Examination:
    """One examination. It listens to the bot's line and takes its messages one at a time."""

    def __init__(
        self, bot: LocalBot, time_control: TimeControl, startup_s: float, now_ns: Callable[[], int]
    ) -> None:
        self.report = Report()
        self._bot = bot
        self._time_control = time_control
        self._startup_s = startup_s
        self._now_ns = now_ns
        self._heard: asyncio.Queue[play_pb2.PlayRequest | str | None] = asyncio.Queue()
        self._outgoing: bytes | None = None
        self._notices = play_pb2.Turn()
        self._ask_id = self._wire_id = 0
        self._arrived_ns = self._strays = 0
        self._where = ("", "the handshake")
        self._asks_forced = False

    async def run(self, rulesets: Sequence[Ruleset], cases: Sequence[Case]) -> None:
        line = await self._start()
        known = line.greeting.result().rulesets
        self._asks_forced = line.greeting.result().ask_forced_plays
        chosen = [rules for rules in rulesets if not known or rules.name.partition("+")[0] in known]
        if not chosen:
            self._find(
                "VERSION", f"the bot knows none of the rulesets; it says that it knows {', '.join(known)}"
            )
        for rules in chosen:
            self.report.rulesets.append(rules.name)
            for case in cases:
                self._where = (rules.name, case.name)
                self.report.cases += 1
                await self._play(line, rules, deal_case(case, rules))
        self._judge_speed()
        self._where = ("", "the farewell")
        await self._part(line)

    # What the line says: see arena.bots.line.LineListener.

    def heard(self, line: Line, request: play_pb2.PlayRequest, now_ns: int) -> None:
        self._arrived_ns = now_ns
        self._heard.put_nowait(request)

    def garbled(self, line: Line, trouble: str, now_ns: int) -> None:
        self._arrived_ns = now_ns
        self._heard.put_nowait(trouble)

    def due(self, line: Line) -> bytes | None:
        outgoing, self._outgoing = self._outgoing, None
        return outgoing

    def lost(self, line: Line) -> None:
        self._heard.put_nowait(None)

    # The examination.

    async def _start(self) -> Line:
        try:
            line = await self._bot.start()
        except Refused as refusal:
            self._find(refusal.kind.name, str(refusal))
            raise _Gone from None
        line.listener = self
        return line

    async def _play(self, line: Line, rules: Ruleset, deal: CaseDeal) -> None:
        """One round of one case: the bot on its seat, the others by the script and then low."""
        match = RefereedMatch(_setup(rules, deal, self._time_control))
        await self._make_ready(line, match, deal.seat)
        forced = [False] * 4
        forced[deal.seat] = self._asks_forced
        match.begin(ask_forced=(forced[0], forced[1], forced[2], forced[3]))
        while match.seat != NOBODY:
            if match.seat == deal.seat:
                await self._ask(line, match)
            else:
                _play_other(match, deal)
        self._notices.match_ends.append(codec.match_end_message(match, deal.seat, self._wire_id))

    async def _make_ready(self, line: Line, match: RefereedMatch, seat: int) -> None:
        self._wire_id += 1
        self._notices.match_starts.append(codec.match_start_message(match, seat, self._wire_id))
        self._send(line, [])
        request = await self._next(self._startup_s)
        if request is None:
            self._find("NEVER_READY", f"no Ready within {self._startup_s:g} s of MatchStart")
            raise _Gone
        if isinstance(request, str) or self._wire_id not in request.ready.match_ids:
            self._find(
                "MALFORMED", f"MatchStart of match {self._wire_id} was not answered by Ready with its id"
            )
            raise _Gone

    async def _ask(self, line: Line, match: RefereedMatch) -> None:
        """Asks for one decision and judges the answer."""
        view, faults = match.view(), len(match.faults)
        self._ask_id += 1
        self._send(line, [codec.ask_of(match, self._wire_id, self._ask_id, codec.ask_writer(match))])
        allowed_s = match.allowed_ns(match.seat) / 1e9
        request = await self._next(allowed_s, late_s=allowed_s)
        while self._is_stale(request):
            request = await self._next(allowed_s, late_s=allowed_s)
        took_ns = self._arrived_ns - line.sent_ns
        if request is None:
            match.time_out(took_ns=took_ns)
        elif isinstance(request, str):
            match.fail(FaultKind.MALFORMED, answer="", detail=request, took_ns=took_ns)
        else:
            self._settle(match, request, took_ns)
        self.report.decision_ms.append(took_ns / 1e6)
        for fault in match.faults[faults:]:
            self._find_fault(fault, view)

    def _settle(self, match: RefereedMatch, request: play_pb2.PlayRequest, took_ns: int) -> None:
        answers = request.answers.answers
        mine = [answer for answer in answers if answer.ask_id == self._ask_id]
        if mine:
            codec.settle(match, mine[0], took_ns)
        if len(mine) > 1:
            self._find(
                "MALFORMED", "one Ask was answered twice; the second answer is dropped", is_error=False
            )
        elif not mine:
            said = ", ".join(str(answer.ask_id) for answer in answers) or "no answer at all"
            detail = f"ask_id {self._ask_id} was asked, and answered was {said}"
            match.fail(FaultKind.MALFORMED, answer="", detail=detail, took_ns=took_ns)

    def _is_stale(self, said: play_pb2.PlayRequest | str | None) -> bool:
        """Whether this answers only what was answered before; too much of it is a flood."""
        if said is None or isinstance(said, str) or not said.answers.answers:
            return False
        if any(answer.ask_id >= self._ask_id for answer in said.answers.answers):
            return False
        self._strays += 1
        if self._strays > STRAYS_ALLOWED:
            self._find("RESOURCE", f"a flood: more than {STRAYS_ALLOWED} answers that nobody waited for")
            raise _Gone
        return True

    async def _next(self, wait_s: float, *, late_s: float = 0.0) -> play_pb2.PlayRequest | str | None:
        """What the bot says within `wait_s`; None for nothing, after `late_s` more for it to wake up in."""
        try:
            async with asyncio.timeout(wait_s):
                said = await self._heard.get()
        except TimeoutError:
            self._arrived_ns = self._now_ns()
            await self._drop_late(late_s)
            return None
        if said is None:
            loss = await self._bot.cause_of_death()
            self._find(loss.kind.name, loss.detail)
            raise _Gone
        return said

    async def _drop_late(self, late_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(late_s):
                if await self._heard.get() is None:
                    raise _Gone

    def _send(self, line: Line, asks: Sequence[bytes]) -> None:
        self._outgoing = turn_bytes(self._notices.SerializeToString(), asks)
        self._notices = play_pb2.Turn()
        line.wake()

    async def _part(self, line: Line) -> None:
        line.say_goodbye("the examination is over")
        process = self._bot.process
        if process is None:
            return
        try:
            async with asyncio.timeout(FAREWELL_S):
                await process.wait()
        except TimeoutError:
            text = f"the process goes on {FAREWELL_S:g} s after Goodbye: end it, or it is killed"
            self._find("GOODBYE", text, is_error=False)

    def _judge_speed(self) -> None:
        limit_ms = self._time_control.limit_ns / 1e6
        slowest = max(self.report.decision_ms, default=0.0)
        if slowest > _SLOW_SHARE * limit_ms:
            text = f"the slowest decision took {slowest:.0f} ms of a limit of {limit_ms:.0f} ms"
            self._where = ("", "the clock")
            self._find("SLOW", text, is_error=False)

    def _find(self, kind: str, text: str, *, view: str = "", is_error: bool = True) -> None:
        ruleset, case = self._where
        self.report.findings.append(Finding(is_error, kind, ruleset, case, text, view))

    def _find_fault(self, fault: Fault, view: View) -> None:
        self._find(fault.kind.name, fault.detail, view=shown_view(view))
        if fault.forfeits:
            raise _Gone


def shown_view(view: View) -> str:
    """A view in one line, as a card player would tell it."""
    hand = f"seat {view.seat} held {_texts(view.hand)}"
    if view.is_calling:
        return f"{hand}, to call {view.legal_calls[0]} to {view.legal_calls[-1]}"
    trick = f"the trick was {_texts(view.trick)} led by seat {view.trick_leader}" if view.trick else "it led"
    return f"{hand}; {trick}; legal were {_texts(view.legal_cards)}"


def _texts(numbers: Sequence[int]) -> str:
    return " ".join(str(Card(number)) for number in numbers)


def _play_other(match: RefereedMatch, deal: CaseDeal) -> None:
    round_ = match.game.round
    if round_.is_calling:
        match.call(match.setup.rules.call_min, took_ns=0)
    elif not round_.history_leaders and len(round_.trick) < len(deal.script):
        match.play(deal.script[len(round_.trick)], took_ns=0)
    else:
        match.play(round_.lowest_legal_card(), took_ns=0)


def _setup(rules: Ruleset, deal: CaseDeal, time_control: TimeControl) -> MatchSetup:
    other = SeatSetup("examiner")
    return MatchSetup(
        match_id="examination",
        seats=(other, other, other, other),
        rules=with_rules(rules, {"rounds": "1", "redeal": "off"}),
        time_control=time_control,
        hands=[deal.hands],
    )
