"""A submission is admitted when its bot is built, plays legally and gets through a match, else refused."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.bots.archive import pack
from arena.bots.bubblewrap import Bubblewrap
from arena.bots.manifest import Entrant
from arena.bots.sandbox import NoSandbox
from arena.errors import ArenaError
from arena.league import installed
from arena.league import submissions as pipeline
from arena.league.hub import Hub, SubmissionChanged
from arena.league.installed import Installed
from arena.league.model import Replays, Submission, SubmissionState
from arena.league.store import LeagueStore, NotFound
from arena.league.submissions import Submissions
from tests.league.service.bots import ROOT, bot_folder, broken_program, bundle_of
from tests.smart_bots.stubs import python_bot

STATES = ["unpacked", "built", "checked", "qualified", "admitted"]


@dataclass
class First:
    """How first matches go here."""

    is_passed: bool = True
    detail: str = "played its first match to the end"
    troubles: int = 0

    async def qualify(self, entrant: Entrant) -> First:
        """The verdict."""
        if self.troubles:
            self.troubles -= 1
            raise ArenaError("no worker to be had")
        return self


@dataclass
class Works:
    """The pipeline at work on a store, in a folder."""

    store: LeagueStore
    folder: Path
    installed: Installed
    hub: Hub
    first: First
    troubles: list[str]

    async def end_of(self, bundle: bytes, *, author: str = "ann") -> tuple[list[str], Submission]:
        """The states that a submission goes through, and how it ends."""
        with self.hub.subscribe(SubmissionChanged) as changes:
            submission = self.store.receive(self.store.author(author), bundle)
            return await self.followed(changes, submission)

    async def followed(
        self, changes: AsyncIterator[object], submission: Submission
    ) -> tuple[list[str], Submission]:
        """The states that come, to the last."""
        states: list[str] = []
        async for change in changes:
            assert isinstance(change, SubmissionChanged)
            if change.submission.submission_id == submission.submission_id:
                states.append(change.submission.state.value)
                if states[-1] in ("admitted", "refused"):
                    return states, change.submission
        raise AssertionError("the hub was closed")

    async def refusal_of(self, bundle: bytes, *, author: str = "ann") -> str:
        """Why it is refused, after which nothing may be left of it."""
        before = self.left()
        _, submission = await self.end_of(bundle, author=author)
        assert submission.state is SubmissionState.REFUSED
        with pytest.raises(NotFound):
            self.store.bundle(submission.bundle_sha256)
        await self.idle()
        assert self.left() == before
        return submission.detail

    async def idle(self) -> None:
        """Returns when nothing is at work: a verdict is told before the last folder is gone."""
        async with asyncio.timeout(10):
            while list((self.folder / "work").glob("*")):  # noqa: ASYNC110 - a folder has no event
                await asyncio.sleep(0.05)

    def left(self) -> list[str]:
        """What lies in the arena's folder."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for kind in ("bots", "builds")
            for path in (self.folder / kind).glob("*")
        )


@contextlib.asynccontextmanager
async def works_on(
    store: LeagueStore, folder: Path, sandbox: Bubblewrap | None, *, owner: str = "me"
) -> AsyncIterator[Works]:
    hub, first, troubles = Hub(store), First(), list[str]()
    installed = Installed(store, sandbox, folder)
    submissions = Submissions(
        store,
        sandbox=sandbox,
        folder=folder / "work",
        installed=installed,
        hub=hub,
        owner=owner,
        qualify=first.qualify,
        on_trouble=lambda submission, trouble: troubles.append(trouble),
    )
    running = asyncio.create_task(submissions.run())
    try:
        yield Works(store, folder, installed, hub, first, troubles)
    finally:
        running.cancel()
        await asyncio.wait((running,))


@pytest.fixture
async def works(store: LeagueStore, tmp_path: Path, bwrap: Bubblewrap) -> AsyncIterator[Works]:
    """The pipeline in an open season."""
    store.open_season(
        "spring", ruleset="callbreak", time_control="0.5+10", strikes=3, replays=Replays.AT_ONCE
    )
    async with works_on(store, tmp_path / "arena", bwrap) as works:
        yield works


