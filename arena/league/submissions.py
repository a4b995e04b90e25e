"""Owns what becomes of a bundle: unpacked, built, examined, tried in a match, admitted or refused.

Each step is noted in the store, so a submission that a killed server left half-way is gone through again from
its bundle. A refused one leaves nothing on disk. It must not know gRPC or the web.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from arena.bots.archive import BadBundle, BundleLimits, unpack_bot
from arena.bots.build import BuildError
from arena.bots.findings import Finding, Report
from arena.bots.interview import examine_for_admission
from arena.bots.local_bot import LocalBot
from arena.bots.manifest import Entrant, runnable
from arena.bots.sandbox import Sandbox
from arena.bots.scratch import scratch_folder
from arena.errors import ArenaError
from arena.league.hub import Hub, SubmissionChanged
from arena.league.installed import Installed, build_in
from arena.league.model import Season, Submission, SubmissionState, Version
from arena.league.store import LeagueStore, NotFound, Taken
from arena.referee.clocks import TimeControl
from arena.reports.text import harmless
from arena.rules import find_ruleset

__all__ = ["Refusal", "Submissions", "Verdict"]

AT_ONCE = 2
"""Submissions that are worked on at once: a long build does not hold up everybody."""

POLL_S = 2.0
"""How often it is looked whether another arena has left a submission."""

STARTUP_S = 30.0
TRIES = 3
"""How often a step is tried that fails by no fault of the bot."""

TRY_AGAIN_S = 5.0
_LAST_LINES = 20
_MOST_DETAIL = 4_000


class Refusal(Exception):
    """The bot is not admitted; the message says why, and what to change."""


class Verdict(Protocol):
    """How a first match went."""

    @property
    def is_passed(self) -> bool:
        """Whether the bot played to the end."""
        ...

    @property
    def detail(self) -> str:
        """In words."""
        ...


class Submissions:
    """Works on the submissions of a league. Belongs to the server's event loop; `run` is its life."""

    def __init__(
        self,
        store: LeagueStore,
        *,
        sandbox: Sandbox | None,
        folder: Path,
        installed: Installed,
        hub: Hub,
        owner: str,
        qualify: Callable[[Entrant], Awaitable[Verdict]],
        limits: BundleLimits | None = None,
        on_end: Callable[[Submission], None] = lambda submission: None,
        on_trouble: Callable[[Submission, str], None] = lambda submission, trouble: None,
    ) -> None:
        """Works in `folder`, which is this arena's own. `owner` names this arena in the store.

        `on_end` hears of each that is admitted or refused; `on_trouble` of what went wrong by no bot's fault.
        """
        self._store = store
        self._sandbox = sandbox
        self._folder = folder
        self._installed = installed
        self._hub = hub
        self._owner = owner
        self._qualify = qualify
        self._limits = limits or BundleLimits()
        self._on_end = on_end
        self._on_trouble = on_trouble
        self._is_new = asyncio.Event()
        self._at_work: set[str] = set()

    def wake(self) -> None:
        """There is a new one."""
        self._is_new.set()

    async def run(self) -> None:
        """Works until it is cancelled; what is half-done then is begun anew at the next start."""
        shutil.rmtree(self._folder, ignore_errors=True)
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            self._is_new.clear()
            submission = await self._claimed()
            if submission is None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL_S):
                        await self._is_new.wait()
                continue
            self._at_work.add(submission.submission_id)
            try:
                await self._process(submission)
            finally:
                self._at_work.discard(submission.submission_id)

    async def _claimed(self) -> Submission | None:
        try:
            submission = await asyncio.to_thread(self._store.claim_submission, self._owner)
        except ArenaError:  # the database is away; others say so
            return None
        return None if submission is None or submission.submission_id in self._at_work else submission

    async def _process(self, submission: Submission) -> None:
        """Takes it to its end, whatever happens."""
        for attempt in range(1, TRIES + 1):
            try:
                await self._once(submission)
            except Refusal as refusal:
                await self._refuse(submission, str(refusal))
            except ArenaError as trouble:
                self._on_trouble(submission, str(trouble))
                await self._give_up_or_wait(submission, attempt, "it could not be checked here")
                continue
            except Exception:  # noqa: BLE001 - the outermost edge: one bad submission must not end the others
                self._on_trouble(submission, traceback.format_exc())
                await self._give_up_or_wait(submission, attempt, "the league made a mistake of its own")
                continue
            return

    async def _give_up_or_wait(self, submission: Submission, attempt: int, why: str) -> None:
        if attempt < TRIES:
            await asyncio.sleep(TRY_AGAIN_S)
            return
        words = f"{why}, by no fault of the bot; the organiser finds the reason in the log. Submit it again"
        with contextlib.suppress(ArenaError):
            await self._refuse(submission, words)

    async def _once(self, submission: Submission) -> None:
        work = self._folder / f"submission-{submission.submission_id}"
        await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        try:
            await self._steps(submission, work)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)

    async def _steps(self, submission: Submission, work: Path) -> None:
        if self._sandbox is None:
            raise Refusal("this league has no sandbox to build and start bots in")
        entrant = await self._unpacked(submission, work)
        await asyncio.to_thread(self._check_name, submission, entrant)
        shown = f"{entrant.name} {entrant.version} ({entrant.language})"
        await self._advance(submission, SubmissionState.UNPACKED, shown, bot=entrant.name)
        entrant = await self._built(submission, entrant, work, self._sandbox)
        await self._examined(submission, entrant, self._sandbox)
        verdict = await self._qualify(entrant)
        if not verdict.is_passed:
            raise Refusal(f"it forfeited its first match: {verdict.detail}")
        await self._advance(submission, SubmissionState.QUALIFIED, verdict.detail)
        await self._admit(submission, entrant, work)

    # The steps

    async def _unpacked(self, submission: Submission, work: Path) -> Entrant:
        data = await asyncio.to_thread(self._store.bundle, submission.bundle_sha256)
        try:
            return await asyncio.to_thread(unpack_bot, data, work / "bot", limits=self._limits)
        except BadBundle as bad:
            raise Refusal(f"the bundle is not accepted: {bad}") from None

    def _check_name(self, submission: Submission, entrant: Entrant) -> None:
        """Refuses early what could not be admitted. Runs in a thread."""
        try:
            bot = self._store.bot(entrant.name)
        except NotFound:
            return
        newest = bot.newest
        if bot.author.author_id != submission.author.author_id:
            raise Refusal(f"{entrant.name}: another author has a bot of this name; choose another name")
        if bot.is_remote:
            raise Refusal(
                f"{entrant.name}: your bot of this name plays from your machine; choose another name"
            )
        if newest is None or bot.retired_unix_us is not None:
            return
        if newest.content_hash == entrant.content_hash:
            raise Refusal(f"these very files play already, as version {newest.number} of {bot.name}")

    async def _built(self, submission: Submission, entrant: Entrant, work: Path, sandbox: Sandbox) -> Entrant:
        if (reason := runnable(entrant)) is not None:
            raise Refusal(f"it cannot run here: {reason.replace(f'{entrant.folder}/', '')}")
        if not entrant.build:
            await self._advance(submission, SubmissionState.BUILT, "nothing to build")
            return entrant
        began_s = time.monotonic()
        try:
            entrant = await build_in(entrant, work / "builds", sandbox)
        except BuildError as failed:
            if isinstance(failed.__cause__, OSError):  # this machine's disk, not the bot
                raise
            raise Refusal(f"{failed}{_last_lines(failed.output)}") from None
        took = f"built in {time.monotonic() - began_s:.1f} s"
        await self._advance(submission, SubmissionState.BUILT, took)
        return entrant

    async def _examined(self, submission: Submission, entrant: Entrant, sandbox: Sandbox) -> None:
        conditions = await asyncio.to_thread(self._conditions)
        with scratch_folder() as folder:
            bot = LocalBot(
                entrant,
                folder=folder,
                preset=None,
                startup_s=STARTUP_S,
                now_ns=time.monotonic_ns,
                sandbox=sandbox,
            )
            # The clock is the qualifying match's to judge: where others play, a busy moment is no finding.
            report = await examine_for_admission(
                bot,
                rules=find_ruleset(conditions.ruleset),
                time_control=TimeControl.parse(conditions.time_control),
                startup_s=STARTUP_S,
                now_ns=time.monotonic_ns,
            )
        if not report.passed:
            raise Refusal(_wrong(report))
        await self._advance(submission, SubmissionState.CHECKED, _right(report))

    def _conditions(self) -> Season:
        """The season that it would play in. Runs in a thread."""
        return self._store.current_season() or self._store.season("")

    async def _admit(self, submission: Submission, entrant: Entrant, work: Path) -> None:
        try:
            version = await asyncio.to_thread(self._admitted, submission, entrant)
        except Taken as taken:
            raise Refusal(str(taken)) from None
        await self._installed.adopt(
            entrant, sha256=version.bundle_sha256, unpacked=work / "bot", builds=work / "builds"
        )
        self._tell(await asyncio.to_thread(self._store.submission, submission.submission_id))
        self._hub.touch()

    def _admitted(self, submission: Submission, entrant: Entrant) -> Version:
        return self._store.admit(
            submission.submission_id,
            bot=entrant.name,
            label=entrant.version,
            language=entrant.language,
            content_hash=entrant.content_hash,
        )

    # Noting

    async def _advance(
        self, submission: Submission, state: SubmissionState, detail: str, *, bot: str = ""
    ) -> None:
        noted = await asyncio.to_thread(
            self._store.advance, submission.submission_id, state, detail[:_MOST_DETAIL], bot=bot
        )
        self._tell(noted)

    async def _refuse(self, submission: Submission, why: str) -> None:
        await self._advance(submission, SubmissionState.REFUSED, why)

    def _tell(self, submission: Submission) -> None:
        self._hub.publish(SubmissionChanged(submission))
        if submission.state in (SubmissionState.ADMITTED, SubmissionState.REFUSED):
            self._on_end(submission)


def _right(report: Report) -> str:
    times = report.decision_ms
    speed = f", {sum(times) / len(times):.1f} ms each" if times else ""
    notes = [finding for finding in report.findings if not finding.is_error]
    noted = f"; note: {harmless(notes[0].text)}" if notes else ""
    return f"{report.cases} cases under {', '.join(report.rulesets)}, {len(times)} decisions{speed}{noted}"


def _wrong(report: Report) -> str:
    errors = [finding for finding in report.findings if finding.is_error]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{_told(errors[0])}{more}; `arena check` finds the same"


def _told(finding: Finding) -> str:
    where = f"{finding.case} under {finding.ruleset}" if finding.ruleset else finding.case
    view = f": {finding.view}" if finding.view else ""
    return f"{finding.kind} in {where}: {harmless(finding.text)}{view}"


def _last_lines(output: str) -> str:
    lines = [harmless(line, longest=200) for line in output.splitlines() if line.strip()]
    return "".join(f"\n{line}" for line in lines[-_LAST_LINES:])
