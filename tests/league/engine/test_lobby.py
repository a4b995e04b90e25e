"""Remote bots at the door and at a table: who they are, and what a lost stream costs them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

import arena.league.lobby
import arena.league.remote
from arena.bots.floor import Chair, FinishedMatch, Floor, Seating
from arena.bots.heartbeat import Heartbeat
from arena.errors import ArenaError
from arena.league.lobby import Lobby
from arena.league.model import NewToken
from arena.league.person import PersonSeat
from arena.league.remote import NoContest
from arena.league.store import LeagueStore
from arena.referee.clocks import TimeControl
from arena.referee.faults import FaultKind
from arena.referee.refereed import RefereedMatch
from arena.referee.setup import MatchSetup, SeatSetup
from arena.rules import Seed, find_ruleset
from arena.v1 import play_pb2
from tests.bots.processes import until
from tests.league.engine.strangers import PLAY, Stranger, answer_to, open_lobby
from tests.league.store.league import admitted, begin


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LeagueStore]:
    with LeagueStore.open(f"sqlite:///{tmp_path}/league.sqlite3") as opened:
        begin(opened)
        yield opened


@pytest.fixture
async def door(store: LeagueStore) -> AsyncIterator[tuple[Lobby, str]]:
    async with open_lobby(store) as opened:
        yield opened


def token_of(store: LeagueStore, author: str = "ann", *, streams: int = 8) -> NewToken:
    return store.issue_token(store.author(author), label="test", streams=streams)


class Robot(PersonSeat):
    """A seat that answers by itself at once, so that a table needs no process."""

    def __init__(self, name: str) -> None:
        super().__init__(name, seat_id=name, match_id="m", now_ns=time.monotonic_ns)

    def _turn(self, turn: play_pb2.Turn) -> None:
        super()._turn(turn)
        if self._ask is not None:
            decided = answer_to(self._ask)
            if decided.WhichOneof("decision") == "call":
                self.answer(call=decided.call)
            else:
                self.answer(card=decided.card)


class TableOfOne:
    """A match of a remote bot on seat 0 with three robots."""

    def __init__(self, lobby: Lobby, version_id: int, *, time_control: str = "5+0", rounds: int = 1) -> None:
        self.gone: list[str] = []
        guest = lobby.guest(version_id, name="tortoise", on_gone=self.gone.append)
        self.chairs = (
            Chair("tortoise", guest),
            *(Chair(name, Robot(name)) for name in ("ant", "bee", "cat")),
        )
        first, second, third, fourth = (SeatSetup(chair.name) for chair in self.chairs)
        self.setup = MatchSetup(
            match_id="m",
            seats=(first, second, third, fourth),
            rules=find_ruleset(f"callbreak+rounds={rounds}"),
            time_control=TimeControl.parse(time_control),
            seed=Seed.parse("3"),
        )
        self.finished: list[FinishedMatch] = []
        self.floor: Floor | None = None

    async def play(self) -> RefereedMatch:
        """Plays the match to its end."""
        async with Heartbeat(time.monotonic_ns) as heartbeat:
            self.floor = Floor(
                self.chairs,
                heartbeat=heartbeat,
                now_ns=time.monotonic_ns,
                startup_s=10.0,
                on_finished=self.finished.append,
            )
            first, second, third, fourth = self.chairs
            await self.floor.play([Seating(self.setup, (first, second, third, fourth))])
        return self.finished[0].match


async def only_version(lobby: Lobby) -> int:
    """The version id of the one bot that is connected, as soon as it is."""
    await until(lambda: len(lobby.connected) == 1)
    return next(iter(lobby.connected))


@asynccontextmanager
async def doing(work: Awaitable[None]) -> AsyncIterator[asyncio.Task[None]]:
    """Does something beside; its failure is the test's."""
    task = asyncio.ensure_future(work)
    try:
        yield task
        await asyncio.wait_for(task, 20)
    finally:
        task.cancel()