async def test_good_bot_goes_through_every_step_and_plays(works: Works, tmp_path: Path) -> None:
    states, submission = await works.end_of(bundle_of(tmp_path, "ant"))

    assert states == STATES
    assert submission.detail == "ant plays as version 1"
    [entry] = works.store.entries(works.store.season(""))
    assert (entry.bot.name, entry.bot.author.name, entry.is_active) == ("ant", "ann", True)


async def test_bot_of_the_older_http_competition_plays_too(works: Works, tmp_path: Path) -> None:
    states, submission = await works.end_of(pack(python_bot(tmp_path).path))

    assert (states, submission.detail) == (STATES, "smart plays as version 1")


async def test_admitted_bot_is_ready_to_start_from_where_it_was_checked(works: Works, tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, "ant")
    await works.end_of(bundle)
    version = works.store.versions(works.store.bot("ant"))[0]

    entrant = await works.installed.entrant(version)

    assert entrant.folder == works.folder / "bots" / version.bundle_sha256
    assert entrant.content_hash == version.content_hash
    assert works.left() == [f"bots/{version.bundle_sha256}"]


async def test_newer_version_takes_the_place_and_the_older_keeps_its_entry(
    works: Works, tmp_path: Path
) -> None:
    await works.end_of(bundle_of(tmp_path / "1", "ant"))
    _, second = await works.end_of(bundle_of(tmp_path / "2", "ant", version="2.0.0"))

    assert second.detail == "ant plays as version 2"
    season = works.store.season("")
    entries = works.store.entries(season, with_inactive=True)
    assert sorted((e.version.number, e.is_active) for e in entries) == [(1, False), (2, True)]


async def test_build_runs_once_in_the_sandbox_and_its_copy_is_kept(works: Works, tmp_path: Path) -> None:
    build = "[\"python\", \"-c\", \"import os; open('made.py', 'w').write(open('bot.py').read())\"]"
    bundle = bundle_of(tmp_path, "ant", build=build, command='["python", "made.py"]')

    states, submission = await works.end_of(bundle)
    version = works.store.versions(works.store.bot("ant"))[0]
    entrant = await works.installed.entrant(version)

    assert (states, submission.state) == (STATES, SubmissionState.ADMITTED)
    assert entrant.folder == works.folder / "builds" / version.content_hash / "bot"
    assert (entrant.folder / "made.py").exists()


async def test_build_sees_neither_the_network_nor_the_arenas_files(works: Works, tmp_path: Path) -> None:
    listening = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    spy = (
        "import os, socket, sys\n"
        f"hidden = [{str(works.folder)!r}, {str(tmp_path / 'league.sqlite3')!r}]\n"
        "seen = [path for path in hidden if os.path.exists(path)]\n"
        "try:\n"
        f"    socket.create_connection(('127.0.0.1', {port}), timeout=1)\n"
        "    seen.append('this machine')\n"
        "except OSError:\n"
        "    pass\n"
        "sys.exit(f'saw {seen}, uid {os.getuid()}')\n"
    )
    folder = bot_folder(tmp_path, "spy", build='["python", "spy.py"]')
    (folder / "spy.py").write_text(spy)

    async with listening:
        detail = await works.refusal_of(pack(folder))

    assert "saw []" in detail
    assert "uid 0" not in detail


