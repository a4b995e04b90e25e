"""Owns the examination of one bot: which canned deals it is walked through, and what else is tried with it.

`examine` tries everything, for the bot's author; `examine_for_admission` is the part of it that a tournament
wants to know before it begins, and no host is too busy for it: a slow answer is no reason to leave a bot out.
It must not know tournaments or how findings look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from arena.bots.cases import CASES, Case, deal_case
from arena.bots.findings import Notebook, Report
from arena.bots.heartbeat import Heartbeat
from arena.bots.line import Line, Refused
from arena.bots.local_bot import LocalBot
from arena.bots.output import LOG_BYTES
from arena.bots.questions import Gone, Questioner, Trial
from arena.bots.wire import varint
from arena.referee import MatchSetup, RefereedMatch, SeatSetup, TimeControl
from arena.rules import PRESETS, Ruleset, with_rules

__all__ = ["TRIALS", "examine", "examine_for_admission"]

FAREWELL_S = 10.0
"""How long a bot may take to end after Goodbye; at its admission as long as to start, if that is longer."""

MANY, LATER_VERSION, EMPTY_BANK, SECOND_START = TRIALS = (
    "many matches at once",
    "words of a later version",
    "an empty bank",
    "a second start",
)
"""What `examine` tries besides the cases, in this order; the first only with a bot that promises it."""

ADMISSION_LIMIT_NS = 50_000_000
"""The limit that a bot is told at its admission, so that one that thinks as long as it may is soon done."""

_SLOW_SHARE = 0.5
_NEVER_FORFEITS = 1000
_UNKNOWN_FIELD = varint(1000 << 3) + varint(1)
"""Field 1000 of a Turn, a number: versions to come may say what this one has no name for."""


async def examine(
    bot: LocalBot,
    *,
    rulesets: Sequence[Ruleset] = tuple(PRESETS.values()),
    cases: Sequence[Case] = CASES,
    time_control: TimeControl,
    startup_s: float,
    now_ns: Callable[[], int],
) -> Report:
    """Starts the bot, walks it through `cases` under each of `rulesets` that it knows, and through TRIALS.

    Stops early when the bot is gone; that is a finding, never an exception. The bot is ended.
    """
    async with Heartbeat(now_ns) as heartbeat:
        examination = _Examination(bot, rulesets, cases, time_control, startup_s, 0.0, heartbeat, now_ns)
        return await examination.report_of(examination.all_of_it)


async def examine_for_admission(
    bot: LocalBot,
    *,
    rules: Ruleset,
    time_control: TimeControl,
    startup_s: float,
    now_ns: Callable[[], int],
) -> Report:
    """Starts the bot and walks it through every case under these rules, as many at once as it promises.

    An answer may be late by `startup_s`; one that does not come even then is a TIMEOUT.
    """
    quick = replace(time_control, limit_ns=min(time_control.limit_ns, ADMISSION_LIMIT_NS))
    async with Heartbeat(now_ns) as heartbeat:
        examination = _Examination(bot, [rules], CASES, quick, startup_s, startup_s, heartbeat, now_ns)
        return await examination.report_of(examination.admission)


class _Examination:
    """One examination of one bot."""

    def __init__(
        self,
        bot: LocalBot,
        rulesets: Sequence[Ruleset],
        cases: Sequence[Case],
        time_control: TimeControl,
        startup_s: float,
        patience_s: float,
        heartbeat: Heartbeat,
        now_ns: Callable[[], int],
    ) -> None:
        self._bot = bot
        self._rulesets = rulesets
        self._cases = cases
        self._time_control = time_control
        self._startup_s = startup_s
        self._patience_s = patience_s
        self._heartbeat = heartbeat
        self._now_ns = now_ns
        self._notebook = Notebook()

    async def report_of(self, course: Callable[[], object]) -> Report:
        """What is found on this course; the bot is ended."""
        try:
            await course()  # type: ignore[misc]
        except Gone:
            self._look_at_process()
        finally:
            await self._bot.end("the examination is over")
        return self._notebook.close()

    async def all_of_it(self) -> None:
        """Every case of every ruleset, and TRIALS."""
        line, questioner = await self._start()
        rulesets = self._known(line)
        for rules in rulesets:
            self._notebook.report.rulesets.append(rules.name)
            for case in self._cases:
                await self._play(questioner, [self._trial(rules, case)])
        self._judge_speed()
        for rules in rulesets[:1]:
            await self._try_more(line, questioner, rules)
        await self._part(line)
        for rules in rulesets[:1]:
            await self._bot.end("it is started a second time")
            await self._start_again(rules)

    async def admission(self) -> None:
        """Every case, as many at once as the bot promises."""
        line, questioner = await self._start()
        at_once = line.greeting.result().max_parallel_matches
        for rules in self._known(line):
            self._notebook.report.rulesets.append(rules.name)
            for first in range(0, len(self._cases), at_once):
                batch = self._cases[first : first + at_once]
                await self._play(questioner, [self._trial(rules, case) for case in batch])
        await self._part(line)

    async def _try_more(self, line: Line, questioner: Questioner, rules: Ruleset) -> None:
        at_once = min(line.greeting.result().max_parallel_matches, len(self._cases))
        if at_once > 1:
            batch = [self._trial(rules, case, name=MANY) for case in self._cases[:at_once]]
            await self._play(questioner, batch)
        await self._play(
            questioner, [self._trial(rules, self._cases[0], name=LATER_VERSION)], extra=_UNKNOWN_FIELD
        )
        await self._try_empty_bank(questioner, rules)

    async def _try_empty_bank(self, questioner: Questioner, rules: Ruleset) -> None:
        """A bot that thinks longer than the limit while it has a bank must not when that is spent.

        That it is late now and then may be a busy machine.
        """
        limit = TimeControl(self._time_control.limit_ns, 0)
        trial = self._trial(rules, self._cases[0], name=EMPTY_BANK, time_control=limit)
        await self._play(questioner, [trial])
        if trial.late:
            text = (
                f"{trial.late} of {trial.asked} decisions came after the limit of {limit.limit_ns / 1e9:g} s"
                " with nothing in the bank: bank_left of the Ask tells how much there is"
            )
            is_error = 2 * trial.late > trial.asked
            self._notebook.find("TIMEOUT" if is_error else "SLOW", text, is_error=is_error)

    async def _start_again(self, rules: Ruleset) -> None:
        """Processes are ended and started afresh between the passes of a set."""
        self._notebook.where = (rules.name, SECOND_START)
        _, questioner = await self._start()
        await self._play(questioner, [self._trial(rules, self._cases[0], name=SECOND_START)])

    async def _start(self) -> tuple[Line, Questioner]:
        try:
            line = await self._bot.start()
        except Refused as refusal:
            self._notebook.find(refusal.kind.name, str(refusal))
            raise Gone from None
        return line, Questioner(
            self._bot,
            line,
            self._notebook,
            startup_s=self._startup_s,
            patience_s=self._patience_s,
            heartbeat=self._heartbeat,
            now_ns=self._now_ns,
        )

    def _known(self, line: Line) -> list[Ruleset]:
        """The rulesets that the bot knows; a finding if it knows none."""
        known = line.greeting.result().rulesets
        chosen = [rules for rules in self._rulesets if not known or rules.name.partition("+")[0] in known]
        if not chosen:
            text = f"the bot knows none of the rulesets; it says that it knows {', '.join(known)}"
            self._notebook.find("VERSION", text)
        return chosen

    def _trial(
        self, rules: Ruleset, case: Case, *, name: str = "", time_control: TimeControl | None = None
    ) -> Trial:
        deal = deal_case(case, rules)
        has_patience = name == EMPTY_BANK
        other = SeatSetup("examiner")
        setup = MatchSetup(
            match_id="examination",
            seats=(other, other, other, other),
            rules=with_rules(rules, {"rounds": "1", "redeal": "off"}),
            time_control=time_control or self._time_control,
            hands=[deal.hands],
            strikes_allowed=_NEVER_FORFEITS if has_patience else 3,
        )
        return Trial(RefereedMatch(setup), deal, (rules.name, name or case.name), has_patience)

    async def _play(self, questioner: Questioner, trials: Sequence[Trial], *, extra: bytes = b"") -> None:
        self._notebook.report.cases += len(trials)
        await questioner.play(trials, extra=extra)

    def _judge_speed(self) -> None:
        limit_ms = self._time_control.limit_ns / 1e6
        slowest = max(self._notebook.report.decision_ms, default=0.0)
        if slowest > _SLOW_SHARE * limit_ms:
            text = f"the slowest decision took {slowest:.0f} ms of a limit of {limit_ms:.0f} ms"
            self._notebook.where = ("", "the clock")
            self._notebook.find("SLOW", text, is_error=False)

    async def _part(self, line: Line) -> None:
        self._look_at_process()
        self._notebook.where = ("", "the farewell")
        if line.refused_streams:
            text = f"streams opened beside the first, and refused: {line.refused_streams}; a bot has one"
            self._notebook.find("STREAM", text)
        line.say_goodbye("the examination is over")
        process = self._bot.process
        if process is None:
            return
        within_s = max(FAREWELL_S, self._patience_s)
        try:
            async with asyncio.timeout(within_s):
                await process.wait()
        except TimeoutError:
            text = f"the process goes on {within_s:g} s after Goodbye: end it, or it is killed"
            self._notebook.find("GOODBYE", text)

    def _look_at_process(self) -> None:
        """What the bot's processes did besides playing."""
        process = self._bot.process
        if process is None:
            return
        self._notebook.where = ("", "beside the game")
        if daemons := process.daemons():
            text = f"processes that have outlived what started them: {daemons}; end them, or they are killed"
            self._notebook.find("DAEMON", text)
        printed = process.output.total_bytes
        if printed > LOG_BYTES:
            text = (
                f"it printed {printed / 1e6:.1f} MB; {LOG_BYTES >> 20} MiB of what a process prints are kept"
            )
            self._notebook.find("OUTPUT", text)
        elif printed:
            text = (
                f"it printed {printed} bytes: they are kept beside the results, and no part of the protocol"
            )
            self._notebook.find("OUTPUT", text, is_error=False)