async def test_stranger_with_a_token_is_welcome_and_becomes_a_bot(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text, version="0.9") as bot:
        assert bot.heard[0].welcome.protocol == 1
        version_id = await only_version(lobby)

    known = store.bot("tortoise")
    assert known.is_remote
    assert known.newest is not None
    assert (known.newest.version_id, known.newest.label) == (version_id, "0.9")
    await until(lambda: not lobby.connected)


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"token": "cb_no.such"}, grpc.StatusCode.UNAUTHENTICATED, "Hello.token is not valid here"),
        ({"token": ""}, grpc.StatusCode.UNAUTHENTICATED, "Hello.token is empty"),
        ({"name": "no name!"}, grpc.StatusCode.INVALID_ARGUMENT, "cannot be a bot's name"),
        ({"name": "ant"}, grpc.StatusCode.INVALID_ARGUMENT, "ant: another author has a bot of this name"),
        (
            {"protocol_min": 2, "protocol_max": 2},
            grpc.StatusCode.INVALID_ARGUMENT,
            "speaks version 1 of the protocol",
        ),
        ({"rulesets": ["call-bridge"]}, grpc.StatusCode.INVALID_ARGUMENT, "ruleset callbreak is played here"),
    ],
)
async def test_who_may_not_play_hears_why_in_words(
    store: LeagueStore,
    door: tuple[Lobby, str],
    change: dict[str, object],
    code: grpc.StatusCode,
    says: str,
) -> None:
    lobby, address = door
    admitted(store, "ant", author="cem")
    bot = Stranger(address, token_of(store).text)
    bot.hello.MergeFrom(play_pb2.Hello(**change))  # type: ignore[arg-type]
    if change.get("token") == "":
        bot.hello.token = ""

    answer = await bot.dial()

    assert says in answer.rejection.reason
    assert await bot.code() is code
    assert not lobby.connected
    await bot.hang_up()