BAD_BUNDLES: list[tuple[Callable[[Path], bytes], str]] = [
    (lambda place: b"\x1f\x8b" + b"x" * 600, "the bundle is not accepted: it is compressed (gzip)"),
    (lambda place: b"hello", "the bundle is not accepted: it does not begin as a tar does"),
    (lambda place: bundle_of(place, "ant")[:-512], "the bundle is not accepted: it is cut off"),
    (lambda place: bundle_of(place, "ant", command="[]"), "bot.toml, line 4: command: must have 1 to 256"),
    (lambda place: bundle_of(place, "ant", command='["cobol"]'), "cannot run here: cobol is not installed"),
    (lambda place: bundle_of(place, "ant", command='["./bot"]'), "cannot run here: bot does not exist"),
    (
        lambda place: bundle_of(place, "ant", build='["python", "-c", "print(1/0)"]'),
        "failed (exit status 1): ZeroDivisionError",
    ),
    (
        lambda place: bundle_of(place, "ant", build='["python", "-c", ""]', command='["./made"]'),
        "succeeded, but made does not exist",
    ),
    (lambda place: bundle_of(place, "ant", program="raise SystemExit('no cards')"), "no cards"),
    (lambda place: bundle_of(place, "ant", program="def"), "SyntaxError"),
    (broken_program, "exit status 127 before Hello"),
    (lambda place: bundle_of(place, "ant", program=bad_program("illegal_card")), "ILLEGAL"),
    (lambda place: bundle_of(place, "ant", program=bad_program("other_ruleset")), "none of the rulesets"),
]  # fmt: skip


def bad_program(name: str) -> str:
    """A bad bot as one file, with what it imports before it."""
    wire = (ROOT / "tests" / "bad_bots" / "_wire.py").read_text()
    own = (ROOT / "tests" / "bad_bots" / f"{name}.py").read_text()
    lines = [
        line for line in own.splitlines() if "from _wire import" not in line and "__future__" not in line
    ]
    return wire + "\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("number", range(len(BAD_BUNDLES)), ids=[words[-30:] for _, words in BAD_BUNDLES])
async def test_bad_submission_has_a_refusal_of_its_own_and_leaves_nothing(
    works: Works, tmp_path: Path, number: int
) -> None:
    bundle, words = BAD_BUNDLES[number]

    detail = await works.refusal_of(bundle(tmp_path / "made"))

    assert words in detail, detail
    assert str(tmp_path) not in detail
    assert works.troubles == []


FILLS_THE_DISK = (
    "import time\n"
    "for number in range(600):\n"
    "    open(f'{number}.bin', 'wb').write(bytes(1 << 20))\n"
    "    time.sleep(0.01)\n"
    "time.sleep(60)\n"
)


