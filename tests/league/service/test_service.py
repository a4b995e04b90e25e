"""LeagueService answers in canonical codes with details, and tells each author what is theirs and no more."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.league import intake
from arena.league.auth import TooMany
from arena.league.client import method
from arena.league.hub import StandingsChanged
from arena.league.intake import MOST_CHUNK
from arena.league.model import Replays, SubmissionState, TableKind
from arena.league.store import LeagueStore
from arena.league.watching import MOST_AN_ADDRESS, StandingsFeed
from arena.v1 import league_pb2
from tests.league.service.calls import MOST_BYTES, Desk, bearing, chunk, desk_of, header
from tests.league.store.league import admitted, begin, leased, played, whole_set

BUNDLE = b"a bundle is only bytes here"
CODE = grpc.StatusCode


def four_bots(store: LeagueStore) -> list[int]:
    """ann's ant, bob's bee, cat and dog."""
    owners = {"ant": "ann", "bee": "bob", "cat": "bob", "dog": "bob"}
    return [admitted(store, bot, author=author).version_id for bot, author in owners.items()]


# Submitting


async def test_acknowledged_bundle_is_in_the_store_and_followed_to_its_end(desk: Desk) -> None:
    begin(desk.store)
    token = desk.token("ann")
    call = method(desk.channel, "SubmitBot")(metadata=bearing(token))
    for part in (header(BUNDLE), chunk(BUNDLE[:5]), chunk(BUNDLE[5:])):
        await call.write(part)
    await call.done_writing()

    first = await call.read()
    [submission] = desk.received
    assert desk.store.bundle(submission.bundle_sha256) == BUNDLE
    desk.reach(submission, SubmissionState.UNPACKED, SubmissionState.CHECKED, SubmissionState.ADMITTED)
    told = [first]
    while (news := await call.read()) is not grpc.aio.EOF:
        told.append(news)

    names = [league_pb2.SubmissionState.Name(one.state)[17:] for one in told]
    assert (names[0], names[-1]) == ("RECEIVED", "ADMITTED")
    assert {one.submission_id for one in told} == {submission.submission_id}
    assert (told[-1].bot, told[-1].version) == ("ant", 1)


async def test_submission_goes_on_in_the_store_when_its_author_has_gone(desk: Desk) -> None:
    token = desk.token("ann")
    call = method(desk.channel, "SubmitBot")(metadata=bearing(token))
    for part in (header(BUNDLE), chunk(BUNDLE)):
        await call.write(part)
    await call.done_writing()
    await call.read()
    call.cancel()

    [submission] = desk.received
    assert desk.store.submission(submission.submission_id).state is SubmissionState.RECEIVED
    answer = await desk.call("ListBots")
    assert list(answer.bots) == []


async def test_follower_is_told_when_the_league_closes(desk: Desk) -> None:
    call = method(desk.channel, "SubmitBot")(metadata=bearing(desk.token("ann")))
    for part in (header(BUNDLE), chunk(BUNDLE)):
        await call.write(part)
    await call.done_writing()
    await call.read()
    desk.hub.close()

    with pytest.raises(grpc.aio.AioRpcError) as closed:
        await call.read()
    assert closed.value.code() is CODE.UNAVAILABLE
    assert "submission 1 is stored" in str(closed.value.details())


@pytest.mark.parametrize(
    ("parts", "field", "words"),
    [
        ([chunk(b"x")], "header", "the first message must be"),
        ([], "header", "the first message must be"),
        ([header(BUNDLE, sha256=b"short")], "sha256", "has 32 bytes, not 5"),
        ([header(BUNDLE, size_bytes=MOST_BYTES + 1)], "size_bytes", "at most 10000"),
        ([header(BUNDLE), header(BUNDLE)], "chunk", "after the header come chunks"),
        ([header(BUNDLE), chunk(BUNDLE), chunk(b"!")], "chunk", "more bytes were sent than the 27"),
        ([header(BUNDLE), chunk(BUNDLE[:-1])], "chunk", "27 bytes, and 26 were sent"),
        ([header(BUNDLE), chunk(BUNDLE[:-1] + b"!")], "sha256", "do not have the SHA-256"),
        ([header(BUNDLE), chunk(b"x" * (MOST_CHUNK + 1))], "chunk", "at most 262144 bytes"),
        ([header(BUNDLE), league_pb2.SubmitBotRequest()], "chunk", "after the header come chunks"),
    ],
)
async def test_bad_upload_is_refused_in_words_and_nothing_is_stored(
    desk: Desk, parts: list[league_pb2.SubmitBotRequest], field: str, words: str
) -> None:
    refused = await desk.submit_refused(desk.token("ann"), *parts)

    assert (refused.code, refused.reason, refused.field) == (CODE.INVALID_ARGUMENT, "BAD_UPLOAD", field)
    assert words in refused.message
    assert desk.received == []
    assert desk.store.submissions_of(desk.store.author("ann")) == []


async def test_upload_that_stalls_is_given_up_and_nothing_is_stored(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "CHUNK_S", 0.2)
    call = method(desk.channel, "SubmitBot")(metadata=bearing(desk.token("ann")))
    for part in (header(BUNDLE), chunk(BUNDLE[:5])):
        await call.write(part)

    with pytest.raises(grpc.aio.AioRpcError) as stalled:
        await call.read()

    assert stalled.value.code() is CODE.DEADLINE_EXCEEDED
    assert desk.received == []


async def test_third_bundle_of_one_token_at_a_time_has_to_wait(desk: Desk) -> None:
    token = desk.token("ann")
    calls = [method(desk.channel, "SubmitBot")(metadata=bearing(token)) for _ in range(2)]
    for call in calls:
        await call.write(header(BUNDLE))
    async with asyncio.timeout(20):
        while desk.uploads < 2:  # noqa: ASYNC110 - what the server has begun to read has no event
            await asyncio.sleep(0.01)

    refused = await desk.submit_refused(token, header(BUNDLE))

    assert (refused.code, refused.reason) == (CODE.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    for call in calls:
        call.cancel()


async def test_watchers_of_one_address_are_counted(desk: Desk) -> None:
    begin(desk.store)
    feed = StandingsFeed(desk.store, desk.hub, connected=list)
    async with contextlib.AsyncExitStack() as held:
        for _ in range(MOST_AN_ADDRESS):
            await held.enter_async_context(feed.watching("", peer="ipv4:203.0.113.9:1"))

        with pytest.raises(TooMany, match=r"203\.0\.113\.9"):
            await held.enter_async_context(feed.watching("", peer="ipv4:203.0.113.9:2"))
        await held.enter_async_context(feed.watching("", peer="ipv4:127.0.0.1:2"))
    async with feed.watching("", peer="ipv4:203.0.113.9:2"):
        pass


async def test_league_without_a_sandbox_takes_no_bundle(store: LeagueStore) -> None:
    async with desk_of(store, refuses="no sandbox here") as desk:
        refused = await desk.submit_refused(desk.token("ann"), header(BUNDLE), chunk(BUNDLE))

    assert (refused.code, refused.reason) == (CODE.FAILED_PRECONDITION, "NO_SUBMISSIONS")


async def test_submissions_of_an_hour_are_counted_by_author(desk: Desk) -> None:
    token = desk.token("ann", submissions_per_hour=1)
    other = desk.token("ann", submissions_per_hour=1)
    call = method(desk.channel, "SubmitBot")(metadata=bearing(token))
    for part in (header(BUNDLE), chunk(BUNDLE)):
        await call.write(part)
    await call.done_writing()
    await call.read()

    refused = await desk.submit_refused(other, header(BUNDLE), chunk(BUNDLE))

    assert (refused.code, refused.reason) == (CODE.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert refused.retry_s == pytest.approx(300, abs=1)
    assert "try again in 300 s" in refused.message
    assert len(desk.received) == 1


# Who may


@pytest.mark.parametrize(
    ("name", "request_"),
    [("RetireBot", {"name": "ant"}), ("RequestScrimmage", {"bot": "ant", "opponents": ["b", "c", "d"]})],
)
async def test_what_changes_something_needs_a_token(desk: Desk, name: str, request_: dict[str, Any]) -> None:
    refused = await desk.refused(name, **request_)

    assert (refused.code, refused.reason) == (CODE.UNAUTHENTICATED, "TOKEN_UNKNOWN")
    assert "Bearer TOKEN" in refused.message


async def test_submitting_needs_a_token(desk: Desk) -> None:
    assert (await desk.submit_refused("", header(BUNDLE))).code is CODE.UNAUTHENTICATED


async def test_revoked_token_is_refused_by_the_very_next_call(desk: Desk) -> None:
    new = desk.store.issue_token(desk.store.author("ann"), label="")
    await desk.call("ListBots", new.text)

    desk.store.revoke_token(new.token.token_id)

    for name in ("ListBots", "GetStandings"):
        assert (await desk.refused(name, new.text)).code is CODE.UNAUTHENTICATED
    assert (await desk.submit_refused(new.text, header(BUNDLE))).code is CODE.UNAUTHENTICATED


async def test_authorization_of_another_kind_is_refused_even_where_none_is_needed(desk: Desk) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await method(desk.channel, "ListBots")(
            league_pb2.ListBotsRequest(), metadata=(("authorization", "Basic YTpi"),)
        )

    assert refused.value.code() is CODE.UNAUTHENTICATED


async def test_too_many_calls_are_told_when_to_come_again(desk: Desk) -> None:
    token = desk.token("ann", calls_per_minute=2)
    for _ in range(2):
        await desk.call("ListBots", token)

    refused = await desk.refused("ListBots", token)

    assert (refused.code, refused.reason) == (CODE.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert refused.retry_s == pytest.approx(30, abs=0.1)
    desk.watch.now_s += 31
    await desk.call("ListBots", token)


async def test_draining_server_turns_calls_away_in_words(desk: Desk) -> None:
    desk.service.draining = "back in a minute"

    refused = await desk.refused("ListBots")

    assert (refused.code, refused.message, refused.retry_s) == (CODE.UNAVAILABLE, "back in a minute", 5.001)


async def test_mistake_of_our_own_is_noted_and_not_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> list[object]:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(desk.store, "bots", broken)

    refused = await desk.refused("ListBots")

    assert (refused.code, "secret" in refused.message) == (CODE.INTERNAL, False)
    assert "secret inside" in desk.bugs.pop()


# Bots


async def test_author_sees_own_log_and_submissions_and_nobody_else_does(desk: Desk) -> None:
    begin(desk.store)
    ant, *_ = four_bots(desk.store)
    desk.store.set_log(ant, "a secret thought")
    own = await desk.call("GetBot", desk.token("ann"), name="ant")
    organiser = desk.store.issue_token(desk.store.author("eve", is_organiser=True), label="").text

    assert own.log == "a secret thought"
    assert [one.detail for one in own.submissions] == ["ant plays as version 1"]
    for token in (desk.token("bob"), ""):
        other = await desk.call("GetBot", token, name="ant")
        assert (other.log, list(other.submissions), other.bot.name) == ("", [], "ant")
    assert (await desk.call("GetBot", organiser, name="ant")).log == "a secret thought"


async def test_author_sees_why_a_bot_was_never_admitted_and_nobody_else_does(desk: Desk) -> None:
    submission = desk.store.receive(desk.store.author("ann"), BUNDLE)
    desk.store.advance(submission.submission_id, SubmissionState.REFUSED, "no bot.toml", bot="ant")

    own = await desk.call("GetBot", desk.token("ann"), name="ant")

    assert [(one.detail, one.submission_id) for one in own.submissions] == [("no bot.toml", "1")]
    assert not own.HasField("bot")
    for token in (desk.token("bob"), ""):
        assert (await desk.refused("GetBot", token, name="ant")).code is CODE.NOT_FOUND


async def test_author_finds_a_submission_whose_bot_toml_was_not_read_yet(desk: Desk) -> None:
    desk.store.receive(desk.store.author("ann"), BUNDLE)
    token = desk.token("ann")

    waiting = await desk.call("GetBot", token, name="ant")
    desk.store.advance("1", SubmissionState.REFUSED, "no tar")
    refused = await desk.call("GetBot", token, name="ant")

    assert [one.submission_id for one in waiting.submissions] == ["1"]
    assert [one.detail for one in refused.submissions] == ["no tar"]


async def test_latency_is_its_authors_to_see(desk: Desk) -> None:
    begin(desk.store)
    bot = desk.store.remote_bot(desk.store.author("ann"), "far", label="1", language="")
    assert bot.newest is not None
    desk.remotes.latencies[bot.bot_id] = [1200, 900]
    desk.remotes.connected.add(bot.newest.version_id)

    own = await desk.call("GetBot", desk.token("ann"), name="far")
    other = await desk.call("GetBot", name="far")

    assert (list(own.latency_us), own.bot.is_connected) == ([1200, 900], True)
    assert (list(other.latency_us), other.bot.is_connected) == ([], True)


async def test_versions_come_newest_first_with_their_matches(desk: Desk) -> None:
    season = begin(desk.store)
    versions = four_bots(desk.store)
    table = leased(desk.store, season, versions)
    desk.store.add_records(table, whole_set(desk.store, season, table))
    admitted(desk.store, "ant", author="ann", label="2.0")

    answer = await desk.call("GetBot", name="ant")

    assert [(one.number, one.label, one.matches) for one in answer.versions] == [(2, "2.0", 0), (1, "1.0", 4)]
    assert answer.bot.version == 2


async def test_bot_is_retired_by_its_author_alone(desk: Desk) -> None:
    begin(desk.store)
    four_bots(desk.store)

    refused = await desk.refused("RetireBot", desk.token("bob"), name="ant")
    assert (refused.code, refused.reason) == (CODE.PERMISSION_DENIED, "NOT_YOUR_BOT")
    await desk.call("RetireBot", desk.token("ann"), name="ant")

    assert [bot.name for bot in (await desk.call("ListBots")).bots] == ["bee", "cat", "dog"]
    everybody = (await desk.call("ListBots", with_retired=True)).bots
    assert (everybody[0].name, everybody[0].is_retired) == ("ant", True)


@pytest.mark.parametrize(
    ("call", "request_", "field"),
    [
        ("GetBot", {"name": ""}, "name"),
        ("GetBot", {"name": "a\nb"}, "name"),
        ("GetBot", {"name": "a" * 201}, "name"),
        ("GetMatch", {"match_id": ""}, "match_id"),
        ("ListMatches", {"page_size": 201}, "page_size"),
        ("ListMatches", {"page_token": "junk"}, "page_token"),
        ("GetStandings", {"season": "\x1b"}, "season"),
    ],
)
async def test_request_that_makes_no_sense_names_its_field(
    desk: Desk, call: str, request_: dict[str, Any], field: str
) -> None:
    begin(desk.store)

    refused = await desk.refused(call, **request_)

    assert (refused.code, refused.field) == (CODE.INVALID_ARGUMENT, field)


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("GetBot", {"name": "nobody"}),
        ("GetMatch", {"match_id": "s1-t00001-r0"}),
        ("GetStandings", {"season": "winter"}),
        ("ListMatches", {"season": "winter"}),
        ("ListMatches", {"bot": "nobody"}),
    ],
)
async def test_what_is_not_there_is_not_found(desk: Desk, call: str, request_: dict[str, Any]) -> None:
    begin(desk.store)

    assert (await desk.refused(call, **request_)).code is CODE.NOT_FOUND


# Matches


async def test_matches_come_newest_first_in_pages(desk: Desk) -> None:
    season = begin(desk.store)
    table = leased(desk.store, season, four_bots(desk.store))
    for record in whole_set(desk.store, season, table):
        desk.store.add_records(table, [record])

    first = await desk.call("ListMatches", page_size=3)
    second = await desk.call("ListMatches", page_size=3, page_token=first.next_page_token)

    ids = [match.match_id for match in (*first.matches, *second.matches)]
    assert ids == list(reversed(table.match_ids))
    assert second.next_page_token == ""
    assert {(match.is_rated, match.is_public) for match in first.matches} == {(True, True)}
    assert len((await desk.call("ListMatches", bot="ant")).matches) == 4


async def test_record_comes_as_it_was_stored(desk: Desk) -> None:
    season = begin(desk.store)
    table = leased(desk.store, season, four_bots(desk.store))
    record = played(desk.store, season, table, 0)
    desk.store.add_records(table, [record])

    assert (await desk.call("GetMatch", match_id=record.match_id)).record == record


@pytest.mark.parametrize(
    ("replays", "before", "after"),
    [(Replays.AT_ONCE, True, True), (Replays.AFTER_SEASON, False, True), (Replays.NEVER, False, False)],
)
async def test_records_are_public_when_the_season_says(
    desk: Desk, replays: Replays, before: bool, after: bool
) -> None:
    season = desk.store.open_season(
        "s", ruleset="callbreak+rounds=1", time_control="1+1", strikes=3, replays=replays
    )
    table = leased(desk.store, season, four_bots(desk.store))
    desk.store.add_records(table, whole_set(desk.store, season, table))
    organiser = desk.store.issue_token(desk.store.author("eve", is_organiser=True), label="").text

    for is_public in (before, after):
        listed = (await desk.call("ListMatches", season="s")).matches[0]
        assert listed.is_public is is_public
        if is_public:
            await desk.call("GetMatch", match_id=listed.match_id)
        else:
            refused = await desk.refused("GetMatch", desk.token("ann"), match_id=listed.match_id)
            assert (refused.code, refused.reason) == (CODE.FAILED_PRECONDITION, "RECORD_NOT_PUBLIC")
        await desk.call("GetMatch", organiser, match_id=listed.match_id)
        if not season.ended_unix_us:
            season = desk.store.end_season(desk.store.freeze_season(season))


async def test_submissions_first_table_is_not_there(desk: Desk) -> None:
    season = begin(desk.store)
    table = leased(desk.store, season, four_bots(desk.store), kind=TableKind.QUALIFYING)
    record = played(desk.store, season, table, 0)
    desk.store.add_records(table, [record])

    assert (await desk.refused("GetMatch", match_id=record.match_id)).code is CODE.NOT_FOUND
    assert list((await desk.call("ListMatches")).matches) == []


# Standings


async def test_standings_say_what_the_store_knows(desk: Desk) -> None:
    season = begin(desk.store)
    table = leased(desk.store, season, four_bots(desk.store))
    desk.store.add_records(table, whole_set(desk.store, season, table))

    standings = (await desk.call("GetStandings")).standings

    entries = desk.store.entries(season)
    assert (standings.season, standings.is_final, standings.matches) == ("spring", False, 4)
    assert [row.bot for row in standings.rows] == [entry.bot.name for entry in entries]
    assert [row.mu_milli for row in standings.rows] == [round(1000 * entry.mu) for entry in entries]
    assert sum(row.wins_twelfths for row in standings.rows) == 4 * 12
    assert sum(row.place_milli for row in standings.rows) == pytest.approx(10_000, abs=4)
    assert all(row.is_active for row in standings.rows)


async def test_seed_of_a_season_is_nowhere_in_an_answer(desk: Desk) -> None:
    season = begin(desk.store)
    table = leased(desk.store, season, four_bots(desk.store))
    desk.store.add_records(table, whole_set(desk.store, season, table))

    answers = [
        await desk.call("GetStandings"),
        await desk.call("ListMatches"),
        await desk.call("GetMatch", match_id=table.match_ids[0]),
    ]

    secret = bytes.fromhex(season.seed_text)
    wire = b"".join(answer.SerializeToString() for answer in answers)
    assert secret not in wire
    assert season.seed_text.encode() not in wire


async def test_bots_that_are_level_share_a_rank(desk: Desk) -> None:
    begin(desk.store)
    four_bots(desk.store)

    assert [row.rank for row in (await desk.call("GetStandings")).standings.rows] == [1, 1, 1, 1]


async def test_remote_bot_that_is_away_is_not_active(desk: Desk) -> None:
    begin(desk.store)
    bot = desk.store.remote_bot(desk.store.author("ann"), "far", label="1", language="")
    assert bot.newest is not None

    [away] = (await desk.call("GetStandings")).standings.rows
    desk.remotes.connected.add(bot.newest.version_id)
    [here] = (await desk.call("GetStandings")).standings.rows

    assert (away.is_active, here.is_active) == (False, True)


async def test_watcher_gets_the_table_now_and_when_it_has_changed(desk: Desk) -> None:
    season = begin(desk.store)
    table = leased(desk.store, season, four_bots(desk.store))
    watching = asyncio.create_task(desk.hub.run())
    call = method(desk.channel, "WatchStandings")(league_pb2.WatchStandingsRequest())

    first = await call.read()
    desk.store.add_records(table, whole_set(desk.store, season, table))
    desk.hub.touch()
    second = await call.read()

    assert (first.standings.matches, second.standings.matches) == (0, 4)
    assert second.standings.revision > first.standings.revision
    watching.cancel()
    desk.hub.close()
    assert await call.read() is grpc.aio.EOF


async def test_table_is_made_once_for_all_watchers(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(desk.store)
    four_bots(desk.store)
    reads: list[bool] = []
    entries = desk.store.entries

    def counted(season: Any, *, with_inactive: bool = False) -> Any:
        reads.append(with_inactive)
        return entries(season, with_inactive=with_inactive)

    monkeypatch.setattr(desk.store, "entries", counted)
    calls = [method(desk.channel, "WatchStandings")(league_pb2.WatchStandingsRequest()) for _ in range(50)]
    await asyncio.gather(*(call.read() for call in calls))
    desk.hub.publish(StandingsChanged("spring", 1))

    assert sorted(reads) == [False, True]
    for call in calls:
        call.cancel()


# Scrimmages


async def test_scrimmage_waits_in_the_store_for_whoever_plays(desk: Desk) -> None:
    season = begin(desk.store)
    four_bots(desk.store)

    answer = await desk.call(
        "RequestScrimmage", desk.token("ann"), bot="ant", opponents=["bee", "cat", "dog"]
    )

    [table] = desk.store.tables_in_play(season)
    assert (table.kind, tuple(answer.match_ids)) == (TableKind.SCRIMMAGE, table.match_ids)
    assert desk.scrimmages == [None]


@pytest.mark.parametrize(
    ("bot", "opponents", "code"),
    [
        ("ant", ["bee", "cat"], CODE.INVALID_ARGUMENT),
        ("ant", ["bee", "cat", "ANT"], CODE.INVALID_ARGUMENT),
        ("ant", ["bee", "cat", ""], CODE.INVALID_ARGUMENT),
        ("ant", ["bee", "cat", "fox"], CODE.NOT_FOUND),
        ("bee", ["ant", "cat", "dog"], CODE.PERMISSION_DENIED),
    ],
)
async def test_scrimmage_that_cannot_be_is_refused(
    desk: Desk, bot: str, opponents: list[str], code: grpc.StatusCode
) -> None:
    season = begin(desk.store)
    four_bots(desk.store)

    refused = await desk.refused("RequestScrimmage", desk.token("ann"), bot=bot, opponents=opponents)

    assert refused.code is code
    assert desk.store.tables_in_play(season) == []


async def test_no_scrimmage_in_a_frozen_season_or_with_a_retired_bot(desk: Desk) -> None:
    season = begin(desk.store)
    four_bots(desk.store)
    wanted = {"bot": "ant", "opponents": ["bee", "cat", "dog"]}
    desk.store.retire(desk.store.bot("dog"))
    retired = await desk.refused("RequestScrimmage", desk.token("ann"), **wanted)
    desk.store.freeze_season(season)
    wanted["opponents"] = ["bee", "cat", "dog"]
    frozen = await desk.refused("RequestScrimmage", desk.token("ann"), **wanted)

    assert (retired.code, retired.reason) == (CODE.FAILED_PRECONDITION, "BOT_RETIRED")
    assert frozen.code is CODE.FAILED_PRECONDITION


def test_client_needs_none_of_the_servers_packages(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "import sys\n"
        "for name in ('alembic', 'starlette', 'uvicorn', 'psycopg', 'prometheus_client', 'google.rpc'):\n"
        "    sys.modules[name] = None\n"
        "import arena.league.client, arena.league.sending, arena.league.dialling\n"
        "import arena.cli.submit, arena.cli.play\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