async def test_database_that_does_not_answer_is_no_bots_fault(
    store: LeagueStore, door: tuple[Lobby, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, address = door
    token = token_of(store).text

    def away() -> None:
        raise ArenaError("the database does not answer")

    monkeypatch.setattr(store, "current_season", away)
    bot = Stranger(address, token)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await bot.dial()

    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert "the database does not answer" in str(refused.value.details())
    await bot.hang_up()


async def test_first_message_that_is_no_hello_is_refused(door: tuple[Lobby, str]) -> None:
    _, address = door
    bot = Stranger(address, "")
    bot.hello.name = ""
    async with grpc.aio.insecure_channel(address) as channel:
        stream: Any = channel.stream_stream(PLAY)()
        await stream.write(b"\xff\xff")
        answer = play_pb2.PlayResponse.FromString(await stream.read())

    assert "must be Hello" in answer.rejection.reason


async def test_stream_that_says_nothing_is_ended(
    door: tuple[Lobby, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena.league.lobby, "HELLO_S", 0.1)
    _, address = door
    async with grpc.aio.insecure_channel(address) as channel:
        stream: Any = channel.stream_stream(PLAY)()
        await stream.wait_for_connection()
        answer = play_pb2.PlayResponse.FromString(await stream.read())

    assert answer.rejection.reason == "no Hello within 0.1 s"


async def test_revoked_token_is_shown_the_door(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    token = token_of(store)
    async with Stranger(address, token.text) as bot:
        await only_version(lobby)

        lobby.expel(token.token.token_id, "the token was revoked")

        assert (await bot.read()).goodbye.reason == "the token was revoked"
        assert not lobby.connected


async def test_token_has_only_so_many_bots_connected(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    token = token_of(store, streams=2).text
    async with Stranger(address, token, name="a"), Stranger(address, token, name="b"):
        third = Stranger(address, token, name="c")
        answer = await third.dial()

        assert "may have 2 bots connected at once" in answer.rejection.reason
        assert await third.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await third.hang_up()
        await until(lambda: len(lobby.connected) == 2)


async def test_token_brings_only_so_many_new_versions_an_hour(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    _, address = door
    author = store.author("ann")
    token = store.issue_token(author, label="", submissions_per_hour=2).text
    for version in ("1", "2", "2"):
        async with Stranger(address, token, version=version) as bot:
            assert bot.heard[0].HasField("welcome")
    third = Stranger(address, token, version="3")

    answer = await third.dial()

    assert "may bring 2 new versions an hour" in answer.rejection.reason
    assert await third.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert len(store.versions(store.bot("tortoise"))) == 2
    await third.hang_up()


async def test_newest_stream_of_a_bot_wins_and_the_old_one_is_told(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    token = token_of(store, streams=1).text
    async with Stranger(address, token) as old:
        version_id = await only_version(lobby)
        async with Stranger(address, token):
            assert "taken the place" in (await old.read()).goodbye.reason
            with pytest.raises(EOFError):
                await old.read()
            assert lobby.connected == {version_id}


async def test_new_version_takes_the_place_of_the_old(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    token = token_of(store).text
    async with Stranger(address, token, version="1") as old:
        first = await only_version(lobby)
        async with Stranger(address, token, version="2"):
            assert "version 2 of this bot has taken the place" in (await old.read()).goodbye.reason
            assert len(lobby.connected) == 1
            assert first not in lobby.connected


async def test_bot_that_waits_and_floods_is_shown_the_door(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        await only_version(lobby)
        for _ in range(201):
            await bot.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=[1])))

        assert "a flood" in (await bot.read()).goodbye.reason
    await until(lambda: not lobby.connected)


async def test_whole_match_is_played_and_its_end_is_told(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby))
        ended = lambda response: bool(response.turn.match_ends)  # noqa: E731
        async with doing(bot.play(until=ended)):
            match = await table.play()

        assert match.faults == []
        assert list(bot.heard[-1].turn.match_ends[0].total_tenths) == match.game.totals_tenths
        assert lobby.connected
        assert len(lobby.latency_us(store.bot("tortoise").bot_id)) == min(50, bot.answered)


async def test_bot_plays_one_table_after_the_other_on_one_stream(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        version_id = await only_version(lobby)
        playing = asyncio.create_task(bot.play())
        matches = [await TableOfOne(lobby, version_id).play() for _ in range(3)]
        playing.cancel()

    assert [match.faults for match in matches] == [[], [], []]


async def dies_once(bot: Stranger, *, after: int, again: Callable[[], Awaitable[object]]) -> None:
    """Plays; loses its stream with an ask unanswered, dials in again and goes on."""
    await bot.play(until=lambda response: bool(response.turn.asks) and bot.answered >= after)
    await bot.hang_up()
    await again()
    await bot.dial()
    await bot.play(until=lambda response: bool(response.turn.match_ends))


@pytest.mark.parametrize("after", [0, 1, 7])
async def test_pending_ask_comes_again_after_a_lost_stream_and_counts_once(
    store: LeagueStore, door: tuple[Lobby, str], after: int
) -> None:
    lobby, address = door

    async def gone() -> None:
        await until(lambda: not lobby.connected)

    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="20+0")
        async with doing(dies_once(bot, after=after, again=gone)):
            match = await table.play()

    flat = [ask for heard in bot.heard for ask in heard.turn.asks]
    ids = [ask.ask_id for ask in flat]
    lost = ids[after]
    assert match.faults == []
    assert ids.count(lost) == 2
    assert sorted(set(ids)) == list(range(1, len(set(ids)) + 1))
    before, again = (ask for ask in flat if ask.ask_id == lost)
    assert again.limit.ToNanoseconds() < before.limit.ToNanoseconds()
    for ask in (before, again):
        ask.ClearField("limit")
    assert before == again
    turn = next(heard.turn for heard in bot.heard if heard.turn.asks and heard.turn.asks[0].ask_id == lost)
    starts = [heard.turn.match_starts for heard in bot.heard if heard.turn.match_starts]
    assert [len(found) for found in starts] == [1, 1]
    assert starts[0] == starts[1]
    assert turn.asks


async def test_stream_that_is_lost_again_and_again_costs_no_decision(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    chance = random.Random(3)
    losses = 0
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="20+0", rounds=2)

        async def keep_losing() -> None:
            nonlocal losses
            while not table.finished and not any(heard.turn.match_ends for heard in bot.heard):
                enough = bot.answered + chance.randint(1, 6)

                def is_enough(response: play_pb2.PlayResponse, enough: int = enough) -> bool:
                    turn = response.turn
                    return bool(turn.match_ends or (turn.asks and bot.answered >= enough))

                await bot.play(until=is_enough)
                if not bot.heard[-1].turn.match_ends:
                    losses += 1
                    if chance.random() < 0.5:  # the answer may be on its way, or lost with the stream
                        await bot.reply(bot.heard[-1].turn)
                    await bot.hang_up()
                    await bot.dial()

        async with doing(keep_losing()):
            match = await table.play()

    assert match.faults == []
    assert losses >= 3


async def test_clock_goes_on_while_the_bot_is_away_and_strikes_take_its_seat(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="0.1+0.1")

        async def vanish() -> None:
            await bot.play(until=lambda response: bool(response.turn.asks) and bot.answered >= 3)
            await bot.hang_up()

        async with doing(vanish()):
            match = await table.play()

    assert [fault.kind for fault in match.faults] == [FaultKind.TIMEOUT] * 3
    assert match.forfeited == {0}
    assert table.gone == []
    assert not lobby.connected


async def test_bot_that_is_back_too_late_is_told_what_was_played_for_it(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="1+0")

        async def late() -> None:
            floor = table.floor
            assert floor is not None
            await until(lambda: len(floor.in_play[0].faults) == 1)

        async with doing(dies_once(bot, after=5, again=late)):
            match = await table.play()

    told = [replaced.kind for heard in bot.heard for ask in heard.turn.asks for replaced in ask.replacements]
    assert [fault.kind for fault in match.faults] == [FaultKind.TIMEOUT]
    assert told == [FaultKind.TIMEOUT.value]
    assert match.forfeited == set()


async def test_arenas_own_lateness_is_charged_to_no_bot(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="0.6+0")

        def stand_still(response: play_pb2.PlayResponse) -> bool:
            if response.turn.asks and bot.answered == 3:
                time.sleep(2.0)  # the loop that referees stands still
            return bool(response.turn.match_ends)

        async with doing(bot.play(until=stand_still)):
            match = await table.play()

    assert match.faults == []


async def test_stream_that_takes_over_in_a_match_goes_on_with_it(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    token = token_of(store).text
    async with Stranger(address, token) as first, Stranger(address, token) as second:
        await first.hang_up()
        table = TableOfOne(lobby, await only_version(lobby), time_control="20+0")

        async def play() -> None:
            await second.play(until=lambda response: bool(response.turn.asks) and second.answered >= 4)
            await first.dial()
            await asyncio.gather(
                first.play(until=lambda response: bool(response.turn.match_ends)), second.play()
            )

        async with doing(play()):
            match = await table.play()

    assert match.faults == []
    assert second.heard[-1].HasField("goodbye")
    assert first.answered > 4


async def test_answers_of_an_old_stream_are_not_heard(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    token = token_of(store).text
    async with Stranger(address, token) as old, Stranger(address, token) as new:
        assert (await old.read()).HasField("goodbye")
        with pytest.raises(EOFError):
            await old.read()  # from here on its own transport knows that the stream is over
        for _ in range(300):
            with pytest.raises((grpc.aio.AioRpcError, asyncio.InvalidStateError)):
                await old.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=[1])))
        table = TableOfOne(lobby, await only_version(lobby))
        async with doing(new.play(until=lambda response: bool(response.turn.match_ends))):
            match = await table.play()

    assert match.faults == []


async def test_bot_that_is_not_there_makes_no_contest(store: LeagueStore, door: tuple[Lobby, str]) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text):
        version_id = await only_version(lobby)
    await until(lambda: not lobby.connected)

    with pytest.raises(ExceptionGroup) as raised:
        await TableOfOne(lobby, version_id).play()

    assert raised.group_contains(NoContest, match="tortoise was not connected when the table was to begin")


async def test_bot_that_leaves_before_its_match_has_begun_is_reported(
    store: LeagueStore, door: tuple[Lobby, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena.league.remote, "RETURN_S", 0.1)
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby))
        playing = asyncio.create_task(table.play())
        assert (await bot.read()).turn.match_starts
    await until(lambda: table.gone != [])

    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert table.gone == ["tortoise went away before its match had begun"]


async def test_new_version_in_the_middle_of_a_match_forfeits_it(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    token = token_of(store).text
    async with Stranger(address, token) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="20+0")

        async def change() -> None:
            await bot.play(until=lambda response: bool(response.turn.asks) and bot.answered >= 2)
            async with Stranger(address, token, version="2"):
                await bot.play()

        async with doing(change()):
            match = await table.play()

    assert [(fault.kind, fault.forfeits) for fault in match.faults] == [(FaultKind.CRASHED, True)]
    assert "version 2 of this bot has taken the place" in match.faults[0].detail


async def test_flood_in_a_match_forfeits_it_and_ends_the_stream(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="20+0")

        async def flood() -> None:
            await bot.play(until=lambda response: bool(response.turn.asks))
            for _ in range(201):
                await bot.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_ids=[99])))
            await bot.play()

        async with doing(flood()):
            match = await table.play()

        assert match.faults[0].kind is FaultKind.RESOURCE
        assert "a flood" in bot.heard[-1].goodbye.reason
        assert not lobby.connected