async def test_build_that_fills_the_disk_is_ended(
    works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MOST_BUILT_BYTES", 8 << 20)
    folder = bot_folder(tmp_path, "ant", build='["python", "fill.py"]')
    (folder / "fill.py").write_text(FILLS_THE_DISK)

    detail = await works.refusal_of(pack(folder))

    assert detail == "ant: its build writes more than 8 MiB, which is the limit"


async def test_build_that_leaves_too_much_is_refused(
    works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MOST_BUILT_BYTES", 8 << 20)
    monkeypatch.setattr(installed, "LOOK_S", 3600.0)
    build = '["python", "-c", "open(\'big.bin\', \'wb\').write(bytes(9 << 20))"]'

    detail = await works.refusal_of(bundle_of(tmp_path, "ant", build=build))

    assert detail == "ant: its build writes more than 8 MiB, which is the limit"


async def test_what_a_failed_build_said_is_told_below_the_reason(works: Works, tmp_path: Path) -> None:
    build = '["python", "-c", "print(\'one\'); print(\'\\u001b[2Jtwo\'); raise SystemExit(3)"]'

    detail = await works.refusal_of(bundle_of(tmp_path, "ant", build=build))

    assert detail.splitlines()[-2:] == ["one", "\\x1b[2Jtwo"]


async def test_name_of_another_authors_bot_is_refused(works: Works, tmp_path: Path) -> None:
    await works.end_of(bundle_of(tmp_path / "1", "ant"))

    detail = await works.refusal_of(bundle_of(tmp_path / "2", "ant", version="2"), author="bob")

    assert "another author has a bot of this name" in detail


async def test_the_very_files_that_play_are_refused_and_go_on_playing(works: Works, tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, "ant")
    await works.end_of(bundle)

    _, again = await works.end_of(bundle)

    assert again.detail == "these very files play already, as version 1 of ant"
    version = works.store.versions(works.store.bot("ant"))[0]
    assert works.store.bundle(version.bundle_sha256) == bundle
    assert (await works.installed.entrant(version)).name == "ant"


async def test_first_match_that_was_forfeited_is_the_reason(works: Works, tmp_path: Path) -> None:
    works.first.is_passed, works.first.detail = False, "TIMEOUT in round 2: no answer"

    detail = await works.refusal_of(bundle_of(tmp_path, "ant"))

    assert detail == "it forfeited its first match: TIMEOUT in round 2: no answer"


async def test_trouble_of_the_arena_is_tried_again_and_not_held_against_the_bot(
    works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "TRY_AGAIN_S", 0.0)
    works.first.troubles = 2

    _, submission = await works.end_of(bundle_of(tmp_path, "ant"))

    assert submission.state is SubmissionState.ADMITTED
    assert works.troubles == ["no worker to be had"] * 2


async def test_trouble_that_stays_ends_the_submission_with_an_excuse(
    works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "TRY_AGAIN_S", 0.0)
    works.first.troubles = 99

    detail = await works.refusal_of(bundle_of(tmp_path, "ant"))

    assert "by no fault of the bot" in detail
    assert "no worker" not in detail


async def test_submission_of_an_arena_that_was_killed_is_begun_anew(
    store: LeagueStore, tmp_path: Path, bwrap: Bubblewrap
) -> None:
    store.open_season("s", ruleset="callbreak", time_control="1+9", strikes=3, replays=Replays.AT_ONCE)
    submission = store.receive(store.author("ann"), bundle_of(tmp_path, "ant"))
    assert store.claim_submission("me") is not None
    store.advance(submission.submission_id, SubmissionState.CHECKED, "was checked", bot="ant")
    left = tmp_path / "arena" / "work" / f"submission-{submission.submission_id}"
    (left / "bot").mkdir(parents=True)
    (left / "bot" / "half").write_text("written")

    assert store.recover("me") == 1
    async with works_on(store, tmp_path / "arena", bwrap) as works:
        with works.hub.subscribe(SubmissionChanged) as changes:
            states, ended = await works.followed(changes, submission)
        await works.idle()

    assert (states, ended.state) == (STATES, SubmissionState.ADMITTED)
    assert not left.exists()


async def test_bot_whose_folder_is_gone_or_was_changed_is_unpacked_anew(
    works: Works, tmp_path: Path, bwrap: Bubblewrap
) -> None:
    await works.end_of(bundle_of(tmp_path, "ant"))
    version = works.store.versions(works.store.bot("ant"))[0]
    place = works.folder / "bots" / version.bundle_sha256
    (place / "bot.py").write_text("raise SystemExit")

    entrant = await Installed(works.store, bwrap, works.folder).entrant(version)
    elsewhere = await Installed(works.store, bwrap, tmp_path / "other").entrant(version)

    assert entrant.content_hash == elsewhere.content_hash == version.content_hash
    assert "SystemExit" not in (place / "bot.py").read_text()


async def test_nothing_is_installed_without_a_sandbox(works: Works, tmp_path: Path) -> None:
    await works.end_of(bundle_of(tmp_path, "ant"))
    version = works.store.versions(works.store.bot("ant"))[0]

    with pytest.raises(ArenaError, match="no sandbox"):
        await Installed(works.store, None, tmp_path / "other").entrant(version)


async def test_arena_without_a_sandbox_refuses_what_it_finds(store: LeagueStore, tmp_path: Path) -> None:
    store.open_season("s", ruleset="callbreak", time_control="1+9", strikes=3, replays=Replays.AT_ONCE)
    assert NoSandbox().name == "none"

    async with works_on(store, tmp_path / "arena", None) as works:
        detail = await works.refusal_of(bundle_of(tmp_path, "ant"))

    assert "no sandbox" in detail