async def test_garbage_and_huge_messages_are_faults_of_the_ask(
    store: LeagueStore, door: tuple[Lobby, str]
) -> None:
    lobby, address = door
    async with Stranger(address, token_of(store).text) as bot:
        table = TableOfOne(lobby, await only_version(lobby), time_control="20+0")

        async def spoil() -> None:
            asks: list[object] = []

            def count(response: play_pb2.PlayResponse) -> bool:
                asks.extend(response.turn.asks)
                return len(asks) in (1, 2) and bool(response.turn.asks)

            await bot.play(until=count)
            await bot.say(b"\xff\xff")
            await bot.play(until=count)
            await bot.say(b"x" * 70_000)
            await bot.play(until=lambda response: bool(response.turn.match_ends))

        async with doing(spoil()):
            match = await table.play()

    assert [fault.kind for fault in match.faults] == [FaultKind.MALFORMED] * 2
    assert "at most 65536 are read" in match.faults[1].detail


async def test_closing_says_goodbye_to_all_and_lets_nobody_in(store: LeagueStore) -> None:
    async with open_lobby(store) as (lobby, address):
        token = token_of(store).text
        async with Stranger(address, token) as bot:
            await only_version(lobby)
            await lobby.close("the server stops")

            late = Stranger(address, token)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await late.dial()

            assert (await bot.read()).goodbye.reason == "the server stops"
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            await late.hang_up()
